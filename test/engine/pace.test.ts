// When to look again, as a function of numbers.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Pace } from '../../src/core/descriptor.ts';
import { nextGlanceAt, nextPollAt, nextTryAt } from '../../src/engine/pace.ts';

const NOW = 1_000_000;
const pace: Pace = { intervalMs: 2_000, intervalMinMs: 1_000, intervalMaxMs: 60_000, ageShare: 0.1 };
const base = { now: NOW, createdAt: NOW, pace, chance: 0.5 };

describe('the next poll', () => {
  test('waits the interval, then a share of the age, and at most the maximum', () => {
    const wait = (ageMs: number) => nextPollAt({ ...base, createdAt: NOW - ageMs }) - NOW;
    expect([0, 20_000, 100_000, 6_000_000].map(wait)).toEqual([2_000, 2_000, 10_000, 60_000]);
  });
  test('waits a quarter of what is left of the usual time', () => {
    expect(nextPollAt({ ...base, pace: { ...pace, expectMs: 100_000 } }) - NOW).toBe(25_000);
    expect(nextPollAt({ ...base, createdAt: NOW - 99_000, pace: { ...pace, expectMs: 100_000 } }) - NOW).toBe(9_900);
  });
  test('never comes before the minimum, nor before what the service asked for, nor more than a fifth later', () => {
    const wishes = fc.option(fc.integer({ min: -1_000, max: 200_000 }), { nil: undefined });
    const chances = fc.double({ min: 0, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(fc.nat(1e7), wishes, chances, (ageMs, retryAfterMs, chance) => {
        const waitMs = nextPollAt({ ...base, createdAt: NOW - ageMs, retryAfterMs, chance }) - NOW;
        const least = Math.min(60_000, Math.max(1_000, retryAfterMs ?? 0));
        expect(waitMs).toBeGreaterThanOrEqual(least);
        expect(waitMs).toBeLessThanOrEqual(retryAfterMs === undefined ? 72_000 : least * 1.2);
      }),
    );
  });
});

describe('a job that is not to be seen', () => {
  const glance = (missingMs: number, retryAfterMs?: number) =>
    nextGlanceAt({ now: NOW, since: NOW - missingMs, pace: { ...pace, intervalMs: 60_000 }, retryAfterMs, chance: 0.5 }) - NOW;

  test('is looked for soon, then ever more rarely, and never more rarely than one that is seen', () => {
    expect([0, 1_000, 3_000, 20_000, 1e6].map((missingMs) => glance(missingMs))).toEqual([1_000, 1_000, 3_000, 20_000, 60_000]);
  });
  test('is not looked for before the service wants it', () => {
    expect(glance(0, 30_000)).toBe(33_000);
  });
});

describe('the next try', () => {
  const wait = (tries: number, retryAfterMs?: number) => nextTryAt({ now: NOW, pace, tries, retryAfterMs, chance: 0.5 }) - NOW;

  test('doubles with every failure, up to the maximum', () => {
    expect([0, 1, 2, 5, 40].map((tries) => wait(tries))).toEqual([2_000, 4_000, 8_000, 60_000, 60_000]);
  });
  test('heeds what the service asks for, up to a minute or the maximum', () => {
    expect(wait(0, 20_000)).toBe(22_000);
    expect(wait(0, 1e12)).toBe(66_000);
  });
});
