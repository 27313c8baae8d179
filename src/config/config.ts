// The configuration as the rest of the house sees it: parsed, complete, frozen. Reading it is beside this file.

import type { JobDescription } from '../core/description.ts';
import type { GateChange } from '../core/gates.ts';
import type { ContractId } from '../core/ids.ts';
import type { TaskSupport } from '../core/tool.ts';
import type { UrlRewrite } from '../core/urls.ts';

export interface UpstreamLimits {
  readonly concurrentRequestsMax: number;
  readonly concurrentPollsMax: number;
  readonly pollsPerSecondMax: number;
  readonly concurrentSubmitsMax: number;
  readonly responseBytesMax: number;
  readonly requestBytesMax: number;
}

export interface UpstreamConfig {
  readonly name: string;
  /** An absolute path (resolved against the configuration file), or an http(s) URL. So are overlays. */
  readonly document: string;
  readonly overlays: readonly string[];
  /** Overrides the document's `servers`. */
  readonly baseUrl?: string;
  /** By security scheme name. Secrets are already resolved. */
  readonly credentials: Readonly<Record<string, CredentialSource>>;
  readonly tools: {
    /** operationIds, `METHOD /path` or tags, `*` is a wildcard; empty: all. */
    readonly include: readonly string[];
    readonly exclude: readonly string[];
    /** Put before every tool name of this upstream. */
    readonly prefix?: string;
    /** Offer the operations that only serve a job as tools too. */
    readonly helpers: boolean;
  };
  /** Whether operations that look asynchronous become jobs although nothing says so. */
  readonly infer: boolean;
  /** Further origins that status and result URLs may be on; credentials never go there. */
  readonly allowedOrigins: readonly string[];
  /** Further origins of the same service: they get its credentials too. */
  readonly trustedOrigins?: readonly string[];
  /** How URLs that it names wrongly, as services behind a proxy do, are mended before they are followed. */
  readonly rewrite?: readonly UrlRewrite[];
  /** URLs, or absolute paths, of folders and files from which external `$ref`s may be read. */
  readonly allowedRefs: readonly string[];
  readonly limits: UpstreamLimits;
  /** How what this upstream calls back with is verified; absent: it is not listened to. */
  readonly webhooks?: {
    /** Every one that is active: several while they are changed. */
    readonly secrets: readonly Secret[];
    /** There are more, which this command does not need and which could not be read. */
    readonly secretsUnread?: true;
    /** URLs of JSON Web Key Sets: where the sender publishes its public keys. */
    readonly keySets: readonly string[];
    /** Origins that certificates may be fetched from, and subscriptions confirmed at. */
    readonly allowedOrigins: readonly string[];
    /** Where this upstream reaches the gateway, if not at `server.publicUrl`. */
    readonly publicUrl?: string;
  };
  /** Defaults for every job of this upstream: an x-longshore without the parts that name operations. */
  readonly defaults: Pick<JobDescription, 'pace' | 'timing' | 'expectMs' | 'taskSupport'>;
}

/** A secret, resolved. It is never printed: `toJSON` and `toString` give `•••`. */
export interface Secret {
  reveal(): string;
}

/** One credential as configured. `value` alone suits apiKey, http bearer and oauth2 schemes; basic needs both. */
export interface CredentialSource {
  readonly value?: Secret;
  readonly username?: Secret;
  readonly password?: Secret;
  /** Where it goes when the document has no such scheme. */
  readonly header?: string;
  readonly query?: string;
}

export interface Config {
  /** Absolute path of the file this came from. */
  readonly file: string;
  readonly server: {
    readonly host: string;
    readonly port: number;
    readonly publicUrl?: string;
    /** Host header values that are answered, beside loopback names and publicUrl's. */
    readonly allowedHosts: readonly string[];
    readonly allowedOrigins: readonly string[];
    /** Named so that it can be found: a public bind without identity. */
    readonly insecurePublicBind: boolean;
    readonly requestBytesMax: number;
    readonly sessionsMax: number;
    readonly sessionIdleMs: number;
    readonly drainMs: number;
  };
  /** `sqlite:<path>`, resolved against the configuration file; ':memory:' is not durable and only for trying. */
  readonly ledger: { readonly kind: 'sqlite'; readonly path: string };
  readonly identity: 'none';
  /** Operators may ask and act over HTTP. Absent: there is no such API. */
  readonly admin?: {
    /** Whoever brings it is an operator. Absent only where the configuration was read without its secrets. */
    readonly token?: Secret;
  };
  /** What is counted may be scraped at /metrics. Absent: it is not served. */
  readonly metrics?: {
    /** Whoever scrapes brings it. Absent: whoever asks is answered. */
    readonly token?: Secret;
  };
  readonly contracts: readonly ContractId[];
  /** `serve`: a tool that requires tasks is still offered to clients without them. `reject`: refused by the contract's code. */
  readonly taskless: 'serve' | 'reject';
  /** Which calls may start operations, as far as this file says. */
  readonly gates: {
    readonly set: readonly Omit<GateChange, 'actor'>[];
    /** 0: never. */
    readonly tripAfter: number;
    readonly tripWithinMs: number;
  };
  readonly limits: {
    readonly pollsPerSecondMax: number;
    readonly operationsPerPrincipalMax: number;
    readonly inlineWaitMs: number;
    readonly resultBytesInlineMax: number;
  };
  /** How long an ended operation is kept, and what clients are told. */
  readonly retentionMs: number;
  /** What clients are asked to wait between reads; absent: derived from the tool's pace. */
  readonly pollIntervalShownMs?: number;
  readonly log: { readonly level: 'debug' | 'info' | 'warn' | 'error' };
  readonly upstreams: readonly UpstreamConfig[];
}

export type { TaskSupport };
