// Time and chance of a simulated world. Nothing happens but at an instant of the schedule; between two instants everything
// runs that needs no time. Which of two things due at the same instant comes first is decided by chance, from the seed.
//   T1. Needing no time means: promise callbacks. Between two immediates they are all drained, however many there are.
//   T2. True time never jumps. What a process reads of the wall may (WorldClock.jump); its monotonic clock does not.

import type { Clock, EpochMs, Random } from '../../src/core/time.ts';

export const EPOCH: EpochMs = Date.UTC(2026, 0, 1);

/** Repeatable chance (mulberry32): good enough for scheduling, and quick. */
export class Chance implements Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => Math.floor(this.fraction() * 256));
  }

  /** A whole number in [least, most]. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.fraction() < share;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.fraction() * from.length)] as T;
  }
}

/** Waits that let all promise callbacks run out (T1). */
class Turns {
  /** Immediates of one turn of the event loop: a turn asks the system for news, which costs more than a step does. */
  static readonly #AT_ONCE = 64;
  #left = 0;
  #resume: (() => void) | undefined;
  readonly #wait = (resume: () => void) => {
    this.#resume = resume;
  };

  next(): Promise<void> {
    if (this.#left === 0) for (; this.#left < Turns.#AT_ONCE; this.#left++) setImmediate(this.#come);
    return new Promise(this.#wait);
  }

  readonly #come = () => {
    this.#left -= 1;
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  };
}

interface Entry {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
}

const isBefore = (one: Entry, other: Entry) => one.at < other.at || (one.at === other.at && one.order < other.order);

/** What is to happen, by instant. Milliseconds since the world began. */
export class Schedule {
  now = 0;
  steps = 0;
  readonly #heap: Entry[] = [];
  readonly #turns = new Turns();
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** Runs something later; the answer calls it off. */
  at(instant: number, run: () => void): () => void {
    const entry: Entry = { at: Math.max(instant, this.now), order: this.#chance.fraction(), run };
    this.#push(entry);
    return () => {
      entry.run = undefined;
    };
  }

  sleep(durationMs: number): Promise<void> {
    return new Promise((resolve) => this.at(this.now + durationMs, resolve));
  }

  /** Does what is next and lets it run out; false when nothing is to happen at or before `until`. */
  async step(until: number): Promise<boolean> {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.at > until) return false;
      this.#pop();
      if (next.run === undefined) continue;
      this.now = next.at;
      this.steps += 1;
      next.run();
      await this.#turns.next();
      return true;
    }
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(entry, heap[parent] as Entry)) break;
      heap[index] = heap[parent] as Entry;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child += 1;
      if (!isBefore(heap[child] as Entry, last)) break;
      heap[index] = heap[child] as Entry;
      index = child;
    }
    heap[index] = last;
  }
}

/** The clock of one host: its wall may be wrong, and may be set. */
export class HostClock implements Clock {
  readonly #schedule: Schedule;
  #skewMs = 0;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  jump(byMs: number): void {
    this.#skewMs += byMs;
  }

  now(): EpochMs {
    return EPOCH + this.#schedule.now + this.#skewMs;
  }

  monotonic(): number {
    return this.#schedule.now;
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true || durationMs <= 0) return resolve();
      const done = () => {
        callOff();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const callOff = this.#schedule.at(this.#schedule.now + durationMs, done);
      signal?.addEventListener('abort', done, { once: true });
    });
  }
}
