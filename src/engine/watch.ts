// Waiting for an operation to show something: the callers that block, without polling anything.

import type { OperationId } from '../core/ids.ts';
import type { Operation } from '../core/operation.ts';
import type { Clock } from '../core/time.ts';

export interface Watch {
  /** Tells whoever waits for this operation. */
  notify(operation: Operation): void;
  /**
   * Reads until `enough` holds, the time is over, or `signal` aborts; gives the last reading.
   * A change between the read and the wait is not missed.
   */
  until<T>(
    id: OperationId,
    read: () => Promise<T>,
    enough: (value: T) => boolean,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<T>;
}

export function createWatch(clock: Clock): Watch {
  const waiting = new Map<OperationId, Set<() => void>>();

  return {
    notify(operation) {
      for (const wake of waiting.get(operation.id) ?? []) wake();
    },

    async until(id, read, enough, { timeoutMs, signal }) {
      const endsAt = clock.monotonic() + timeoutMs;
      for (;;) {
        const changed = new AbortController();
        const wake = () => changed.abort('changed');
        const wakers = waiting.get(id) ?? new Set();
        waiting.set(id, wakers.add(wake));
        try {
          const value = await read();
          const leftMs = endsAt - clock.monotonic();
          if (enough(value) || leftMs <= 0 || signal?.aborted === true) return value;
          await clock.sleep(leftMs, signal === undefined ? changed.signal : AbortSignal.any([changed.signal, signal]));
        } finally {
          wakers.delete(wake);
          if (wakers.size === 0 && waiting.get(id) === wakers) waiting.delete(id);
        }
      }
    },
  };
}
