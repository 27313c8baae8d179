// How an operation ended, and what it produced.

import type { OperationId } from './ids.ts';
import type { EpochMs } from './time.ts';

/** What an upstream says of its job's end. */
export type Ending = 'succeeded' | 'failed' | 'cancelled';

/** What a receipt says. `unknown` is an honest ending: the job may have run, and nobody can say. */
export type OutcomeKind = Ending | 'unknown';

/** Bytes with a type: a result or an error body, as the upstream sent it (JSON keeps its digits, being text). */
export interface Payload {
  /** Media type without parameters, lower case. */
  readonly mediaType: string;
  readonly encoding: 'text' | 'base64';
  readonly body: string;
  /** Of a body of several parts: what is between them. */
  readonly boundary?: string;
  /** For people and models: e.g. that the upstream broke its own schema. */
  readonly note?: string;
  /** The upstream says that this is not all. */
  readonly partial?: true;
}

/** A payload that the ledger keeps. Small ones travel inside the event, others are in the blob store under `digest`. */
export interface HeldResult {
  /** `sha256:<hex>` of the payload's canonical JSON. */
  readonly digest: string;
  readonly bytes: number;
  readonly mediaType: string;
  /** The upstream says that this is not all. */
  readonly partial?: true;
  /** Present when small enough to be kept inline. */
  readonly inline?: Payload;
}

/** Who or what settled an ending. */
export type SettledBy = 'upstream' | 'caller' | 'operator' | 'deadline' | 'gateway';

/** The single record that an operation ended (rule 5). Its id is derived from the operation's, so there can't be two. */
export interface Receipt {
  readonly id: string;
  readonly operationId: string;
  /** Position of the event that ended the operation. */
  readonly seq: number;
  readonly at: EpochMs;
  readonly outcome: OutcomeKind;
  readonly by: SettledBy;
  /** For people: why, in one sentence. */
  readonly reason: string;
  /** Absent for endings without a value: cancelled, unknown, success with an empty answer. */
  readonly result?: HeldResult;
  /** What rule 5 matches; `null` where the match has no subject, and says so. */
  readonly matched: {
    readonly requestDigest: string;
    readonly descriptorDigest: string;
    readonly epoch: number;
    readonly generation: number;
    readonly referenceId: string | null;
    readonly resultDigest: string | null;
    /** Another operation that was given the same job: one `referenceId` in two receipts. */
    readonly shared?: { readonly operation: OperationId; readonly alike: boolean };
  };
  /** Ids of the evidence that was accepted. */
  readonly evidence: readonly string[];
}
