// The answer to asking for a result that is somewhere else: the value, where else it is, or why it can't be had.

import type { ResultJudgement } from './adapter.ts';
import type { JobDescription } from './description.ts';
import type { Descriptor } from './descriptor.ts';
import { answerInside } from './envelope.ts';
import { fileOf } from './files.ts';
import { helperRequest } from './helper-request.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { isJoinable, itemsIn, type Joint } from './joined.ts';
import { type Json, tryParseJson, valueAt } from './json.ts';
import { judgeRefusedResult } from './judgements.ts';
import { type Expected, foreignType, typed } from './media.ts';
import type { Reference } from './operation.ts';
import type { Payload } from './outcome.ts';
import { countedIn, LINKED, type Paged, type PageRules, pageRules, pagesAfter } from './pages.ts';
import {
  answered,
  isJsonType,
  isSet,
  jsonPayload,
  payloadOf,
  readJson,
  retryAfterOf,
  sentenceIn,
  unreadableBody,
  unwrapped,
} from './readings.ts';
import { sentences } from './situation.ts';
import { normaliseWord } from './states.ts';
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
  readonly unwrap?: 'json' | 'base64';
  /** Without a value there is no result. */
  readonly required?: true;
  /** Absent: pages go on where a `Link` says so. */
  readonly pages?: PageRules;
  /** JSON Pointer of what is set where the result is partial. */
  readonly partialAt?: string;
  /** Words that mean so, and a success. */
  readonly partialWords?: readonly string[];
}

/** The rules of a description. */
export const resultRules = ({
  at,
  type,
  unwrap,
  pages,
  partial,
  required,
}: NonNullable<JobDescription['result']> = {}): ResultRules => ({
  ...(at !== undefined && { at }),
  ...(type !== undefined && { types: (typeof type === 'string' ? [type] : type).map((one) => one.toLowerCase()) }),
  ...(unwrap !== undefined && { unwrap }),
  ...(required === true && { required }),
  ...(pages !== undefined && { pages: pageRules(pages) }),
  ...(typeof partial === 'string' && { partialAt: partial }),
  ...(typeof partial === 'object' && { partialWords: partial }),
});

/** Whether a status word means a success that is partial. */
export const isPartialWord = (word: string, { partialWords = [] }: ResultRules): boolean =>
  partialWords.some((listed) => normaliseWord(listed) === normaliseWord(word));

/** Whether it is set in a body that the result is partial. */
export const isPartialIn = (body: Json | undefined, { partialAt }: ResultRules): boolean =>
  partialAt !== undefined && isSet(valueAt(body, partialAt));

/** Member of `reference.extra` that remembers what the status said of a result that is still to be fetched. */
const PARTIAL = 'partial';

/** The reference to a job whose result will be partial, or not after all. */
export function withPartial(reference: Reference, isPartial: boolean): Reference {
  if (!isPartial && reference.extra?.[PARTIAL] === undefined) return reference;
  return { ...reference, extra: { ...reference.extra, [PARTIAL]: isPartial ? 'yes' : '' } };
}

/** A payload that the service says is not all. */
export const partialPayload = (payload: Payload): Payload => ({ ...payload, partial: true });

/**
 * What a result is asked for with, and may be. `asked`: the Accept of the operation that gives it. Of base64 the types are those
 * of the bytes.
 */
export const expectedOf = ({ types, unwrap }: ResultRules, asked = '*/*'): Expected =>
  types === undefined || unwrap === 'base64' ? { accept: asked } : { types, accept: types.join(', ') };

/** A value as the rules have it opened. */
export function opened(payload: Payload, { unwrap, types }: ResultRules): Payload {
  if (unwrap === 'json') return unwrapped(payload);
  return unwrap === 'base64' ? bytesOf(payload, types) : payload;
}

/** The bytes that a text stands for, of the described type, else of the one that they look like. */
function bytesOf(payload: Payload, types: readonly string[] = []): Payload {
  const value = isJsonType(payload.mediaType) ? tryParseJson(payload.body) : payload.body;
  const file = payload.encoding === 'text' && typeof value === 'string' ? fileOf(value) : undefined;
  if (file === undefined)
    return { ...payload, note: sentences(payload.note, 'This is no base64, as it was said to be; it is shown as it came.') };
  const [type = file.mediaType, ...others] = types;
  const mediaType = others.length > 0 || type.includes('*') ? file.mediaType : type;
  const made = payloadOf({ status: 200, url: '', headers: { 'content-type': mediaType }, body: file.bytes });
  return { ...payload, ...(made ?? { mediaType, encoding: 'text', body: '' }) };
}

/** How a result is asked for. */
export interface Asking {
  /** The Accept of the operation that gives it, where the rules name no type. */
  readonly accept?: string | undefined;
  /** The first request for it; absent where there is none to begin with. */
  readonly first: HttpRequest | undefined;
  readonly reference: Reference;
}

/** Judges an answer. */
export function judgeFetched(
  response: HttpResponse,
  descriptor: Descriptor,
  rules: ResultRules,
  { accept, first, reference }: Asking,
): ResultJudgement {
  const inside = answerInside(response);
  if (inside === 'malformed')
    return { kind: 'unreadable', permanent: false, message: 'the answer inside the answer is malformed or truncated' };
  if (inside !== undefined) return judgeFetched(inside, descriptor, rules, { accept, first, reference });
  const expected = expectedOf(rules, accept);
  const at = (url: string) => helperRequest({ ...securityOf(descriptor), accept: expected.accept }, url);
  const paged = first && { rules: rules.pages ?? LINKED, policy: descriptor, first, at };
  const parts = paged && partsIn(response, rules, paged);
  if (parts !== undefined) return parts;
  const judged = judgeAnswer(response, descriptor, rules, expected);
  if (judged.kind !== 'read') return judged;
  const isPartial = reference.extra?.[PARTIAL] === 'yes' || isPartialIn(jsonOf(response), rules);
  if (judged.result === undefined)
    return isPartial ? givenUp('the upstream says that the result is partial, and gave none') : judged;
  const whole = opened(judged.result, rules);
  const read = { ...judged, result: isPartial ? partialPayload(whole) : whole };
  return paged === undefined ? read : withNext(read, response, rules, paged);
}

