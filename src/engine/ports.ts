// What the engine is given: everything it can't do purely. The composition root fills these in; tests fill in others.

import type { Adapter } from '../core/adapter.ts';
import type { GateChange } from '../core/gates.ts';
import type { Transport } from '../core/http.ts';
import type { ContractId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { Metrics } from '../core/metrics.ts';
import type { Clock, Random } from '../core/time.ts';
import type { Catalogue } from '../core/tool.ts';
import type { DurationStore } from '../ledger/durations.ts';
import type { GateStore } from '../ledger/gates.ts';
import type { Inbox } from '../ledger/inbox.ts';
import type { BlobStore, Ledger } from '../ledger/ledger.ts';

/** Bounds on what leaves (rule 9). `take` gives back how to release. */
export interface Budget {
  /** How many more may be open at once, whatever the rate at which they may begin. */
  places(kind: BudgetKind, upstream: string): number;
  /** How many more may begin now. */
  available(kind: BudgetKind, upstream: string): number;
  /** How many more may begin now in all upstreams together: each of them alone may still have room for as many. */
  availableInAll(kind: BudgetKind): number;
  take(kind: BudgetKind, upstream: string): () => void;
}
export type BudgetKind = 'poll' | 'submit' | 'request';

export interface EngineSettings {
  /** How long `start` waits for the upstream's first answer before it hands out the task. */
  readonly startGraceMs: number;
  readonly retentionMs: number;
  readonly pollIntervalShownMs?: number | undefined;
  /** Live operations of one principal. */
  readonly operationsPerPrincipalMax: number;
  /** Payloads up to this many bytes travel inside the event. */
  readonly inlinePayloadBytesMax: number;
  /** For work that reads or cancels: outlasts the longest read. */
  readonly workLeaseMs: number;
  /** Between two sweeps for what was lost or has expired. */
  readonly sweepEveryMs: number;
}

/** What is needed where upstreams call back. */
export interface WebhookPorts {
  readonly inbox: Inbox;
  /** Where an upstream reaches this gateway for one operation: absolute, with the credentials to come with where they are asked for. */
  callbackUrl(upstream: string, token: string, credentials?: true): string;
  /** What the upstream is to repeat in every delivery, where it is told that in the submit. */
  secretFor?(upstream: string): string | undefined;
}

/** What is needed where operations are started through gates. */
export interface GatePorts {
  readonly store: GateStore;
  /** The contracts that are spoken. */
  readonly contracts: readonly ContractId[];
  /** What the configuration says of gates. */
  readonly configured: readonly Omit<GateChange, 'actor'>[];
  /** Contracts that are not what they were pinned as. */
  readonly mistrusted: readonly { readonly contract: ContractId; readonly reason: string }[];
  /** A tool's gates close after so many answers in a row that could not be read; 0: never. */
  readonly tripAfter: number;
  /** So many answers, within this time. */
  readonly tripWithinMs: number;
}

export interface EnginePorts {
  readonly ledger: Ledger;
  readonly blobs: BlobStore;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly catalogue: Catalogue;
  readonly transport: Transport;
  readonly budget: Budget;
  /** Absent: no tool has a webhook. */
  readonly webhooks?: WebhookPorts;
  /** Absent: every gate is open. */
  readonly gates?: GatePorts;
  /** Absent: what tools say about Tasks does not move. */
  readonly durations?: DurationStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Absent: nothing is counted. */
  readonly metrics?: Metrics;
  readonly settings: EngineSettings;
}
