// JSON that keeps its digits.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, isRawNumber, type Json, parseJson, stringifyJson, tryParseJson } from '../../src/core/json.ts';

describe('a number', () => {
  test.each(['9007199254740993', '1.10', '1e400', '-0', '1E2', '0.1000000000000000055', '12345678901234567890'])(
    'that JavaScript would write in another way keeps its text: %s',
    (text) => {
      const number = parseJson(text);
      expect(isRawNumber(number)).toBe(true);
      expect(stringifyJson(number)).toBe(text);
    },
  );

  test.each(['0', '1.5', '-7', '1e+21', '9007199254740991'])('that it would write in the same way is a number: %s', (text) => {
    expect(parseJson(text)).toBe(Number(text));
  });
});

describe('a text', () => {
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.stringMatching(/^-?(0|[1-9]\d{0,24})(\.\d{1,4})?(e[+-]?\d{1,3})?$/),
  );
  const { text } = fc.letrec<{ text: string }>((tie) => ({
    text: fc.oneof(
      { maxDepth: 4 },
      number,
      fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value)),
      fc.constantFrom('null', 'true', 'false'),
      fc.array(tie('text'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
      fc
        .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z_]{1,9}$/), tie('text')), { maxLength: 4, selector: ([name]) => name })
        .map((members) => `{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`),
    ),
  }));

  test('that is compact is written back as it was read', () => {
    fc.assert(
      fc.property(text, (compact) => {
        expect(stringifyJson(parseJson(compact))).toBe(compact);
      }),
    );
  });

  test('means the same with white space as without', () => {
    fc.assert(
      fc.property(text, (compact) => {
        expect(shape(parseJson(` ${compact}\n`))).toEqual(shape(parseJson(compact)));
      }),
    );
  });

  test('that is not JSON is refused', () => {
    for (const wrong of ['', '{', '01', "{'a':1}", 'NaN', '[1,]'])
      expect([wrong, tryParseJson(wrong)]).toEqual([wrong, undefined]);
  });
});

/** The value with its raw numbers told from others. */
function shape(value: Json): unknown {
  if (isRawNumber(value)) return { raw: value.rawJSON };
  if (Array.isArray(value)) return value.map((item) => shape(item as Json));
  return isJsonObject(value) ? Object.entries(value).map(([name, item]) => [name, shape(item)]) : value;
}
