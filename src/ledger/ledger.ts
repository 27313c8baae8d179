// The ledger: the durable store of operations, their append-only events, receipts, outbox and descriptors.
// A store keeps what the machine decided; it judges nothing. Its laws, each a test that every store must pass:
//
//   L1. `create` is idempotent on (principal, tool, callerKey) for as long as the key holds (core/caller-key.ts): the second
//       caller gets the first operation. Whether it holds is decided inside the transaction, and a unique index keeps it so.
//   L2. `seq` is dense from 1 and equals the length of the history.
//   L3. A commit whose `expectedSeq` is stale writes nothing and answers `conflict`.
//   L4. Event, row, due work, receipt and outbox row commit together or not at all.
//   L5. The same evidence id for the same operation writes nothing and answers `duplicate`.
//   L6. fold(history) equals the stored row.
//   L7. The kinds of the due rows equal the kinds of dueWork(row). A due instant may be later than derived, never earlier:
//       a poll that saw nothing new only moves its row (`reschedule`) and leaves no event.
//   L8. A lease has one holder, expires, and fences: once the next holder took the work over, the earlier one's
//       `reschedule` answers false and writes nothing.
//   L9. Events refuse UPDATE, and DELETE while their operation exists.
//   L10. What was answered is on disk: after a kill at any instruction every resolved promise holds.
//   L11. An append leaves alone the due rows whose derived instant it does not change: an instant that was rescheduled, the
//       tries, and a lease on the wire stay. A kind whose instant it changes is due anew: that instant, no tries, no holder,
//       and whoever held it finds its lease lost. So the poll that brings news uses up its own lease, a fetch or cancel in
//       flight beside it is not handed out twice, and a hint makes the next poll due although one is on the wire.
//       A holder whose append changed no instant (late evidence, say) still holds its lease, and gives it back by `reschedule`.
//
//   L19. A commit that may not share a job is written only while no other operation of its upstream that counts is at its job's
//       address: else it writes nothing and answers which one is, the oldest. Decided inside the transaction, so that of two that
//       are given one job at once the second sees the first. Staleness (L3) and known evidence (L5) go before.
//
// The interface is asynchronous so that a store may commit in groups, live in a worker thread or across a network.

import type { Descriptor } from '../core/descriptor.ts';
import type { Facet } from '../core/facets.ts';
import type { Door, OperationId, Principal } from '../core/ids.ts';
import type { Disposition, DueWork, Operation, OperationEvent } from '../core/operation.ts';
import type { Receipt } from '../core/outcome.ts';
import type { EpochMs } from '../core/time.ts';
import type { Life, WorkKind } from '../core/transitions.ts';
import type { GateExpectation } from './gates.ts';

/** One step of the machine, to be made durable. Evidence already known is `duplicate`, even where `expectedSeq` is stale too. */
export interface Commit {
  readonly expectedSeq: number;
  readonly event: OperationEvent;
  readonly disposition: Extract<Disposition, 'applied' | 'late'>;
  /** The row after the event; its `seq` is `expectedSeq + 1`. */
  readonly operation: Operation;
  /** At most one entry for each kind. */
  readonly work: readonly DueWork[];
  /** True when this event ended the operation: writes its receipt and exactly one outbox row. */
  readonly ended: boolean;
  /** How the upstream is asked for the job: two operations have the same exactly where they follow one job. */
  readonly jobAddress?: string;
  /** Refuses to share the job: with one that is open (lives, or has open effects), or with one that still `wants` it (L19). */
  readonly unlessShared?: 'open' | 'wanted';
}

/** The first step of the machine, to be made durable. */
export interface Creating extends Omit<Commit, 'expectedSeq' | 'disposition' | 'ended' | 'jobAddress' | 'unlessShared'> {
  /** What the gates must still be at; only a store that keeps gates is given any. */
  readonly gates?: readonly GateExpectation[];
}

export type Appended = 'committed' | 'conflict' | 'duplicate' | { readonly sharedWith: OperationId };

export interface StoredEvent {
  readonly seq: number;
  readonly event: OperationEvent;
  readonly disposition: Extract<Disposition, 'applied' | 'late'>;
}

/** A piece of due work, held by one worker until `until`. */
export interface Lease {
  readonly operationId: OperationId;
  readonly kind: WorkKind;
  readonly upstream: string;
  readonly dueAt: EpochMs;
  /** Fencing token: greater than any earlier one for this work. */
  readonly token: number;
  readonly until: EpochMs;
  /** Failures in a row: how often `reschedule` said `failed` since it last did not, and since the work was derived anew. */
  readonly tries: number;
}

