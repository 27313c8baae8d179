// The answer to asking for a result that is somewhere else: the value, where else it is, or why it can't be had.

import type { ResultJudgement } from './adapter.ts';
import type { JobDescription } from './description.ts';
import type { Descriptor } from './descriptor.ts';
import { helperRequest } from './helper-request.ts';
import type { HttpResponse } from './http.ts';
import { valueAt } from './json.ts';
import { judgeRefusedResult } from './judgements.ts';
import { type Expected, foreignType, typed } from './media.ts';
import type { Payload } from './outcome.ts';
import { answered, jsonPayload, payloadOf, readJson, retryAfterOf, unreadableBody, unwrapped } from './readings.ts';
import { followable } from './urls.ts';

/** What goes along to a URL that no operation of the document describes: what went along with the submit. */
export const securityOf = ({ submit }: Pick<Descriptor, 'submit'>): { readonly security?: readonly string[] } =>
  submit.security === undefined ? {} : { security: submit.security };

/** What of `result` says how an answer becomes the value; JSON, so that a descriptor can keep it. */
export interface ResultRules {
  /** Where in a JSON body the value is, the whole body where it is absent or empty. */
  readonly at?: string;
  /** Media types that it may have, lower case. */
  readonly types?: readonly string[];
  readonly unwrap?: 'json';
}

/** The rules of a description. */
export const resultRules = ({ at, type, unwrap }: NonNullable<JobDescription['result']> = {}): ResultRules => ({
  ...(at !== undefined && { at }),
  ...(type !== undefined && { types: (typeof type === 'string' ? [type] : type).map((one) => one.toLowerCase()) }),
  ...(unwrap !== undefined && { unwrap }),
});

/** What a result is asked for with, and may be. `asked`: the Accept of the operation that gives it. */
export const expectedOf = ({ types }: ResultRules, asked = '*/*'): Expected =>
  types === undefined ? { accept: asked } : { types, accept: types.join(', ') };

/** A value as the rules have it opened. */
export const opened = (payload: Payload, { unwrap }: ResultRules): Payload =>
  unwrap === 'json' ? unwrapped(payload) : payload;

/**
 * Judges an answer.
 * @param asked The Accept of the request, where the rules name no type.
 */
export function judgeFetched(
  response: HttpResponse,
  descriptor: Descriptor,
  rules: ResultRules,
  asked?: string,
): ResultJudgement {
  const judged = judgeAnswer(response, descriptor, rules, expectedOf(rules, asked));
  return judged.kind === 'read' && judged.result !== undefined ? { ...judged, result: opened(judged.result, rules) } : judged;
}

function judgeAnswer(response: HttpResponse, descriptor: Descriptor, rules: ResultRules, expected: Expected): ResultJudgement {
  const { status } = response;
  if (status >= 300 && status < 400) return judgeRedirect(response, descriptor, expected.accept);
  if (status < 200 || status >= 300) return judgeRefusedResult(response);
  if (status === 204 || status === 205) return { kind: 'read' };
  const notYet = (message: string): ResultJudgement => ({
    kind: 'unreadable',
    permanent: false,
    message,
    ...retryAfterOf(response),
  });
  if (status === 202 || status === 206) return notYet(`${answered(response)}: the result is not there yet`);
  const foreign = foreignType(response, expected);
  if (foreign !== undefined) return notYet(`${foreign}, when asked for the result`);
  const answer = typed(response, rules.types);
  const reading = readJson(answer);
  if (reading.kind === 'malformed') return notYet(`${unreadableBody(reading)}, when asked for the result`);
  const { at } = rules;
  if (reading.kind !== 'json' || at === undefined || at === '') return whole(answer);
  const value = valueAt(reading.value, at);
  return value === undefined
    ? whole(answer, `Nothing was found at ${at}; this is the whole answer.`)
    : { kind: 'read', result: jsonPayload(value) };
}

function whole(response: HttpResponse, note?: string): ResultJudgement {
  const result = payloadOf(response, note);
  return { kind: 'read', ...(result && { result }) };
}

/** Results are often handed out by a redirect to a download; how many of them are followed is the engine's. */
function judgeRedirect(response: HttpResponse, descriptor: Descriptor, accept: string): ResultJudgement {
  const location = response.headers['location'];
  if (location === undefined || ![301, 302, 303, 307, 308].includes(response.status)) return judgeRefusedResult(response);
  const followed = followable(location.trim(), response.url, descriptor);
  return followed.ok
    ? { kind: 'elsewhere', request: helperRequest({ ...securityOf(descriptor), accept }, followed.url) }
    : { kind: 'unreadable', permanent: true, message: `the location of the result was refused: ${followed.why}` };
}