const givenUp = (message: string): ResultJudgement => ({ kind: 'unreadable', permanent: true, message });

/** An answer that only lists the parts of the result, and is none of them. */
function partsIn(response: HttpResponse, { pages }: ResultRules, paged: Paged): ResultJudgement | undefined {
  if (pages?.list === undefined || pages.at === undefined || response.status !== 200) return undefined;
  const reading = readJson(response);
  if (reading.kind !== 'json' || !Array.isArray(valueAt(reading.value, pages.list))) return undefined;
  const next = pagesAfter(response, reading.value, paged);
  return typeof next === 'string' ? givenUp(next) : { kind: 'page', next, all: true, joint: jointOf(pages) };
}

interface Read {
  readonly kind: 'read';
  readonly result: Payload;
}

function jsonOf(response: HttpResponse): Json | undefined {
  const reading = readJson(response);
  return reading.kind === 'json' ? reading.value : undefined;
}

/** A page of those that are counted. One that has no list, and says something instead, is none. */
function withCount({ result }: Read, response: HttpResponse, pages: PageRules): ResultJudgement {
  const joint = jointOf(pages);
  if (isJsonType(result.mediaType) && itemsIn(result, result, joint) === undefined) {
    const said = sentenceIn(jsonOf(response)) ?? 'which list of it is to be counted is not described';
    return { kind: 'unreadable', permanent: false, message: `a page without a list: ${said}` };
  }
  return { kind: 'page', page: result, next: [], counted: countedIn(jsonOf(response), pages), joint };
}

/** What was read, as the page that it is where there are more of them. */
function withNext(read: Read, response: HttpResponse, { at = '', pages }: ResultRules, paged: Paged): ResultJudgement {
  if (pages?.by !== undefined) return withCount(read, response, pages);
  const next = pagesAfter(response, jsonOf(response), paged);
  if (next.length === 0) return read;
  if (pages === undefined) {
    const canJoin = isJoinable(read.result);
    // One value was picked out of the answer, whatever else is listed beside it.
    if (at !== '' && !canJoin) return read;
    if (typeof next === 'string' || !canJoin) return { ...read, result: cutShort(read.result) };
    return { kind: 'page', page: read.result, next, joint: {} };
  }
  if (typeof next === 'string') return givenUp(next);
  const all = pages.list === undefined ? {} : { all: true as const };
  return { kind: 'page', page: read.result, next, ...all, joint: jointOf(pages) };
}

const jointOf = ({ items, at, list }: PageRules): Joint => ({
  ...(items !== undefined && { items }),
  ...(at !== undefined && list === undefined && { nextAt: at }),
});

/** A page whose next ones nobody can get. */
export const cutShort = (page: Payload): Payload => ({
  ...partialPayload(page),
  note: sentences(page.note, 'The service has more than this; how to get it and put it together is not described.'),
});

function judgeAnswer(response: HttpResponse, descriptor: Descriptor, rules: ResultRules, expected: Expected): ResultJudgement {
  const { status } = response;
  if (status >= 300 && status < 400) return judgeRedirect(response, descriptor, expected.accept);
  if (status < 200 || status >= 300) return judgeRefusedResult(response);
  const notYet = (message: string): ResultJudgement => ({
    kind: 'unreadable',
    permanent: false,
    message,
    ...retryAfterOf(response),
  });
  const { at, required } = rules;
  if (status === 204 || status === 205)
    return required === true ? notYet(`${answered(response)}: the result is not there`) : { kind: 'read' };
  if (status === 202 || status === 206) return notYet(`${answered(response)}: the result is not there yet`);
  const foreign = foreignType(response, expected);
  if (foreign !== undefined) return notYet(`${foreign}, when asked for the result`);
  const answer = typed(response, expected.types);
  const reading = readJson(answer);
  if (reading.kind === 'malformed') return notYet(`${unreadableBody(reading)}, when asked for the result`);
  if (reading.kind !== 'json' || at === undefined || at === '')
    return required === true && isMissing(reading.kind === 'json' ? reading.value : undefined, answer)
      ? notYet('the result is empty, or null')
      : whole(answer);
  const value = valueAt(reading.value, at);
  if (required === true && rules.pages === undefined && (value === undefined || value === null))
    return notYet(`there is no result at ${at}`);
  if (value === undefined && rules.pages !== undefined) {
    // A page without items leaves their list out, at some services. What says something instead is no page.
    const said = sentenceIn(reading.value);
    return said === undefined ? { kind: 'read', result: jsonPayload([]) } : notYet(`a page without a list at ${at}: ${said}`);
  }
  return value === undefined
    ? whole(answer, `Nothing was found at ${at}; this is the whole answer.`)
    : { kind: 'read', result: jsonPayload(value) };
}

/** Whether an answer has no value: no byte, or the JSON null. */
const isMissing = (value: Json | undefined, { body }: HttpResponse): boolean => body.length === 0 || value === null;

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
