// The facts that the table names: what a row changes beside the states. Each writes to a draft, the copy that becomes the next
// operation. Instants are not here (instants.ts), and neither is the receipt (receipt.ts).

import { endingOf } from './guards.ts';
import type { Operation, OperationEvent, Reference } from './operation.ts';
import type { OutcomeKind } from './outcome.ts';
import type { FactName } from './transitions.ts';

/** An operation while it is being folded. */
export type Draft = { -readonly [Member in keyof Operation]: Operation[Member] };

type Fact = (draft: Draft, event: OperationEvent, before: Operation) => void;

/** The same job's reference, with the newer URLs. */
export function merged(held: Reference | undefined, learned: Reference): Reference {
  const extra = { ...held?.extra, ...learned.extra };
  return { ...held, ...learned, ...(Object.keys(extra).length > 0 && { extra }) };
}

function see(draft: Draft, event: OperationEvent): void {
  const ending = endingOf(event);
  if (ending === undefined) return;
  // The first evidence of an ending stays the one that is accepted; a repetition may only add the result.
  const byOperator = event.type === 'operator_result';
  if (draft.seen !== ending || byOperator) {
    draft.seen = ending;
    draft.endingBy = byOperator ? 'operator' : 'upstream';
    if (event.message === undefined) delete draft.endingMessage;
    else draft.endingMessage = event.message;
    if (event.evidenceId === undefined) delete draft.endingEvidence;
    else draft.endingEvidence = event.evidenceId;
  }
  if (byOperator) delete draft.held;
  hold(draft, event);
}

function hold(draft: Draft, event: OperationEvent): void {
  if (draft.held !== undefined || !('held' in event) || event.held === undefined) return;
  draft.held = event.held;
  if (event.evidenceId !== undefined) draft.resultEvidence = event.evidenceId;
}

function seeCancelled(draft: Draft, event: OperationEvent): void {
  draft.seen = 'cancelled';
  draft.endingBy = 'upstream';
  if (event.message !== undefined) draft.endingMessage = event.message;
  if (event.evidenceId !== undefined) draft.endingEvidence = event.evidenceId;
}

function findingOf(event: OperationEvent): string {
  switch (event.type) {
    case 'operator_settles':
      return event.finding;
    case 'submit_rejected':
    case 'submit_throttled':
    case 'lookup_absent':
      return 'never created';
    case 'seen_missing':
      return 'deleted by the cancel';
    default:
      return endingOf(event) ?? 'ended';
  }
}

/** What an operator's word for another look puts aside. */
const DOUBTED = [
  'seen',
  'held',
  'endingBy',
  'endingMessage',
  'endingEvidence',
  'resultEvidence',
  'unknownWord',
  'unknownWordUntil',
] as const satisfies readonly (keyof Operation)[];

const nothing: Fact = () => {};

export const FACTS: Readonly<Record<FactName, Fact>> = {
  beginAttempt(draft, _event, before) {
    draft.attempt += 1;
    draft.mayExist = true;
    if (before.life === 'SUBMISSION_UNKNOWN') draft.doubted = true;
  },
  learnReference(draft, event) {
    draft.mayExist = true;
    if (event.shared !== undefined) draft.shared = event.shared;
    if (event.reference === undefined) return;
    const held = draft.reference;
    // A look that began before the reference last changed may add to it, and takes nothing back.
    const isLate = event.readAt !== undefined && event.readAt < (draft.movedSeq ?? 0);
    const learned = isLate && held !== undefined ? merged(event.reference, held) : event.reference;
    draft.reference = merged(held, learned);
    if (JSON.stringify(draft.reference) !== JSON.stringify(held)) draft.movedSeq = draft.seq;
  },
  noteSharing(draft, event) {
    if (event.shared !== undefined) draft.shared = event.shared;
  },
  contest(draft) {
    draft.contested = true;
  },
  trustReference(draft) {
    delete draft.contested;
  },
  proveAbsent(draft) {
    draft.mayExist = false;
    draft.doubted = false;
  },

  seeEnding: see,
  seeCancelled,
  seeRefusal(draft, event) {
    draft.mayExist = false;
    draft.seen = 'failed';
    draft.endingBy = 'upstream';
    if (event.message !== undefined) draft.endingMessage = event.message;
    if (event.evidenceId !== undefined) draft.endingEvidence = event.evidenceId;
    hold(draft, event);
  },
  holdResult: hold,
  dropResult(draft) {
    delete draft.held;
    delete draft.resultEvidence;
  },
  countFetch(draft) {
    draft.fetchTries += 1;
  },

  spendBudget(draft) {
    draft.budgetOver = true;
  },
  // What was seen before led into doubt; the operator's job is looked at with fresh eyes and a fresh budget.
  startAfresh(draft) {
    draft.budgetOver = false;
    draft.fetchTries = 0;
    for (const member of DOUBTED) delete draft[member];
  },

  openRound(draft, event) {
    if (event.type !== 'seen_input') return;
    draft.round = event.round;
    delete draft.answers;
    if (event.inputRequest === undefined) delete draft.inputRequest;
    else draft.inputRequest = event.inputRequest;
  },
  keepAnswers(draft, event) {
    if (event.type === 'input_provided') draft.answers = { ...draft.answers, ...event.answers };
  },

  raiseGeneration(draft, event) {
    draft.generation += 1;
    if (event.type === 'cancel') draft.cancelledBy = event.by;
    delete draft.withheld;
  },
  countCancel(draft) {
    draft.cancelTries += 1;
  },
  withhold(draft) {
    draft.withheld = true;
  },
  noteFinding(draft, event) {
    draft.finding = findingOf(event);
  },

  // What the receipt says; receipt.ts writes it.
  endAsSeen: nothing,
  endCancelled: nothing,
  endFailed: nothing,
  endUnknown: nothing,
};

/** The outcome that a row's facts end an operation with; `undefined` where they don't end it. */
export function outcomeOf(facts: readonly FactName[], operation: Operation): OutcomeKind | undefined {
  if (facts.includes('endAsSeen')) return operation.seen;
  if (facts.includes('endCancelled')) return 'cancelled';
  if (facts.includes('endFailed')) return 'failed';
  return facts.includes('endUnknown') ? 'unknown' : undefined;
}
