import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KeyFormat } from '../../src/core/description.ts';
import { formattedKey } from '../../src/core/submission-key.ts';

const KEY = '0190b0f3-7a3c-4d2e-9f00-0123456789ab';

describe('a submission key', () => {
  test.each<[KeyFormat | undefined, RegExp]>([
    [undefined, /^0190b0f3-7a3c-4d2e-9f00-0123456789ab$/],
    [{}, /^0190b0f3-7a3c-4d2e-9f00-0123456789ab$/],
    [{ as: 'uuid', prefix: 'ls-' }, /^ls-0190b0f3-7a3c-4d2e-9f00-0123456789ab$/],
    [{ as: 'hex' }, /^0190b0f37a3c4d2e9f000123456789ab$/],
    [{ as: 'base36', prefix: 'job-' }, /^job-[0-9a-z]{25}$/],
  ])('in the form %j is always the same', (format, expected) => {
    expect(formattedKey(KEY, format)).toMatch(expected);
    expect(formattedKey(KEY, format)).toBe(formattedKey(KEY, format));
  });

  test('in base 36 is that number', () => {
    expect(BigInt(`0x${KEY.replaceAll('-', '')}`).toString(36)).toBe(formattedKey(KEY, { as: 'base36' }).replace(/^0+/, ''));
  });

  test('has one length in each form, and no two keys become one', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (one, other) => {
        for (const as of ['uuid', 'hex', 'base36'] as const) {
          expect(formattedKey(one, { as })).toHaveLength({ uuid: 36, hex: 32, base36: 25 }[as]);
          expect(formattedKey(one, { as }) === formattedKey(other, { as })).toBe(one === other);
          expect(formattedKey(one, { as })).toMatch(/^[0-9a-z-]+$/);
        }
      }),
    );
  });
});
