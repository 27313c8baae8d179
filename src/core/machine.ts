// The machine: fold and step, read off the table in transitions.ts. Pure; it knows no clock and no store.
//   M1. Rows are chosen on the operation as it was; then states, facts, rules, instants and receipt follow, in this order.
//   M2. Only `applied` changes an operation. `late` evidence is kept and counted (seq), and changes nothing else.
//   M3. An own event without a row throws. Every observation gets an answer, in every state.

import type { Traits } from './descriptor.ts';
import { type Draft, FACTS, outcomeOf } from './facts.ts';
import { GUARDS, isEnded, namesAnotherJob } from './guards.ts';
import { setInstants } from './instants.ts';
import type { Disposition, EventOf, Operation, OperationEvent } from './operation.ts';
import type { OutcomeKind } from './outcome.ts';
import { receiptOf, troubleOf } from './receipt.ts';
import {
  CALLER_EVENTS,
  type FactName,
  type GuardName,
  MACHINES,
  type MachineName,
  OBSERVATIONS,
  OWN_EVENTS,
  type Row,
} from './transitions.ts';

export { dueWork } from './due-work.ts';

/** What an event does to an operation. `operation` is the next row where `applied`, else the row as it was but for `seq`. */
export interface Stepped {
  readonly disposition: Disposition;
  /** With `seq` raised by one, unless `refused` or `duplicate`. */
  readonly operation: Operation;
  readonly event: OperationEvent;
  /** True for exactly the event that ended the operation: `operation.receipt` is new. */
  readonly ended: boolean;
}

/** The operation that a `created` event makes: QUEUED, seq 1. */
export function open(created: EventOf<'created'>, traits: Traits): Operation {
  const { creation } = created;
  return {
    ...creation,
    seq: 1,
    life: 'QUEUED',
    cancellation: 'NONE',
    effects: 'NONE',
    input: 'NONE',
    round: 0,
    attempt: 0,
    mayExist: false,
    doubted: false,
    budgetOver: false,
    fetchTries: 0,
    cancelTries: 0,
    generation: 0,
    changedSeq: 1,
    updatedAt: created.at,
    submitAt: creation.createdAt,
    startUntil: creation.createdAt + traits.timing.startWithinMs,
    budgetUntil: creation.createdAt + traits.timing.waitBudgetMs,
  };
}

/**
 * The one judge. Pure: the same operation, event and traits always give the same answer.
 * An observation that changes nothing is `late`; one that is impossible is `refused`. An own event (an intent or a timer)
 * that has no row throws: that is a bug of ours. Callers ask {@link applies} before they record an intent.
 */
export function step(operation: Operation, event: OperationEvent, traits: Traits): Stepped {
  const taken = rowsTaken(operation, event, traits);
  if (taken.length > 0) {
    const next = advance(operation, event, traits, taken);
    return { disposition: 'applied', operation: next, event, ended: isEnded(next) && !isEnded(operation) };
  }
  if (event.type === 'created' || includes(OWN_EVENTS, event.type)) {
    const { life, cancellation, effects, input } = operation;
    throw new Error(`${event.type} has no row in ${life} (cancellation ${cancellation}, effects ${effects}, input ${input})`);
  }
  const isPossible =
    isEnded(operation) ||
    (operation.attempt > 0 && (includes(OBSERVATIONS, event.type) || includes(CALLER_EVENTS, event.type)));
  if (!isPossible) return { disposition: 'refused', operation, event, ended: false };
  return { disposition: 'late', operation: { ...operation, seq: operation.seq + 1 }, event, ended: false };
}

/** Whether an event would be `applied`: asked before an intent is recorded, so that a lost race is dropped quietly. */
export function applies(operation: Operation, event: OperationEvent, traits: Traits): boolean {
  return rowsTaken(operation, event, traits).length > 0;
}

/** The row that a history makes. Throws if it does not begin with `created`, or if an event that was applied has no row. */
export function fold(
  events: readonly { readonly event: OperationEvent; readonly disposition: Disposition }[],
  traits: Traits,
): Operation {
  const [first, ...rest] = events;
  if (first?.event.type !== 'created') throw new Error(`a history begins with created, not with ${first?.event.type}`);
  let operation = open(first.event, traits);
  for (const { event, disposition } of rest) {
    if (disposition === 'late') operation = { ...operation, seq: operation.seq + 1 };
    if (disposition !== 'applied') continue;
    const stepped = step(operation, event, traits);
    if (stepped.disposition !== 'applied') {
      throw new Error(`${event.type} at position ${operation.seq + 1} was applied once, and is ${stepped.disposition} now`);
    }
    operation = stepped.operation;
  }
  return operation;
}

/**
 * The round that an upstream's question belongs to, for `seen_input`: the present one while it is the same question and
 * not closed, else the next. An upstream may put its next question before any look has seen it go on.
 */
export function roundOf(operation: Operation, isSameQuestion: boolean): number {
  const isPending = operation.input !== 'NONE' && operation.input !== 'CLOSED';
  return isPending && isSameQuestion ? operation.round : operation.round + 1;
}

/** A row that an event takes. */
export interface Taken {
  readonly machine: MachineName;
  readonly row: Row<string>;
}

const MACHINE_NAMES = Object.keys(MACHINES) as MachineName[];

type RowsOfEvent = { [type: string]: Row<string>[] };

/** Rows by machine, state and event, in the table's order. */
const INDEX = Object.fromEntries(MACHINE_NAMES.map((machine) => [machine, indexRows(machine)])) as Readonly<
  Record<MachineName, { readonly [state: string]: RowsOfEvent }>
