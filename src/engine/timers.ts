// Timers: due work that needs nobody outside. Each records one event of our own, and only if the row still wants it.

import type { Descriptor } from '../core/descriptor.ts';
import type { Operation, OperationEvent } from '../core/operation.ts';
import type { EpochMs } from '../core/time.ts';
import type { WorkKind } from '../core/transitions.ts';
import { ASK_AGAIN_MS, type Context, type WorkHandler } from './context.ts';
import { nextTryAt } from './pace.ts';

interface Moment {
  readonly context: Context;
  readonly operation: Operation;
  readonly descriptor: Descriptor;
  readonly at: EpochMs;
}

const timer =
  (eventAt: (moment: Moment) => OperationEvent): WorkHandler =>
  async (context, operation) => {
    const { descriptor } = await context.descriptors.of(operation);
    const at = context.clock.now();
    if (context.patience.holds(operation.id)) return { again: at + ASK_AGAIN_MS, failed: false };
    const recorded = await context.recorder.intent(operation, eventAt({ context, operation, descriptor, at }));
    // A row that moved on has other due work by now; if it has not moved, this timer is looked at again a little later.
    return recorded !== undefined ? 'done' : { again: at + ASK_AGAIN_MS, failed: true };
  };

export const TIMERS = {
  suspect: timer(({ operation, at }) => ({
    type: 'lease_ended',
    at,
    source: 'timer',
    attempt: operation.attempt,
    message: 'the gateway stopped, or paused, while the request was on the wire',
  })),
  cancel_suspect: timer(({ context, operation, descriptor, at }) => ({
    type: 'cancel_unanswered',
    at,
    source: 'timer',
    retryAt: nextTryAt({
      now: at,
      pace: descriptor.pace,
      chance: context.random.fraction(),
      tries: operation.cancelTries,
    }),
    message: 'the gateway stopped while the cancel was on the wire',
  })),
  accept: timer(({ at }) => ({ type: 'accept', at, source: 'timer' })),
  budget: timer(({ context, operation, at }) => {
    const unread = context.unread.of(operation.id);
    return { type: 'budget_over', at, source: 'timer', ...(unread !== undefined && { message: unread.why }) };
  }),
  window: timer(({ at }) => ({ type: 'window_over', at, source: 'timer' })),
  effects: timer(({ at }) => ({ type: 'effects_over', at, source: 'timer' })),
} as const satisfies Partial<Record<WorkKind, WorkHandler>>;
