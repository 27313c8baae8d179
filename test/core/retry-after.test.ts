import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseHttpDate, parseRetryAfter } from '../../src/core/retry-after.ts';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 0);

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7000],
    ['2147484', 2_147_484_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 37_000],
    ['Sun Nov  6 08:49:37 1994', 37_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
  ])('%s asks for %i ms', (value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected);
  });

  test.each([
    undefined,
    '',
    '-5',
    '+5',
    '1.5',
    '1, 2',
    '1e3',
    '0x10',
    'soon',
    'NaN',
    '2026-01-01T00:00:00Z',
    'Sun, 31 Jun 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 CET',
  ])('%j says nothing', (value) => {
    expect(parseRetryAfter(value, NOW)).toBeUndefined();
  });

  test('is read or not, but never throws and never asks for what is no time', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^[0-9A-Za-z,: -]{0,40}$/)),
        fc.date({ noInvalidDate: true }),
        (value, now) => {
          const waitMs = parseRetryAfter(value, now.getTime());
          if (waitMs !== undefined) expect(Number.isFinite(waitMs) && waitMs >= 0).toBe(true);
        },
      ),
    );
  });
});

describe('an HTTP-date', () => {
  test('is read back in every form', () => {
    const seconds = fc.integer({ min: Date.UTC(1990, 0) / 1000, max: Date.UTC(2035, 0) / 1000 });
    fc.assert(
      fc.property(seconds, (second) => {
        const date = new Date(second * 1000);
        const [, day = '', month, year = '', time] = date.toUTCString().replace(',', '').split(' ');
        const weekday = date.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
        const forms = [
          date.toUTCString(),
          `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
          `${weekday.slice(0, 3)} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`,
        ];
        for (const form of forms) expect(parseHttpDate(form, Date.UTC(2026, 5))).toBe(second * 1000);
      }),
    );
  });

  test('of two digits that would be more than fifty years ahead is of the century before', () => {
    expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', Date.UTC(2026, 0))).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
    expect(parseHttpDate('Friday, 06-Nov-70 08:49:37 GMT', Date.UTC(2026, 0))).toBe(Date.UTC(2070, 10, 6, 8, 49, 37));
  });
});
