// What is known at a start about exchanges that the last process had on the wire. Where the ledger was ours alone, their sender is
// certainly gone: the doubt is recorded now, and not when a lease ends that nobody holds. Whether the request arrived is as
// unknown as before, so a proof of absence still has to be younger than the horizon.

import type { Operation } from '../core/operation.ts';
import type { Context } from './context.ts';
import { nextTryAt } from './pace.ts';

const GONE = 'the gateway was stopped while the request was on the wire';

/** Records that the sender of an unanswered submit or cancel is gone. Only for a ledger that is `exclusive`. */
export async function recover(context: Context, operation: Operation): Promise<void> {
  const at = context.clock.now();
  if (operation.life === 'SUBMITTING') {
    await context.recorder.intent(operation, {
      type: 'lease_ended',
      at,
      source: 'timer',
      attempt: operation.attempt,
      message: GONE,
    });
  }
  if (operation.cancellation === 'SENT') {
    const { descriptor } = await context.descriptors.of(operation);
    const retryAt = nextTryAt({ now: at, pace: descriptor.pace, chance: context.random.fraction(), tries: 0 });
    await context.recorder.intent(operation, { type: 'cancel_unanswered', at, source: 'timer', retryAt, message: GONE });
  }
}
