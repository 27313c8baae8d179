import { describe, expect, test } from 'vitest';
import { type Joint, joined } from '../../src/core/joined.ts';
import { linkTo } from '../../src/core/links.ts';
import type { Payload } from '../../src/core/outcome.ts';

const page = (mediaType: string, body: string, more: Partial<Payload> = {}): Payload => ({
  mediaType,
  encoding: 'text',
  body,
  ...more,
});
const bodyOf = (mediaType: string, bodies: readonly string[], joint?: Joint): string => {
  const made = joined(
    bodies.map((body) => page(mediaType, body)),
    joint,
  );
  return 'wrong' in made ? `wrong: ${made.wrong}` : made.body;
};
const json = (bodies: readonly string[], joint?: Joint) => bodyOf('application/json', bodies, joint);

describe('pages of JSON', () => {
  test.each([
    ['lists', ['[1,2]', '[]', '[3]'], {}, '[1,2,3]'],
    ['their digits', ['[1.10]', '[9007199254740993]'], {}, '[1.10,9007199254740993]'],
    ['the only list of objects', ['{"of":7,"rows":[1]}', '{"rows":[2]}'], {}, '{"of":7,"rows":[1,2]}'],
    [
      'a described list',
      ['{"a":[0],"data":{"rows":[1]}}', '{"a":[9],"data":{"rows":[2]}}'],
      { items: '/data/rows' },
      '{"a":[0],"data":{"rows":[1,2]}}',
    ],
    [
      'no way to the next page',
      ['{"meta":{"next":"b","n":2},"rows":[1]}', '{"rows":[2]}'],
      { nextAt: '/meta/next' },
      '{"meta":{"n":2},"rows":[1,2]}',
    ],
    ['an empty page that leaves its list out', ['{"rows":[1]}', '{}', '{"rows":null}'], {}, '{"rows":[1]}'],
    ['a first page that leaves its list out', ['{"next":"b"}', '{"rows":[2]}'], { nextAt: '/next' }, '{"rows":[2]}'],
  ])('keep %s', (_what, bodies, joint, whole) => {
    expect(json(bodies, joint)).toBe(whole);
  });

  test.each([
    ['a page that says something instead', ['{"rows":[1]}', '{"message":"too many requests"}'], {}, 'no list at /rows'],
    ['a list that is none', ['{"rows":[1]}', '{"rows":"x"}'], {}, 'no list at /rows'],
    ['several lists', ['{"a":[1],"b":[2]}', '{"a":[3],"b":[4]}'], {}, 'result.pages.items'],
    ['another kind of page', ['[1]', '{"rows":[2]}'], {}, 'no list at its top'],
    ['half a page', ['[1]', '[2'], {}, 'no list'],
  ])('are no result with %s', (_what, bodies, joint, why) => {
    expect(json(bodies, joint)).toContain('wrong: ');
    expect(json(bodies, joint)).toContain(why);
  });
});

describe('pages of text', () => {
  test.each([
    ['a header that every page repeats', ['a,b\n1,2\n', 'a,b\n3,4\n', 'a,b\n'], 'a,b\n1,2\n3,4\n'],
    ['a header that only the first has', ['a,b\r\n1,2\r\n', '3,4\r\n'], 'a,b\r\n1,2\r\n3,4\r\n'],
    ['a row that one page happens to begin with', ['1,2\n', '1,2\n', '5,6\n'], '1,2\n1,2\n5,6\n'],
    ['a header with a line break', ['"a\nx",b\n1,2', '"a\nx",b\n3,4'], '"a\nx",b\n1,2\n3,4'],
    ['rows whose page does not end its line', ['a\n1', 'a\n2'], 'a\n1\n2'],
    ['an empty page', ['a\n1\n', '', 'a\n2\n'], 'a\n1\n2\n'],
  ])('keep %s once, as CSV', (_what, bodies, whole) => {
    expect(bodyOf('text/csv', bodies)).toBe(whole);
  });

  test('of lines are put one after the other', () => {
    expect(bodyOf('application/x-ndjson', ['{"n":1}\n', '{"n":2}', '{"n":3}\n'])).toBe('{"n":1}\n{"n":2}\n{"n":3}\n');
    expect(bodyOf('text/plain', ['a', 'b'])).toBe('a\nb');
  });
});

describe('pages', () => {
  test('of bytes, or of two types, are not put together', () => {
    expect(bodyOf('application/pdf', ['x', 'y'])).toContain("application/pdf can't be put together");
    const mixed = joined([page('text/csv', 'a'), page('text/html', '<p>')]);
    expect(mixed).toEqual({ wrong: 'one page is text/csv, and another text/html' });
    const bytes = page('text/csv', 'YQ==', { encoding: 'base64' });
    expect(joined([bytes, bytes])).toHaveProperty('wrong');
  });

  test('are what they are where there is one, and partial where one of them is', () => {
    const only = page('application/pdf', 'JVBE', { encoding: 'base64' });
    expect(joined([only])).toBe(only);
    expect(joined([])).toHaveProperty('wrong');
    expect(joined([page('text/csv', 'a\n'), page('text/csv', 'b\n', { partial: true })])).toMatchObject({ partial: true });
  });
});

describe('a link', () => {
  test.each([
    ['</p?page=2>; rel="next"', '/p?page=2'],
    ['<https://a.example/x,y;z>; rel=next; title="more, of it"', 'https://a.example/x,y;z'],
    ['</1>; rel="prev", </3>; rel="next last"', '/3'],
    ['</a>; REL = "NEXT"', '/a'],
    ['</a>; title="<b>; rel=\\"next\\"", </c>; rel=next', '/c'],
    ['</a>; rel=next; anchor="#part"', undefined],
    ['</a>; rel="first"; rel="next"', undefined],
    ['</a>; rev=next', undefined],
    ['</a>; rel="nextish"', undefined],
    ['/a; rel=next', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('of %s to the next leads to %s', (header, target) => {
    expect(linkTo('next', header)).toBe(target);
  });
});
