// The acceptance harness's neutral configuration, as far as it is read here. Its README explains every member.

/** How one asynchronous operation behaves, in the harness's words. All times are milliseconds. */
export interface NeutralOperation {
  readonly pattern: '202+Location' | 'status-resource' | 'AIP-151' | 'webhook-only' | 'sync';
  readonly taskSupport?: 'forbidden' | 'optional' | 'required';
  readonly pollHeader?: string;
  readonly resultHeader?: string;
  readonly idPointer?: string;
  readonly statusUrlTemplate?: string;
  readonly statusPointer?: string;
  readonly success?: readonly string[];
  readonly failed?: readonly string[];
  readonly cancelled?: readonly string[];
  readonly running?: readonly string[];
  /** `''` is the whole document. */
  readonly resultPointer?: string;
  readonly resultUrlPointer?: string;
  readonly messagePointer?: string;
  readonly idempotency?:
    | 'none'
    | { readonly header: string; readonly duplicateStatus?: number; readonly duplicatePointer?: string };
  readonly cancel?: { readonly method: string; readonly url: string } | null;
  readonly defaultIntervalMs?: number;
  readonly floorMs?: number;
  readonly capMs?: number;
  readonly deadlineMs?: number;
  readonly submitTimeoutMs?: number;
  readonly notFoundGraceMs?: number;
  readonly syncBudgetMs?: number;
  readonly webhook?: {
    readonly role: 'only' | 'hint';
    readonly scheme: string;
    readonly secrets: readonly string[];
    readonly toleranceSeconds?: number;
    readonly callbackPointer: string;
    /** Pointers into the event. */
    readonly idPointer?: string;
    readonly statusPointer?: string;
    readonly resultPointer?: string;
    readonly resultUrlPointer?: string;
    readonly eventTimePointer?: string;
  };
}

export interface NeutralConfig {
  /** An OpenAPI document, or the URL of one. */
  readonly spec:
    | string
    | { readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>> };
  /** Base URL of the upstream. */
  readonly server?: string;
  readonly operations: Readonly<Record<string, NeutralOperation>>;
  /** Headers for the upstream. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly allowOrigins: readonly string[];
  readonly allowRefs?: readonly string[];
  readonly maxResponseBytes: number;
  readonly maxConcurrentPollsPerUpstream?: number;
  readonly pollIntervalShownMs: number;
  readonly retentionMs: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}
