// Reading upstream answers: JSON, payloads, and the sentence for people. Shared by adapters; knows bytes, not protocols.
//   R1. Total: whatever the bytes are, there is an answer, never an exception.
//   R2. A whole body is kept as the text it came in; a part of one keeps its digits (core/json.ts).
//   R3. A sentence for people is bounded, and loses the query of any URL in it: signatures and tokens live there.

import type { HttpResponse } from './http.ts';
import { isJsonObject, isRawNumber, type Json, parseJson, scalarText, stringifyJson, tryParseJson, valueAt } from './json.ts';
import type { Payload } from './outcome.ts';
import { boundaryIn, partsOf } from './parts.ts';
import type { RetryAfter } from './retry-after.ts';

/** Longest sentence that is passed on, in characters. */
const SENTENCE_MAX = 500;

/** Type and subtype of the Content-Type, lower case; '' where there is none. */
export const mediaTypeOf = (response: HttpResponse): string =>
  (response.headers['content-type'] ?? '').split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? '';

export const isJsonType = (mediaType: string): boolean => /^(application|text)\/json$|\+json$/.test(mediaType);

export const isTextType = (mediaType: string): boolean =>
  isJsonType(mediaType) ||
  /^text\/|\+xml$|^application\/(xml|javascript|yaml|x-ndjson|jsonl|x-jsonlines|x-www-form-urlencoded)$/.test(mediaType);

/** The body as text in its own charset, or `undefined` where it isn't text. A byte order mark is dropped. */
function textOf(response: HttpResponse): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(response.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset, { fatal: true }).decode(response.body);
  } catch {
    return undefined;
  }
}

export type BodyReading =
  | { readonly kind: 'json'; readonly value: Json; readonly text: string }
  | { readonly kind: 'empty' }
  /** Declared as something else than JSON: HTML of a proxy, a download. */
  | { readonly kind: 'other'; readonly mediaType: string }
  /**
   * Declared as JSON (or as nothing), and none: truncated, or not what it says. `empty`: nothing of it is there. Or declared as
   * several parts, and not whole: `why`.
   */
  | { readonly kind: 'malformed'; readonly empty?: true; readonly why?: string };

/**
 * The body as JSON. A missing Content-Type counts as JSON, since many small services send none. Nothing at all is no JSON:
 * an answer that is declared as JSON and empty lost its body on the way.
 */
export function readJson(response: HttpResponse): BodyReading {
  const mediaType = mediaTypeOf(response);
  const why = response.status === 204 ? undefined : brokenParts(response);
  if (why !== undefined) return { kind: 'malformed', why };
  const isLost = isJsonType(mediaType) && response.status !== 204;
  const nothing: BodyReading = isLost ? { kind: 'malformed', empty: true } : { kind: 'empty' };
  if (response.body.length === 0) return nothing;
  if (mediaType !== '' && !isJsonType(mediaType)) return { kind: 'other', mediaType };
  const text = textOf(response);
  if (text?.trim() === '') return nothing;
  try {
    return text === undefined ? { kind: 'malformed' } : { kind: 'json', value: parseJson(text), text };
  } catch {
    return { kind: 'malformed' };
  }
}

/** Why an answer in several parts can't be taken apart; `undefined` where it can, and for every other answer. */
export function brokenParts(response: HttpResponse): string | undefined {
  const mediaType = mediaTypeOf(response);
  if (!isPartsType(mediaType)) return undefined;
  const boundary = boundaryIn(response.headers['content-type'] ?? '');
  if (boundary === undefined) return `the answer is ${mediaType} without a boundary`;
  const read = partsOf(response.body, boundary, 0);
  return 'wrong' in read ? `the answer is ${mediaType}, and ${read.wrong}` : undefined;
}

const isPartsType = (mediaType: string): boolean => mediaType.startsWith('multipart/');

