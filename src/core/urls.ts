// URLs that an upstream names: resolving them without rewriting them, and deciding whether to go there.
//   U1. Path and query keep the bytes the upstream wrote: signatures cover them, and `%2B` is not `+`.
//   U2. The authority is rewritten to its canonical form, so that no two parsers can disagree about the host.
//   U3. What is refused is named by its origin, never by its query, path or userinfo: those may hold secrets.
//   U4. What a service behind a proxy advertises wrongly is rewritten first and judged afterwards, like any other URL.

export { parseRetryAfter } from './retry-after.ts';

/** Longest URL that is followed: signed URLs of the wild stay below half of it. */
export const URL_LENGTH_MAX = 8192;

interface Parts {
  readonly scheme: string | undefined;
  readonly authority: string | undefined;
  readonly path: string;
  /** With its '?'; '' where there is none. */
  readonly query: string;
}

/** The five components of a reference, by the grammar's own regular expression. @see RFC 3986 Appendix B */
function parse(reference: string): Parts {
  const [, scheme, authority, path = '', query = ''] =
    /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?/.exec(reference) ?? [];
  return { scheme, authority, path, query };
}

/** @see RFC 3986 §5.2.4 */
function removeDotSegments(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/').slice(1);
  for (const [index, segment] of segments.entries()) {
    const dots = segment === '.' || segment === '..';
    if (segment === '..') kept.pop();
    if (!dots) kept.push(segment);
    else if (index === segments.length - 1) kept.push('');
  }
  return `/${kept.join('/')}`;
}

/** `https://host[:port]` in canonical form, or `undefined` where scheme and authority name no http(s) origin. */
function canonicalOrigin(scheme: string, authority: string): string | undefined {
  try {
    return authority === '' || authority.includes('@') ? undefined : new URL(`${scheme}://${authority}`).origin;
  } catch {
    return undefined;
  }
}

/** An http(s) URL cut in two: its canonical origin, and the request target with the bytes it was written with. */
export function splitUrl(url: string): { readonly origin: string; readonly target: string } | undefined {
  const { scheme, authority, path, query } = parse(url);
  if (scheme === undefined || !/^https?$/i.test(scheme) || authority === undefined) return undefined;
  const origin = canonicalOrigin(scheme, authority);
  return origin === undefined ? undefined : { origin, target: `${path === '' ? '/' : path}${query}` };
}

/** A URL as it may be shown: origin and path. The query, where tokens and signatures live, and userinfo stay out. */
export function describeUrl(url: string): string {
  const parts = splitUrl(url);
  return parts === undefined ? 'a URL that is not http(s)' : `${parts.origin}${parts.target.split('?', 1)[0]}`;
}

/** `from` and `to` are http(s) URLs without query: an origin, or an origin and the first segments of a path. */
export interface UrlRewrite {
  readonly from: string;
  readonly to: string;
}

/** Where URLs that an upstream names may lead, and how those that it advertises wrongly are mended. A descriptor is one. */
export interface UrlPolicy {
  /** Scheme, host and port; the upstream's own must be among them. */
  readonly allowedOrigins: readonly string[];
  /** What is below `from` is taken to be below `to`. The first that fits counts; what is below its `to` already stays. */
  readonly rewrite?: readonly UrlRewrite[];
}

interface Place {
  readonly origin: string;
  readonly path: string;
}

/** What a URL has below `prefix`, beginning with '/' where it has anything; `undefined` where it is elsewhere. */
function below({ origin, path }: Place, prefix: string): string | undefined {
  const start = splitUrl(prefix);
  if (start === undefined || start.origin !== origin) return undefined;
  const folder = start.target.replace(/\/+$/, '');
  return path === folder || path.startsWith(`${folder}/`) ? path.slice(folder.length) : undefined;
}

function rewritten(place: Place, rules: readonly UrlRewrite[]): Place {
  for (const { from, to } of rules) {
    const rest = below(place, from);
    if (rest === undefined) continue;
    if (below(place, to) !== undefined) return place;
    const start = splitUrl(to);
    return start === undefined ? place : { origin: start.origin, path: `${start.target.replace(/\/+$/, '')}${rest}` || '/' };
  }
  return place;
}

export type Followable = { readonly ok: true; readonly url: string } | { readonly ok: false; readonly why: string };

const refuse = (why: string): Followable => ({ ok: false, why });

/**
 * Resolves a URL or relative reference that an upstream wrote against the URL that it answered at, and says whether it may
 * be followed. A fragment is dropped, since it never travels.
 * @see RFC 3986 §5.2
 */
