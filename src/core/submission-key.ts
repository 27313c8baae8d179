// The submission key: what an upstream deduplicates by, put where it reads it, the same bytes at every attempt.

import type { JobDescription, KeyFormat } from './description.ts';
import type { HttpRequest } from './http.ts';
import type { JsonObject } from './json.ts';
import { barredFromBody, type Place, withPlaced } from './placed.ts';
import { renderRequest } from './render.ts';
import type { RequestTemplate } from './request.ts';

/** Where the key goes; in the path it is the value of a parameter. */
export interface KeyPlaces extends Place {
  readonly path?: string;
}

/** What the template calls the key where it stands in the path. No argument of a tool can have such a name. */
export const KEY_ARGUMENT = '$submissionKey';

/** What a submit is rendered from: the caller's arguments, and the key among them where it stands in the path. */
export const withKeyArgument = ({ parameters }: RequestTemplate, args: JsonObject, key: string): JsonObject =>
  parameters.some(({ argument }) => argument === KEY_ARGUMENT) ? { ...args, [KEY_ARGUMENT]: key } : args;

/** Where the key goes; `undefined` where no place is described, so that the upstream can't deduplicate. */
export function keyPlacesOf(description: JobDescription): KeyPlaces | undefined {
  const { header, query, body, path } = description.submissionKey ?? {};
  if (header === undefined && query === undefined && body === undefined && path === undefined) return undefined;
  return {
    ...(header !== undefined && { header }),
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body }),
    ...(path !== undefined && { path }),
  };
}

/** What keeps the described key from its place: where, why, and the way out. */
export function keyFault(
  template: RequestTemplate,
  description: JobDescription,
): readonly [place: string, reason: string, mend: string] | undefined {
  const places = keyPlacesOf(description);
  const barred = barredFromBody(template, places);
  if (barred !== undefined) return ['submissionKey/body', barred, 'send the key in a header or in the query'];
  if (places?.path === undefined || template.parameters.some(({ argument }) => argument === KEY_ARGUMENT)) return undefined;
  const mend = 'name a parameter of the path as it is written there';
  return ['submissionKey/path', `${template.path} has no parameter ${places.path}`, mend];
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
  const rendered = renderRequest(withPlaced(template, places, key), withKeyArgument(template, args, key));
  if ('request' in rendered) return rendered.request;
  throw new Error(`the submission key has no place: ${rendered.faults.map(({ message }) => message).join('; ')}`);
}
