// Cancelling upstream: a request, not an ending.
//   C1. `cancel_sent` is durable before the request leaves, so that a crash in between is found (`cancel_suspect`).
//   C2. A cancel that deletes would delete a finished result too: it is sent only right after a look that
//       saw the job going on. A job that is not to be seen (yet, or any more) was not deleted by us, whatever the next look says.
//   C3. A job that says that it can't be cancelled now is asked once it says otherwise, or is over.
//   C4. A cancel leaves soon after it was recorded as sent, or not at all: a process that stood still may come after one that asked
//       again, when the job has ended, or its id is another job's.
//   C5. What the upstream answers moves the cancellation, not the life: the next poll decides.

import type { CancelJudgement } from '../core/adapter.ts';
import type { OperationEvent } from '../core/operation.ts';
import { parseRetryAfter } from '../core/urls.ts';
import { ASK_AGAIN_MS, evidenceId, type WorkHandler } from './context.ts';
import { nextTryAt } from './pace.ts';
import { lookOnce } from './poll.ts';
import { sendInTime } from './send.ts';

/** Due work: ask the upstream to stop. */
export const cancelWork: WorkHandler = async (context, before, _lease, signal) => {
  const job = await context.descriptors.of(before);
  const { descriptor, adapter } = job;
  let operation = before;
  if (descriptor.traits.cancel === 'deletes' && descriptor.traits.status) {
    const { upstream, pace } = descriptor;
    if (context.budget.available('poll', upstream) < 1) return { again: context.clock.now() + ASK_AGAIN_MS, failed: false };
    const release = context.budget.take('poll', upstream);
    const { saw, result } = await lookOnce(context, operation, signal, undefined).finally(release);
    if (saw !== 'working' && saw !== 'input') {
      return { again: result === 'done' ? context.clock.now() + pace.intervalMs : result.again, failed: result !== 'done' };
    }
    const after = await context.ledger.get(operation.id);
    if (after === undefined || after.seen !== undefined) return 'done';
    // Another cancel was sent in between: what was seen is older than that one, and says nothing of what it did.
    if (after.cancelTries !== before.cancelTries) return { again: context.clock.now() + ASK_AGAIN_MS, failed: false };
    operation = after;
  }

  const { reference } = operation;
  const { intervalMs } = descriptor.pace;
  const request = reference === undefined ? undefined : adapter.cancel?.(reference, descriptor);
  // The polls go on, and tell when it may be asked.
  if (request === 'later') return { again: context.clock.now() + intervalMs, failed: false };
  if (request === undefined || adapter.judgeCancel === undefined) {
    const event = {
      type: 'cancel_unsupported',
      at: context.clock.now(),
      source: 'cancel',
      evidenceId: evidenceId(context),
    } as const;
    await context.recorder.evidence(operation.id, event);
    return 'done';
  }

  const { timing } = descriptor.traits;
  const startedMs = context.clock.monotonic();
  const sentAt = context.clock.now();
  const sent = await context.recorder.intent(operation, {
    type: 'cancel_sent',
    at: sentAt,
    leaseUntil: sentAt + timing.readTimeoutMs * 2,
  });
  // Another writer came in between: whether a cancel is still wanted is asked anew.
  if (sent === undefined) return { again: sentAt + ASK_AGAIN_MS, failed: false };
  const exchange = await sendInTime(context, descriptor, request, {
    purpose: 'cancel',
    startedMs,
    leaseMs: timing.readTimeoutMs,
    timeoutMs: timing.readTimeoutMs,
    signal,
  });
  const judgement: CancelJudgement = exchange.ok
    ? adapter.judgeCancel(exchange.response, descriptor)
    : { kind: 'unanswered', message: exchange.failure.message };

  const at = context.clock.now();
  const base = { at, source: 'cancel', evidenceId: evidenceId(context) } as const;
  let event: OperationEvent;
  switch (judgement.kind) {
    case 'unanswered': {
      const retryAfterMs = parseRetryAfter(judgement.retryAfter, at);
      const retryAt = nextTryAt({
        now: at,
        pace: descriptor.pace,
        retryAfterMs,
        chance: context.random.fraction(),
        tries: sent.cancelTries,
      });
      event = { ...base, type: 'cancel_unanswered', retryAt, message: judgement.message };
      break;
    }
    case 'refused':
      event = { ...base, type: 'cancel_refused', message: judgement.message };
      break;
    default:
      event = { ...base, type: `cancel_${judgement.kind}` };
  }
  await context.recorder.evidence(operation.id, event);
  return 'done';
};
