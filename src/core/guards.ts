// The guards that the table names: pure predicates on the operation as it was, the event, and the protocol's traits.

import type { Traits } from './descriptor.ts';
import type { Operation, OperationEvent } from './operation.ts';
import type { Ending } from './outcome.ts';
import type { EpochMs } from './time.ts';
import { EARLY, FINAL, type GuardName, type Life, RUN } from './transitions.ts';

type Guard = (operation: Operation, event: OperationEvent, traits: Traits) => boolean;

const among = (lives: readonly Life[], life: Life): boolean => lives.includes(life);

/** Whether an operation has ended: it then has a receipt, and its life never moves again. */
export const isEnded = (operation: Operation): boolean => among(FINAL, operation.life);

/** An earlier cancel, in whatever state, forbids every later submit. */
const isCancelRecorded = (operation: Operation): boolean => operation.cancellation !== 'NONE';

/** Whether a doubtful submit may be sent once more at `at`: only where sending twice can't make two jobs. */
export function canResubmit(operation: Operation, at: EpochMs, traits: Traits): boolean {
  return (
    traits.deduplicates &&
    !isCancelRecorded(operation) &&
    operation.attempt < traits.submitAttemptsMax &&
    at <= (operation.keyUntil ?? Number.POSITIVE_INFINITY)
  );
}

/** The result or error body is here, or the ending has none. */
export const isReady = (operation: Operation): boolean => operation.held !== undefined || operation.seen === 'cancelled';

/** What an event says of the job's end; `undefined` where it says nothing of it. */
export function endingOf(event: OperationEvent): Ending | undefined {
  if ('ending' in event) return event.ending;
  return event.type === 'cancel_confirmed' ? 'cancelled' : undefined;
}

/** The event answers the attempt that we wait for, or is not about an attempt. */
const isCurrent: Guard = (operation, event) => event.attempt === undefined || event.attempt === operation.attempt;

/**
 * The read began after the last change of life, input, attempt or cancellation. That no answer was on the wire while it
 * began is the due work's doing: no poll is due before `answerUntil`.
 */
const isFresh: Guard = (operation, event) => event.readAt === undefined || event.readAt >= operation.changedSeq;

const hasBudget = (operation: Operation): boolean => !operation.budgetOver && operation.seen === undefined;

const isSameRound: Guard = (operation, event) => 'round' in event && event.round === operation.round;

/** The event names a job, and another than ours. */
export const namesAnotherId: Guard = (operation, event) =>
  operation.reference !== undefined && event.reference !== undefined && event.reference.id !== operation.reference.id;

/** Nothing that is seen is about our job: it names another one, or our id is another call's by now. */
export const namesAnotherJob: Guard = (operation, event, traits) =>
  operation.contested === true || namesAnotherId(operation, event, traits);

/**
 * The service took a delete of ours, so that a 404 from then on is its work. One whose answer was lost proves nothing: the job
 * may as well have ended and been forgotten.
 */
export const isDeleted = ({ cancellation }: Operation, { cancel }: Traits): boolean =>
  cancel === 'deletes' && (cancellation === 'ASKED' || cancellation === 'CONFIRMED');

const contradicts: Guard = (operation, event) => operation.seen !== undefined && operation.seen !== endingOf(event);

/**
 * Whether the job under our id may be over when another call is given that id. A service that deduplicates by content gives
 * one call's job to its like: then only a job that was seen to be gone is over. Another request is answered with a job of its own.
 */
const wasGone: Guard = (operation, event, traits) => {
  if (event.type !== 'reference_shared') return false;
  const { life, missingSince, seen, cancelTries } = operation;
  if (event.shared.alike) return missingSince !== undefined && !among(RUN, life);
  const isResultOpen = seen !== undefined && !isReady(operation);
  return missingSince !== undefined || isResultOpen || (traits.cancel === 'deletes' && cancelTries > 0);
};

/** A cancel that nobody answered is sent again, so often for each one that was asked for: whoever asks anew gets new tries. */
export const isCancelLeft = ({ cancelTries, generation }: Operation, { cancelTriesMax }: Traits): boolean =>
  cancelTries < cancelTriesMax * generation;

export const GUARDS: Readonly<Record<GuardName, Guard>> = {
  live: (operation) => !isEnded(operation),
  working: (operation) => operation.life === 'WORKING',
  wasSent: (operation) => operation.attempt > 0,
  current: isCurrent,
  // No other request than the one that this answers can have been received.
  sole: (operation, event, traits) => !operation.doubted && isCurrent(operation, event, traits),
  mayResubmit: (operation, event, traits) => canResubmit(operation, event.at, traits),
  // Of the attempt that it was asked about: another may have left while the answer was on its way.
  proof: (operation, event, traits) => event.type === 'lookup_absent' && event.proof && isCurrent(operation, event, traits),
  thoughtAbsent: (operation) => isEnded(operation) && !operation.mayExist,

  namesAnotherJob,
  namesNoOther: (operation, event, traits) => !namesAnotherId(operation, event, traits),
  isShared: (operation) => operation.shared !== undefined,
  wasGone,
  hasReference: (operation) => operation.reference !== undefined,
  noStatus: (_operation, _event, traits) => !traits.status,

  fresh: isFresh,
  mayFollow: hasBudget,
  // Whether life goes where this poll or delivery says; the conditions of the life rows for seen_working and seen_input.
  listens: (operation, event, traits) =>
    among(EARLY, operation.life)
      ? operation.attempt > 0
      : isFresh(operation, event, traits) &&
        (among(RUN, operation.life) || (operation.life === 'NEEDS_RECONCILIATION' && hasBudget(operation))),

  newRound: (operation, event) => 'round' in event && event.round > operation.round,
  sameRound: isSameRound,
  awaitsAnswer: (operation, event, traits) =>
    (operation.input === 'ANSWERED' || operation.input === 'SENT') && isSameRound(operation, event, traits),
  answersRound: (operation, event, traits) => operation.input === 'OPEN' && isSameRound(operation, event, traits),

  leavesOpen: (_operation, event) => event.type === 'input_provided' && event.partly === true,

  sawEnding: (operation) => operation.seen !== undefined,
  contradicts,
  agrees: (operation, event, traits) => !contradicts(operation, event, traits),
  endedCancelled: (_operation, event) => endingOf(event) === 'cancelled',
  // No fetch is planned any more, and this evidence does not bring the result either: going on would only go in circles.
  resultLost: (operation, event) =>
    operation.seen !== undefined &&
    !isReady(operation) &&
    operation.fetchAt === undefined &&
    !('held' in event && event.held !== undefined),
  fetchLeft: (operation, event, traits) =>
    event.type === 'result_bad' && !event.permanent && operation.fetchTries + 1 < traits.fetchTriesMax,
  ready: isReady,

  notCancelled: (operation) => !isCancelRecorded(operation),
  cancelRecorded: isCancelRecorded,
  sticky: (_operation, event) => event.type === 'cancel' && event.sticky,
  cancelLeft: (operation, _event, traits) => isCancelLeft(operation, traits),
  deletedByCancel: (operation, event, traits) => isDeleted(operation, traits) && isFresh(operation, event, traits),
};
