// Starting an operation: checked, written, then sent.

import { keyOfArguments, OWN_KEY_PREFIX } from '../core/caller-key.ts';
import { FIRST_EPOCH, type Gate, NO_EPOCH } from '../core/gates.ts';
import type { Exchange } from '../core/http.ts';
import { newId } from '../core/ids.ts';
import { dueWork, open, step } from '../core/machine.ts';
import type { Creation, Operation } from '../core/operation.ts';
import { renderRequest } from '../core/render.ts';
import { withKeyArgument } from '../core/submission-key.ts';
import type { EpochMs } from '../core/time.ts';
import type { JobTool } from '../core/tool.ts';
import { LIVE } from '../core/transitions.ts';
import { type Fault, LongshoreError } from '../errors.ts';
import type { Context } from './context.ts';
import type { Ruling, StartCall } from './engine.ts';
import { requestDigestOf } from './gates.ts';
import { sendSubmit, submitStarted } from './submit.ts';

/** A client may ask for a shorter or longer keep; it gets at least the configured retention, and at most this. */
const TTL_MAX_MS = 30 * 24 * 3_600_000;

export type Begun =
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }
  | { readonly kind: 'conflict'; readonly earlier: string }
  | { readonly kind: 'gated'; readonly gate?: Gate }
  | { readonly kind: 'existing'; readonly operation: Operation }
  /** `sending` is there when the submit is on the wire; it never rejects. */
  | {
      readonly kind: 'created';
      readonly operation: Operation;
      readonly sending?: Promise<Operation>;
      /** What came back for the submit, once something did. */
      readonly answer?: () => Exchange | undefined;
    };

/** Stands for the key that an operation will have: no fault can be about it. */
const KEY_TO_COME = 'key';

/** What is wrong with these arguments, by schema and by what the request needs. */
export function faultsOf(tool: JobTool, args: StartCall['arguments']): readonly Fault[] {
  const faults = tool.check(args);
  if (faults.length > 0) return faults;
  const { submit } = tool.descriptor;
  const rendered = renderRequest(submit, withKeyArgument(submit, args, KEY_TO_COME));
  return 'faults' in rendered ? rendered.faults : [];
}

/** Writes the operation, and sends its submit at once where the upstream has room; else the worker will. */
export async function begin(context: Context, call: StartCall, signal: AbortSignal): Promise<Begun> {
  const { ledger, clock, random, budget, recorder, settings } = context;
  const { tool } = call;
  const faults = faultsOf(tool, call.arguments);
  if (faults.length > 0) return { kind: 'invalid', faults };
  await withinLimit(context, call);

  const ruling = call.ruling ?? (await context.gates?.judge(call, [call.door]));
  const requestDigest = requestDigestOf(tool, call.arguments);
  const createdAt = clock.now();
  const creation: Creation = {
    id: newId('op', random.bytes(17)),
    tool: tool.name,
    upstream: tool.upstream,
    descriptorDigest: await context.descriptors.keep(tool.descriptor),
    adapter: tool.descriptor.adapter,
    contract: call.door,
    principal: call.principal,
    arguments: call.arguments,
    requestDigest,
    submissionKey: uuid(random.bytes(16)),
    ...(tool.descriptor.webhook !== undefined && { callbackToken: newId('cb', random.bytes(17)) }),
    ...keyOf(call, requestDigest, createdAt),
    epoch: ruling?.expected.find(({ contract }) => contract === call.door)?.epoch ?? FIRST_EPOCH,
    createdAt,
    ttlMs: Math.min(Math.max(call.ttlMs ?? 0, settings.retentionMs), Math.max(TTL_MAX_MS, settings.retentionMs)),
  };
  const drained = ruling?.mode === 'drain';
  // Behind a drained gate only an earlier operation can be the answer: to a repeat that brings its key.
  if (drained && creation.callerKey === undefined) return gatedBy(ruling);
  const expected = ruling && { gates: ruling.expected.map((one) => (drained ? { ...one, epoch: NO_EPOCH } : one)) };
  const { traits } = tool.descriptor;
  const created = { type: 'created', at: creation.createdAt, source: 'caller', creation } as const;
  const queued = open(created, traits);
  const job = await context.descriptors.of(queued);

  const creating = ledger.create({ event: created, operation: queued, work: dueWork(queued, traits), ...expected });
  if (drained || budget.available('submit', tool.upstream) < 1 || context.queue.isAhead(tool.upstream, createdAt)) {
    const { operation, created: isNew, gated } = await creating;
    if (gated === true) return overtaken(context, ruling);
    if (isNew) recorder.announce(operation);
    return isNew ? { kind: 'created', operation } : earlier(operation, creation);
  }

  // Creation and submit_started are written side by side, so that a store that commits in groups needs one flush for both.
  const release = budget.take('submit', tool.upstream);
  let held = true;
  try {
    const startedMs = clock.monotonic();
    const stepped = step(queued, submitStarted(context, queued, job), traits);
    const starting = ledger.append({
      expectedSeq: queued.seq,
      event: stepped.event,
      disposition: 'applied',
      operation: stepped.operation,
      work: dueWork(stepped.operation, traits),
      ended: false,
    });
    const [{ operation, created: isNew, gated }, started] = await Promise.all([creating, starting]);
    if (gated === true) return overtaken(context, ruling);
    if (!isNew) return earlier(operation, creation);
    recorder.announce(operation);
    // The worker was quicker, or the caller cancelled in between: whoever has the row now decides.
    if (started !== 'committed') return { kind: 'created', operation };
    recorder.announce(stepped.operation);
    held = false;
    let answer: Exchange | undefined;
    const sending = sendSubmit(context, stepped.operation, job, startedMs, signal, (exchange) => {
      answer = exchange;
    })
      .catch((error: unknown) => {
        context.log.error({ operation: operation.id, err: error }, 'the submit could not be recorded; its lease will expire');
        return stepped.operation;
      })
      .finally(release);
    return { kind: 'created', operation: stepped.operation, sending, answer: () => answer };
  } finally {
    if (held) release();
  }
}

