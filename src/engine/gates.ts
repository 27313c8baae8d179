// The keeper of the gates: judges calls by what the ledger holds, changes gates, and tells whoever shows them.
//   G1. What is known here is as the ledger had it at one moment, all of it. A creation carries the epochs it was judged at, so that
//       a change since then refuses it (ledger/gates.ts, L16), and it is judged again.
//   G2. A call that would not be let in is judged once more by what the ledger holds by then: nothing else would tell that a gate was opened.
//   G3. Listeners hear of a change only after it is durable.
//   G4. Nothing but the start of an operation asks a gate.

import {
  callKey,
  concerns,
  faultOfChange,
  type Gate,
  type GateChange,
  type GatePlace,
  type GateSubject,
  type GateVerdict,
  gateName,
  samePlace,
  strictest,
  unknownIn,
  verdict,
} from '../core/gates.ts';
import type { Door, OperationId } from '../core/ids.ts';
import type { Json } from '../core/json.ts';
import type { Operation } from '../core/operation.ts';
import type { JobTool } from '../core/tool.ts';
import { LongshoreError } from '../errors.ts';
import type { ShadowAnswer } from '../ledger/gates.ts';
import { digestOf } from './descriptors.ts';
import type { CallOutcome, GateDesk, GateStanding, JudgedCall, Ruling } from './engine.ts';
import type { EnginePorts } from './ports.ts';
import { atStart, createConduct, type Heard } from './trips.ts';

const EXCERPT_CHARACTERS_MAX = 2_000;

export interface Gates extends GateDesk {
  /** The gates as the ledger has them. */
  reload(): Promise<void>;
  /** Applies the configuration, and closes what has to be closed. To be done before anything is started. */
  begin(): Promise<void>;
  /** One answer of an upstream, and whether it was within its protocol. */
  heard(answer: Heard): void;
  /** What a caller was answered past an operation. */
  shadowOf(id: OperationId): Promise<ShadowAnswer | undefined>;
  /** A commit of this process: an operation that was tracked in shadow may have ended. */
  changed(operation: Operation): void;
  /** A caller was answered past an operation that is only tracked. */
  shadowed(operation: Operation, gate: Gate | undefined, answer: CallOutcome): Promise<void>;
}

