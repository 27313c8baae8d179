// Waiting: a caller holds its call open while an operation goes on, and is told of progress if it asked.
//   W1. Whoever stops waiting stops waiting: an abort, a disconnect or a timeout never cancels an operation.
//   W2. Progress only grows, as the protocol demands; what would not grow is not sent.
//   W3. Where the job itself waits for the caller there is nothing to wait for: the caller is asked, or answered.

import type { Progressed } from '../contracts/contract.ts';
import type { Principal } from '../core/ids.ts';
import { openQuestions } from '../core/input.ts';
import type { Clock } from '../core/time.ts';
import type { Engine, OperationView } from '../engine/engine.ts';

export interface Waiting {
  readonly principal: Principal;
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Puts a question to the caller while it waits. Absent: whoever waits is answered once there is a question. */
  readonly ask?: (view: OperationView) => void;
  /** Present where the caller gave a progress token. Never rejects. */
  readonly progress?: (progress: Progressed) => Promise<void>;
}

/** Callers that count on progress to keep a call alive hear of us at least this often. */
const HEARTBEAT_MS = 10_000;

/** The operation when it ended or asks what the caller can't be asked, or as it was when the wait was over; `undefined` where it is gone. */
export async function waitForEnd(
  engine: Engine,
  clock: Clock,
  view: OperationView,
  waiting: Waiting,
): Promise<OperationView | undefined> {
  const startedAt = clock.monotonic();
  const told = progressTeller(waiting.progress, HEARTBEAT_MS);
  let current: OperationView | undefined = view;
  while (current !== undefined && current.operation.receipt === undefined && !waiting.signal.aborted) {
    const elapsedMs = clock.monotonic() - startedAt;
    await told(current, elapsedMs);
    const leftMs = waiting.waitMs - elapsedMs;
    if (leftMs <= 0) return current;
    if (openQuestions(current.operation).length > 0) {
      if (waiting.ask === undefined) return current;
      waiting.ask(current);
    }
    current = await engine.wait(current.operation.id, waiting.principal, {
      until: 'change',
      afterSeq: current.operation.seq,
      timeoutMs: waiting.progress === undefined ? leftMs : Math.min(leftMs, HEARTBEAT_MS),
      signal: waiting.signal,
    });
  }
  return current;
}

/**
 * Tells of progress: in percent where the upstream says, else in seconds waited.
 * @param heartbeatMs After so long without a word, a hundredth of what lacks to the next percent is told: a client that counts on
 *   progress goes on waiting, and one that shows it shows the same. Absent: what does not grow is not told.
 */
export function progressTeller(
  progress: Waiting['progress'],
  heartbeatMs = Number.POSITIVE_INFINITY,
): (view: OperationView, elapsedMs: number) => Promise<void> {
  let last = -1;
  let toldAtMs = 0;
  return async ({ operation }, elapsedMs) => {
    const { fraction, message } = operation.progress ?? {};
    const known = fraction === undefined ? Math.floor(elapsedMs / 1000) : Math.floor(fraction * 100);
    const isDue = elapsedMs - toldAtMs >= heartbeatMs;
    const value = known <= last && isDue ? last + (Math.floor(last) + 1 - last) / 100 : known;
    if (progress === undefined || value <= last) return;
    last = value;
    toldAtMs = elapsedMs;
    await progress({
      progress: value,
      ...(fraction === undefined || value > 100 ? {} : { total: 100 }),
      ...(message === undefined ? {} : { message }),
    });
  };
}
