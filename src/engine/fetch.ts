// Fetching the result of a job that the upstream says has ended. A result counts once it is whole, bounded and stored.

import type { ResultJudgement } from '../core/adapter.ts';
import { merged } from '../core/facts.ts';
import type { HttpRequest } from '../core/http.ts';
import type { Operation, OperationEvent, Reference } from '../core/operation.ts';
import { parseRetryAfter } from '../core/urls.ts';
import type { Lease } from '../ledger/ledger.ts';
import { type Context, evidenceId, type WorkHandler } from './context.ts';
import type { Job } from './descriptors.ts';
import { nextTryAt } from './pace.ts';
import { Pages, type Whole } from './pages.ts';
import { askStatus } from './poll.ts';

/** A result that is elsewhere may itself be elsewhere: so often, and no more. */
const HOPS_MAX = 5;

const givenUp = (message: string): Extract<Whole, { kind: 'unreadable' }> => ({ kind: 'unreadable', permanent: true, message });

/** Asks for one page, wherever that leads. */
async function askPage(
  context: Context,
  operation: Operation,
  reference: Reference,
  { descriptor, adapter }: Job,
  first: HttpRequest,
  signal: AbortSignal,
): Promise<Exclude<ResultJudgement, { kind: 'elsewhere' }>> {
  let request = first;
  for (let hop = 0; hop < HOPS_MAX; hop++) {
    const exchange = await context.transport.send(descriptor.upstream, request, {
      timeoutMs: descriptor.traits.timing.readTimeoutMs,
      bytesMax: descriptor.responseBytesMax,
      purpose: 'result',
      signal,
    });
    if (!exchange.ok) {
      const { kind, message } = exchange.failure;
      return { kind: 'unreadable', permanent: kind === 'refused' || kind === 'too_large' || kind === 'undecodable', message };
    }
    const { status } = exchange.response;
    const judgement = adapter.judgeResult?.(exchange.response, descriptor, reference) ?? givenUp('nobody can read the result');
    // What is answered with anything but 2xx is not there, or not yet: no evidence of another protocol.
    if (status < 300) {
      const misfit = judgement.kind === 'unreadable' ? { misfit: judgement.message } : {};
      context.gates?.heard({ as: 'result', of: descriptor, operation: operation.id, status, ...misfit });
    }
    if (judgement.kind !== 'elsewhere') return judgement;
    request = judgement.request;
  }
  return givenUp(`the result moved more than ${HOPS_MAX} times`);
}

/** Reads the result, as far as the lease goes. `later`: it is not all here yet, and what is stays at hand. */
async function askResult(
  context: Context,
  operation: Operation,
  job: Job,
  lease: Lease,
  signal: AbortSignal,
  reference = operation.reference,
): Promise<Whole | 'later'> {
  const { descriptor, adapter } = job;
  const first = reference === undefined ? undefined : adapter.fetchResult?.(reference, descriptor);
  if (first === undefined || reference === undefined || adapter.judgeResult === undefined)
    return givenUp(
      reference?.extra?.['resultRefused'] || 'the upstream says that the job has ended, but not where its result is',
    );
  const pages = context.unfinished.take(operation.id) ?? new Pages(first, descriptor.responseBytesMax);
  for (let request = pages.next; request !== undefined; request = pages.next) {
    let judgement = await askPage(context, operation, reference, job, request, signal);
    if (isSlip(judgement) && pages.isBegun) judgement = await askPage(context, operation, reference, job, request, signal);
    if (judgement.kind === 'unreadable') {
      const isFirstTry = reference === operation.reference;
      const fresh = judgement.stale && isFirstTry ? await freshReference(context, operation, job, signal) : undefined;
      if (fresh !== undefined) return askResult(context, operation, job, lease, signal, fresh);
      if (!pages.isBegun) return judgement;
      // A later page that is gone for good may be had by beginning again: its token may have expired.
      if (!judgement.permanent && !judgement.stale) context.unfinished.keep(operation.id, pages);
      return { ...judgement, permanent: false };
    }
    const wrong = pages.take(judgement);
    if (wrong !== undefined) return givenUp(wrong);
    if (pages.next !== undefined && context.clock.now() + descriptor.traits.timing.readTimeoutMs > lease.until) {
      context.unfinished.keep(operation.id, pages);
      return 'later';
    }
  }
  return pages.whole();
}

/** The reference with another URL of the result than the one that ran out: the status is looked at once more for it. */
async function freshReference(
  context: Context,
  operation: Operation,
  job: Job,
  signal: AbortSignal,
): Promise<Reference | undefined> {
  const { upstream, reference, seen } = operation;
  if (reference === undefined || context.budget.available('poll', upstream) < 1) return undefined;
  const release = context.budget.take('poll', upstream);
  const shown = await askStatus(context, operation, job, signal).finally(release);
  if (shown?.kind !== 'ended' || shown.ending !== seen || shown.reference === undefined) return undefined;
  const fresh = merged(reference, shown.reference);
  return fresh.id === reference.id && fresh.resultUrl !== reference.resultUrl ? fresh : undefined;
}

/** A page that may come through at once: nothing asked us to wait. */
const isSlip = (judgement: ResultJudgement): boolean =>
  judgement.kind === 'unreadable' && !judgement.permanent && judgement.retryAfter === undefined;

/** Due work: get the result, or record that it could not be had. */
export const fetchWork: WorkHandler = async (context, operation, lease, signal) => {
  const job = await context.descriptors.of(operation);
  const judgement = await askResult(context, operation, job, lease, signal);
  const at = context.clock.now();
  if (judgement === 'later') return { again: at, failed: false };
  const base = { at, source: 'fetch', readAt: operation.seq, evidenceId: evidenceId(context) } as const;
  let event: OperationEvent;
  if (judgement.kind === 'read') {
    event = { ...base, type: 'result_ok', held: await context.payloads.hold(judgement.result) };
  } else {
    const { message, permanent } = judgement;
    const fetchAt = nextTryAt({
      now: at,
      pace: job.descriptor.pace,
      retryAfterMs: parseRetryAfter(judgement.retryAfter, at),
      chance: context.random.fraction(),
      tries: operation.fetchTries,
    });
    event = { ...base, type: 'result_bad', message, permanent, fetchAt };
  }
  const recorded = await context.recorder.evidence(operation.id, event);
  // Evidence that changed nothing leaves its due row, and its lease, as they were.
  return recorded?.disposition === 'applied' ? 'done' : { again: at + job.descriptor.pace.intervalMs, failed: true };
};
