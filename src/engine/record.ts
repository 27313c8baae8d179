// The one write path: evidence or intent → step → ledger.
//   R1. Evidence is judged on the row it meets: on a conflict it is re-read and re-judged, a bounded number of times.
//   R2. An intent or a timer belongs to the row it was made for: on a conflict it is dropped, and due work is derived anew.
//   R3. What became ready to be accepted is accepted at once; if we die in between, the due row does it.
//   R4. Listeners hear of a change only after it is durable.
//   R5. A job that another open operation holds is followed all the same, and both of them know; a caller's cancel that would
//       take it from the other is not sent (docs/decisions/0008-shared-jobs.md).
//   R6. Evidence waits for a store that is down (patience.ts); what a caller asked for, and an intent, do not.

import type { Traits } from '../core/descriptor.ts';
import { needsOperator } from '../core/facets.ts';
import type { OperationId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import { applies, dueWork, step } from '../core/machine.ts';
import type { Disposition, Operation, OperationEvent, Shared } from '../core/operation.ts';
import type { EpochMs } from '../core/time.ts';
import { LongshoreError } from '../errors.ts';
import type { Lease, Ledger } from '../ledger/ledger.ts';
import type { Descriptors } from './descriptors.ts';
import type { Patience } from './patience.ts';
import { jobAddressOf, mayNotShare, reported, sharedWith, withheld } from './sharing.ts';

const EVIDENCE_TRIES_MAX = 25;

export interface Recorded {
  readonly operation: Operation;
  readonly disposition: Disposition;
}

export interface Decided {
  readonly operation: Operation;
  readonly recorded: boolean;
}

export interface Recorder {
  /** Something was learned. `undefined` when the operation is no longer kept. Throws LEDGER_CONFLICT when it never gets through. */
  evidence(id: OperationId, event: OperationEvent): Promise<Recorded | undefined>;
  /**
   * Judges a row and proposes an event for it, again on every conflict, so that the decision and its record are one.
   * A proposal of nothing ends it: `recorded` is then false. `undefined` when there is no such operation.
   */
  decide(id: OperationId, propose: (operation: Operation) => OperationEvent | undefined): Promise<Decided | undefined>;
  /**
   * One look that may have shown nothing new: then only the due row moves to `again`, and no event is written, so that a
   * job that is polled a thousand times does not leave a thousand events.
   */
  look(lease: Lease, event: OperationEvent, again: EpochMs): Promise<Recorded | undefined>;
  /** Something we decided on this very row. `undefined`: the row has moved on, nothing was written. */
  intent(operation: Operation, event: OperationEvent): Promise<Operation | undefined>;
  /** Called with every row that this process made durable. */
  subscribe(listener: (operation: Operation) => void): () => void;
  /** Tells listeners of a row that was made durable elsewhere (a creation). */
  announce(operation: Operation): void;
}

/** What a reader could see of an operation: a look that changes none of it is no news. */
const FACE = [
  'life',
  'cancellation',
  'effects',
  'input',
  'round',
  'seen',
  'held',
  'progress',
  'unknownWord',
  'reference',
  'missingSince',
  'shared',
  'contested',
] as const satisfies readonly (keyof Operation)[];

const face = (operation: Operation): string => JSON.stringify(FACE.map((member) => operation[member]));

/** Whether an event would be recorded and show nothing that was not known: a look or a delivery that repeats the last one. */
export function isNoNews(operation: Operation, event: OperationEvent, traits: Traits): boolean {
  const stepped = step(operation, event, traits);
  return stepped.disposition === 'applied' && face(stepped.operation) === face(operation);
}

export function createRecorder(
  ledger: Ledger,
  descriptors: Descriptors,
  clock: { now(): EpochMs },
  log: Log,
  patience: Patience,
): Recorder {
  const listeners = new Set<(operation: Operation) => void>();
  const announce = (operation: Operation) => {
    for (const listener of listeners) listener(operation);
  };

  /** Steps and commits once. Another operation's id: it holds the job, and nothing was written. */
  async function attempt(
    operation: Operation,
    event: OperationEvent,
  ): Promise<Recorded | 'conflict' | { readonly sharedWith: OperationId }> {
    const job = await descriptors.of(operation);
    const { descriptor } = job;
    const stepped = step(operation, event, descriptor.traits);
    if (stepped.disposition === 'refused' || stepped.disposition === 'duplicate') {
      log.warn(
        { operation: operation.id, event: event.type, life: operation.life },
        'evidence refused: impossible in this state',
      );
      return { operation, disposition: stepped.disposition };
    }
    const jobAddress = jobAddressOf(stepped.operation, job);
    const unlessShared = mayNotShare(jobAddressOf(operation, job), jobAddress, operation, event);
    const appended = await ledger.append({
      expectedSeq: operation.seq,
      event: stepped.event,
      disposition: stepped.disposition,
      operation: stepped.operation,
      work: dueWork(stepped.operation, descriptor.traits),
      ended: stepped.ended,
      ...(jobAddress !== undefined && { jobAddress }),
      ...(unlessShared !== undefined && { unlessShared }),
    });
    if (appended === 'conflict' || typeof appended === 'object') return appended;
    if (appended === 'duplicate') return { operation, disposition: 'duplicate' };
    logTransition(operation, stepped.operation, event, descriptor.traits.status);
    announce(stepped.operation);
    return { operation: stepped.operation, disposition: stepped.disposition };
  }

  function logTransition(before: Operation, after: Operation, event: OperationEvent, polled: boolean) {
    // What a person may have to look into stands out of what goes its way.
    const level = needsOperator(after) && !needsOperator(before) ? 'warn' : 'info';
    log[level](
      {
        operation: after.id,
        tool: after.tool,
        upstream: after.upstream,
        seq: after.seq,
        event: event.type,
        life: after.life,
        ...(event.source !== undefined && { source: event.source }),
        ...(event.message !== undefined && { detail: event.message }),
        ...(after.progress?.fraction !== undefined && { progress: after.progress.fraction }),
        ...(polled && 'pollAt' in event && { nextPollInMs: event.pollAt - event.at }),
        ...(before.receipt === undefined &&
          after.receipt !== undefined && { outcome: after.receipt.outcome, reason: after.receipt.reason }),
      },
      before.life === after.life ? 'operation changed' : 'operation moved',
    );
  }

  async function settle(recorded: Recorded): Promise<Recorded> {
    const { descriptor } = await descriptors.of(recorded.operation);
    if (!dueWork(recorded.operation, descriptor.traits).some((work) => work.kind === 'accept')) return recorded;
    const accepted = await intent(recorded.operation, { type: 'accept', at: clock.now(), source: 'timer' });
    return accepted === undefined ? recorded : { ...recorded, operation: accepted };
  }

  /** Reads, proposes and commits until no other writer came in between. */
  async function persist(id: OperationId, propose: (operation: Operation) => OperationEvent | undefined) {
    let shared: Shared | undefined;
    for (let tries = 0; tries < EVIDENCE_TRIES_MAX; tries++) {
      const operation = await ledger.get(id);
      if (operation === undefined) return undefined;
      const proposed = propose(operation);
      if (proposed === undefined) return { operation };
      const event = shared === undefined ? proposed : { ...proposed, shared };
      const recorded = await attempt(operation, event);
      if (recorded === 'conflict') continue;
      if ('sharedWith' in recorded) shared = await tell(recorded.sharedWith, operation, event);
      else return recorded.disposition === 'applied' ? settle(recorded) : recorded;
    }
    throw new LongshoreError(
      'LEDGER_CONFLICT',
      `${id} was changed by others ${EVIDENCE_TRIES_MAX} times while it was being written; try again`,
    );
  }

  /**
   * Tells the operation that holds a job of another one that is given it. What the newcomer is to know of it: nothing where the
   * holder has no claim any more. Told first, so that a kill in between leaves nobody who does not know.
   */
  async function tell(id: OperationId, newcomer: Operation, event: OperationEvent): Promise<Shared | undefined> {
    const told = await persist(id, (holder) => reported(holder, newcomer, event));
    if (told === undefined || told.operation.contested) return undefined;
    const shared = sharedWith(newcomer, told.operation);
    log.warn(
      { operation: newcomer.id, upstream: newcomer.upstream, sharedWith: id, sameCall: shared.alike },
      'the service gave one job to two operations',
    );
    return shared;
  }

  /** A cancel would stop another operation's job: the operation hears that it was not sent. */
  async function withhold(operation: Operation, event: OperationEvent, other: OperationId): Promise<void> {
    const wanting = await ledger.get(other);
    if (wanting === undefined) return;
    log.warn({ operation: operation.id, upstream: operation.upstream, sharedWith: other }, 'a cancel was not sent');
    await evidence(operation.id, withheld(operation, wanting, event));
  }

  async function learn(id: OperationId, event: OperationEvent): Promise<Recorded | undefined> {
    const persisted = await persist(id, () => event);
    return persisted !== undefined && 'disposition' in persisted ? persisted : undefined;
  }

  const evidence: Recorder['evidence'] = (id, event) => patience.through(() => learn(id, event), id);

  async function intent(operation: Operation, event: OperationEvent): Promise<Operation | undefined> {
    const { descriptor } = await descriptors.of(operation);
    if (!applies(operation, event, descriptor.traits)) return undefined;
    const recorded = await attempt(operation, event);
    if (recorded === 'conflict') return undefined;
    if ('operation' in recorded) return recorded.operation;
    await withhold(operation, event, recorded.sharedWith);
    return undefined;
  }

  return {
    evidence,
    intent,
    announce,

    async decide(id, propose) {
      const persisted = await persist(id, propose);
      return persisted && { operation: persisted.operation, recorded: 'disposition' in persisted };
    },

    look: (lease, event, again) =>
      patience.through(async () => {
        const operation = await ledger.get(lease.operationId);
        if (operation === undefined) return undefined;
        const { descriptor } = await descriptors.of(operation);
        if (isNoNews(operation, event, descriptor.traits)) {
          await ledger.reschedule(lease, again, { failed: false });
          return { operation, disposition: 'applied' };
        }
        return learn(lease.operationId, event);
      }, lease.operationId),

    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
