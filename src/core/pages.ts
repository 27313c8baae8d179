// Pages: a result that comes in parts, and the requests that get the others.
//   P1. Where nothing is described, an answer that has a `Link` to its next page goes on there: half of a result is none.
//   P2. Counted pages end with an empty one, or with as many as there are said to be. Never with a short one: services filter.
//   P3. A token, a number or a URL that is empty, null or the word "null" is the end.

import type { JobDescription } from './description.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import {
  isJsonObject,
  type Json,
  pointerTokens,
  scalarText,
  stringifyJson,
  tryParseJson,
  valueAt,
  withValueAt,
} from './json.ts';
import { linkTo } from './links.ts';
import { encodeStrict, followable, type UrlPolicy } from './urls.ts';

/** Where a page says what comes after it, and how that is asked for; JSON, so that a descriptor can keep it. */
export interface PageRules {
  /** Lower case. A `link` is read as one. */
  readonly header?: string;
  /** JSON Pointer into a page; with `list` into each of its entries. */
  readonly at?: string;
  /** JSON Pointer of the parts in the first page: it is itself the first of them, or, with `at`, only names them. */
  readonly list?: string;
  /** What was found goes into this parameter; absent with `body`: it is a URL. */
  readonly query?: string;
  /** JSON Pointer of its place in the request's body. */
  readonly body?: string;
  /** JSON Pointer of the items in a page. */
  readonly items?: string;
  /** What is counted to ask for the next page, from `start`; `total`: JSON Pointer of how many there are. */
  readonly by?: 'page' | 'item';
  readonly start?: number;
  readonly total?: string;
}

export const LINKED: PageRules = { header: 'link' };

/** The rules of a description. */
export const pageRules = (pages: NonNullable<NonNullable<JobDescription['result']>['pages']>): PageRules => ({
  ...pages,
  ...(pages.header !== undefined && { header: pages.header.toLowerCase() }),
});

/** What the pages of one result have in common. */
export interface Paged {
  readonly rules: PageRules;
  readonly policy: UrlPolicy;
  /** The request for the first page. */
  readonly first: HttpRequest;
  /** The request for a URL that a page named. */
  readonly at: (url: string) => HttpRequest;
}

/** The requests that a page leads to, in their order; a sentence where it leads to one that may not be sent. */
export function pagesAfter(response: HttpResponse, body: Json | undefined, paged: Paged): readonly HttpRequest[] | string {
  const { rules, policy, first, at } = paged;
  const requests: HttpRequest[] = [];
  for (const named of namesOf(response, body, rules)) {
    if (rules.query !== undefined || rules.body !== undefined) {
      const request = withToken(first, named, rules);
      if (request === undefined) return `the request has no place for the next page at ${rules.body}`;
      requests.push(request);
      continue;
    }
    const followed = followable(named, response.url, policy);
    if (!followed.ok) return `the location of the next page was refused: ${followed.why}`;
    requests.push(at(followed.url));
  }
  return requests;
}

/** Whether there is more than this page, or may be. */
export const hasMore = (response: HttpResponse, body: Json | undefined, rules: PageRules): boolean =>
  rules.by !== undefined || namesOf(response, body, rules).length > 0;

/** A page of those that are counted: how the next one is asked for is a matter of all before it. */
export interface Counted {
  readonly rules: PageRules;
  /** How many there are in all, where the page says so. */
  readonly total?: number;
}

/** What a page says of how many there are. */
export function countedIn(body: Json | undefined, rules: PageRules): Counted {
  const total = rules.total === undefined ? undefined : Number(scalarText(valueAt(body, rules.total)) ?? Number.NaN);
  return { rules, ...(total !== undefined && Number.isInteger(total) && total >= 0 && { total }) };
}

/** What is here of a result whose pages are counted. */
export interface Count {
  readonly pages: number;
  readonly items: number;
  /** In the last page; `some`: it is not empty, and how many they are can't be told. */
  readonly last: number | 'some';
}

/** The request for the page after those that are here, if there is one; a sentence where it can't be asked for, or is missing. */
export function pageAfter(
  first: HttpRequest,
  { rules, total }: Counted,
  { pages, items, last }: Count,
): HttpRequest | string | undefined {
  const isByItem = rules.by === 'item';
  if (isByItem && last === 'some') return 'the items of a page can’t be counted';
  const here = isByItem ? items : pages;
  if (total !== undefined && here >= total) return undefined;
  if (last === 0) {
    const isShort = total !== undefined && (isByItem || pages <= total);
    return isShort ? `its pages end with ${isByItem ? items : pages - 1} of ${total}` : undefined;
  }
  const number = (rules.start ?? (isByItem ? 0 : 1)) + here;
  return (
    withToken(first, rules.body === undefined ? String(number) : number, rules) ??
    `the request has no place for the number of the next page at ${rules.body}`
  );
}

function namesOf(response: HttpResponse, body: Json | undefined, { header, at = '', list }: PageRules): readonly string[] {
  if (header !== undefined)
    return named(header === 'link' ? linkTo('next', response.headers[header]) : response.headers[header]);
  if (list === undefined) return named(scalarText(valueAt(body, at)));
  const parts = valueAt(body, list);
  if (!Array.isArray(parts)) return [];
  return at === ''
    ? parts.slice(1).map((_part, index) => String(index + 1))
    : parts.flatMap((part: Json) => named(scalarText(valueAt(part, at))));
}

function named(text: string | undefined): readonly string[] {
  const name = text?.trim() ?? '';
  return ['', 'null', 'false'].includes(name.toLowerCase()) ? [] : [name];
}

function withToken(first: HttpRequest, token: string | number, { query, body }: PageRules): HttpRequest | undefined {
  if (query !== undefined) return { ...first, url: withParameter(first.url, query, String(token)) };
  const sent = typeof first.body === 'string' ? tryParseJson(first.body) : undefined;
  const made = withValueAt(isJsonObject(sent) ? sent : {}, pointerTokens(body ?? ''), token);
  if (made === undefined) return undefined;
  const isTyped = first.headers.some(([name]) => name.toLowerCase() === 'content-type');
  const type = isTyped ? [] : [['Content-Type', 'application/json'] as const];
  return { ...first, headers: [...first.headers, ...type], body: stringifyJson(made) };
}

/** A URL whose query has this parameter once. The bytes of its others stay. */
function withParameter(url: string, name: string, value: string): string {
  const [path = '', ...rest] = url.split('?');
  const written = encodeStrict(name);
  const others = rest
    .join('?')
    .split('&')
    .filter((pair) => pair !== '' && pair.split('=', 1)[0] !== written);
  return `${path}?${[...others, `${written}=${encodeStrict(value)}`].join('&')}`;
}
