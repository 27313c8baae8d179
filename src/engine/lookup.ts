// Looking up a submit whose fate is unknown, by its submission key.
//   K1. "Not there" proves absence only when the lookup began after the horizon: lease, request timeout and grace are over.
//       It says so of the attempt it was asked about, and nothing of one that began meanwhile.
//   K2. An upstream that says when it can be asked again is asked then, and not before.

import type { LookupJudgement } from '../core/adapter.ts';
import type { OperationEvent } from '../core/operation.ts';
import { parseRetryAfter } from '../core/urls.ts';
import { withCallback } from './callback.ts';
import { type Context, evidenceId, type WorkHandler } from './context.ts';
import { nextPollAt, nextTryAt } from './pace.ts';
import { callOf } from './submit.ts';

/** Due work: ask whether a job with our key exists. It creates nothing. */
export const lookupWork: WorkHandler = async (context: Context, operation, _lease, signal) => {
  const job = withCallback(context, operation, await context.descriptors.of(operation));
  const { descriptor, adapter } = job;
  const call = callOf(operation, job);
  const beganAt = context.clock.now();
  const request = adapter.lookup?.(call, descriptor);
  let judgement: LookupJudgement = { kind: 'cannot_tell', message: 'the upstream has no way to ask for a submission key' };
  if (request !== undefined && adapter.judgeLookup !== undefined) {
    const exchange = await context.transport.send(descriptor.upstream, request, {
      timeoutMs: descriptor.traits.timing.readTimeoutMs,
      bytesMax: descriptor.responseBytesMax,
      purpose: 'lookup',
      signal,
    });
    judgement = exchange.ok
      ? adapter.judgeLookup(exchange.response, descriptor, call)
      : { kind: 'cannot_tell', message: exchange.failure.message };
    if (exchange.ok && exchange.response.status === 200) {
      const misfit = judgement.kind === 'cannot_tell' && judgement.unreadable ? { misfit: judgement.message } : {};
      context.gates?.heard({ as: 'lookup', of: descriptor, operation: operation.id, status: 200, ...misfit });
    }
  }
  const at = context.clock.now();
  const { pace } = descriptor;
  const chance = context.random.fraction();
  const retryAfterMs = judgement.kind === 'cannot_tell' ? parseRetryAfter(judgement.retryAfter, at) : undefined;
  const lookAt = nextPollAt({ now: at, createdAt: operation.createdAt, pace, chance });
  const wish = retryAfterMs !== undefined && { retryAt: nextTryAt({ now: at, pace, retryAfterMs, chance, tries: 0 }) };
  const base = { at, source: 'lookup', evidenceId: evidenceId(context) } as const;
  let event: OperationEvent;
  switch (judgement.kind) {
    case 'found':
      event = { ...base, type: 'lookup_found', reference: judgement.reference, pollAt: at };
      break;
    case 'never_created':
      event = {
        ...base,
        type: 'lookup_absent',
        attempt: operation.attempt,
        proof: operation.horizonAt !== undefined && beganAt > operation.horizonAt,
        lookAt,
      };
      break;
    case 'cannot_tell':
      event = { ...base, type: 'lookup_cannot', lookAt, ...wish, message: judgement.message };
  }
  await context.recorder.evidence(operation.id, event);
  return 'done';
};
