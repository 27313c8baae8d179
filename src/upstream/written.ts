// What is written to the wire beside the request itself: headers as one record, and the credentials in their places.
// Pure: the client sends it, a dry run shows it.

import type { HttpRequest } from '../core/http.ts';
import { encodeStrict } from '../core/urls.ts';
import type { UpstreamCredential } from './credentials.ts';

/** Names in lower case. */
export type Headers = Readonly<Record<string, string>>;

/** The request's headers, and Longshore's own. A name that is given twice is one field. @see RFC 9110 §5.3 */
export function headersOf(request: Pick<HttpRequest, 'headers'>, version: string): Headers {
  const headers: Record<string, string> = { 'user-agent': `longshore/${version}` };
  const named = new Set<string>();
  for (const [given, value] of request.headers) {
    const name = given.toLowerCase();
    headers[name] = named.has(name) ? `${headers[name]}${name === 'cookie' ? '; ' : ', '}${value}` : value;
    named.add(name);
  }
  return headers;
}

/** The credentials that go along with a request. */
export const selectedOf = (
  credentials: readonly UpstreamCredential[],
  security: HttpRequest['security'],
): readonly UpstreamCredential[] =>
  credentials.filter(({ scheme, always }) => always || security === undefined || security.includes(scheme));

export function withHeaderCredentials(headers: Headers, credentials: readonly UpstreamCredential[]): Headers {
  const all: Record<string, string> = { ...headers };
  for (const { in: place, name, value } of credentials) {
    if (place === 'header') all[name.toLowerCase()] = value();
    if (place === 'cookie') all['cookie'] = [all['cookie'], `${name}=${value()}`].filter(Boolean).join('; ');
  }
  return all;
}

/**
 * A URL, or the part of it from the path on, with the credentials that go into its query. A parameter that it already has is
 * left as the upstream wrote it.
 */
export function withQueryCredentials(target: string, credentials: readonly UpstreamCredential[]): string {
  let all = target;
  for (const { in: place, name, value } of credentials) {
    const key = encodeStrict(name);
    if (
      place !== 'query' ||
      all
        .slice(all.indexOf('?') + 1)
        .split('&')
        .some((pair) => pair.split('=', 1)[0] === key)
    )
      continue;
    all += `${all.includes('?') ? '&' : '?'}${key}=${encodeStrict(value())}`;
  }
  return all;
}