const gatedBy = (ruling: Ruling | undefined): Begun => ({
  kind: 'gated',
  ...(ruling?.mode === 'drain' && ruling.gate !== undefined && { gate: ruling.gate }),
});

/** The gates in the ledger are not those that the call was judged by. */
async function overtaken({ gates }: Context, ruling: Ruling | undefined): Promise<Begun> {
  await gates?.reload();
  return gatedBy(ruling);
}

/** What the call is known by: the caller's key, else its arguments where the tool is described so. */
function keyOf(
  { callerKey, tool }: StartCall,
  requestDigest: string,
  at: EpochMs,
): Pick<Creation, 'callerKey' | 'callerKeyUntil'> {
  if (callerKey?.startsWith(OWN_KEY_PREFIX) === true) {
    throw new LongshoreError(
      'ARGUMENTS_INVALID',
      `an idempotency key may not begin with ${OWN_KEY_PREFIX}; nothing was started`,
    );
  }
  if (callerKey !== undefined) return { callerKey };
  const { deduplicateMs } = tool;
  return deduplicateMs === undefined ? {} : { callerKey: keyOfArguments(requestDigest), callerKeyUntil: at + deduplicateMs };
}

function earlier(operation: Operation, creation: Creation): Begun {
  return operation.requestDigest === creation.requestDigest
    ? { kind: 'existing', operation }
    : { kind: 'conflict', earlier: operation.id };
}

async function withinLimit({ ledger, settings, metrics, log }: Context, { principal, tool }: StartCall): Promise<void> {
  const counts = await ledger.count({ principal, lives: LIVE });
  const live = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (live < settings.operationsPerPrincipalMax) return;
  metrics?.reached({ limit: 'operationsPerPrincipalMax', upstream: 'none' });
  log.warn(
    { principal, tool: tool.name, live },
    'a call was refused: its caller has as many operations as limits.operationsPerPrincipalMax allows',
  );
  throw new LongshoreError(
    'LIMIT_REACHED',
    `${live} operations of this caller are still running, which is the limit. Nothing was started: wait for one to end, or cancel one. An operator can raise limits.operationsPerPrincipalMax.`,
  );
}

/** A version 4 UUID (RFC 9562 §5.4): what upstreams that take an idempotency key accept. */
function uuid(bytes: Uint8Array): string {
  const hex = [...bytes]
    .map((byte, index) =>
      (index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte).toString(16).padStart(2, '0'),
    )
    .join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
