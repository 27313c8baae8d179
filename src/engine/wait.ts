// Long polls: a look for which the service holds its answer until there is news, or its patience ends.
//   L1. Its end without news is a look like any other. What it can't be asked for (an error, no answer in time) says nothing of the
//       job: a plain look follows at once.
//   L2. It never takes the last place of its upstream, so that what only needs a glance is not kept waiting.
//   L3. A gateway that stops holds nobody.

import type { Observation } from '../core/adapter.ts';
import type { Operation } from '../core/operation.ts';
import type { Context } from './context.ts';
import type { Job } from './descriptors.ts';

export interface Waited {
  readonly observation: Observation;
  /** The service did hold it: the next one can begin soon. */
  readonly held: boolean;
}

/** Looks at a job by waiting for it. `undefined`: it can't be waited for, now or at all. */
export async function waitForNews(
  context: Context,
  operation: Operation,
  { descriptor, adapter }: Job,
  signal: AbortSignal,
  stopping: AbortSignal,
): Promise<Waited | undefined> {
  const { reference } = operation;
  const { upstream, traits } = descriptor;
  if (traits.waits !== true || context.budget.available('poll', upstream) < 1) return undefined;
  const request = reference && adapter.poll?.(reference, descriptor, { wait: true });
  if (reference === undefined || request?.holdMs === undefined || adapter.judgePoll === undefined) return undefined;
  const startedMs = context.clock.monotonic();
  const exchange = await context.transport.send(upstream, request, {
    timeoutMs: request.holdMs + traits.timing.readTimeoutMs,
    bytesMax: descriptor.responseBytesMax,
    purpose: 'poll',
    signal: AbortSignal.any([signal, stopping]),
  });
  if (!exchange.ok || exchange.response.status >= 400) return undefined;
  const observation = adapter.judgePoll(exchange.response, descriptor, reference);
  if (observation.kind === 'unreadable') return undefined;
  return { observation, held: context.clock.monotonic() - startedMs >= request.holdMs / 2 };
}