/** Why a body could not be read as what it should have been. For people. */
export const unreadableBody = (reading: Exclude<BodyReading, { kind: 'json' }>): string =>
  reading.kind === 'malformed' && reading.why !== undefined
    ? reading.why
    : reading.kind === 'empty' || (reading.kind === 'malformed' && reading.empty)
      ? 'the answer is empty where JSON was expected'
      : reading.kind === 'other'
        ? `the answer is ${reading.mediaType} where JSON was expected`
        : 'the answer is malformed or truncated JSON';

const CHUNK = 0x8000; // String.fromCharCode takes its bytes as arguments, and there is a limit to those

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}

/** The whole body as a payload: text where it is text, base64 elsewhere; `undefined` where there is no body. */
export function payloadOf(response: HttpResponse, note?: string): Payload | undefined {
  if (response.body.length === 0) return undefined;
  const declared = mediaTypeOf(response);
  const text = declared === '' || isTextType(declared) ? textOf(response) : undefined;
  const boundary = boundaryIn(response.headers['content-type'] ?? '');
  const guessed =
    text === undefined ? 'application/octet-stream' : readJson(response).kind === 'json' ? 'application/json' : 'text/plain';
  return {
    mediaType: declared === '' ? guessed : declared,
    encoding: text === undefined ? 'base64' : 'text',
    body: text ?? base64(response.body),
    ...(boundary !== undefined && { boundary }),
    ...(note !== undefined && { note }),
  };
}

/** A part of a JSON body as a payload of its own. */
export const jsonPayload = (value: Json): Payload => ({
  mediaType: 'application/json',
  encoding: 'text',
  body: stringifyJson(value),
});

/** Text for people: one line, bounded, no query of any URL, or `undefined` where nothing is left. */
function sentence(text: string): string | undefined {
  const line = text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/((?:https?:\/\/|\/)[^\s?#"'<>]*)\?[^\s"'<>]+/g, '$1?…')
    .trim();
  if (line === '') return undefined;
  return line.length > SENTENCE_MAX ? `${line.slice(0, SENTENCE_MAX).toWellFormed()}…` : line;
}

/** Where services put the sentence, best first. @see RFC 9457, google.rpc.Status, JSON:API §errors, OData JSON §21 */
const SENTENCES = [
  '/error/message',
  '/errors/0/message',
  '/errors/0/detail',
  '/errors/messages/0',
  '/errors/data/0/message',
  '/detail',
  '/message',
  '/error_description',
  '/error_message',
  '/errorMessage',
  '/failure/message',
  '/failure_detail',
  '/failure_reason',
  '/failureReason',
  '/error/detail',
  '/error/errors/0/message',
  '/errors/0/title',
  '/errors/0',
  '/error/details/0/message',
  '/error/details/0/error/message',
  '/error/details/0/error',
  '/error/details/0/detail',
  '/error/details/0/fieldViolations/0/description',
  '/error/reason',
  '/error/root_cause/0/reason',
  '/error/description',
  '/errorResult/message',
  '/status/errorResult/message',
  '/properties/error/message',
  '/response/error/message',
  '/last_error/message',
  '/incomplete_details/reason',
  '/issue/0/diagnostics',
  '/issue/0/details/text',
  '/title',
  '/reason',
  '/cause',
  '/statusMessage',
  '/status_message',
  '/failure',
  '/error',
];

/** Names that mean one thing wherever they are, for bodies that wrap what they say in the kind of their job. */
const NAMES = ['StateChangeReason', 'FailureReason', 'failureReason', 'failure_reason', 'ErrorMessage', 'errorMessage'];
const DEPTH_MAX = 4;
const LOOKED_AT_MAX = 500;

/** The first sentence under one of the names, nearest to the top. */
function namedSentence(body: Json | undefined): string | undefined {
  let level: readonly (Json | undefined)[] = [body];
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0; depth++) {
    const objects = level.filter(isJsonObject).slice(0, LOOKED_AT_MAX);
    for (const object of objects)
      for (const name of NAMES) {
        const found = Object.hasOwn(object, name) ? shown(object[name]) : undefined;
        if (found !== undefined) return found;
      }
    level = objects.flatMap((object) => Object.values(object));
  }
  return undefined;
}

/** The best sentence for people inside a JSON error or failed body; `pointer` is where the description says that it is. */
export function sentenceIn(body: Json | undefined, pointer?: string): string | undefined {
  for (const place of pointer === undefined ? SENTENCES : [pointer, ...SENTENCES]) {
    const found = shown(valueAt(body, place));
    if (found !== undefined) return found;
  }
  return typeof body === 'string' ? sentence(body) : namedSentence(body);
}

/** The best sentence for people in an answer that says no; plain text counts, HTML does not. */
export function errorSentence(response: HttpResponse, pointer?: string): string | undefined {
  const reading = readJson(response);
  if (reading.kind === 'json') return sentenceIn(reading.value, pointer);
  return mediaTypeOf(response) === 'text/plain' ? sentence(textOf(response) ?? '') : undefined;
}

/** A value that is a sentence for people (a progress message), or `undefined`. */
export function shown(value: Json | undefined): string | undefined {
  const text = typeof value === 'boolean' ? undefined : scalarText(value);
  return text === undefined ? undefined : sentence(text);
}

/** A value of a status body as text that can be shown: `PAUSED`, `3`, `null`. */
export function rawWord(value: Json | undefined, at: string): string {
  if (value === undefined) return `no status word (missing at ${at === '' ? 'the top of the body' : at})`;
  return sentence(scalarText(value) ?? stringifyJson(value).slice(0, SENTENCE_MAX))?.slice(0, 100) ?? 'an empty status word';
}

/** A text that holds JSON as that JSON, or `undefined` where the payload is no such text. */
export function unwrapped(payload: Payload): Payload {
  const text = payload.encoding === 'text' && payload.mediaType.endsWith('json') ? tryParseJson(payload.body) : undefined;
  const value = typeof text === 'string' ? tryParseJson(text) : undefined;
  return value === undefined ? payload : { ...payload, ...jsonPayload(value) };
}

/** Whether there is anything: not false, null, zero or empty. `"false"` is as some services write it. */
export function isSet(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === false || value === 0) return false;
  if (typeof value === 'string') return !['', 'false', '0'].includes(value.trim().toLowerCase());
  if (typeof value !== 'object') return true;
  return isRawNumber(value) ? Number(value.rawJSON) !== 0 : Object.keys(value).length > 0;
}

