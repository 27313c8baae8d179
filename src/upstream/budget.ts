// Bounds on what leaves (rule 9): how many requests are open, and how many polls begin per second.
//   B1. `available` is asked before work is leased; `take` never blocks. There is no queue and no timer here.
//   B2. No second holds more than a rate allows, wherever it begins; and no instant more than half a second's worth, so that what
//       became due together is spread.
//   B3. Taking the last place within a bound is counted.

import type { UpstreamLimits } from '../config/config.ts';
import { type Bound, type Metrics, noMetrics } from '../core/metrics.ts';
import type { Clock } from '../core/time.ts';

/** A `request` is any other read, a cancel, a lookup, or a synchronous call. */
export type BudgetKind = 'poll' | 'submit' | 'request';

export type BudgetLimits = Pick<
  UpstreamLimits,
  'concurrentRequestsMax' | 'concurrentPollsMax' | 'concurrentSubmitsMax' | 'pollsPerSecondMax'
>;

/** Tokens that come back at a steady rate, and a memory of the last second. More may be taken than are there; the debt is waited off. */
class Rate {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #perSecond: number;
  readonly #perSecondMax: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number;
  /** When each token of the last second was taken, oldest first; those before `#from` are over. */
  #taken: number[] = [];
  #from = 0;

  constructor(clock: Pick<Clock, 'monotonic'>, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#perSecondMax = Math.max(1, Math.floor(perSecond));
    this.#burst = Math.max(1, Math.floor(perSecond / 2));
    this.#tokens = this.#burst;
    this.#filledAt = clock.monotonic();
  }

  /** Whole tokens that may be taken now. */
  get whole(): number {
    this.#fill();
    return Math.max(0, Math.floor(Math.min(this.#tokens, this.#perSecondMax - this.#inTheLastSecond())));
  }

  take(): void {
    this.#fill();
    this.#tokens -= 1;
    this.#taken.push(this.#filledAt);
  }

  #inTheLastSecond(): number {
    const over = this.#clock.monotonic() - 1000;
    while ((this.#taken[this.#from] ?? Number.POSITIVE_INFINITY) <= over) this.#from += 1;
    if (this.#from > 1000) {
      this.#taken = this.#taken.slice(this.#from);
      this.#from = 0;
    }
    return this.#taken.length - this.#from;
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#perSecond);
    this.#filledAt = now;
  }
}

interface Account {
  readonly limits: BudgetLimits;
  readonly polls: Rate;
  readonly open: Record<BudgetKind, number>;
}

/** The bounds of every upstream and of all together. */
export class Budget {
  readonly #accounts = new Map<string, Account>();
  readonly #polls: Rate;
  readonly #metrics: Pick<Metrics, 'reached'>;

  /** @param pollsPerSecondMax For all upstreams together. */
  constructor(
    clock: Pick<Clock, 'monotonic'>,
    upstreams: Iterable<readonly [name: string, limits: BudgetLimits]>,
    pollsPerSecondMax: number,
    metrics: Pick<Metrics, 'reached'> = noMetrics,
  ) {
    this.#metrics = metrics;
    this.#polls = new Rate(clock, pollsPerSecondMax);
    for (const [name, limits] of upstreams) {
      const polls = new Rate(clock, limits.pollsPerSecondMax);
      this.#accounts.set(name, { limits, polls, open: { poll: 0, submit: 0, request: 0 } });
    }
  }

  /** How many more of a kind may be open, whatever the rate; none for an upstream that is not configured. */
  places(kind: BudgetKind, upstream: string): number {
    const account = this.#accounts.get(upstream);
    if (account === undefined) return 0;
    const { limits, open } = account;
    const free = limits.concurrentRequestsMax - open.poll - open.submit - open.request;
    const ofKind = {
      poll: limits.concurrentPollsMax - open.poll,
      submit: limits.concurrentSubmitsMax - open.submit,
      request: free,
    }[kind];
    return Math.max(0, Math.min(free, ofKind));
  }

  /** How many more of a kind may begin now. */
  available(kind: BudgetKind, upstream: string): number {
    const places = this.places(kind, upstream);
    const polls = this.#accounts.get(upstream)?.polls;
    return kind === 'poll' && polls !== undefined ? Math.min(places, polls.whole, this.#polls.whole) : places;
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
    this.#countReached(account, kind, upstream);
    let over = false;
    return () => {
      if (!over) open[kind] -= 1;
      over = true;
    };
  }

  #countReached({ limits, open, polls }: Account, kind: BudgetKind, upstream: string): void {
    const reached = (limit: Bound, of = upstream) => this.#metrics.reached({ limit, upstream: of });
    if (open.poll + open.submit + open.request >= limits.concurrentRequestsMax) reached('concurrentRequestsMax');
    if (kind === 'submit' && open.submit >= limits.concurrentSubmitsMax) reached('concurrentSubmitsMax');
    if (kind !== 'poll') return;
    if (open.poll >= limits.concurrentPollsMax) reached('concurrentPollsMax');
    if (polls.whole === 0) reached('pollsPerSecondMax');
    if (this.#polls.whole === 0) reached('pollsPerSecondMax', 'none');
  }
}
