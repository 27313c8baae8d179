// Bounds on what leaves (rule 9): how many requests are open, and how many polls begin per second.
//   B1. `available` is asked before work is leased; `take` never blocks. There is no queue and no timer here.
//   B2. No second holds more than one and a half times a rate: a bucket keeps at most half a second's worth.

import type { UpstreamLimits } from '../config/config.ts';
import type { Clock } from '../core/time.ts';

/** A `request` is any other read, a cancel, a lookup, or a synchronous call. */
export type BudgetKind = 'poll' | 'submit' | 'request';

export type BudgetLimits = Pick<
  UpstreamLimits,
  'concurrentRequestsMax' | 'concurrentPollsMax' | 'concurrentSubmitsMax' | 'pollsPerSecondMax'
>;

/** Tokens that come back at a steady rate. More may be taken than are there; the debt is waited off. */
class TokenBucket {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number;

  constructor(clock: Pick<Clock, 'monotonic'>, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = Math.max(1, Math.floor(perSecond / 2));
    this.#tokens = this.#burst;
    this.#filledAt = clock.monotonic();
  }

  /** Whole tokens that are there now. */
  get whole(): number {
    this.#fill();
    return Math.max(0, Math.floor(this.#tokens));
  }

  take(): void {
    this.#fill();
    this.#tokens -= 1;
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#perSecond);
    this.#filledAt = now;
  }
}

interface Account {
  readonly limits: BudgetLimits;
  readonly polls: TokenBucket;
  readonly open: Record<BudgetKind, number>;
}

/** The bounds of every upstream and of all together. */
export class Budget {
  readonly #accounts = new Map<string, Account>();
  readonly #polls: TokenBucket;

  /** @param pollsPerSecondMax For all upstreams together. */
  constructor(
    clock: Pick<Clock, 'monotonic'>,
    upstreams: Iterable<readonly [name: string, limits: BudgetLimits]>,
    pollsPerSecondMax: number,
  ) {
    this.#polls = new TokenBucket(clock, pollsPerSecondMax);
    for (const [name, limits] of upstreams) {
      const polls = new TokenBucket(clock, limits.pollsPerSecondMax);
      this.#accounts.set(name, { limits, polls, open: { poll: 0, submit: 0, request: 0 } });
    }
  }

  /** How many more of a kind may begin now; none for an upstream that is not configured. */
  available(kind: BudgetKind, upstream: string): number {
    const account = this.#accounts.get(upstream);
    if (account === undefined) return 0;
    const { limits, open, polls } = account;
    const free = limits.concurrentRequestsMax - open.poll - open.submit - open.request;
    const ofKind = {
      poll: () => Math.min(limits.concurrentPollsMax - open.poll, polls.whole, this.#polls.whole),
      submit: () => limits.concurrentSubmitsMax - open.submit,
      request: () => free,
    }[kind]();
    return Math.max(0, Math.min(free, ofKind));
  }

  /** How many more of a kind may begin now in all upstreams together. */
  availableInAll(kind: BudgetKind): number {
    return kind === 'poll' ? this.#polls.whole : Number.POSITIVE_INFINITY;
  }

  /** Counts one as begun, whether or not it was available. The answer counts it as over; calling it again does nothing. */
  take(kind: BudgetKind, upstream: string): () => void {
    const account = this.#accounts.get(upstream);
    if (account === undefined) return () => undefined;
    const { open, polls } = account;
    open[kind] += 1;
    if (kind === 'poll') {
      polls.take();
      this.#polls.take();
    }
    let over = false;
    return () => {
      if (!over) open[kind] -= 1;
      over = true;
    };
  }
}
