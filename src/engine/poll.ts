// Polling: one look at an upstream, turned into one observation.
//   P1. A poll that could not be read says nothing about the job: it is repeated, with backoff.
//   P2. A 404 is NOT_YET_VISIBLE inside the consistency grace, which begins with the first of an unbroken row of them. What a look
//       showed is as old as its request: one that began inside a grace is inside it, however slow its answer was.
//   P3. No look begins while an answer is on the wire, not even one that was due before: it could not tell an answer that is lost
//       from one that is not there yet.
//   P4. What was read is bound to the position at which its request began, so that a late answer can't move things back.

import type { Observation } from '../core/adapter.ts';
import type { Traits } from '../core/descriptor.ts';
import { isDeleted } from '../core/guards.ts';
import type { Exchange } from '../core/http.ts';
import { isSameInput } from '../core/input.ts';
import type { JsonObject } from '../core/json.ts';
import { roundOf } from '../core/machine.ts';
import type { Operation, OperationEvent } from '../core/operation.ts';
import type { EpochMs } from '../core/time.ts';
import { parseRetryAfter } from '../core/urls.ts';
import type { Lease } from '../ledger/ledger.ts';
import { isJustAnswered } from './answer.ts';
import { type Context, evidenceId, type WorkHandler, type WorkResult } from './context.ts';
import type { Job } from './descriptors.ts';
import { nextGlanceAt, nextPollAt, nextTryAt } from './pace.ts';
import { takeSteps } from './steps.ts';
import { waitForNews } from './wait.ts';

/** Asks the upstream how the job is. `undefined` where there is nobody to ask. */
export async function askStatus(
  context: Context,
  operation: Operation,
  { descriptor, adapter }: Job,
  signal: AbortSignal,
): Promise<Observation | undefined> {
  const { reference } = operation;
  if (reference === undefined || adapter.poll === undefined || adapter.judgePoll === undefined) return undefined;
  const exchange: Exchange = await context.transport.send(descriptor.upstream, adapter.poll(reference, descriptor), {
    timeoutMs: descriptor.traits.timing.readTimeoutMs,
    bytesMax: descriptor.responseBytesMax,
    purpose: 'poll',
    signal,
  });
  if (!exchange.ok) return { kind: 'unreadable', message: exchange.failure.message };
  const observation = adapter.judgePoll(exchange.response, descriptor, reference);
  const misfit = observation.kind === 'unreadable' ? { misfit: observation.message } : {};
  context.gates?.heard({ as: 'status', of: descriptor, operation: operation.id, status: exchange.response.status, ...misfit });
  return observation;
}

/** The event that an observation is, and when to look again; `undefined` for a look that could not be read. */
async function observed(
  context: Context,
  operation: Operation,
  { descriptor }: Job,
  observation: Exclude<Observation, { kind: 'unreadable' }>,
  { beganAt, soon }: { readonly beganAt: EpochMs; readonly soon: boolean },
): Promise<{ event: OperationEvent; again: EpochMs }> {
  const at = context.clock.now();
  const base = { at, source: 'poll', readAt: operation.seq, evidenceId: evidenceId(context) } as const;
  const reference =
    'reference' in observation && observation.reference !== undefined ? { reference: observation.reference } : {};
  const retryAfterMs = 'retryAfter' in observation ? parseRetryAfter(observation.retryAfter, at) : undefined;
  const pollAt = nextPollAt({
    now: at,
    createdAt: operation.createdAt,
    pace: descriptor.pace,
    retryAfterMs: retryAfterMs ?? (soon ? 0 : undefined),
    chance: context.random.fraction(),
  });
  switch (observation.kind) {
    case 'working': {
      const { progress, unknownWord } = observation;
      return {
        again: pollAt,
        event: {
          ...base,
          ...reference,
          type: 'seen_working',
          pollAt,
          ...(progress !== undefined && { progress }),
          ...(unknownWord !== undefined && { unknownWord }),
        },
      };
    }
    case 'input': {
      const request = observation.request as unknown as JsonObject | undefined;
      const isSame = isSameInput(operation, request);
      if (isSame && isJustAnswered(operation, beganAt))
        return { again: pollAt, event: { ...base, ...reference, type: 'seen_working', pollAt } };
      const round = roundOf(operation, isSame);
      return {
        again: pollAt,
        event: {
          ...base,
          ...reference,
          type: 'seen_input',
          pollAt,
          round,
          ...(request !== undefined && { inputRequest: request }),
        },
      };
    }
    case 'ended': {
      const held =
        observation.result !== undefined || !observation.fetch ? { held: await context.payloads.hold(observation.result) } : {};
      return {
        again: pollAt,
        event: {
          ...base,
          ...reference,
          ...held,
          type: 'seen_ended',
          ending: observation.ending,
          ...(observation.message !== undefined && { message: observation.message }),
        },
      };
    }
    case 'missing': {
      const { message } = observation;
      if (!stillHidden(operation, descriptor.traits, { beganAt, now: at }))
        return { again: pollAt, event: { ...base, type: 'seen_missing', message } };
      const { pace } = descriptor;
      const since = operation.missingSince ?? at;
      const soon = nextGlanceAt({ now: at, since, pace, retryAfterMs, chance: context.random.fraction() });
      return { again: soon, event: { ...base, type: 'seen_not_visible', pollAt: soon, message } };
    }
  }
}

