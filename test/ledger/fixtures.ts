// Operations for the laws: made and moved by the real machine, so that what is stored is what the gateway stores.

import type { Traits } from '../../src/core/descriptor.ts';
import { dueWork, fold, open, step } from '../../src/core/machine.ts';
import type { Creation, EventOf, Operation, OperationEvent } from '../../src/core/operation.ts';
import type { EpochMs } from '../../src/core/time.ts';
import { WORK, type WorkKind } from '../../src/core/transitions.ts';
import type { Commit, LeaseRequest, Ledger, OutboxRow } from '../../src/ledger/ledger.ts';

export const NOW: EpochMs = Date.UTC(2026, 0, 1);
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** An upstream with a status endpoint and a cancel, no look-up and no deduplication. */
export const TRAITS: Traits = {
  status: true,
  lookup: false,
  cancel: 'asks',
  deduplicates: false,
  submitAttemptsMax: 3,
  fetchTriesMax: 3,
  cancelTriesMax: 3,
  timing: {
    submitTimeoutMs: 10_000,
    submitLeaseMs: 20_000,
    readTimeoutMs: 10_000,
    consistencyGraceMs: 5_000,
    reconcileWindowMs: 15 * MINUTE_MS,
    effectsWindowMs: 24 * HOUR_MS,
    waitBudgetMs: 10 * HOUR_MS,
    startWithinMs: HOUR_MS,
  },
};

let made = 0;

/** What `create` is given. */
export function created(overrides: Partial<Creation> = {}) {
  made += 1;
  const creation: Creation = {
    id: `op_${String(made).padStart(8, '0')}`,
    tool: 'render',
    upstream: 'studio',
    descriptorDigest: 'sha256:d',
    adapter: 'http-202@1',
    contract: '2026-07-28',
    principal: 'alice',
    arguments: { scene: 'harbour' },
    requestDigest: 'sha256:r',
    submissionKey: `key-${made}`,
    epoch: 0,
    createdAt: NOW,
    ttlMs: HOUR_MS,
    ...overrides,
  };
  const event: EventOf<'created'> = { type: 'created', at: creation.createdAt, creation };
  const operation = open(event, TRAITS);
  return { event, operation, work: dueWork(operation, TRAITS) };
}

/** What `append` is given for one event more. */
export function next(operation: Operation, event: OperationEvent): Commit {
  const stepped = step(operation, event, TRAITS);
  if (stepped.disposition === 'refused' || stepped.disposition === 'duplicate') {
    throw new Error(`${event.type} is ${stepped.disposition} in ${operation.life}: choose another event for the test`);
  }
  return {
    expectedSeq: operation.seq,
    event: stepped.event,
    disposition: stepped.disposition,
    operation: stepped.operation,
    work: dueWork(stepped.operation, TRAITS),
    ended: stepped.ended,
  };
}

let seen = 0;

export const EVENT = {
  started: (at: EpochMs, attempt = 1): OperationEvent => ({
    type: 'submit_started',
    at,
    attempt,
    leaseUntil: at + TRAITS.timing.submitLeaseMs,
  }),
  accepted: (at: EpochMs, pollAt = at + MINUTE_MS): OperationEvent => ({
    type: 'submit_accepted',
    at,
    attempt: 1,
    evidenceId: `evidence-${++seen}`,
    reference: { id: 'job-1', statusUrl: 'https://studio.example/jobs/1' },
    pollAt,
  }),
  working: (at: EpochMs, pollAt = at + MINUTE_MS, evidenceId = `evidence-${++seen}`): OperationEvent => ({
    type: 'seen_working',
    at,
    evidenceId,
    pollAt,
  }),
  finished: (at: EpochMs): OperationEvent => ({
    type: 'seen_ended',
    at,
    evidenceId: `evidence-${++seen}`,
    ending: 'succeeded',
    held: 'empty',
  }),
  accept: (at: EpochMs): OperationEvent => ({ type: 'accept', at }),
  cancel: (at: EpochMs, sticky = false): OperationEvent => ({ type: 'cancel', at, sticky, by: 'caller' }),
} as const;

