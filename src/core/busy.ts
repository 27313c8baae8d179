// Answers to a submit that say "not now": another job is under way, or as many as there may be. Nothing was created, so that it is
// sent later, like what is answered 429.

import type { SubmitJudgement } from './adapter.ts';
import type { JobDescription } from './description.ts';
import type { HttpResponse } from './http.ts';
import { scalarText, valueAt } from './json.ts';
import { answered, errorSentence, readJson, retryAfterOf } from './readings.ts';
import { normaliseWord } from './states.ts';

/** Which answers; JSON, so that a descriptor can keep it. */
export type BusyAnswers = NonNullable<NonNullable<JobDescription['submit']>['busy']>;

/** The judgement of an answer that says so; `undefined` for any other. */
export function judgeBusy(
  response: HttpResponse,
  busy: BusyAnswers | undefined,
  messageAt?: string,
): SubmitJudgement | undefined {
  if (busy?.codes.includes(response.status) !== true) return undefined;
  if (busy.at !== undefined) {
    const reading = readJson(response);
    const said = reading.kind === 'json' ? normaliseWord(scalarText(valueAt(reading.value, busy.at)) ?? '') : '';
    if (!(busy.words ?? []).some((word) => normaliseWord(word) === said)) return undefined;
  }
  return { kind: 'throttled', message: errorSentence(response, messageAt) ?? answered(response), ...retryAfterOf(response) };
}
