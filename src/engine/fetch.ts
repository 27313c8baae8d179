// Fetching the result of a job that the upstream says has ended. A result counts once it is whole, bounded and stored.

import type { ResultJudgement } from '../core/adapter.ts';
import type { HttpRequest } from '../core/http.ts';
import type { Operation, OperationEvent } from '../core/operation.ts';
import { parseRetryAfter } from '../core/urls.ts';
import { type Context, evidenceId, type WorkHandler } from './context.ts';
import type { Job } from './descriptors.ts';
import { nextTryAt } from './pace.ts';

/** A result that is elsewhere may itself be elsewhere: so often, and no more. */
const HOPS_MAX = 5;

async function askResult(
  context: Context,
  operation: Operation,
  { descriptor, adapter }: Job,
  signal: AbortSignal,
): Promise<ResultJudgement> {
  const { reference } = operation;
  let request: HttpRequest | undefined = reference === undefined ? undefined : adapter.fetchResult?.(reference, descriptor);
  for (let hop = 0; hop < HOPS_MAX; hop++) {
    if (request === undefined || reference === undefined || adapter.judgeResult === undefined) {
      const message =
        reference?.extra?.['resultRefused'] || 'the upstream says that the job has ended, but not where its result is';
      return { kind: 'unreadable', permanent: true, message };
    }
    const exchange = await context.transport.send(descriptor.upstream, request, {
      timeoutMs: descriptor.traits.timing.readTimeoutMs,
      bytesMax: descriptor.responseBytesMax,
      signal,
    });
    if (!exchange.ok) {
      const permanent =
        exchange.failure.kind === 'refused' || exchange.failure.kind === 'too_large' || exchange.failure.kind === 'undecodable';
      return { kind: 'unreadable', permanent, message: exchange.failure.message };
    }
    const { status } = exchange.response;
    const judgement = adapter.judgeResult(exchange.response, descriptor, reference);
    // What is answered with anything but 2xx is not there, or not yet: no evidence of another protocol.
    if (status < 300) {
      const misfit = judgement.kind === 'unreadable' ? { misfit: judgement.message } : {};
      context.gates?.heard({ as: 'result', of: descriptor, operation: operation.id, status, ...misfit });
    }
    if (judgement.kind !== 'elsewhere') return judgement;
    request = judgement.request;
  }
  return { kind: 'unreadable', permanent: true, message: `the result moved more than ${HOPS_MAX} times` };
}

/** Due work: get the result, or record that it could not be had. */
export const fetchWork: WorkHandler = async (context, operation, _lease, signal) => {
  const job = await context.descriptors.of(operation);
  const judgement = await askResult(context, operation, job, signal);
  const at = context.clock.now();
  const base = { at, source: 'fetch', readAt: operation.seq, evidenceId: evidenceId(context) } as const;
  let event: OperationEvent;
  if (judgement.kind === 'read') {
    event = { ...base, type: 'result_ok', held: await context.payloads.hold(judgement.result) };
  } else {
    const message = judgement.kind === 'unreadable' ? judgement.message : 'the result could not be followed';
    const permanent = judgement.kind === 'unreadable' && judgement.permanent;
    const retryAfterMs = judgement.kind === 'unreadable' ? parseRetryAfter(judgement.retryAfter, at) : undefined;
    const fetchAt = nextTryAt({
      now: at,
      pace: job.descriptor.pace,
      retryAfterMs,
      chance: context.random.fraction(),
      tries: operation.fetchTries,
    });
    event = { ...base, type: 'result_bad', message, permanent, fetchAt };
  }
  const recorded = await context.recorder.evidence(operation.id, event);
  // Evidence that changed nothing leaves its due row, and its lease, as they were.
  return recorded?.disposition === 'applied' ? 'done' : { again: at + job.descriptor.pace.intervalMs, failed: true };
};
