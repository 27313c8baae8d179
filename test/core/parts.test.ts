// Answers in several parts, taken apart: whatever was put together is there again to the byte, and what is cut is no answer.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundaryIn, type Parts, partsOf } from '../../src/core/parts.ts';

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const read = (text: string, boundary = 'b', max?: number): Parts => partsOf(bytesOf(text), boundary, max);

function partsIn(text: string, boundary?: string) {
  const found = read(text, boundary);
  if ('wrong' in found) throw new Error(found.wrong);
  return found.parts.map(({ name, contentType, bytes }) => [name, contentType, textOf(bytes)]);
}

const BCHARS = [..."0123456789abcXYZ'()+_,-./:=?"];
const boundaries = fc.string({ unit: fc.constantFrom(...BCHARS), minLength: 1, maxLength: 70 });
const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.array(fc.constantFrom(10, 13, 45, 98, 32, 58), { maxLength: 60 }).map((list) => Uint8Array.from(list)),
);
const written = fc.record({
  boundary: boundaries,
  parts: fc.array(fc.record({ type: fc.constantFrom(undefined, 'text/csv', 'image/png'), bytes: bodies }), { maxLength: 5 }),
  newline: fc.constantFrom('\r\n', '\n'),
  padding: fc.constantFrom('', ' ', '\t '),
  preamble: fc.constantFrom('', 'This is a message in several parts.'),
  epilogue: fc.constantFrom(undefined, '', 'more', '\r\nmore'),
});
type Written = typeof written extends fc.Arbitrary<infer T> ? T : never;

/** How a service would write it. A body in which the boundary begins a line can't be, nor one whose last
 * byte would be taken for a part of the line break. */
function textOfWhole({ boundary, parts, newline, padding, preamble, epilogue }: Written): string {
  const written = parts.map(({ type, bytes }) => {
    const head = type === undefined ? '' : `Content-Type: ${type}${newline}`;
    return `--${boundary}${padding}${newline}${head}${newline}${textOf(bytes)}${newline}`;
  });
  const before = preamble === '' ? '' : `${preamble}${newline}`;
  return `${before}${written.join('')}--${boundary}--${epilogue === undefined ? '' : `${padding}${newline}${epilogue}`}`;
}
const isWritable = ({ boundary, parts, newline }: Written): boolean =>
  parts.every(({ bytes }) => {
    const text = textOf(bytes);
    return !`\n${text}`.includes(`\n--${boundary}`) && !(newline === '\n' && text.endsWith('\r'));
  });

