import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measured, SAMPLE_MAX, SAMPLE_MIN, supportFor } from '../../src/core/durations.ts';
import type { TaskSupport } from '../../src/core/tool.ts';

const same = (durationMs: number, count = SAMPLE_MIN) => Array.from({ length: count }, () => durationMs);
const moved = (from: TaskSupport, durations: readonly number[]): TaskSupport => {
  const by = measured(durations);
  return by === undefined ? from : supportFor(from, by);
};

describe('what a tool says about Tasks', () => {
  test.each([
    [1_000, 'forbidden'],
    [9_500, 'optional'],
    [20_000, 'optional'],
    [33_000, 'optional'],
    [40_000, 'required'],
    [3_600_000, 'required'],
  ] as const)('of a tool whose jobs take %d ms goes from optional to %s', (durationMs, to) => {
    expect(moved('optional', same(durationMs))).toBe(to);
  });

  test('does not move before there are enough', () => {
    expect(moved('optional', same(3_600_000, SAMPLE_MIN - 1))).toBe('optional');
  });

  test('follows the newest jobs, and forgets the old ones', () => {
    expect(moved('optional', [...same(3_600_000, 500), ...same(1_000, SAMPLE_MAX)])).toBe('forbidden');
  });

  test('is not that a call is enough while one job in the sample was long', () => {
    expect(moved('optional', [...same(1_000, 99), 20_000])).toBe('optional');
  });

  test.each([
    ['required', 27_000],
    ['required', 34_000],
    ['optional', 27_000],
    ['optional', 34_000],
    ['optional', 9_000],
    ['forbidden', 9_000],
    ['forbidden', 11_000],
    ['optional', 11_000],
  ] as const)('stays %s at the edge, at %d ms', (now, durationMs) => {
    expect(moved(now, same(durationMs))).toBe(now);
  });

  test('settles: the same sample never moves it twice', () => {
    const sample = fc.array(fc.integer({ min: 0, max: 120_000 }), { minLength: SAMPLE_MIN, maxLength: 200 });
    fc.assert(
      fc.property(fc.constantFrom<TaskSupport>('forbidden', 'optional', 'required'), sample, (from, durations) => {
        const once = moved(from, durations);
        expect(moved(once, durations)).toBe(once);
      }),
    );
  });
});