>;

function indexRows(machine: MachineName): { readonly [state: string]: RowsOfEvent } {
  const index: { [state: string]: RowsOfEvent } = {};
  for (const row of MACHINES[machine].rows as readonly Row<string>[]) {
    for (const state of row[0]) {
      index[state] ??= {};
      for (const type of typeof row[1] === 'string' ? [row[1]] : row[1]) {
        index[state][type] ??= [];
        index[state][type].push(row);
      }
    }
  }
  return index;
}

/** The rows that an event takes, at most one of each machine; none where it would not be applied. */
export function rowsTaken(operation: Operation, event: OperationEvent, traits: Traits): readonly Taken[] {
  const isStranger = isAboutStranger(operation, event, traits);
  const taken: Taken[] = [];
  for (const machine of MACHINE_NAMES) {
    const row = INDEX[machine][operation[machine]]?.[event.type]?.find(
      ([, , guards]) =>
        (!isStranger || guards.includes('namesAnotherJob')) &&
        (guards as readonly GuardName[]).every((guard) => GUARDS[guard](operation, event, traits)),
    );
    if (row !== undefined) taken.push({ machine, row });
  }
  return taken;
}

/** Evidence that names another job than ours (T4). */
const isAboutStranger = (operation: Operation, event: OperationEvent, traits: Traits): boolean =>
  includes(OBSERVATIONS, event.type) && namesAnotherJob(operation, event, traits);

function advance(before: Operation, event: OperationEvent, traits: Traits, taken: readonly Taken[]): Operation {
  const draft: Draft = { ...before, seq: before.seq + 1, updatedAt: event.at };
  // The table's own types hold that facts are facts, and that `to` is a state of its machine.
  const facts = taken.flatMap(({ row }) => row[4] as readonly FactName[]);
  for (const fact of facts) FACTS[fact](draft, event, before);
  for (const { machine, row } of taken) if (row[3] !== '=') (draft as Record<MachineName, string>)[machine] = row[3];
  const outcome = outcomeOf(facts, draft);
  if (outcome !== undefined) settleEffects(draft, outcome);
  closeRound(draft);
  noteTrouble(before, draft, event, traits);
  const learned = isAboutStranger(before, event, traits) ? undefined : event;
  if (learned !== undefined) noteProgress(draft, learned, traits);
  setInstants(before, draft, event, traits, learned !== undefined);
  if (isChanged(before, draft)) draft.changedSeq = draft.seq;
  if (outcome !== undefined) draft.receipt = receiptOf(draft, event, outcome);
  return draft;
}

/** What an ending leaves behind (RULES, the first and the second). */
function settleEffects(draft: Draft, outcome: OutcomeKind): void {
  if (!draft.mayExist) {
    draft.effects = 'NONE';
    if (draft.life === 'CANCELLED_ACCEPTED' && draft.cancellation === 'REQUESTED') draft.cancellation = 'CONFIRMED';
  } else if (draft.seen === undefined) {
    draft.effects = 'REQUIRED';
  } else if (draft.life === 'ACCEPTED' && draft.seen === outcome) {
    draft.effects = 'NONE';
  } else {
    draft.effects = 'SETTLED';
    draft.finding = draft.seen;
  }
}

/** The third rule: a round is OPEN exactly while the operation is INPUT_REQUIRED, and no round outlives an ending. */
function closeRound(draft: Draft): void {
  const isOver = draft.life === 'TERMINAL_OBSERVED' || isEnded(draft);
  const isLeftOpen = draft.input === 'OPEN' && draft.life !== 'INPUT_REQUIRED';
  if (isLeftOpen || (isOver && draft.input !== 'NONE')) draft.input = 'CLOSED';
}

function noteTrouble(before: Operation, draft: Draft, event: OperationEvent, traits: Traits): void {
  const isUnsure = draft.life === 'SUBMISSION_UNKNOWN' || draft.life === 'NEEDS_RECONCILIATION';
  const isNews = draft.life !== before.life || draft.contested !== before.contested;
  if (isUnsure && isNews) {
    draft.trouble = troubleOf(before, event, traits);
    draft.troubleSince = event.at;
  } else if (!isUnsure && !isEnded(draft)) {
    delete draft.trouble;
    delete draft.troubleSince;
  }
}

function noteProgress(draft: Draft, event: OperationEvent, traits: Traits): void {
  if ('progress' in event && event.progress !== undefined) {
    const fraction = Math.max(draft.progress?.fraction ?? 0, event.progress.fraction ?? 0);
    const isKnown = draft.progress?.fraction !== undefined || event.progress.fraction !== undefined;
    draft.progress = { ...draft.progress, ...event.progress, ...(isKnown && { fraction }) };
  }
  if (!['seen_working', 'seen_input', 'seen_ended'].includes(event.type)) return;
  delete draft.missingSince;
  const word = event.type === 'seen_working' ? event.unknownWord : undefined;
  if (word === undefined) {
    delete draft.unknownWord;
    delete draft.unknownWordUntil;
    return;
  }
  draft.unknownWord = word;
  const stayMs = traits.timing.unknownWordMs;
  if (stayMs !== undefined) draft.unknownWordUntil ??= event.at + stayMs;
}

/** A read that began before one of these changed can't speak for the operation as it is now. */
const isChanged = (before: Operation, after: Operation): boolean =>
  (['life', 'input', 'round', 'attempt', 'cancellation'] as const).some((member) => before[member] !== after[member]);

function includes<T extends string>(names: readonly T[], name: string): name is T {
  return (names as readonly string[]).includes(name);
}
