// Lookups: asking an upstream whether a job exists that carries our submission key. Shared by adapters, which make a reference
// of what was found.
//   L1. A job is ours only where it shows our key, or where the key itself was what was asked for. A stranger is never followed.
//   L2. "Not there" is an answer only where the description says that it is authoritative, and the answer is whole: the first
//       page of a longer list proves nothing.
//   L3. Two jobs with one key are no find: which of them is ours is for a person to say.

import type { Call, LookupJudgement, OpenApiOperation, Refusal } from './adapter.ts';
import type { HelperRequest, JobDescription } from './description.ts';
import { type CompiledHelper, compileHelper, helperRequest, helperUrl } from './helper-request.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { isJsonObject, type Json, type JsonObject, scalarText, stringifyJson, tryParseJson, valueAt } from './json.ts';
import { answered, readJson, retryAfterOf, unreadableBody } from './readings.ts';
import { expressionsIn, needsId, type Sent, sentOf } from './sent.ts';
import { keyPlacesOf } from './submission-key.ts';

/** A lookup, compiled; JSON, so that a descriptor can keep it. The helper's `{id}` is the submission key. */
export interface CompiledLookup {
  readonly helper: CompiledHelper;
  readonly list?: string;
  readonly matchAt?: string;
  readonly idAt?: string;
  readonly authoritative: boolean;
}

/** Compiles a described lookup, or says what in it can't be used; `undefined` where none is described. */
export function compileLookup(
  source: OpenApiOperation,
  description: JobDescription,
  allowedOrigins: readonly string[],
): CompiledLookup | Refusal | undefined {
  const { lookup } = description;
  if (lookup === undefined) return undefined;
  const refuse = (place: string, reason: string, mend: string): Refusal => ({
    refused: true,
    pointer: `${source.pointer}/x-longshore/lookup${place}`,
    reason,
    mend,
  });
  const { list, match, id: idAt, authoritative, ...request } = lookup;
  if (keyPlacesOf(description) === undefined)
    return refuse('', 'no submission key is described, so that no job carries one', 'describe submissionKey as well');
  if (request.url !== undefined && /\{\+?id\}/.test(request.url))
    return refuse('/url', 'the id is what a lookup is to find', 'write {key} where the submission key goes');
  for (const [place, pointer] of Object.entries({ '/list': list, '/match/at': match?.at, '/id': idAt })) {
    if (pointer !== undefined && !/^(\/.*)?$/s.test(pointer))
      return refuse(place, `${pointer} is not a JSON Pointer`, 'write a JSON Pointer like /jobs');
  }
  const url = request.url?.replace(/\{(\+?)key\}/g, '{$1id}');
  const helper = { ...request, ...(url !== undefined && { url }) };
  const sent = sentWithKey(request);
  if (sent !== undefined && expressionsIn(sent).length > 0)
    return refuse('', 'values of the submit are not remembered before it was answered', 'write constants, or {key}');
  const compiled = compileHelper({ source, helper, name: 'lookup', method: 'GET', allowedOrigins, idFrom: 'request' });
  if ('refused' in compiled) return compiled;
  if (list !== undefined && match === undefined)
    return refuse('/match', 'a list does not say which of its jobs is ours', 'say where a job shows its key: match: {at: /…}');
  if (list === undefined && !/\{\+?id\}/.test(compiled.url) && !needsId(sent))
    return refuse('', 'nothing in the request asks for the key', 'write a url with {key}, or describe list and match');
  return {
    helper: sent === undefined ? compiled : { ...compiled, sent },
    ...(list !== undefined && { list }),
    ...(match !== undefined && { matchAt: match.at }),
    ...(idAt !== undefined && { idAt }),
    authoritative: authoritative === true,
  };
}

/** What is sent beside the URL; `{key}` is the helper's `{id}` there too. */
function sentWithKey(request: HelperRequest): Sent | undefined {
  const sent = sentOf(request);
  return sent && (tryParseJson(stringifyJson(sent as JsonObject).replaceAll('{key}', '{id}')) as Sent);
}

/** The request that asks for the key of a call. */
export function lookupRequest(
  { helper }: CompiledLookup,
  { submissionKey: id, arguments: args }: Call,
  security: Pick<CompiledHelper, 'security'>,
): HttpRequest | undefined {
  const url = helperUrl(helper, { id }, args);
  return url === undefined ? undefined : helperRequest({ ...security, ...helper }, url, { id });
}

export type LookupReading = { readonly kind: 'job'; readonly job: Json } | Exclude<LookupJudgement, { kind: 'found' }>;

const cannotTell = (message: string): LookupReading => ({ kind: 'cannot_tell', message });
const unreadable = (message: string): LookupReading => ({ kind: 'cannot_tell', message, unreadable: true });

/**
 * What an answer to a lookup says of the job that carries `key`.
 * @param leavesOutEmpty An object without the list is one whose list is empty, as proto3's JSON has it.
 */
export function readLookup(response: HttpResponse, lookup: CompiledLookup, key: string, leavesOutEmpty = false): LookupReading {
  const { list, matchAt, authoritative } = lookup;
  const absent = (message: string): LookupReading => (authoritative ? { kind: 'never_created' } : cannotTell(message));
  if ((response.status === 404 || response.status === 410) && list === undefined)
    return absent(`${answered(response)} when asked for our key, which proves nothing here`);
  if (response.status !== 200)
    return { kind: 'cannot_tell', message: `${answered(response)} when asked for our key`, ...retryAfterOf(response) };
  const reading = readJson(response);
  if (reading.kind !== 'json') return unreadable(`${unreadableBody(reading)}, when asked for our key`);
  const shows = (job: Json): boolean => matchAt === undefined || scalarText(valueAt(job, matchAt)) === key;
  if (list === undefined) {
    if (!isJsonObject(reading.value)) return unreadable('the answer to our key is no job');
    return shows(reading.value) ? { kind: 'job', job: reading.value } : cannotTell('the job in the answer carries another key');
  }
  const jobs = valueAt(reading.value, list) ?? (leavesOutEmpty && isJsonObject(reading.value) ? [] : undefined);
  if (!Array.isArray(jobs)) return unreadable(`the answer has no list of jobs at ${list === '' ? 'its top' : list}`);
  const ours = (jobs as readonly Json[]).filter(shows);
  if (ours.length > 1) return cannotTell(`${ours.length} jobs carry our key`);
  if (ours[0] !== undefined) return { kind: 'job', job: ours[0] };
  if (hasMore(response, reading.value)) return cannotTell('our key is not on the first page of a longer list');
  return absent('our key is not in the list, which proves nothing here');
}

/** Where lists say that they go on. @see RFC 8288 §3.3, AIP-158, OData JSON §4.5.5, JSON:API §fetching-pagination */
const NEXT = [
  '/nextPageToken',
  '/next_page_token',
  '/nextToken',
  '/next_cursor',
  '/nextCursor',
  '/next',
  '/nextLink',
  '/@odata.nextLink',
  '/links/next',
  '/_links/next',
  '/paging/next',
  '/has_more',
  '/hasMore',
];

function hasMore(response: HttpResponse, body: Json): boolean {
  if (/;\s*rel\s*=\s*"?([^";]*\s)?next\b/i.test(response.headers['link'] ?? '')) return true;
  return NEXT.map((at) => valueAt(body, at)).some(
    (value) => value !== undefined && value !== null && value !== '' && value !== false,
  );
}
