// Long polls: a look for which the service holds its answer until there is news, or its patience ends.
//   L1. Its end without news is a look like any other. What it can't be asked for (an error, no answer in time) says nothing of the
//       job: a plain look is due at once, within the budget like any, or when a service that is busy asks for it.
//   L2. It never takes the last place of its upstream, so that what only needs a glance is not kept waiting.
//   L3. A gateway that stops holds nobody.

import type { Observation } from '../core/adapter.ts';
import type { Operation } from '../core/operation.ts';
import type { EpochMs } from '../core/time.ts';
import { parseRetryAfter } from '../core/urls.ts';
import type { Lease } from '../ledger/ledger.ts';
import type { Context } from './context.ts';
import type { Job } from './descriptors.ts';
import { nextTryAt } from './pace.ts';

/** What a wait came to. */
export type Waited =
  | {
      readonly observation: Exclude<Observation, { kind: 'unreadable' }>;
      /** The service did hold it: the next one can begin soon. */
      readonly held: boolean;
    }
  /** It told nothing: when a plain look is due. */
  | { readonly lookAt: EpochMs };

/**
 * Looks at a job by waiting for it, unless the look before came to nothing.
 * @returns `undefined` where it can't be waited for, now or at all: it is to be looked at plainly.
 */
export async function waitForNews(
  context: Context,
  operation: Operation,
  { descriptor, adapter }: Job,
  { tries }: Lease,
  signal: AbortSignal,
  stopping: AbortSignal,
): Promise<Waited | undefined> {
  const { reference } = operation;
  const { upstream, traits, pace } = descriptor;
  if (traits.waits !== true || tries > 0 || context.budget.places('poll', upstream) < 1) return undefined;
  const request = reference && adapter.poll?.(reference, descriptor, { wait: true });
  if (reference === undefined || request?.holdMs === undefined || adapter.judgePoll === undefined) return undefined;
  const startedMs = context.clock.monotonic();
  const exchange = await context.transport.send(upstream, request, {
    timeoutMs: request.holdMs + traits.timing.readTimeoutMs,
    bytesMax: descriptor.responseBytesMax,
    purpose: 'poll',
    signal: AbortSignal.any([signal, stopping]),
  });
  const now = context.clock.now();
  if (!exchange.ok) return { lookAt: now };
  const observation = adapter.judgePoll(exchange.response, descriptor, reference);
  if (observation.kind !== 'unreadable' && exchange.response.status < 400)
    return { observation, held: context.clock.monotonic() - startedMs >= request.holdMs / 2 };
  const wish = observation.kind === 'unreadable' ? parseRetryAfter(observation.retryAfter, now) : undefined;
  if (wish === undefined) return { lookAt: now };
  return { lookAt: nextTryAt({ now, pace, retryAfterMs: wish, chance: context.random.fraction(), tries: 0 }) };
}
