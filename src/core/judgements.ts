// What an HTTP status code says by itself, the same for every protocol. Adapters judge what is theirs and leave the rest here.
//   J1. A no to a submit is final only where it can only be about this request. Whatever may have been said by something in
//       between (5xx, 408) leaves open whether a job was created.
//   J2. A status that could not be read says nothing about the job (401, 403, 408, 425, 429, 5xx).
//   J3. The answer to a cancel is not an ending.

import type { CancelJudgement, Observation, ResultJudgement, SubmitJudgement } from './adapter.ts';
import type { HttpResponse } from './http.ts';
import { answered, errorSentence, payloadOf, retryAfterOf } from './readings.ts';

const isBetween = (status: number, from: number, to: number): boolean => status >= from && status < to;

/** Answers that say nothing about the request itself: ask again. @see RFC 9110 §15.5.9, §15.6; RFC 8470 §5.2; RFC 6585 §4 */
const isTransient = (status: number): boolean => status === 408 || status === 425 || status === 429 || status >= 500;

/** A submit that was answered with anything but 2xx. 503 is doubt as well: a Retry-After does not prove that nothing began. */
export function judgeRefusedSubmit(response: HttpResponse, messageAt?: string): SubmitJudgement {
  const { status } = response;
  const sentence = errorSentence(response, messageAt);
  // 425 is sent instead of processing; 429 is sent instead of accepting.
  if (status === 429 || status === 425) {
    return { kind: 'throttled', message: sentence ?? answered(response), ...retryAfterOf(response) };
  }
  if (isBetween(status, 400, 500) && status !== 408) {
    const result = payloadOf(response);
    return { kind: 'rejected', message: sentence ?? `${answered(response)} and gave no reason`, ...(result && { result }) };
  }
  return { kind: 'ambiguous', message: `${answered(response)}; the job may have been accepted`, ...retryAfterOf(response) };
}

/** A poll that was answered with anything but 2xx, and with no redirect that the adapter follows. */
export function judgeRefusedPoll(response: HttpResponse, messageAt?: string): Observation {
  const { status } = response;
  const sentence = errorSentence(response, messageAt);
  if (status === 404 || status === 410)
    return { kind: 'missing', message: sentence ?? 'the upstream no longer knows this job' };
  if (!isBetween(status, 400, 500) || isTransient(status) || status === 401 || status === 403 || status === 407) {
    return { kind: 'unreadable', message: `${answered(response)} when asked for the status`, ...retryAfterOf(response) };
  }
  const result = payloadOf(response);
  return {
    kind: 'ended',
    ending: 'failed',
    fetch: false,
    message: sentence ?? `${answered(response)} and gave no reason`,
    ...(result && { result }),
  };
}

/** A result that was answered with anything but 2xx, and with no redirect that the adapter follows. */
export function judgeRefusedResult(response: HttpResponse): ResultJudgement {
  const { status } = response;
  // Many services say "not ready yet" with a 400, 404, 409 or 424, and a token that ran out is not the result's end.
  const worthAsking =
    isTransient(status) || [400, 401, 403, 404, 407, 409, 424].includes(status) || !isBetween(status, 400, 500);
  const sentence = errorSentence(response);
  return {
    kind: 'unreadable',
    permanent: !worthAsking,
    message: `${answered(response)} when asked for the result${sentence === undefined ? '' : `: ${sentence}`}`,
    ...retryAfterOf(response),
  };
}

/**
 * The answer to a cancel, by its status code. "Not there" refuses nothing and proves nothing, also where cancelling deletes: the
 * job may not be visible yet, may have been deleted by a cancel whose answer was lost, or may have ended and been forgotten.
 */
export function judgeCancelStatus(response: HttpResponse, messageAt?: string): CancelJudgement {
  const { status } = response;
  if (isBetween(status, 200, 300) || status === 303) return { kind: 'asked' };
  if (status === 405 || status === 501) return { kind: 'unsupported' };
  if (status === 404) return { kind: 'unanswered', message: `${answered(response)} to the cancel`, ...retryAfterOf(response) };
  if (isBetween(status, 400, 500) && !isTransient(status)) {
    return { kind: 'refused', message: errorSentence(response, messageAt) ?? `${answered(response)} to the cancel` };
  }
  return { kind: 'unanswered', message: `${answered(response)} to the cancel`, ...retryAfterOf(response) };
}
