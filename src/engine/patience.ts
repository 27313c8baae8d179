// Patience with the store: what a service answered will not be said again, so that a store which is full or down is asked again.
//   P1. For a bounded time, with growing pauses, and for a bounded number of answers at once; then the answer is given up.
//   P2. Only for evidence. What a caller asked for fails at once, and an intent is not recorded: nothing is sent on its account.
//   P3. Whoever waits here keeps its place in the upstream's budget, so that no more is asked than can be kept.
//   P4. No timer gives an operation up while an answer about it waits here.
//   P5. A gateway that holds answers which are on no disk is not ready.

import type { OperationId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { Clock } from '../core/time.ts';
import { LongshoreError } from '../errors.ts';

const TRY_FOR_MS = 5 * 60_000;
const PAUSE_FIRST_MS = 100;
const PAUSE_MAX_MS = 5_000;
const WAITING_MAX = 256;

export interface Patience {
  /**
   * Runs `write`, again and again while the store is not to be had. Rejects with what it rejects with in the end.
   * `operation`: whom the answer is about.
   */
  through<T>(write: () => Promise<T>, operation?: OperationId): Promise<T>;
  /** An answer about this operation waits: its time is not up yet, whatever a timer says. */
  holds(operation: OperationId): boolean;
  /** What waits, and for what; `undefined` while nothing does. */
  trouble(): string | undefined;
}

/** @param givingUp Ends all waiting: the process is about to end. */
export function createPatience(clock: Clock, log: Log, givingUp: AbortSignal): Patience {
  let waiting = 0;
  const about = new Map<OperationId, number>();
  let last: LongshoreError | undefined;

  async function again<T>(write: () => Promise<T>, first: LongshoreError): Promise<T> {
    const until = clock.monotonic() + TRY_FOR_MS;
    let error = first;
    for (let pauseMs = PAUSE_FIRST_MS; ; pauseMs = Math.min(PAUSE_MAX_MS, pauseMs * 2)) {
      await clock.sleep(pauseMs, givingUp);
      try {
        return await write();
      } catch (thrown) {
        if (!isOutage(thrown)) throw thrown;
        error = thrown;
        last = thrown;
      }
      if (givingUp.aborted || clock.monotonic() >= until) throw error;
    }
  }

  function letGo(operation: OperationId): void {
    const left = (about.get(operation) ?? 0) - 1;
    if (left > 0) about.set(operation, left);
    else about.delete(operation);
  }

  return {
    async through(write, operation) {
      try {
        return await write();
      } catch (error) {
        if (!isOutage(error) || givingUp.aborted || waiting >= WAITING_MAX) throw error;
        if (waiting === 0)
          log.error({ err: error }, 'the store takes nothing: answers of services are kept in memory meanwhile');
        last = error;
        waiting += 1;
        if (operation !== undefined) about.set(operation, (about.get(operation) ?? 0) + 1);
        try {
          return await again(write, error);
        } finally {
          waiting -= 1;
          if (operation !== undefined) letGo(operation);
          if (waiting === 0) log.info({}, 'no answer waits for the store any more');
        }
      }
    },

    holds: (operation) => about.has(operation),

    trouble() {
      if (waiting === 0) return undefined;
      const who = waiting === 1 ? '1 answer of a service waits' : `${waiting} answers of services wait`;
      return `${who} to be written: ${last?.message ?? 'the store takes nothing'}`;
    },
  };
}

/** The store can't be written to now, or has no room for one more write: trying again may help. */
const isOutage = (error: unknown): error is LongshoreError =>
  error instanceof LongshoreError && (error.code === 'LEDGER_UNAVAILABLE' || error.code === 'LIMIT_REACHED');
