// Pages put together: what each brought, as the one result that they are parts of.
//   J1. Lists are joined item by item; what else the first page has stays, but for the way to the next one.
//   J2. CSV keeps one header: a first record that every page repeats is the header. Other text is joined line by line.
//   J3. What can't be put together, or is no page, is an answer in words: never a result with a part missing.

import {
  isJsonObject,
  type Json,
  type JsonObject,
  pointerTokens,
  stringifyJson,
  tryParseJson,
  valueAt,
  withValueAt,
} from './json.ts';
import type { Payload } from './outcome.ts';
import { isJsonType, isTextType, sentenceIn } from './readings.ts';

/** Where in JSON pages the list is that is joined, and where the first page names the next one. */
export interface Joint {
  readonly items?: string;
  readonly nextAt?: string;
}

export type Joined = Payload | { readonly wrong: string };

/** Puts pages together; one alone is what it is. */
export function joined(pages: readonly Payload[], { items, nextAt }: Joint = {}): Joined {
  const [first, ...others] = pages;
  if (first === undefined) return { wrong: 'there is no page' };
  if (others.length === 0) return first;
  const isPartial = pages.some(({ partial }) => partial);
  const whole = (body: string): Payload => ({ ...first, body, ...(isPartial && { partial: true }) });
  const stranger = others.find(({ mediaType }) => mediaType !== first.mediaType);
  if (stranger !== undefined) return { wrong: `one page is ${first.mediaType}, and another ${stranger.mediaType}` };
  if (pages.some(({ encoding }) => encoding !== 'text') || !isTextType(first.mediaType))
    return { wrong: `pages of ${first.mediaType} can't be put together` };
  if (!isJsonType(first.mediaType)) {
    const texts = pages.map(({ body }) => body);
    return whole(lines(first.mediaType === 'text/csv' ? withoutHeaders(texts) : texts));
  }
  const values = pages.map(({ body }) => tryParseJson(body));
  const made = joinedJson(values, items, nextAt);
  return typeof made === 'string' ? { wrong: made } : whole(stringifyJson(made.value));
}

/** Whether a single page could be joined with others. */
export function isJoinable({ encoding, mediaType, body }: Payload): boolean {
  if (encoding !== 'text' || !isTextType(mediaType)) return false;
  return !isJsonType(mediaType) || listIn(tryParseJson(body)) !== undefined;
}

/** Media types whose lines are items. */
const LINES = /^application\/(x-)?(ndjson|jsonl|jsonlines)$/;

/**
 * How many items a page has. `some`: it is not empty, and its records could be rows or a header. `undefined`: it is no page.
 * @param first The first page, whose header others may repeat.
 */
export function itemsIn(page: Payload, first: Payload, { items }: Joint = {}): number | 'some' | undefined {
  if (page.encoding !== 'text' || !isTextType(page.mediaType)) return undefined;
  if (isJsonType(page.mediaType)) {
    const value = tryParseJson(page.body);
    const list = valueAt(value, items ?? listIn(value) ?? '');
    if (Array.isArray(list)) return list.length;
    if (!isJsonObject(value) || sentenceIn(value) !== undefined) return undefined;
    // An empty list is left out by some services.
    const isLeftOut = items === undefined ? !hasLists(value) : list === undefined || list === null;
    return isLeftOut ? 0 : undefined;
  }
  const text = page.body.trim();
  if (text === '') return 0;
  if (LINES.test(page.mediaType)) return text.split(/\r?\n/).filter((line) => line.trim() !== '').length;
  return page !== first && page.mediaType === 'text/csv' && text === firstRecord(first.body).trim() ? 0 : 'some';
}

const hasLists = (page: JsonObject): boolean => Object.values(page).some((member) => Array.isArray(member));

/** JSON Pointer of the one list of a page: the page itself, or the only list among its members. */
function listIn(page: Json | undefined): string | undefined {
  if (Array.isArray(page)) return '';
  if (!isJsonObject(page)) return undefined;
  const [name, ...others] = Object.keys(page).filter((member) => Array.isArray(page[member]));
  return name === undefined || others.length > 0 ? undefined : `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function joinedJson(
  pages: readonly (Json | undefined)[],
  described: string | undefined,
  nextAt: string | undefined,
): { readonly value: Json } | string {
  const [first] = pages;
  const at = described ?? pages.map(listIn).find((found) => found !== undefined);
  if (at === undefined) return 'the pages have no list, or several: `result.pages.items` can say which one is joined';
  const all: Json[] = [];
  for (const page of pages) {
    const list = valueAt(page, at);
    // An empty list is left out by some services. What lacks one and says something is no page.
    const isEmpty = (list === undefined || list === null) && isJsonObject(page) && sentenceIn(page) === undefined;
    if (!Array.isArray(list) && !isEmpty) return `a page has no list at ${at === '' ? 'its top' : at}`;
    for (const item of Array.isArray(list) ? (list as readonly Json[]) : []) all.push(item);
  }
  const rest = isJsonObject(first) && nextAt !== undefined ? without(first, pointerTokens(nextAt)) : first;
  const value = withValueAt(rest, pointerTokens(at), all);
  return value === undefined ? `a page has no list at ${at}` : { value };
}

/** An object without the member that is at these tokens. */
function without(object: JsonObject, [token = '', ...rest]: readonly string[]): JsonObject {
  const { [token]: member, ...others } = object;
  return rest.length > 0 && isJsonObject(member) ? { ...object, [token]: without(member, rest) } : others;
}

/** Pages of CSV with the header of the first alone, where every page begins with it. */
function withoutHeaders(pages: readonly string[]): readonly string[] {
  const [first = '', ...others] = pages;
  const header = firstRecord(first);
  const filled = others.filter((page) => page.trim() !== '');
  if (header === '' || !filled.every((page) => firstRecord(page) === header)) return [first, ...filled];
  return [first, ...filled.map((page) => page.slice(page.indexOf(header) + header.length).replace(/^\r?\n/, ''))];
}

/** The first record of a CSV, which may hold line breaks in quotes. @see RFC 4180 §2 */
function firstRecord(text: string): string {
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (char === '\n' || char === '\r')) return text.slice(0, at);
  }
  return text;
}

/** Texts one after the other, each on lines of its own. */
const lines = (texts: readonly string[]): string =>
  texts
    .filter((text) => text !== '')
    .map((text, index, all) => (index === all.length - 1 || text.endsWith('\n') ? text : `${text}\n`))
    .join('');
