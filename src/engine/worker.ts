// The worker: one loop that leases what is due and hands it to its handler.
//   W1. Cost is proportional to what is due, not to what is in flight: one timer, for the next due instant.
//   W2. Nothing is leased that has no budget, so that a capped upstream holds up nobody else; and nothing begins without.
//   W3. A handler that throws is our bug or a broken store: it is logged, and the lease is left to expire.
//   W4. Draining leases nothing more and lets what is on the wire finish.

import type { WorkKind } from '../core/transitions.ts';
import type { Lease } from '../ledger/ledger.ts';
import { answerWork } from './answer.ts';
import { cancelWork } from './cancel.ts';
import type { Context, WorkHandler } from './context.ts';
import { fetchWork } from './fetch.ts';
import { lookupWork } from './lookup.ts';
import { pollWork } from './poll.ts';
import type { BudgetKind } from './ports.ts';
import { submitWork } from './submit.ts';
import { TIMERS } from './timers.ts';

const HANDLERS: Partial<Record<WorkKind, WorkHandler>> = {
  ...TIMERS,
  submit: submitWork,
  lookup: lookupWork,
  poll: pollWork,
  fetch: fetchWork,
  answer: answerWork,
  cancel: cancelWork,
};

/** Kinds that share a bound. Timers go first: they free capacity and cost no exchange. */
const LANES: readonly { readonly kinds: readonly WorkKind[]; readonly budget?: BudgetKind; readonly limit: number }[] = [
  { kinds: ['suspect', 'cancel_suspect', 'accept', 'budget', 'window', 'effects'], limit: 256 },
  { kinds: ['answer', 'cancel', 'fetch', 'lookup'], budget: 'request', limit: 64 },
  { kinds: ['poll'], budget: 'poll', limit: 64 },
  { kinds: ['submit'], budget: 'submit', limit: 64 },
];

/** Looked at no more often than this when work is due but has no budget: tokens come back by themselves. */
const STARVED_MS = 25;
/** A loop that has nothing due still looks this often: another process may have written. */
const IDLE_MS = 30_000;

export interface Worker {
  /** Something may be due earlier than the loop thinks. */
  wake(): void;
  run(): Promise<void>;
  /** Resolves when nothing is on the wire any more, or after `timeoutMs`; then what is left is aborted. */
  drain(timeoutMs: number): Promise<void>;
}

/** Why a wait ends early. Given, so that no error is made, with its stack, at every commit. */
const WOKEN = 'woken';

export function createWorker(context: Context, upstreams: () => Iterable<string>): Worker {
  const { ledger, budget, clock, log, settings } = context;
  const running = new Set<Promise<void>>();
  const aborting = new AbortController();
  let woken = new AbortController();
  const stopping = new AbortController();

  async function perform(lease: Lease, release: () => void): Promise<void> {
    try {
      const operation = await ledger.get(lease.operationId);
      const handler = HANDLERS[lease.kind];
      if (operation === undefined || handler === undefined) return;
      const result = await handler(context, operation, lease, aborting.signal, stopping.signal);
      if (result !== 'done') await ledger.reschedule(lease, result.again, { failed: result.failed });
    } catch (error) {
      log.error({ operation: lease.operationId, work: lease.kind, err: error }, 'work failed; its lease will expire');
    } finally {
      release();
    }
  }

  /** Begins leased work, or gives it back: while the lease was made somebody else may have taken the last of the budget. */
  function begin(lease: Lease, kind: BudgetKind | undefined): Promise<unknown> | undefined {
    if (kind !== undefined && budget.available(kind, lease.upstream) < 1)
      return ledger.reschedule(lease, lease.dueAt, { failed: false });
    const release = kind === undefined ? () => undefined : budget.take(kind, lease.upstream);
    context.metrics?.begun({ work: lease.kind }, clock.now() - lease.dueAt);
    const task = perform(lease, release).finally(() => {
      running.delete(task);
      wake();
    });
    running.add(task);
    return undefined;
  }

  /** Leases what may begin now, and begins it. */
  async function tick(): Promise<void> {
    for (const lane of LANES) {
      const perUpstream: Record<string, number> = {};
      for (const upstream of upstreams()) {
        const free = lane.budget === undefined ? lane.limit : Math.min(lane.limit, budget.available(lane.budget, upstream));
        if (free > 0) perUpstream[upstream] = free;
      }
      if (Object.keys(perUpstream).length === 0) continue;
      const limit = lane.budget === undefined ? Number.POSITIVE_INFINITY : budget.availableInAll(lane.budget);
      const request = { now: clock.now(), leaseMs: settings.workLeaseMs, perUpstream, kinds: lane.kinds };
      const leases = await ledger.lease(Number.isFinite(limit) ? { ...request, limit } : request);
      const givenBack = leases.map((lease) => begin(lease, lane.budget)).filter((one) => one !== undefined);
      await Promise.all(givenBack);
    }
  }

  function wake() {
    woken.abort(WOKEN);
  }

  return {
    wake,

    async run() {
      while (!stopping.signal.aborted) {
        woken = new AbortController();
        const { signal } = woken;
        let waitMs = STARVED_MS;
        try {
          // Most wakes are for nothing: one question tells, where leasing would take one for each lane.
          const next = (await ledger.nextDueAt()) ?? Number.POSITIVE_INFINITY;
          if (next <= clock.now()) await tick();
          else waitMs = Math.min(IDLE_MS, Math.max(STARVED_MS, next - clock.now()));
        } catch (error) {
          log.error({ err: error }, 'the ledger could not be asked for due work; trying again');
          waitMs = 1_000;
        }
        if (!signal.aborted) await clock.sleep(waitMs, signal);
      }
    },

    async drain(timeoutMs) {
      stopping.abort(WOKEN);
      wake();
      const timeUp = new AbortController();
      await Promise.race([Promise.allSettled([...running]), clock.sleep(timeoutMs, timeUp.signal)]);
      timeUp.abort();
      aborting.abort();
      await Promise.allSettled([...running]);
    },
  };
}
