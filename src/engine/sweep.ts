// The sweep: level-based repair. It looks at what is, not at what happened, so it can be repeated at any time.
//   W1. Due work that was lost is derived anew from the row.
//   W2. Ended operations go when their time is over; a live one never does.

import { dueWork } from '../core/machine.ts';
import type { Context } from './context.ts';

const EXPIRE_BATCH = 500;

export async function sweep({
  ledger,
  clock,
  descriptors,
  log,
}: Context): Promise<{ readonly regenerated: number; readonly expired: number }> {
  const regenerated = await ledger.regenerate((operation) => {
    const descriptor = descriptors.cached(operation);
    return descriptor === undefined ? undefined : dueWork(operation, descriptor.traits);
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