/**
 * Whether a 404 may still mean "not yet visible" (P2). After a cancel that deletes and was taken it means what it says; while one
 * is on the wire nobody knows what it means.
 */
function stillHidden(
  operation: Operation,
  traits: Traits,
  { beganAt, now }: { readonly beganAt: EpochMs; readonly now: EpochMs },
): boolean {
  if (traits.cancel === 'deletes' && operation.cancellation === 'SENT') return true;
  if (isDeleted(operation, traits)) return false;
  const since = operation.missingSince ?? operation.receipt?.at ?? now;
  return beganAt < since + traits.timing.consistencyGraceMs;
}

export interface Look {
  /** `unreadable` also where there is nobody to ask, and where it is too early to ask. */
  readonly saw: Observation['kind'];
  readonly result: WorkResult;
}

/** Looks once and records what was seen. With the lease of a due poll, a look that shows nothing new only moves its row. */
export async function lookOnce(
  context: Context,
  operation: Operation,
  signal: AbortSignal,
  lease: Lease | undefined,
  stopping: AbortSignal = signal,
): Promise<Look> {
  const { input, answerUntil = 0 } = operation;
  if (input === 'SENT' && context.clock.now() < answerUntil)
    return { saw: 'unreadable', result: { again: answerUntil, failed: false } };
  const job = await context.descriptors.of(operation);
  const beganAt = context.clock.now();
  const waited = lease === undefined ? undefined : await waitForNews(context, operation, job, lease, signal, stopping);
  if (waited !== undefined && 'lookAt' in waited) return { saw: 'unreadable', result: { again: waited.lookAt, failed: true } };
  const observation = waited?.observation ?? (await askStatus(context, operation, job, signal));
  const now = context.clock.now();
  context.unread.note(operation.id, observation?.kind === 'unreadable' ? observation.message : undefined, now);
  if (observation === undefined) {
    return { saw: 'unreadable', result: { again: now + job.descriptor.pace.intervalMaxMs, failed: true } };
  }
  if (observation.kind === 'unreadable') {
    const tries = lease?.tries ?? 0;
    const retryAfterMs = parseRetryAfter(observation.retryAfter, now);
    const again = nextTryAt({ now, pace: job.descriptor.pace, retryAfterMs, chance: context.random.fraction(), tries });
    context.log.warn(
      {
        operation: operation.id,
        upstream: operation.upstream,
        detail: observation.message,
        tries: tries + 1,
        nextPollInMs: again - now,
      },
      'status could not be read',
    );
    return { saw: observation.kind, result: { again, failed: true } };
  }
  const { event, again } = await observed(context, operation, job, observation, {
    beganAt,
    soon: waited?.held === true,
  });
  const due = observation.kind === 'working' ? observation.steps : undefined;
  if (due !== undefined && lease !== undefined && event.type === 'seen_working') {
    const result = await takeSteps(context, operation, job, { due, event, beganAt }, signal);
    if (result !== undefined) return { saw: observation.kind, result };
  }
  const recorded =
    lease === undefined
      ? await context.recorder.evidence(operation.id, event)
      : await context.recorder.look(lease, event, again);
  // Evidence that changed nothing leaves its due row, and its lease, as they were.
  return { saw: observation.kind, result: recorded?.disposition === 'applied' ? 'done' : { again, failed: false } };
}

/** Due work: the next look. */
export const pollWork: WorkHandler = async (context, operation, lease, signal, stopping) =>
  (await lookOnce(context, operation, signal, lease, stopping)).result;