/** The event that brings an operation one step nearer to its end; `undefined` once it ended. */
export function onward(operation: Operation, at: EpochMs): OperationEvent | undefined {
  switch (operation.life) {
    case 'QUEUED':
      return EVENT.started(at, operation.attempt + 1);
    case 'SUBMITTING':
      return EVENT.accepted(at);
    case 'WORKING':
      return EVENT.finished(at);
    case 'TERMINAL_OBSERVED':
      return EVENT.accept(at);
    default:
      return undefined;
  }
}

/** Creates an operation and appends these events to it; gives back the row as it then is. */
export async function told(ledger: Ledger, overrides: Partial<Creation>, ...events: OperationEvent[]): Promise<Operation> {
  let { operation } = await ledger.create(created(overrides));
  for (const event of events) {
    const commit = next(operation, event);
    const answer = await ledger.append(commit);
    if (answer !== 'committed') throw new Error(`${event.type} is ${answer}`);
    operation = commit.operation;
  }
  return operation;
}

export const toWorking = (): OperationEvent[] => [EVENT.started(NOW + 1), EVENT.accepted(NOW + 2)];
export const toTheEnd = (at: EpochMs = NOW + 3): OperationEvent[] => [...toWorking(), EVENT.finished(at), EVENT.accept(at)];

/** A request for all that is due, from every upstream that the tests know. */
export const request = (now: EpochMs, changes: Partial<LeaseRequest> = {}): LeaseRequest => ({
  now,
  leaseMs: MINUTE_MS,
  perUpstream: { studio: 100, bakery: 100 },
  kinds: WORK,
  ...changes,
});

/** Everything that the ledger says of an operation. */
export async function everything(ledger: Ledger, id: string) {
  const outbox: readonly OutboxRow[] = (await ledger.outbox(0, 10_000)).filter(({ receipt }) => receipt.operationId === id);
  return {
    operation: await ledger.get(id),
    history: await ledger.history(id),
    work: await ledger.work(id),
    receipt: await ledger.receipt(id),
    outbox,
  };
}

export const kindsOf = (work: readonly { readonly kind: WorkKind }[]): WorkKind[] => work.map(({ kind }) => kind).sort();

/** What laws L2, L4, L6 and L7 say of one operation, as sentences about what is broken; empty when all hold. */
export async function breaches(ledger: Ledger, id: string): Promise<string[]> {
  const { operation, history, work, receipt, outbox } = await everything(ledger, id);
  if (operation === undefined) return [`${id} is gone`];
  const found: string[] = [];
  const check = (holds: boolean, law: string) => {
    if (!holds) found.push(`${id}: ${law}`);
  };
  check(
    history.every(({ seq }, index) => seq === index + 1),
    'L2 positions are dense from 1',
  );
  check(operation.seq === history.length, 'L2 seq is the length of the history');
  const derived = dueWork(operation, TRAITS);
  check(text(fold(history, TRAITS)) === text(operation), 'L6 the fold of the history is the row');
  check(text(kindsOf(work)) === text(kindsOf(derived)), 'L7 the kinds due are those derived');
  check(
    work.every(({ kind, dueAt }) => dueAt >= (derived.find((entry) => entry.kind === kind)?.dueAt ?? dueAt)),
    'L7 nothing is due earlier than derived',
  );
  check(text(receipt) === text(operation.receipt), 'L4 the receipt is the one of the row');
  check(outbox.length === (receipt === undefined ? 0 : 1), 'L4 one outbox row for a receipt, none without');
  return found;
}

/** Comparable whatever the order of members. */
function text(value: unknown): string {
  return (
    JSON.stringify(value, (_key, member) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
        : member,
    ) ?? 'nothing'
  );
}