export interface LeaseRequest {
  readonly now: EpochMs;
  readonly leaseMs: number;
  /** Most leases to hand out per upstream; upstreams not named get none. One capped upstream can't starve the rest. */
  readonly perUpstream: Readonly<Record<string, number>>;
  /** Most leases to hand out together: then those that wait longest, of whichever upstream. */
  readonly limit?: number;
  readonly kinds: readonly WorkKind[];
}

export interface OutboxRow {
  /** Dense enough to be a cursor: greater than any earlier one. */
  readonly position: number;
  readonly receipt: Receipt;
}

export interface OperationFilter {
  readonly principal?: Principal;
  readonly upstream?: string;
  readonly tool?: string;
  readonly contract?: Door;
  readonly lives?: readonly Life[];
  /** Those of which at least one holds. */
  readonly facets?: readonly Facet[];
}

/** One facet at most: an operation of which two hold would be counted twice. */
export type CountFilter = Omit<OperationFilter, 'facets'> & { readonly facet?: Facet };

export type { Facet };

export interface Page<T> {
  readonly items: readonly T[];
  /** Opaque; absent on the last page. */
  readonly nextCursor?: string;
}

export interface Ledger {
  /**
   * Nobody else has written since this store was opened, and nobody else can: whatever was on the wire before has lost its
   * sender, and need not be waited for. Leases from before are void.
   */
  readonly exclusive: boolean;

  /**
   * Writes the `created` event and its row. `created: false`: the caller's key already names the operation given back; or,
   * with `gated`, a gate has moved and nothing was written (gates.ts, L16).
   */
  create(commit: Creating): Promise<{ readonly operation: Operation; readonly created: boolean; readonly gated?: true }>;
  append(commit: Commit): Promise<Appended>;

  get(id: OperationId): Promise<Operation | undefined>;
  history(id: OperationId): Promise<readonly StoredEvent[]>;
  /** Newest first. `limit` is clamped to [1, 500]. Throws LongshoreError ARGUMENTS_INVALID for a cursor it did not make. */
  list(filter: OperationFilter, options: { readonly cursor?: string; readonly limit: number }): Promise<Page<Operation>>;
  /** How many operations are in each life, over everything kept. */
  count(filter?: CountFilter): Promise<Readonly<Partial<Record<Life, number>>>>;
  receipt(id: OperationId): Promise<Receipt | undefined>;
  /** Receipts in the order they were written, after a position: at least once, to whoever listens. */
  outbox(after: number, limit: number): Promise<readonly OutboxRow[]>;

  lease(request: LeaseRequest): Promise<readonly Lease[]>;
  /** Moves leased work to a later instant and gives the lease back. False when the lease was lost. */
  reschedule(lease: Lease, dueAt: EpochMs, options: { readonly failed: boolean }): Promise<boolean>;
  /** The earliest instant at which `lease` could find something; `undefined` when nothing is due at all. */
  nextDueAt(): Promise<EpochMs | undefined>;
  /** The work rows of one operation, for operators and tests. */
  work(id: OperationId): Promise<readonly DueWork[]>;
  /**
   * Makes the due rows of every open operation what `derive` says, by L11 (reconciler): cheap when nothing is missing.
   * `undefined`: leave this operation alone. Returns how many operations it mended.
   */
  regenerate(derive: (operation: Operation) => readonly DueWork[] | undefined): Promise<number>;

  /** Idempotent; the digest is the descriptor's content. */
  putDescriptor(digest: string, descriptor: Descriptor): Promise<void>;
  getDescriptor(digest: string): Promise<Descriptor | undefined>;

  /**
   * Deletes ended operations (effects NONE or SETTLED or ESCALATED) whose end lies longer back than their ttl; where
   * something was left open, that is counted from when it was last heard of. Returns how many. Never a live one.
   */
  expire(now: EpochMs, limit: number): Promise<number>;

  /** Resolves when a write of this process succeeded: what /readyz asks. Rejects with LEDGER_UNAVAILABLE. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Large payloads by digest: the ledger's own database by default, any Keyv store by configuration. */
export interface BlobStore {
  put(digest: string, text: string): Promise<void>;
  get(digest: string): Promise<string | undefined>;
  /** Deletes what nothing names any more. */
  delete(digests: readonly string[]): Promise<void>;
}
