// What is true of an operation, in sentences for people and models: how it stands while it lives, and what may still be true of
// its job after it ended. Presentation decides which of them are shown, and to whom.

import { openQuestions } from './input.ts';
import type { Operation } from './operation.ts';

/** What is true of a live operation right now, for people and models. */
export function situation(operation: Operation): string {
  switch (operation.life) {
    case 'QUEUED':
      return 'Accepted; waiting to be sent to the service.';
    case 'SUBMITTING':
      return 'Being sent to the service.';
    case 'SUBMISSION_UNKNOWN':
      return sentences(
        begun(operation.trouble ?? 'the answer to the request was lost'),
        'The job may exist; that is being found out. Do not call again.',
      );
    case 'WORKING':
      return working(operation);
    case 'INPUT_REQUIRED':
      return waiting(operation);
    case 'TERMINAL_OBSERVED':
      return 'The service says that the job has ended; its result is being fetched.';
    case 'NEEDS_RECONCILIATION':
      return sentences(
        begun(operation.trouble ?? 'what became of the job is not clear'),
        `This is being looked into${until(operation.windowUntil)}. Do not call again.`,
      );
    case 'ACCEPTED':
    case 'CANCELLED_ACCEPTED':
      return 'Ended.';
  }
}

function working(operation: Operation): string {
  const { fraction, message } = operation.progress ?? {};
  const share = fraction === undefined ? undefined : `${Math.floor(fraction * 100)} %`;
  const progress = share !== undefined && message !== undefined ? `${share}: ${message}` : (share ?? message);
  return sentences(progress, unknownWord(operation)) || 'The service is working on it.';
}

function waiting(operation: Operation): string {
  const questions = openQuestions(operation);
  if (questions.length === 0)
    return 'The service waits for input before it goes on, which can only be given there: it is not described how to give it from here.';
  return sentences('The service waits for an answer before it goes on', ...questions.map(({ message }) => message));
}

const unknownWord = (operation: Operation): string | undefined =>
  operation.unknownWord === undefined
    ? undefined
    : `The service says "${operation.unknownWord}", which is no known state; it is treated as working.`;

const until = (at: number | undefined): string => (at === undefined ? '' : ` until ${new Date(at).toISOString()}`);

export function cancelWords(operation: Operation): string | undefined {
  switch (operation.cancellation) {
    case 'NONE':
      return undefined;
    case 'REQUESTED':
      return 'A cancel was requested.';
    case 'SENT':
    case 'UNANSWERED':
      return 'A cancel was sent to the service, which has not answered it yet.';
    case 'ASKED':
      return 'The service was asked to cancel; the job may still finish.';
    case 'CONFIRMED':
      return 'The service has confirmed the cancel.';
    case 'REFUSED':
      return operation.withheld
        ? 'The cancel was not sent: the service gave the same job to another call, which still waits for it. The job goes on.'
        : 'The service refused to cancel; the job goes on.';
    case 'UNSUPPORTED':
      return 'The service cannot cancel this job; it goes on.';
  }
}

/** Whose job it may be too. The other call may be another principal's, so that it is not named. */
export function sharedWords({ shared }: Operation): string | undefined {
  if (shared === undefined) return undefined;
  return shared.alike
    ? 'The service gave the same job to another call that asks for the same.'
    : 'The service gave the same job to another call with other arguments: what it gives may be the answer to that one.';
}

/** What may still be true at the service after our ending. A status never moves for it. */
export function effectsWords(operation: Operation): string | undefined {
  switch (operation.effects) {
    case 'NONE':
      return undefined;
    case 'REQUIRED':
      return operation.receipt?.outcome === 'cancelled'
        ? 'The job may still be running at the service; it is being followed until that is settled.'
        : `It is still being looked into, and an operator can settle it (operation ${operation.id}).`;
    case 'ESCALATED':
      return `The job may still be running at the service; an operator has been asked to check (operation ${operation.id}).`;
    case 'SETTLED':
      return settledWords(operation);
  }
}

function settledWords({ receipt, finding = 'settled' }: Operation): string {
  const isLate = receipt?.outcome === 'cancelled' && (finding === 'succeeded' || finding === 'failed');
  return isLate
    ? `The job ${finding} at the service all the same; what it gave was not used.`
    : `What became of the job at the service: ${finding}.`;
}

/** Joins what is there; each part ends as a sentence. */
export function sentences(...parts: readonly (string | undefined)[]): string {
  return parts
    .map((part) => part?.trim() ?? '')
    .filter((part) => part !== '')
    .map((part) => (/[.!?…]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

/** A clause as the beginning of a sentence. */
export const begun = (clause: string): string => clause.charAt(0).toUpperCase() + clause.slice(1);
