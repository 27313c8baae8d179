// A value of the gateway's own in a request (a submission key, a callback URL): a constant of the template, so that no argument
// can replace it.

import { isJsonType } from './body.ts';
import type { RequestTemplate } from './request.ts';

/** Where in a request a value goes. */
export interface Place {
  readonly header?: string;
  readonly query?: string;
  /** JSON Pointer into the body. */
  readonly body?: string;
}

/** Why a value can't be put into the body of such a request, or `undefined`. */
export function barredFromBody(template: RequestTemplate, place: Place | undefined): string | undefined {
  if (place?.body === undefined) return undefined;
  if (!/^(\/[^/]+)+$/.test(place.body)) return `${place.body} is not a JSON Pointer to a member of the body`;
  const mediaType = template.body?.mediaType;
  return mediaType === undefined || isJsonType(mediaType) || mediaType === 'application/x-www-form-urlencoded'
    ? undefined
    : `a ${mediaType} body has no members`;
}

/** The template with the value in it. */
export function withPlaced(template: RequestTemplate, { header, query, body }: Place, value: string): RequestTemplate {
  return {
    ...template,
    headers: header === undefined ? template.headers : [...without(template.headers, header), [header, value]],
    query: query === undefined ? template.query : [...without(template.query, query), [query, value]],
    bodyConstants: body === undefined ? template.bodyConstants : [...template.bodyConstants, { pointer: body, value }],
  };
}

const without = (pairs: RequestTemplate['headers'], name: string): RequestTemplate['headers'] =>
  pairs.filter(([own]) => own.toLowerCase() !== name.toLowerCase());