export function followable(raw: string, base: string, { allowedOrigins, rewrite = [] }: UrlPolicy): Followable {
  const from = parse(base);
  const own = splitUrl(base);
  if (own === undefined) return refuse('the request URL is not an http(s) URL');
  if (raw === '') return refuse('the URL is empty');
  if (raw.length > URL_LENGTH_MAX) return refuse(`the URL is longer than ${URL_LENGTH_MAX} characters`);
  // A backslash is a slash to some parsers and a character to others; blanks and controls are nothing to any of them.
  if (/[\s\p{Cc}\\]/u.test(raw) || !raw.isWellFormed()) return refuse('the URL holds characters that no URL may hold');

  const to = parse(raw);
  const scheme = (to.scheme ?? from.scheme ?? '').toLowerCase();
  if (!/^[a-z][a-z0-9+.-]*$/.test(scheme)) return refuse('the URL is malformed');
  if (scheme !== 'http' && scheme !== 'https') return refuse(`the scheme ${scheme}: is not http or https`);
  if (to.scheme !== undefined && to.authority === undefined) return refuse('the URL names no host');

  let origin: string | undefined = own.origin;
  if (to.authority !== undefined) {
    const host = to.authority.slice(to.authority.lastIndexOf('@') + 1);
    origin = canonicalOrigin(scheme, host);
    if (origin === undefined) return refuse('the URL names no valid host');
    if (host !== to.authority) return refuse(`a URL with userinfo is not allowed (host ${origin})`);
  }
  const query = to.query !== '' || to.path !== '' || to.authority !== undefined ? to.query : from.query;
  const folder = from.path.slice(0, from.path.lastIndexOf('/') + 1) || '/';
  const absolute = to.authority !== undefined || to.path.startsWith('/');
  const merged = absolute ? to.path : to.path === '' ? from.path : folder + to.path;
  const place = rewritten({ origin, path: removeDotSegments(merged) }, rewrite);
  const allowed = allowedOrigins.some((entry) => splitUrl(entry)?.origin === place.origin);
  if (!allowed) return refuse(`the origin ${place.origin} is not allowed`);
  if (own.origin.startsWith('https:') && place.origin.startsWith('http:')) {
    return refuse(`the origin ${place.origin} is not allowed: it leaves https`);
  }
  // Characters beyond ASCII travel as the UTF-8 octets they stand for (RFC 3987 §3.1).
  return { ok: true, url: `${place.origin}${place.path}${query}`.replace(/[^\x21-\x7e]+/gu, encodeURIComponent) };
}

/** Everything but RFC 3986's unreserved characters as percent-encoded UTF-8. The text must be well-formed. */
export const encodeStrict = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** Like {@link encodeStrict}, but '/' and the other characters that a path may hold stay. '?', '#' and '%' never do. */
export const encodePath = (text: string): string =>
  encodeStrict(text).replace(/%(?:2F|3A|40|21|24|26|27|28|29|2A|2B|2C|3B|3D)/g, decodeURIComponent);

/** Whether a rendered path segment would be swallowed by a parser: `.`, `..`, and their encoded spellings. @see WHATWG URL §4.1 */
export const isDotSegment = (segment: string): boolean => /^(?:\.|%2e){1,2}$/i.test(segment);

/** Whether text filled into a path as it is would stay below it: no empty segment, none that climbs. */
export const staysBelow = (path: string): boolean => path.split('/').every((part) => part !== '' && !isDotSegment(part));

/**
 * Fills a URL template: `{id}` becomes one path segment and `{+id}` keeps its slashes. A leading `{statusUrl}` (or any
 * other name that ends in Url) is put in as it is, and what follows goes onto its path, before its query.
 * `undefined` where a value is missing or empty, or would change which path is meant (`..`).
 */
export function expandUrl(template: string, values: Readonly<Record<string, string | undefined>>): string | undefined {
  const given = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
  const [leading, name] = /^\{(\w+Url)\}/.exec(template) ?? [];
  const url = name === undefined ? '' : given(name);
  if (url === undefined || (name !== undefined && splitUrl(url) === undefined)) return undefined;

  let usable = true;
  const fill = (text: string) =>
    text.replace(/\{(\+?)(\w+)\}/g, (_whole, keep: string, key: string) => {
      const value = given(key);
      if (value === undefined || !value.isWellFormed() || value === '' || (keep !== '' && !staysBelow(value))) {
        usable = false;
        return '';
      }
      return keep === '' ? encodeStrict(value) : encodePath(value);
    });
  const [path, more] = cutAtQuery(template.slice(leading?.length ?? 0));
  const segments = path.split('/').map((segment) => {
    const filled = fill(segment);
    if (filled !== segment && isDotSegment(filled)) usable = false;
    return filled;
  });
  const [start, query] = cutAtQuery(url);
  const added = fill(more);
  return usable ? `${start}${segments.join('/')}${query}${query === '' ? added : added.replace('?', '&')}` : undefined;
}

/** Before the '?', and from it on. */
function cutAtQuery(url: string): readonly [before: string, query: string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark)];
}
