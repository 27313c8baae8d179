// What every kind of work in the engine shares: the ports, and the few things derived from them once.

import { newId } from '../core/ids.ts';
import type { Operation } from '../core/operation.ts';
import type { EpochMs } from '../core/time.ts';
import type { Lease } from '../ledger/ledger.ts';
import type { Descriptors } from './descriptors.ts';
import type { Gates } from './gates.ts';
import type { Unfinished } from './pages.ts';
import type { Patience } from './patience.ts';
import type { Payloads } from './payloads.ts';
import type { EnginePorts } from './ports.ts';
import type { Queue } from './queue.ts';
import type { Recorder } from './record.ts';
import type { Unread } from './unread.ts';

export interface Context extends Omit<EnginePorts, 'gates'> {
  readonly descriptors: Descriptors;
  readonly payloads: Payloads;
  readonly recorder: Recorder;
  readonly patience: Patience;
  readonly queue: Queue;
  readonly unfinished: Unfinished;
  readonly unread: Unread;
  /** Absent: every gate is open. */
  readonly gates?: Gates;
}

/** What became of leased work: `done` when a commit consumed the lease, else when to look again. */
export type WorkResult = 'done' | { readonly again: EpochMs; readonly failed: boolean };

/**
 * One kind of due work. Never throws for what an upstream does.
 * @param signal what is on the wire must end
 * @param stopping the gateway stops: nothing that can be put off should go on
 */
export type WorkHandler = (
  context: Context,
  operation: Operation,
  lease: Lease,
  signal: AbortSignal,
  stopping: AbortSignal,
) => Promise<WorkResult>;

/** An id for one look at the upstream: the same evidence is never counted twice, and two looks are never the same. */
export const evidenceId = (context: Context): string => newId('ev', context.random.bytes(17));

/** When to look again at work whose row was changed by somebody else in between. */
export const ASK_AGAIN_MS = 250;