describe('an answer in several parts', () => {
  test('is taken apart into the bytes that were put together', () => {
    fc.assert(
      fc.property(written.filter(isWritable), (whole) => {
        expect(read(textOfWhole(whole), whole.boundary)).toEqual({
          count: whole.parts.length,
          parts: whole.parts.map(({ type, bytes }) => ({ contentType: type ?? 'text/plain', bytes: new Uint8Array(bytes) })),
        });
      }),
    );
  });

  test('that is cut anywhere before its end is none, however it is cut', () => {
    fc.assert(
      fc.property(written.filter(isWritable), fc.nat(), (whole, cut) => {
        const text = textOfWhole({ ...whole, epilogue: undefined });
        const found = read(text.slice(0, cut % text.length), whole.boundary);
        expect(found).toHaveProperty('wrong');
      }),
    );
  });

  test('is answered for, whatever the bytes are', () => {
    fc.assert(
      fc.property(bodies, boundaries, fc.nat({ max: 3 }), (bytes, boundary, max) => {
        const found = partsOf(bytes, boundary, max);
        if (!('wrong' in found)) expect(found.parts).toHaveLength(Math.min(found.count, max));
      }),
    );
  });

  test.each<[string, string, unknown[]]>([
    [
      'a file',
      'Content-Disposition: form-data; name="page"; filename="a b.png"\r\nContent-Type: image/png',
      ['a b.png', 'image/png'],
    ],
    ['a member of a form', 'Content-Disposition: form-data; name=page', ['page', 'text/plain']],
    [
      'a Content-ID',
      'Content-ID: <part1@x.test>\r\ncontent-type: text/xml; charset=utf-8',
      ['part1@x.test', 'text/xml; charset=utf-8'],
    ],
    ['a place', 'Content-Location: /a/b.html', ['/a/b.html', 'text/plain']],
    ['a name in UTF-8', "Content-Disposition: attachment; filename=x; filename*=UTF-8''%e2%82%ac.csv", ['€.csv', 'text/plain']],
    ['a name that is spoilt', "Content-Disposition: attachment; filename*=UTF-8''%e2%8", [undefined, 'text/plain']],
    ['a quoted name', 'Content-Disposition: form-data; name="a\\"b"; filename="c%22d"', ['c"d', 'text/plain']],
    ['a folded header', 'Content-Disposition: form-data;\r\n  name="page"', ['page', 'text/plain']],
    ['nothing', 'X-Odd: 1', [undefined, 'text/plain']],
  ])('has a name by %s', (_what, head, expected) => {
    expect(partsIn(`--b\r\n${head}\r\n\r\nx\r\n--b--`)).toEqual([[...expected, 'x']]);
  });

  test.each<[string, string, unknown]>([
    ['no parts', '--b--\r\n', []],
    [
      'empty ones',
      '--b\r\n\r\n\r\n--b\r\n--b\r\nA: b\r\n--b--',
      [
        ['', ''],
        ['', ''],
        ['', ''],
      ].map(([, body]) => [undefined, 'text/plain', body]),
    ],
    [
      'lines that look like its boundary',
      '--b\r\n\r\n--bb\r\n --b\r\n--b-\r\n--b--',
      [[undefined, 'text/plain', '--bb\r\n --b\r\n--b-']],
    ],
    ['an answer in parts inside', '--b\r\n\r\n--b--c\r\n--b--', [[undefined, 'text/plain', '--b--c']]],
    ['base64', '--b\r\nContent-Transfer-Encoding: BASE64\r\n\r\naGVs\r\nbG8=\r\n--b--', [[undefined, 'text/plain', 'hello']]],
    ['more than it says', '--b\r\nContent-Length: 2\r\n\r\nabc\r\n--b--', [[undefined, 'text/plain', 'abc']]],
  ])('may have %s', (_what, text, expected) => {
    expect(partsIn(text)).toEqual(expected);
  });

  test.each<[string, string, string]>([
    ['no boundary of its own', '--c\r\n\r\nx\r\n--c--', 'none of its parts begins'],
    ['nothing', '', 'none of its parts begins'],
    ['no last boundary', '--b\r\n\r\nx\r\n--b\r\n\r\ny\r\n', 'it is cut in part 2'],
    ['fewer bytes than it says', '--b\r\nContent-Length: 5\r\n\r\nabc\r\n--b--', 'part 1 is cut: it has 3 of 5 bytes'],
    ['a header that is none', '--b\r\n\r\nx\r\n--b\r\nhello\r\n\r\nx\r\n--b--', 'part 2 has a header that is none'],
    ['an endless header', `--b\r\nA: ${'x'.repeat(20_000)}\r\n\r\nx\r\n--b--`, 'part 1 has too much of a header'],
    ['base64 that is none', '--b\r\nContent-Transfer-Encoding: base64\r\n\r\na*b\r\n--b--', 'part 1 is no base64'],
  ])('is no answer with %s', (_what, text, why) => {
    expect(read(text)).toEqual({ wrong: expect.stringContaining(why) });
  });

  test('is counted beyond what is looked into, up to a bound, and still has to be whole', () => {
    const many = (count: number) => '--b\r\n\r\nx\r\n'.repeat(count);
    expect(read(`${many(2_000)}--b--`)).toMatchObject({ count: 2_000, parts: { length: 1_000 } });
    expect(read(`${many(2_000)}--b--`, 'b', 3)).toMatchObject({ count: 2_000, parts: { length: 3 } });
    expect(read(`${many(900)}--b\r\nodd\r\n--b--`, 'b', 3)).toEqual({ wrong: 'part 901 has a header that is none' });
    expect(read(many(2_000))).toEqual({ wrong: 'it is cut in part 2000' });
    expect(read(`${many(100_001)}--b--`)).toEqual({ wrong: 'it has more than 100000 parts' });
  });
});

test.each([
  ['multipart/mixed; boundary=abc', 'abc'],
  ['Multipart/Related; type="text/xml"; BOUNDARY="a b:c"; start="<x>"', 'a b:c'],
  ['multipart/form-data; boundary="a\\"b"', 'a"b'],
  ['multipart/mixed', undefined],
  ['multipart/mixed; boundary=""', undefined],
  ['multipart/mixed; boundary="\u00e9"', undefined],
  ['text/plain; boundary=abc', undefined],
  ['', undefined],
])('the boundary of %j is %j', (contentType, boundary) => {
  expect(boundaryIn(contentType)).toBe(boundary);
});