export function createGates(ports: EnginePorts, settings: NonNullable<EnginePorts['gates']>): Gates {
  const { catalogue, adapters, clock, log } = ports;
  const { store, contracts } = settings;
  const doors: readonly Door[] = [...contracts, 'none'];
  const listeners = new Set<() => void>();
  const conduct = createConduct(settings, clock, trip);
  /** Live operations that were answered in shadow by this process, and the status that their callers got. */
  const tracked = new Map<OperationId, number | undefined>();
  let known: readonly Gate[] = [];
  let begun: Promise<void> | undefined;

  const tell = () => {
    for (const listener of listeners) listener();
  };

  async function reload(): Promise<void> {
    const read = await store.gates();
    // Of two readings the one that came last may be the older.
    if (newestOf(read) <= newestOf(known)) return;
    known = read;
    tell();
  }

  async function write(change: GateChange): Promise<Gate> {
    const gate = await store.changeGate({ ...change, at: clock.now() });
    const { mode, share, reason, actor, epoch } = gate;
    log.warn({ gate: gateName(gate), mode, ...(share !== undefined && { share }), reason, actor, epoch }, 'a gate was changed');
    // Read, and not put beside what is known: between that and this change there may be others, which its epoch would hide.
    await reload().catch((error: unknown) =>
      log.error({ err: error }, 'the gates could not be read; calls will find them changed'),
    );
    return gate;
  }

  async function change(wanted: GateChange): Promise<Gate> {
    const unknown = unknownIn(wanted, { adapters: adapters.keys(), contracts, tools: catalogue.tools.values() });
    const fault = unknown ?? faultOfChange(wanted);
    if (fault !== undefined) throw new LongshoreError('ARGUMENTS_INVALID', `${fault}; no gate was changed`);
    await begin();
    return write(wanted);
  }

  /** Closes a gate for every door, once. */
  function trip(place: Omit<GatePlace, 'contract'>, reason: string): void {
    for (const contract of doors) {
      const there = { ...place, contract };
      if (known.find((gate) => samePlace(gate, there))?.mode === 'drain') continue;
      write({ ...there, mode: 'drain', reason, actor: 'longshore' }).catch((error: unknown) =>
        log.error({ gate: gateName(there), reason, err: error }, 'a gate could not be closed'),
      );
    }
  }

  function begin(): Promise<void> {
    begun ??= (async () => {
      await reload();
      const history = await store.gateHistory({ limit: 10_000 });
      const changes = atStart({ ...settings, adapters, catalogue, doors, known, history, live: await store.liveByGate() });
      for (const { place, fault } of changes.unfit)
        log.warn({ gate: gateName(place), detail: fault }, 'a configured gate fits nothing');
      for (const one of changes.wanted) await write(one);
    })();
    // What failed is tried again by the next call.
    begun.catch(() => {
      begun = undefined;
    });
    return begun;
  }

  async function judge(call: JudgedCall, through: readonly [Door, ...Door[]]): Promise<Ruling> {
    await begin();
    const ruling = judged(call, through);
    if (ruling.mode === 'open') return ruling;
    // What would be kept from starting may be let in by now: another process may have moved the gate, and no creation will tell.
    await reload();
    return judged(call, through);
  }

  function judged(call: JudgedCall, through: readonly [Door, ...Door[]]): Ruling {
    const { tool } = call;
    const { adapter } = tool.descriptor;
    const subjects = through.map((contract): GateSubject => ({ adapter, contract, upstream: tool.upstream, tool: tool.name }));
    // Only a share needs the key, and it costs a digest of the arguments.
    const shared = known.some((gate) => gate.mode === 'canary' && subjects.some((subject) => concerns(gate, subject)));
    const key = shared ? callKey(call.principal, tool.name, call.callerKey ?? requestDigestOf(tool, call.arguments)) : '';
    const verdicts = subjects.map((subject) => verdict(known, subject, key)) as [GateVerdict, ...GateVerdict[]];
    const { mode, gate } = strictest(verdicts);
    const expected = subjects.map((subject, at) => ({ ...subject, epoch: verdicts[at]?.epoch ?? 0 }));
    return { mode, ...(gate !== undefined && { gate }), expected };
  }

  async function list(): Promise<readonly GateStanding[]> {
    await begin();
    const live = await store.liveByGate();
    const matrix = [...adapters.keys()].flatMap((adapter) => doors.map((contract): GatePlace => ({ adapter, contract })));
    const places = [...matrix.filter((place) => !known.some((gate) => samePlace(gate, place))), ...known];
    return places.sort(byPlace).map((place) => ({
      mode: 'open' as const,
      ...place,
      live: live.filter((one) => concerns(place, one)).reduce((sum, one) => sum + one.live, 0),
    }));
  }

  return {
    judge,
    list,
    change,
    begin,
    reload,
    heard: conduct,
    current: () => known,
    shadowOf: (id) => store.shadowOf(id),
    changed({ id, tool, upstream, receipt }) {
      if (receipt === undefined || !tracked.has(id)) return;
      const status = tracked.get(id);
      tracked.delete(id);
      log.info(
        { operation: id, tool, upstream, ...(status !== undefined && { answered: status }), outcome: receipt.outcome },
        'an operation in shadow has ended',
      );
    },
    history: (options) => store.gateHistory(options),
    shadows: (limit) => store.shadows(limit),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async shadowed(operation, gate, answer) {
      const status = 'status' in answer ? answer.status : undefined;
      const body = answer.kind === 'invalid' ? '' : (answer.payload?.body ?? (answer.kind === 'failed' ? answer.message : ''));
      const { id, tool, upstream, life, receipt } = operation;
      log.info(
        {
          operation: id,
          tool,
          upstream,
          ...(gate && { gate: gateName(gate) }),
          ...(status !== undefined && { status }),
          life,
          insteadOf: receipt?.outcome ?? 'a task',
        },
        'answered as without Tasks; the operation is tracked beside it',
      );
      if (receipt === undefined) tracked.set(id, status);
      await store.keepShadow({
        operationId: id,
        epoch: gate?.epoch ?? operation.epoch,
        at: clock.now(),
        ...(status !== undefined && { status }),
        excerpt: body.slice(0, EXCERPT_CHARACTERS_MAX),
      });
    },
  };
}

/** Digest of tool and canonical arguments: the same call has the same digest. */
export const requestDigestOf = (tool: JobTool, args: JudgedCall['arguments']): string =>
  digestOf({ tool: tool.name, arguments: args } as Json);

const newestOf = (gates: readonly Gate[]): number => gates.reduce((newest, { epoch }) => Math.max(newest, epoch), 0);

const byPlace = (one: GatePlace, other: GatePlace): number => {
  const [left, right] = [one, other].map(({ adapter, contract, upstream = '', tool = '' }) =>
    [adapter, contract, upstream, tool].join('\n'),
  );
  return (left ?? '') < (right ?? '') ? -1 : 1;
};
