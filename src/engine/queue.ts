// Who waits for a submit to a service: first come, first served. A call that comes while others wait their turn joins them,
// and the worker, which takes the longest waiting first, sends it. Known of this process alone: of several on one ledger each
// is fair to its own callers.

import type { OperationId } from '../core/ids.ts';
import type { Operation } from '../core/operation.ts';
import type { EpochMs } from '../core/time.ts';

export interface Queue {
  /** A row was made durable. */
  heard(operation: Operation): void;
  /** Whether an operation waits for this service that may be sent by `now`. One that was told to wait longer holds up nobody. */
  isAhead(upstream: string, now: EpochMs): boolean;
}

export function createQueue(): Queue {
  const waiting = new Map<string, Map<OperationId, { readonly from: EpochMs; readonly until: EpochMs }>>();

  return {
    heard({ id, upstream, life, submitAt, startUntil }) {
      const queue = waiting.get(upstream) ?? new Map();
      if (life === 'QUEUED') waiting.set(upstream, queue.set(id, { from: submitAt, until: startUntil }));
      else if (queue.delete(id) && queue.size === 0) waiting.delete(upstream);
    },

    isAhead(upstream, now) {
      const queue = waiting.get(upstream);
      for (const [id, { from, until }] of queue ?? []) {
        // It has ended by now, and another process has seen to that.
        if (until < now) queue?.delete(id);
        else if (from <= now) return true;
      }
      return false;
    },
  };
}
