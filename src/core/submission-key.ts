// The submission key: what an upstream deduplicates by, put where it reads it, the same bytes at every attempt.

import { isJsonType } from './body.ts';
import type { JobDescription } from './description.ts';
import type { HttpRequest } from './http.ts';
import type { JsonObject } from './json.ts';
import { renderRequest } from './render.ts';
import type { RequestTemplate } from './request.ts';

export type KeyPlaces = Pick<NonNullable<JobDescription['submissionKey']>, 'header' | 'query' | 'body'>;

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

/** Why the key can't be put into the body of such a request, or `undefined`. */
export function barredFromBody(template: RequestTemplate, places: KeyPlaces | undefined): string | undefined {
  if (places?.body === undefined) return undefined;
  if (!/^(\/[^/]+)+$/.test(places.body)) return `${places.body} is not a JSON Pointer to a member of the body`;
  const mediaType = template.body?.mediaType;
  return mediaType === undefined || isJsonType(mediaType) || mediaType === 'application/x-www-form-urlencoded'
    ? undefined
    : `a ${mediaType} body has no members`;
}

/**
 * The request of one call with the key in it. The key is a constant of the template, so no argument can replace it.
 * Throws where the arguments leave no place for it: without its key an attempt must not leave.
 */
export function withSubmissionKey(template: RequestTemplate, args: JsonObject, places: KeyPlaces, key: string): HttpRequest {
  const { header, query, body } = places;
  const rendered = renderRequest(
    {
      ...template,
      headers: header === undefined ? template.headers : [...without(template.headers, header), [header, key]],
      query: query === undefined ? template.query : [...without(template.query, query), [query, key]],
      bodyConstants: body === undefined ? template.bodyConstants : [...template.bodyConstants, { pointer: body, value: key }],
    },
    args,
  );
  if ('request' in rendered) return rendered.request;
  throw new Error(`the submission key has no place: ${rendered.faults.map(({ message }) => message).join('; ')}`);
}

const without = (pairs: RequestTemplate['headers'], name: string): RequestTemplate['headers'] =>
  pairs.filter(([own]) => own.toLowerCase() !== name.toLowerCase());
