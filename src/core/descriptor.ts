// The descriptor: a tool compiled. Immutable, content-addressed data, kept as long as an operation needs it, so that an
// operation is always finished by the rules it was started under.

import type { KeyFormat } from './description.ts';
import type { Json } from './json.ts';
import type { RequestTemplate } from './request.ts';
import type { UrlRewrite } from './urls.ts';
import type { WebhookRules } from './webhook.ts';

/** What the machine and the due work must know of a job protocol. */
export interface Traits {
  /** There is a status endpoint: polls decide. False: answers and deliveries are themselves the evidence. */
  readonly status: boolean;
  /** A look can be a long poll. */
  readonly waits?: true;
  /** A submit can be looked up by its key. Whether "not there" proves anything (after the horizon), the judgement says. */
  readonly lookup: boolean;
  /** `deletes`: the cancel removes the job, so that a 404 after one that was taken means cancelled. */
  readonly cancel: 'none' | 'asks' | 'deletes';
  /** The upstream deduplicates by the submission key. */
  readonly deduplicates: boolean;
  /** How long it remembers the key; absent: as long as we may need it. */
  readonly keyRetentionMs?: number;
  readonly submitAttemptsMax: number;
  readonly fetchTriesMax: number;
  readonly cancelTriesMax: number;
  readonly timing: Timing;
}

/** Durations in milliseconds. Every one has a default and can be set by `x-longshore`. */
export interface Timing {
  /** For the submit's whole exchange. The lease outlasts it, or a merely slow answer would end as unknown. */
  readonly submitTimeoutMs: number;
  readonly submitLeaseMs: number;
  /** For any read's whole exchange. */
  readonly readTimeoutMs: number;
  /** How long a job may stay invisible (404) after it was accepted, or stay gone before it counts as gone. */
  readonly consistencyGraceMs: number;
  /** How long doubt is looked into before it ends as unknown. */
  readonly reconcileWindowMs: number;
  /** How long effects are followed after an ending before an operator is asked. */
  readonly effectsWindowMs: number;
  /** From creation to the last poll. */
  readonly waitBudgetMs: number;
  /** From creation to a submit that left. */
  readonly startWithinMs: number;
  /** How long a status word that nobody configured counts as working; absent: until the wait budget ends. */
  readonly unknownWordMs?: number;
}

/** How often to look. Milliseconds. */
export interface Pace {
  /** Before the first poll, and the base of later ones. */
  readonly intervalMs: number;
  /** Before the first poll, where it is another time. */
  readonly firstMs?: number;
  /** Also the least that a Retry-After can ask for. */
  readonly intervalMinMs: number;
  /** Also the most that a Retry-After can ask for. */
  readonly intervalMaxMs: number;
  /** Each wait is at least this share of the operation's age: long jobs are looked at less often. */
  readonly ageShare: number;
  /** The usual duration, where the overlay or experience says. */
  readonly expectMs?: number;
}

export interface Descriptor {
  readonly version: 1;
  readonly tool: string;
  readonly upstream: string;
  /** `http-202@1`: the adapter that compiled `protocol` and reads it. */
  readonly adapter: string;
  readonly submit: RequestTemplate;
  /** Origins (scheme, host, port) that status, result and cancel URLs may be on. The first is the upstream's own. */
  readonly allowedOrigins: readonly string[];
  /** How URLs that it advertises wrongly, as services behind a proxy do, are mended before they are followed. */
  readonly rewrite?: readonly UrlRewrite[];
  readonly traits: Traits;
  readonly pace: Pace;
  /** Largest decoded response body. */
  readonly responseBytesMax: number;
  /** The upstream calls back: then each operation has a callback URL of its own. */
  readonly webhook?: WebhookRules;
  /** What the submission key looks like; absent: a UUID. */
  readonly keyFormat?: KeyFormat;
  /** The adapter's own compiled data: nobody else reads it. */
  readonly protocol: Json;
}
