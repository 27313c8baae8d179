// What an answer says of when to look again, beside Retry-After: a described header or member, and gRPC's RetryInfo.
//   W1. What is described wins; what can't be read there says nothing. How far to obey is the engine's pace.

import type { JobDescription } from './description.ts';
import type { HttpResponse } from './http.ts';
import { isJsonObject, type Json, scalarText, valueAt } from './json.ts';
import { readJson } from './readings.ts';
import type { RetryAfter } from './retry-after.ts';

/** JSON, so that a descriptor can keep it. */
export interface WishPlaces {
  /** Lower case. */
  readonly header?: string;
  /** JSON Pointer into the body. */
  readonly at?: string;
  /** Of a number without one. */
  readonly unit: 's' | 'ms';
}

/** `undefined` where nothing is described. */
export function wishPlaces({ pace }: JobDescription): WishPlaces | undefined {
  if (pace?.after === undefined) return undefined;
  const { header, at, unit = 's' } = pace.after;
  return { unit, ...(header !== undefined && { header: header.toLowerCase() }), ...(at !== undefined && { at }) };
}

/** Milliseconds of `1.5`, `"2"`, `"1.5s"` or `"200ms"`; `undefined` for anything else. */
function millisecondsOf(value: Json | undefined, unit: 's' | 'ms'): number | undefined {
  const [, amount, own = unit] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s)?\s*$/.exec(scalarText(value) ?? '') ?? [];
  return amount === undefined ? undefined : Number(amount) * (own === 's' ? 1000 : 1);
}

/** google.rpc.RetryInfo among the details of an error. @see google/rpc/error_details.proto */
function retryInfoIn(body: Json): number | undefined {
  const details = valueAt(body, '/error/details') ?? valueAt(body, '/details');
  for (const detail of Array.isArray(details) ? (details as readonly Json[]) : []) {
    const isRetryInfo = isJsonObject(detail) && String(detail['@type']).endsWith('/google.rpc.RetryInfo');
    if (isRetryInfo) return millisecondsOf(detail['retryDelay'], 's');
  }
  return undefined;
}

function wishIn(response: HttpResponse, places: WishPlaces | undefined): number | undefined {
  const inHeader = places?.header === undefined ? undefined : millisecondsOf(response.headers[places.header], places.unit);
  if (inHeader !== undefined) return inHeader;
  if (places?.at === undefined && response.status < 400) return undefined;
  const reading = readJson(response);
  if (reading.kind !== 'json') return undefined;
  const inBody = places?.at === undefined ? undefined : millisecondsOf(valueAt(reading.value, places.at), places.unit);
  return inBody ?? (response.status < 400 ? undefined : retryInfoIn(reading.value));
}

/** Judgements after which something is asked again. */
const ASKS_AGAIN: readonly string[] = [
  'accepted',
  'throttled',
  'ambiguous',
  'working',
  'input',
  'unreadable',
  'unanswered',
  'cannot_tell',
];

/** A judgement with what its answer says of when to look again. */
export function paced<J extends { readonly kind: string; readonly retryAfter?: RetryAfter }>(
  judgement: J,
  response: HttpResponse,
  places: WishPlaces | undefined,
): J {
  const wish = ASKS_AGAIN.includes(judgement.kind) ? wishIn(response, places) : undefined;
  return wish === undefined ? judgement : { ...judgement, retryAfter: wish };
}
