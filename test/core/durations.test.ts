import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDue, measured, SAMPLE_MAX, SAMPLE_MIN, supportFor } from '../../src/core/durations.ts';
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

  const levels = fc.constantFrom<TaskSupport>('forbidden', 'optional', 'required');
  /** Any service: quick and slow jobs in any mixture, in any order. */
  const service = fc
    .tuple(
      fc.integer({ min: 0, max: 60_000 }),
      fc.integer({ min: 0, max: 120_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
    )
    .chain(([quickMs, slowMs, share]) =>
      fc.array(
        fc.double({ min: 0, max: 1, noNaN: true }).map((one) => (one < share ? quickMs : slowMs)),
        { minLength: SAMPLE_MIN, maxLength: 500 },
      ),
    );

  /** What becomes of a tool, job by job: each move, and after which job it was. */
  function walk(from: TaskSupport, durations: readonly number[]) {
    const moves: { readonly job: number; readonly from: TaskSupport; readonly to: TaskSupport; readonly p50Ms: number }[] = [];
    let [now, since] = [from, Number.POSITIVE_INFINITY];
    durations.forEach((_, at) => {
      since += 1;
      const by = measured(durations.slice(0, at + 1));
      if (by === undefined || !isDue(since)) return;
      const to = supportFor(now, by);
      if (to === now) return;
      moves.push({ job: at, from: now, to, p50Ms: by.p50Ms });
      [now, since] = [to, 0];
    });
    return moves;
  }

  test('moves at most once in thirty jobs, however quick and slow ones are mixed', () => {
    fc.assert(
      fc.property(levels, service, (from, durations) => {
        const jobs = walk(from, durations).map(({ job }) => job);
        expect(jobs.every((job, at) => at === 0 || job - (jobs[at - 1] ?? 0) >= SAMPLE_MIN)).toBe(true);
      }),
    );
  });

  test('demands a task only far above 30 s, and stops demanding it only far below', () => {
    fc.assert(
      fc.property(levels, service, (from, durations) => {
        for (const { from: before, to, p50Ms } of walk(from, durations)) {
          if (to === 'required') expect(p50Ms).toBeGreaterThan(36_000);
          if (before === 'required') expect(p50Ms).toBeLessThanOrEqual(25_000);
        }
      }),
    );
  });

  test('stays where it is while its jobs stay between the thresholds’ margins', () => {
    const steady = (min: number, max: number) => fc.array(fc.integer({ min, max }), { minLength: SAMPLE_MIN, maxLength: 300 });
    const stays = (from: TaskSupport, min: number, max: number) =>
      fc.assert(
        fc.property(steady(min, max), (durations) => {
          expect(walk(from, durations)).toEqual([]);
        }),
      );
    stays('required', 25_001, 36_000);
    stays('optional', 8_334, 36_000);
    stays('forbidden', 0, 11_999);
  });
});
