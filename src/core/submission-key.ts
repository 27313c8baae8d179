// The submission key: what an upstream deduplicates by, put where it reads it, the same bytes at every attempt.

import type { JobDescription, KeyFormat } from './description.ts';
import type { HttpRequest } from './http.ts';
import type { JsonObject } from './json.ts';
import { type Place, withPlaced } from './placed.ts';
import { renderRequest } from './render.ts';
import type { RequestTemplate } from './request.ts';

export { barredFromBody } from './placed.ts';

export type KeyPlaces = Place;

/** Where the key goes; `undefined` where no place is described, so that the upstream can't deduplicate. */
export function keyPlacesOf(description: JobDescription): KeyPlaces | undefined {
  const { header, query, body } = description.submissionKey ?? {};
  if (header === undefined && query === undefined && body === undefined) return undefined;
  return {
    ...(header !== undefined && { header }),
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body }),
  };
}

/** Digits of a base that write every UUID, so that keys of one format are of one length. */
const BASE36_LENGTH = 25;

/**
 * A key in the form that a service takes: the same bytes for the same key at every attempt, and as hard to guess.
 * @param key a UUID; anything else stays as it is
 */
export function formattedKey(key: string, { as = 'uuid', prefix = '' }: KeyFormat = {}): string {
  const hex = key.replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/.test(hex)) return `${prefix}${key}`;
  if (as === 'hex') return `${prefix}${hex}`;
  return `${prefix}${as === 'uuid' ? key : BigInt(`0x${hex}`).toString(36).padStart(BASE36_LENGTH, '0')}`;
}

/**
 * The request of one call with the key in it.
 * Throws where the arguments leave no place for it: without its key an attempt must not leave.
 */
export function withSubmissionKey(template: RequestTemplate, args: JsonObject, places: KeyPlaces, key: string): HttpRequest {
  const rendered = renderRequest(withPlaced(template, places, key), args);
  if ('request' in rendered) return rendered.request;
  throw new Error(`the submission key has no place: ${rendered.faults.map(({ message }) => message).join('; ')}`);
}
