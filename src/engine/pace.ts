// When to look again. Pure: time and chance come in as numbers.
//   P1. Retry-After is a lower bound inside the descriptor's own bounds; what can't be parsed is no wish at all.
//   P2. Without a wish, the wait grows with the age of the operation, so that a day-long job is not asked every second.
//   P3. Jitter spreads operations that became due together, e.g. by a restart; it never undercuts P1 or the minimum.

import type { Pace } from '../core/descriptor.ts';
import type { EpochMs } from '../core/time.ts';

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);

export interface PaceInput {
  readonly now: EpochMs;
  readonly createdAt: EpochMs;
  readonly pace: Pace;
  /** Milliseconds the upstream asked for; `undefined` when it asked for nothing readable. */
  readonly retryAfterMs?: number | undefined;
  /** In [0, 1). */
  readonly chance: number;
}

/** The instant of the next poll of a job that is still running. */
export function nextPollAt({ now, createdAt, pace, retryAfterMs, chance }: PaceInput): EpochMs {
  const { intervalMs, intervalMinMs, intervalMaxMs, ageShare, expectMs } = pace;
  if (retryAfterMs !== undefined) {
    return now + Math.round(clamp(retryAfterMs, intervalMinMs, intervalMaxMs) * (1 + 0.2 * chance));
  }
  const ageMs = Math.max(0, now - createdAt);
  const untilExpectedMs = expectMs === undefined ? 0 : Math.max(0, expectMs - ageMs);
  const waitMs = clamp(Math.max(intervalMs, ageMs * ageShare, untilExpectedMs / 4), intervalMinMs, intervalMaxMs);
  return now + Math.max(intervalMinMs, Math.round(waitMs * (0.8 + 0.4 * chance)));
}

/**
 * The instant of the next look for a job that can't be seen: soon at first, since it may be about to show up, and never later
 * than one that can be seen is looked at.
 * @param since When it was first not to be seen.
 */
export function nextGlanceAt({ since, pace, ...input }: Omit<PaceInput, 'createdAt'> & { readonly since: EpochMs }): EpochMs {
  const { intervalMs, intervalMinMs } = pace;
  const isWished = input.retryAfterMs !== undefined;
  const eager: Pace = { intervalMs: intervalMinMs, intervalMinMs, intervalMaxMs: intervalMs, ageShare: 1 };
  return nextPollAt({ ...input, createdAt: since, pace: isWished ? pace : eager });
}

/** The instant of the first poll of a job that was just accepted. What the answer asks for counts, then what is described. */
export function firstPollAt(input: PaceInput): EpochMs {
  const { now, pace, retryAfterMs, chance } = input;
  if (retryAfterMs !== undefined || pace.firstMs === undefined) return nextPollAt(input);
  return now + Math.round(pace.firstMs * (1 + 0.2 * chance));
}

/** The instant of the next try of something that failed `tries` times in a row: exponential, at most a minute or the pace's maximum. */
export function nextTryAt({
  now,
  pace,
  retryAfterMs,
  chance,
  tries,
}: Omit<PaceInput, 'createdAt'> & { readonly tries: number }): EpochMs {
  const wishMs = retryAfterMs === undefined ? 0 : Math.min(retryAfterMs, Math.max(pace.intervalMaxMs, 60_000));
  const backoffMs = Math.min(pace.intervalMs * 2 ** Math.min(tries, 16), Math.max(pace.intervalMaxMs, pace.intervalMs));
  const waitMs = Math.max(pace.intervalMinMs, backoffMs * (0.8 + 0.4 * chance), wishMs * (1 + 0.2 * chance));
  return now + Math.round(waitMs);
}
