// The sweep: level-based repair. It looks at what is, not at what happened, so it can be repeated at any time.
//   W1. Due work that was lost is derived anew from the row.
//   W2. Ended operations go when their time is over; a live one never does.
//   W3. What no pace could have put so far ahead was put there by a clock that has been set back since: it is due again within
//       its usual time. Only work that may be done too early without harm; deadlines stay where they are.

import type { Descriptor } from '../core/descriptor.ts';
import { dueWork } from '../core/machine.ts';
import type { DueWork, Operation } from '../core/operation.ts';
import type { EpochMs } from '../core/time.ts';
import type { WorkKind } from '../core/transitions.ts';
import type { Context } from './context.ts';

const EXPIRE_BATCH = 500;
const HARMLESS: ReadonlySet<WorkKind> = new Set(['submit', 'lookup', 'poll', 'fetch', 'accept', 'answer', 'cancel']);
/** The longest wait that a pace can make of a wish or a failure (pace.ts), and its jitter. */
const WAIT_MAX_MS = 60_000;
const JITTER = 1.5;

/** Due work as the row has it, but for what a clock that was set back has put out of reach. */
export function workWithinReach(operation: Operation, { traits, pace }: Descriptor, now: EpochMs): readonly DueWork[] {
  const reachMs = Math.max(pace.intervalMaxMs, traits.timing.readTimeoutMs, WAIT_MAX_MS) * JITTER;
  // The same for as long as a reach lasts, so that the sweeps within it leave alone what a worker has moved on.
  const dueAt = now - (now % reachMs);
  return dueWork(operation, traits).map((work) =>
    HARMLESS.has(work.kind) && work.dueAt > now + reachMs ? { kind: work.kind, dueAt } : work,
  );
}

export async function sweep({
  ledger,
  clock,
  descriptors,
  log,
}: Context): Promise<{ readonly regenerated: number; readonly expired: number }> {
  const regenerated = await ledger.regenerate((operation) => {
    const descriptor = descriptors.cached(operation);
    return descriptor === undefined ? undefined : workWithinReach(operation, descriptor, clock.now());
  });
  let expired = 0;
  for (;;) {
    const batch = await ledger.expire(clock.now(), EXPIRE_BATCH);
    expired += batch;
    if (batch < EXPIRE_BATCH) break;
  }
  if (regenerated > 0) log.warn({ regenerated }, 'due work was missing and has been derived anew');
  if (expired > 0) log.debug({ expired }, 'ended operations expired');
  return { regenerated, expired };
}
