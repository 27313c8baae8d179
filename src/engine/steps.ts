// Sending what a created job waits for: its data, or the word to begin. Part of the look that showed the waiting.
//   P1. Only for an operation that goes on, of which no cancel is recorded, and only right after a look (core/steps.ts, S1).
//   P2. `seen_working` with the step in its reference is durable before the step leaves; whoever is overtaken sends nothing.
//   P3. The sender looks at the monotonic clock right before it writes, as with a submit, and gives up at the lease's end.
//   P4. A refusal that can only be about this step ends the operation as failed: the job exists, and can't go on.

import type { DueStep, StepJudgement } from '../core/adapter.ts';
import type { HttpRequest } from '../core/http.ts';
import type { EventOf, Operation, OperationEvent, Reference } from '../core/operation.ts';
import { type StepsTaken, stepHorizonMs, stepsTaken, takenUpTo, withSteps } from '../core/steps.ts';
import type { EpochMs } from '../core/time.ts';
import { parseRetryAfter } from '../core/urls.ts';
import { ASK_AGAIN_MS, type Context, evidenceId, type WorkResult } from './context.ts';
import type { Job } from './descriptors.ts';
import { nextPollAt, nextTryAt } from './pace.ts';
import { sendInTime } from './send.ts';

/** One look that showed that the job waits. */
export interface Waiting {
  readonly due: readonly DueStep[];
  readonly event: EventOf<'seen_working'>;
  readonly beganAt: EpochMs;
}

/** Sends the steps that are due, one after the other. `undefined`: none may be sent now, and the look is one like any other. */
export async function takeSteps(
  context: Context,
  before: Operation,
  job: Job,
  { due, event, beganAt }: Waiting,
  signal: AbortSignal,
): Promise<WorkResult | undefined> {
  const reference = event.reference ?? before.reference;
  if (before.life !== 'WORKING' || before.generation > 0 || reference === undefined) return undefined;
  const { over, until } = stepsTaken(reference);
  // What lies before the first that is due was taken, whatever became of its answer.
  if (due[0]?.index === over && beganAt < until) return undefined;

  const { adapter, descriptor } = job;
  const { timing } = descriptor.traits;
  let row = before;
  let held: Reference = reference;
  for (const one of due) {
    const step = adapter.step?.(one, held, row.arguments, descriptor);
    const kept = stepsTaken(held);
    const last = kept.over === one.index ? kept : takenUpTo(one.index);
    if (step === undefined) {
      held = withSteps(held, takenUpTo(one.index + 1));
      continue;
    }
    const [sentAt, startedMs] = [context.clock.now(), context.clock.monotonic()];
    const sending = { ...last, tries: last.tries + 1, doubted: true, until: sentAt + stepHorizonMs(timing) };
    held = withSteps(held, sending);
    // Nobody looks while it is on the wire.
    const pollAt = sentAt + timing.submitLeaseMs;
    const written = await context.recorder.intent(row, { ...event, ...seenOn(context, row), reference: held, pollAt });
    // Another writer came in between: whether the step is still wanted is asked anew.
    if (written === undefined) return row === before ? { again: sentAt + ASK_AGAIN_MS, failed: false } : 'done';
    row = written;
    const judged = await send(context, job, step.request, startedMs, signal);
    if (judged.kind !== 'taken') {
      const taken = afterTrouble(judged, last, sending, step.repeats);
      await context.recorder.evidence(row.id, await troubled(context, row, job, judged, taken && withSteps(held, taken)));
      return 'done';
    }
    held = withSteps(held, takenUpTo(one.index + 1));
  }
  const at = context.clock.now();
  const pollAt = nextPollAt({
    now: at,
    createdAt: row.createdAt,
    pace: descriptor.pace,
    chance: context.random.fraction(),
  });
  const recorded = await context.recorder.evidence(row.id, { ...event, ...seenOn(context, row), reference: held, pollAt });
  return recorded?.disposition === 'applied' || row !== before ? 'done' : { again: pollAt, failed: false };
}

/** What was seen is still what was seen; the row that it meets is a newer one of ours. */
const seenOn = (context: Context, row: Operation) =>
  ({ at: context.clock.now(), source: 'poll', readAt: row.seq, evidenceId: evidenceId(context) }) as const;

async function send(
  context: Context,
  { adapter, descriptor }: Job,
  request: HttpRequest,
  startedMs: number,
  signal: AbortSignal,
): Promise<StepJudgement> {
  const { submitLeaseMs, submitTimeoutMs } = descriptor.traits.timing;
  const exchange = await sendInTime(context, descriptor, request, {
    purpose: 'step',
    startedMs,
    leaseMs: submitLeaseMs,
    timeoutMs: submitTimeoutMs,
    signal,
  });
  if (!exchange.ok) {
    const { message, mayHaveBeenSent } = exchange.failure;
    return { kind: 'unanswered', message, mayBeTaken: mayHaveBeenSent };
  }
  const judged = adapter.judgeStep?.(exchange.response, descriptor);
  return judged ?? { kind: 'unanswered', message: 'the adapter reads no answers to steps', mayBeTaken: true };
}

/** What is remembered of a step that was not taken; `undefined` for a refusal that can only be about it (S4). */
function afterTrouble(
  judged: Exclude<StepJudgement, { kind: 'taken' }>,
  last: StepsTaken,
  sending: StepsTaken,
  repeats: boolean,
): StepsTaken | undefined {
  if (judged.kind === 'unanswered') {
    if (!judged.mayBeTaken) return { ...last, tries: sending.tries };
    return repeats ? { ...sending, until: 0 } : sending;
  }
  const isSure = last.doubted ? last.until > 0 : judged.mayBeOver !== true;
  return isSure ? undefined : sending;
}

async function troubled(
  context: Context,
  row: Operation,
  { descriptor }: Job,
  judged: Exclude<StepJudgement, { kind: 'taken' }>,
  reference: Reference | undefined,
): Promise<OperationEvent> {
  const base = seenOn(context, row);
  if (reference === undefined) {
    const held = await context.payloads.hold(judged.kind === 'refused' ? judged.result : undefined);
    return {
      ...base,
      type: 'seen_ended',
      ending: 'failed',
      held,
      message: `the job was created, but could not go on: ${judged.message}`,
    };
  }
  const { tries } = stepsTaken(reference);
  context.log.warn({ operation: row.id, upstream: row.upstream, detail: judged.message, tries }, 'a step was not taken');
  const retryAfterMs = judged.kind === 'unanswered' ? parseRetryAfter(judged.retryAfter, base.at) : undefined;
  const chance = context.random.fraction();
  const pollAt = nextTryAt({ now: base.at, pace: descriptor.pace, retryAfterMs, chance, tries: tries - 1 });
  return { ...base, type: 'seen_working', reference, pollAt };
}
