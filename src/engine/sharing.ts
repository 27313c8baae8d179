// Jobs that the upstream gives to two operations: how that is noticed, and what each of them is told (docs/decisions/0008).

import type { HttpRequest } from '../core/http.ts';
import type { Operation, OperationEvent, Shared } from '../core/operation.ts';
import { digestOf, type Job } from './descriptors.ts';

/**
 * How the upstream was first asked for an operation's job, as a digest: two operations follow one job exactly where it is the same.
 * An id alone does not tell, because many services count the jobs of each kind from 1; and where a job is asked for may move, while
 * it is still cancelled by its id. Absent where no job is followed.
 */
export function jobAddressOf({ reference, contested, tool }: Operation, { adapter, descriptor }: Job): string | undefined {
  if (reference === undefined || contested === true) return undefined;
  const { method, url, body } = askingFor() ?? {};
  return digestOf(url === undefined ? [tool, reference.id] : [method ?? '', url, body === undefined ? null : String(body)]);

  function askingFor(): HttpRequest | undefined {
    const { home, ...named } = reference as NonNullable<typeof reference>;
    const first = home === undefined ? named : { ...named, statusUrl: home };
    try {
      return descriptor.traits.status ? adapter.poll?.(first, descriptor) : undefined;
    } catch {
      // What an operator named need not be anything that can be asked for.
      return undefined;
    }
  }
}

/** What a commit asks of the ledger: where it names a job, or would stop one for a caller. */
export function mayNotShare(
  before: string | undefined,
  after: string | undefined,
  operation: Operation,
  event: OperationEvent,
): 'open' | 'wanted' | undefined {
  // An operator sees who shares the job, and decides.
  if (event.type === 'cancel_sent') return operation.cancelledBy === 'operator' ? undefined : 'wanted';
  return after !== before && event.shared === undefined ? 'open' : undefined;
}

export const sharedWith = (one: Operation, other: Operation): Shared => ({
  operation: other.id,
  alike: one.requestDigest === other.requestDigest,
});

/** What an operation that holds a job is told of the first newcomer to it; and of each, once the job was seen to be gone. */
export function reported(holder: Operation, newcomer: Operation, event: OperationEvent): OperationEvent | undefined {
  if (holder.shared !== undefined && holder.missingSince === undefined) return undefined;
  return {
    type: 'reference_shared',
    at: event.at,
    evidenceId: `shared:${newcomer.id}`,
    shared: sharedWith(holder, newcomer),
    ...(event.source !== undefined && { source: event.source }),
  };
}

/** Instead of a cancel that would stop another operation's job. */
export const withheld = (operation: Operation, other: Operation, event: OperationEvent): OperationEvent => ({
  type: 'cancel_withheld',
  at: event.at,
  source: 'cancel',
  evidenceId: `withheld:${operation.generation}:${operation.seq}`,
  shared: sharedWith(operation, other),
  message: 'not sent: another call still waits for the same job',
});
