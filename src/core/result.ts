// The answer to asking for a result that is somewhere else: the value, where else it is, or why it can't be had.

import type { ResultJudgement } from './adapter.ts';
import type { Descriptor } from './descriptor.ts';
import { helperRequest } from './helper-request.ts';
import type { HttpResponse } from './http.ts';
import { valueAt } from './json.ts';
import { judgeRefusedResult } from './judgements.ts';
import { answered, jsonPayload, payloadOf, readJson, retryAfterOf, unreadableBody, unwrapped } from './readings.ts';
import { followable } from './urls.ts';

/** What goes along to a URL that no operation of the document describes: what went along with the submit. */
export const securityOf = ({ submit }: Pick<Descriptor, 'submit'>): { readonly security?: readonly string[] } =>
  submit.security === undefined ? {} : { security: submit.security };

/**
 * Judges an answer; `at` is where in a JSON body the value is, the whole body where it is absent or empty.
 * @param unwraps The value is text that holds JSON.
 */
export function judgeFetched(response: HttpResponse, descriptor: Descriptor, at?: string, unwraps = false): ResultJudgement {
  const judged = judgeAnswer(response, descriptor, at);
  return unwraps && judged.kind === 'read' && judged.result !== undefined
    ? { ...judged, result: unwrapped(judged.result) }
    : judged;
}

function judgeAnswer(response: HttpResponse, descriptor: Descriptor, at?: string): ResultJudgement {
  const { status } = response;
  if (status >= 300 && status < 400) return judgeRedirect(response, descriptor);
  if (status < 200 || status >= 300) return judgeRefusedResult(response);
  if (status === 204 || status === 205) return { kind: 'read' };
  const notYet = (message: string): ResultJudgement => ({
    kind: 'unreadable',
    permanent: false,
    message,
    ...retryAfterOf(response),
  });
  if (status === 202 || status === 206) return notYet(`${answered(response)}: the result is not there yet`);
  const reading = readJson(response);
  if (reading.kind === 'malformed') return notYet(`${unreadableBody(reading)}, when asked for the result`);
  if (reading.kind !== 'json' || at === undefined || at === '') return whole(response);
  const value = valueAt(reading.value, at);
  return value === undefined
    ? whole(response, `Nothing was found at ${at}; this is the whole answer.`)
    : { kind: 'read', result: jsonPayload(value) };
}

function whole(response: HttpResponse, note?: string): ResultJudgement {
  const result = payloadOf(response, note);
  return { kind: 'read', ...(result && { result }) };
}

/** Results are often handed out by a redirect to a download; how many of them are followed is the engine's. */
function judgeRedirect(response: HttpResponse, descriptor: Descriptor): ResultJudgement {
  const location = response.headers['location'];
  if (location === undefined || ![301, 302, 303, 307, 308].includes(response.status)) return judgeRefusedResult(response);
  const followed = followable(location.trim(), response.url, descriptor);
  return followed.ok
    ? { kind: 'elsewhere', request: helperRequest({ ...securityOf(descriptor), accept: '*/*' }, followed.url) }
    : { kind: 'unreadable', permanent: true, message: `the location of the result was refused: ${followed.why}` };
}
