// Due work: what an operation needs next, and when. A function of the row and the traits and nothing else, so that it can be
// derived again after any crash.
//   D1. Every live operation has work and a deadline.
//   D2. An ended one has none, but what its effects need: never a submit, a fetch or an answer.
//   D3. An instant may lie in the past: the work is due at once. One that no longer applies is dropped by whoever runs it.

import type { Traits } from './descriptor.ts';
import { canResubmit, isCancelLeft, isReady } from './guards.ts';
import type { DueWork, Operation } from './operation.ts';
import type { EpochMs } from './time.ts';
import type { WorkKind } from './transitions.ts';

/** Everything that is due for an operation, and when; empty when nothing is. */
export function dueWork(operation: Operation, traits: Traits): readonly DueWork[] {
  const due: DueWork[] = [];
  // What has no instant of its own is due at once.
  const add = (kind: WorkKind, dueAt: EpochMs | undefined) => due.push({ kind, dueAt: dueAt ?? operation.updatedAt });
  const addPoll = () => {
    if (canPoll(operation, traits)) add('poll', pollDueAt(operation));
  };
  const addCancel = () => {
    if (wantsCancel(operation, traits)) add('cancel', operation.cancelAt);
    if (operation.cancellation === 'SENT') add('cancel_suspect', operation.cancelLeaseUntil);
  };

  switch (operation.life) {
    case 'QUEUED':
      add('submit', operation.submitAt);
      add('budget', Math.min(operation.startUntil, operation.budgetUntil));
      break;
    case 'SUBMITTING':
      add('suspect', operation.leaseUntil);
      break;
    case 'SUBMISSION_UNKNOWN':
      if (traits.lookup) add('lookup', operation.lookAt);
      if (canResubmit(operation, operation.submitAt, traits)) add('submit', operation.submitAt);
      add('window', operation.windowUntil);
      break;
    case 'WORKING':
      addPoll();
      if (operation.input === 'ANSWERED') add('answer', undefined);
      addCancel();
      add('budget', Math.min(operation.budgetUntil, operation.unknownWordUntil ?? operation.budgetUntil));
      break;
    case 'INPUT_REQUIRED':
      addPoll(); // the heartbeat: a job that goes on without us must be seen
      addCancel();
      add('budget', operation.budgetUntil);
      break;
    case 'TERMINAL_OBSERVED':
      if (isReady(operation)) add('accept', undefined);
      else add('fetch', operation.fetchAt);
      break;
    case 'NEEDS_RECONCILIATION':
      addPoll();
      if (canFetch(operation)) add('fetch', operation.fetchAt);
      addCancel();
      add('window', operation.windowUntil);
      break;
    default:
      if (operation.effects !== 'REQUIRED') break;
      addPoll();
      if (operation.reference === undefined && traits.lookup) add('lookup', operation.lookAt);
      addCancel();
      add('effects', operation.effectsUntil);
  }
  return due;
}

/** There is a job to ask about, and what is answered is about ours. */
const isOurs = ({ reference, contested }: Operation): boolean => reference !== undefined && contested !== true;

const canPoll = (operation: Operation, traits: Traits): boolean => traits.status && isOurs(operation);

/** No poll begins while an answer is on the wire: it could not tell an answer that is lost from one that is not there yet. */
const pollDueAt = ({ pollAt, input, answerUntil, updatedAt }: Operation): EpochMs =>
  input === 'SENT' ? Math.max(pollAt ?? updatedAt, answerUntil ?? 0) : (pollAt ?? updatedAt);

/** Without `fetchAt` the result is known to be out of reach. */
const canFetch = (operation: Operation): boolean =>
  operation.seen !== undefined && !isReady(operation) && isOurs(operation) && operation.fetchAt !== undefined;

function wantsCancel(operation: Operation, traits: Traits): boolean {
  if (operation.contested) return false;
  const hasReference = operation.reference !== undefined;
  if (operation.cancellation === 'REQUESTED') return hasReference || traits.cancel === 'none';
  return operation.cancellation === 'UNANSWERED' && hasReference && isCancelLeft(operation, traits);
}
