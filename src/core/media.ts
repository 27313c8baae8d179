// Media types: whether an answer is of a kind that was asked for.
//   M1. A page comes from a proxy or a login unless somebody said that pages come: a range over everything asks for none.
//   M2. What nobody typed is not of another type. Stores of files hand out everything as octets.

import type { HttpResponse } from './http.ts';
import { mediaTypeOf } from './readings.ts';

const PAGES = ['text/html', 'application/xhtml+xml'];
const UNTYPED = ['', 'application/octet-stream', 'binary/octet-stream'];

/** Whether a list of types and ranges covers a media type. */
function isCovered(mediaType: string, ranges: readonly string[]): boolean {
  if (ranges.includes(mediaType) || ranges.includes(`${mediaType.split('/', 1)[0]}/*`)) return true;
  return ranges.includes('*/*') && !PAGES.includes(mediaType);
}

/** Whether an Accept value covers a media type. @see RFC 9110 §12.5.1 */
export const isAskedFor = (mediaType: string, accept: string): boolean =>
  isCovered(
    mediaType,
    accept.split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase() ?? ''),
  );

/** What an answer may be: of the described types, else of what the request asked for. */
export interface Expected {
  /** Types and ranges (`text/*`), lower case. */
  readonly types?: readonly string[];
  readonly accept: string;
}

/** Why an answer is of no type that was expected, for people; `undefined` where it is, or where nobody says what it is. */
export function foreignType(response: HttpResponse, { types, accept }: Expected): string | undefined {
  const mediaType = mediaTypeOf(response);
  const isMeant = UNTYPED.includes(mediaType) || (types ? isCovered(mediaType, types) : isAskedFor(mediaType, accept));
  if (isMeant) return undefined;
  return types === undefined
    ? `the answer is ${mediaType}, which nothing describes`
    : `the answer is ${mediaType} where ${types.join(' or ')} was expected`;
}

/** The answer with its described type, where it came without one and there is only one that it can have. */
export function typed(response: HttpResponse, types: readonly string[] | undefined): HttpResponse {
  const [type, ...others] = types ?? [];
  if (type === undefined || others.length > 0 || type.includes('*') || !UNTYPED.includes(mediaTypeOf(response)))
    return response;
  return { ...response, headers: { ...response.headers, 'content-type': type } };
}