/** A share that is written in a sentence, 0 to 1: `50% complete`; `undefined` where there is none. */
export function shareIn(sentence: string): number | undefined {
  const percent = /(\d+(?:\.\d+)?)\s*%/.exec(sentence)?.[1];
  return percent === undefined ? undefined : Number(percent) / 100;
}

/** A number as upstreams write it (`0.4`, `"40"`, `"40%"`), or `undefined`. */
export function numberOf(value: Json | undefined): number | undefined {
  const text = typeof value === 'boolean' ? undefined : scalarText(value);
  const number = text === undefined || !/\d/.test(text) ? Number.NaN : Number(text.trim().replace(/\s*%$/, ''));
  return Number.isFinite(number) ? number : undefined;
}

/** The finer header that some send beside Retry-After wins over it. */
const RETRY_AFTER_MS = ['retry-after-ms', 'x-ms-retry-after-ms'];

/** The Retry-After as it was sent, or its finer form in milliseconds. How far to obey is the engine's pace. */
export const retryAfterOf = ({ headers }: HttpResponse): { readonly retryAfter?: RetryAfter } => {
  for (const name of RETRY_AFTER_MS) {
    const text = headers[name]?.trim() ?? '';
    if (/^\d+(\.\d+)?$/.test(text)) return { retryAfter: Number(text) };
  }
  const value = headers['retry-after']?.trim();
  return value === undefined || value === '' ? {} : { retryAfter: value };
};

/** `the upstream answered 503`: the start of a sentence where the answer itself gave none. */
export const answered = (response: HttpResponse): string => `the upstream answered ${response.status}`;
