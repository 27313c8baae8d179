// Time for tests: it moves only when it is told to, and everything that waited wakes in order.

import type { Clock, EpochMs, Random } from '../../src/core/time.ts';

/** Lets everything run that needs no time: promise callbacks and the turns of the event loop that stores commit in. */
export async function settle(turns = 40): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export class VirtualClock implements Clock {
  #nowMs: EpochMs;
  readonly #startMs: EpochMs;
  #wallMs = 0;
  #sleepers: { readonly at: EpochMs; readonly wake: () => void }[] = [];

  constructor(startMs: EpochMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
    this.#startMs = startMs;
  }

  /** Sets the wall by so much: what is monotonic does not notice. */
  set(byMs: number): void {
    this.#wallMs += byMs;
  }

  now(): EpochMs {
    return this.#nowMs + this.#wallMs;
  }

  monotonic(): number {
    return this.#nowMs - this.#startMs;
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true || durationMs <= 0) return resolve();
      const sleeper = {
        at: this.#nowMs + Math.max(0, durationMs),
        wake: () => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  /** Moves on by `durationMs`, waking every sleeper at its own instant and letting it run before the next. */
  async advance(durationMs: number): Promise<void> {
    const target = this.#nowMs + durationMs;
    for (;;) {
      await settle();
      const next = this.#sleepers.reduce<EpochMs>((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
      if (next > target) break;
      this.#nowMs = Math.max(this.#nowMs, next);
      for (const sleeper of this.#sleepers.filter(({ at }) => at <= this.#nowMs)) sleeper.wake();
    }
    this.#nowMs = target;
    await settle();
  }

  /** Moves on in steps until `done` holds; throws when `atMostMs` are over and it does not. */
  async advanceUntil(done: () => boolean | Promise<boolean>, { stepMs = 250, atMostMs = 3_600_000 } = {}): Promise<void> {
    for (let passedMs = 0; !(await done()); passedMs += stepMs) {
      if (passedMs >= atMostMs) throw new Error(`still not so after ${atMostMs} ms of virtual time`);
      await this.advance(stepMs);
    }
  }
}

/** Repeatable chance from a seed: a 32-bit xorshift, good enough for jitter and scheduling. */
export function seededRandom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) | 0 || 1;
  const fraction = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return { fraction, bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(fraction() * 256)) };
}
