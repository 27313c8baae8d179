// Pages that are counted: whatever a service holds is read once, by as few requests as can tell, and never in part.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/core/http.ts';
import { type JsonObject, stringifyJson } from '../../src/core/json.ts';
import type { Payload } from '../../src/core/outcome.ts';
import { countedIn, type PageRules } from '../../src/core/pages.ts';
import { Pages, type Whole } from '../../src/engine/pages.ts';

const FIRST: HttpRequest = { method: 'GET', url: 'https://x.test/rows?limit=9', headers: [] };

/** Reads a result of counted pages to its end; `answer` says what a number is answered with. */
function readAll(rules: PageRules, answer: (number: string | undefined) => Payload & { readonly total?: number }) {
  const pages = new Pages(FIRST, 1e9);
  const asked: (string | undefined)[] = [];
  for (let request = pages.next; request !== undefined; request = pages.next) {
    const sent = typeof request.body === 'string' ? (JSON.parse(request.body) as { readonly at?: { readonly n: number } }) : {};
    const number = rules.query === undefined ? sent.at?.n : new URL(request.url).searchParams.get(rules.query);
    asked.push(number === null || number === undefined ? undefined : String(number));
    const { total, ...page } = answer(asked.at(-1));
    const body: JsonObject = total === undefined ? {} : { total };
    const joint = rules.items === undefined ? {} : { items: rules.items };
    const wrong = pages.take({ kind: 'page', page, next: [], counted: countedIn(body, rules), joint });
    if (wrong !== undefined) return { asked, wrong };
  }
  return { asked, whole: pages.whole() };
}

const page = (body: string, mediaType = 'application/json'): Payload => ({ mediaType, encoding: 'text', body });
const bodyOf = (whole: Whole | undefined): string | undefined => (whole?.kind === 'read' ? whole.result?.body : undefined);

describe('counted pages', () => {
  test('give every item once and in order, however they are counted, and ask for no page beyond what tells the end', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer(), { maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom<'page' | 'item'>('page', 'item'),
        fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
        fc.boolean(),
        fc.boolean(),
        (rows, size, by, start, isTold, inBody) => {
          const place = inBody ? { body: '/at/n' } : { query: 'n' };
          const rules: PageRules = { ...place, by, ...(start !== undefined && { start }), ...(isTold && { total: '/total' }) };
          const begin = start ?? (by === 'page' ? 1 : 0);
          const many = by === 'page' ? Math.ceil(rows.length / size) : rows.length;
          const { asked, whole, wrong } = readAll(rules, (number) => {
            const at = number === undefined ? 0 : (Number(number) - begin) * (by === 'page' ? size : 1);
            return { ...page(stringifyJson(rows.slice(at, at + size))), ...(isTold && { total: many }) };
          });
          expect(wrong).toBeUndefined();
          expect(bodyOf(whole)).toBe(stringifyJson(rows));
          const full = Math.ceil(rows.length / size);
          expect(asked).toHaveLength(isTold ? Math.max(1, full) : full + 1);
          expect(asked[0]).toBeUndefined();
        },
      ),
    );
  });

  test.each<[string, readonly string[], string, string]>([
    ['CSV whose header every page repeats', ['a,b\n1,2\n', 'a,b\n3,4\n', 'a,b\n'], 'text/csv', 'a,b\n1,2\n3,4\n'],
    ['CSV with one header', ['a,b\n1,2\n', '3,4\n', ''], 'text/csv', 'a,b\n1,2\n3,4\n'],
    ['lines', ['{"n":1}\n', '{"n":2}\n', '\n'], 'application/x-ndjson', '{"n":1}\n{"n":2}\n\n'],
    ['an object without its list', ['{"rows":[1]}', '{"rows":[2]}', '{}'], 'application/json', '{"rows":[1,2]}'],
    ['an empty answer at once', ['{"rows":[]}'], 'application/json', '{"rows":[]}'],
  ])('end with an empty one: %s', (_what, bodies, mediaType, expected) => {
    const { whole, asked } = readAll({ query: 'page', by: 'page' }, (number) =>
      page(bodies[Number(number ?? 1) - 1] ?? 'too far', mediaType),
    );
    expect(bodyOf(whole)).toBe(expected);
    expect(asked).toHaveLength(bodies.length);
  });

  test('are not ended by a short one: services filter what they count', () => {
    const rows = [[1, 2], [3], [4, 5], []];
    const { whole } = readAll({ query: 'page', by: 'page' }, (number) =>
      page(stringifyJson(rows[Number(number ?? 1) - 1] ?? [])),
    );
    expect(bodyOf(whole)).toBe('[1,2,3,4,5]');
  });

  test.each<[string, PageRules, (number: string | undefined) => Payload & { readonly total?: number }, string]>([
    ['always the same', { query: 'page', by: 'page' }, () => page('[1]'), 'in a row are the same'],
    ['the last one again', { query: 'page', by: 'page' }, (n) => page(Number(n ?? 1) < 3 ? `[${n ?? 1}]` : '[9]'), 'the same'],
    ['without end', { query: 'page', by: 'page' }, (n) => page(`[${n ?? 1}]`), 'more than 1000 pages'],
    [
      'fewer than was said',
      { query: 'n', by: 'item', total: '/total' },
      (n) => ({ ...page(n === undefined ? '[1,2]' : '[]'), total: 5 }),
      'end with 2 of 5',
    ],
    ['text whose items nobody can count', { query: 'n', by: 'item' }, () => page('a,b\n1,2', 'text/csv'), 'can’t be counted'],
    ['several lists', { query: 'n', by: 'item' }, () => page('{"a":[1],"b":[2]}'), 'can’t be counted'],
  ])('are no result with %s', (_what, rules, answer, why) => {
    expect(readAll(rules, answer).wrong).toContain(why);
  });

  test('a number goes into a body as a number, and replaces one in the query', () => {
    const rules: PageRules = { query: 'limit', by: 'item' };
    expect(readAll(rules, (number) => page(number === '9' ? '[1]' : '[]')).asked).toEqual(['9', '1']);
  });
});
