// Submitting: the one exchange that may create a job.
//   S1. `submit_started` is durable before the first byte leaves (rule 1).
//   S2. The sender holds a lease that outlasts the request; it looks at the monotonic clock right before it writes and gives
//       up at the lease's end. What it learns after that is still evidence.
//   S3. Only `unreachable` proves that nothing was received. Everything else without an answer is doubt.
//   S4. Attempts are byte-identical: the request is a function of descriptor, arguments, submission key and callback URL.

import type { Call, SubmitJudgement } from '../core/adapter.ts';
import type { Exchange, HttpFailure, HttpResponse } from '../core/http.ts';
import type { Operation, OperationEvent } from '../core/operation.ts';
import { renderRequest } from '../core/render.ts';
import type { RetryAfter } from '../core/retry-after.ts';
import { formattedKey, withKeyArgument } from '../core/submission-key.ts';
import { parseRetryAfter } from '../core/urls.ts';
import { withCallback } from './callback.ts';
import { ASK_AGAIN_MS, type Context, type WorkHandler } from './context.ts';
import type { Job } from './descriptors.ts';
import { firstPollAt, nextTryAt } from './pace.ts';
import { sendInTime } from './send.ts';

/** The call as the adapter sees it. Throws where the arguments can't be rendered: they were checked before the operation was created. */
export function callOf(operation: Operation, { descriptor }: Job): Call {
  const submissionKey = formattedKey(operation.submissionKey, descriptor.keyFormat);
  const args = withKeyArgument(descriptor.submit, operation.arguments, submissionKey);
  const rendered = renderRequest(descriptor.submit, args);
  if ('faults' in rendered) {
    throw new Error(
      `operation ${operation.id} can't be rendered any more: ${rendered.faults.map((fault) => fault.message).join('; ')}`,
    );
  }
  return { request: rendered.request, arguments: args, submissionKey };
}

/** The intent that must be durable before the request leaves. */
export function submitStarted(context: Context, operation: Operation, { descriptor }: Job): OperationEvent {
  const at = context.clock.now();
  return {
    type: 'submit_started',
    at,
    attempt: operation.attempt + 1,
    leaseUntil: at + descriptor.traits.timing.submitLeaseMs,
  };
}

/**
 * Sends the attempt that `operation` (already SUBMITTING) records, judges the answer and records it.
 * `startedMs` is the monotonic instant at which `submit_started` was made. The caller holds the submit's budget.
 */
export async function sendSubmit(
  context: Context,
  operation: Operation,
  compiled: Job,
  startedMs: number,
  signal: AbortSignal,
  heard?: (exchange: Exchange) => void,
): Promise<Operation> {
  const job = withCallback(context, operation, compiled);
  const { descriptor, adapter } = job;
  const { timing } = descriptor.traits;
  const call = callOf(operation, job);
  const exchange = await sendInTime(context, descriptor, adapter.submit(call, descriptor), {
    purpose: 'submit',
    startedMs,
    leaseMs: timing.submitLeaseMs,
    timeoutMs: timing.submitTimeoutMs,
    signal,
  });
  heard?.(exchange);
  const event = exchange.ok
    ? await judged(context, operation, job, judge(context, operation, job, call, exchange.response))
    : failed(context, operation, job, exchange.failure);
  const recorded = await context.recorder.evidence(operation.id, event);
  return recorded?.operation ?? operation;
}

function judge(
  { gates }: Context,
  { id }: Operation,
  { adapter, descriptor }: Job,
  call: Call,
  response: HttpResponse,
): SubmitJudgement {
  const judgement = adapter.judgeSubmit(response, descriptor, call);
  const misfit = judgement.kind === 'ambiguous' ? { misfit: judgement.message } : {};
  gates?.heard({ as: 'submit', of: descriptor, operation: id, status: response.status, ...misfit });
  return judgement;
}

const common = (context: Context, operation: Operation) =>
  ({
    at: context.clock.now(),
    source: 'submit',
    attempt: operation.attempt,
    evidenceId: `submit:${operation.attempt}`,
  }) as const;

async function judged(
  context: Context,
  operation: Operation,
  { descriptor }: Job,
  judgement: SubmitJudgement,
): Promise<OperationEvent> {
  const base = common(context, operation);
  const chance = context.random.fraction();
  const retryAt = ({ retryAfter }: { readonly retryAfter?: RetryAfter }) => {
    const retryAfterMs = parseRetryAfter(retryAfter, base.at);
    return nextTryAt({ now: base.at, pace: descriptor.pace, retryAfterMs, chance, tries: operation.attempt - 1 });
  };
  switch (judgement.kind) {
    case 'accepted': {
      const retryAfterMs = parseRetryAfter(judgement.retryAfter, base.at);
      const pace = { now: base.at, createdAt: operation.createdAt, pace: descriptor.pace, retryAfterMs, chance };
      const pollAt = judgement.waits === true ? base.at : firstPollAt(pace);
      return {
        ...base,
        type: 'submit_accepted',
        reference: judgement.reference,
        pollAt,
        ...(judgement.progress !== undefined && { progress: judgement.progress }),
      };
    }
    case 'finished':
      return {
        ...base,
        type: 'submit_finished',
        ending: judgement.ending,
        held: await context.payloads.hold(judgement.result),
        ...(judgement.reference !== undefined && { reference: judgement.reference }),
        ...(judgement.message !== undefined && { message: judgement.message }),
      };
    case 'rejected':
      return {
        ...base,
        type: 'submit_rejected',
        held: await context.payloads.hold(judgement.result),
        message: judgement.message,
      };
    case 'throttled':
      return { ...base, type: 'submit_throttled', retryAt: retryAt(judgement), message: judgement.message };
    case 'ambiguous': {
      const wish = judgement.retryAfter !== undefined && { retryAt: retryAt(judgement) };
      return { ...base, type: 'submit_ambiguous', message: judgement.message, ...wish };
    }
  }
}

function failed(context: Context, operation: Operation, { descriptor }: Job, failure: HttpFailure): OperationEvent {
  const base = common(context, operation);
  if (failure.mayHaveBeenSent) return { ...base, type: 'submit_ambiguous', message: failure.message };
  // Nothing left: the operation waits in QUEUED, and says why, until it may start or its time to start is over.
  const retryAt = nextTryAt({
    now: base.at,
    pace: descriptor.pace,
    chance: context.random.fraction(),
    tries: operation.attempt - 1,
  });
  return { ...base, type: 'submit_throttled', retryAt, message: failure.message };
}

/** Due work: a submit that waited for capacity or for another try. */
export const submitWork: WorkHandler = async (context, operation, _lease, signal) => {
  const job = await context.descriptors.of(operation);
  const startedMs = context.clock.monotonic();
  const started = await context.recorder.intent(operation, submitStarted(context, operation, job));
  // Another writer came in between: whether a submit is still wanted is asked anew.
  if (started === undefined) return { again: context.clock.now() + ASK_AGAIN_MS, failed: false };
  await sendSubmit(context, started, job, startedMs, signal);
  return 'done';
};
