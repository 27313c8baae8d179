// What `longshore inspect` says of a document, as data: the object that --json prints, documented in docs/cli.md.
//   R1. Every operation of the document is in it once, in the document's order, with one verdict.
//   R2. Members are only ever added; what was printed yesterday means the same tomorrow.

import type { Pairs } from '../catalogue/detect/finding.ts';
import type { Door } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { TaskSupport } from '../core/tool.ts';
import type { Fault } from '../errors.ts';

/** `job`: followed to its end. `confirm`: likely a job. `call`: answered at once. `helper`: only serves a job. */
export type Shown = 'job' | 'confirm' | 'call' | 'helper' | 'left out';

export interface Report {
  readonly document: string;
  readonly title?: string;
  /** `3.0.3`, `2.0` */
  readonly openapi: string;
  /** As `longshore init` would call the upstream. */
  readonly upstream: string;
  readonly counts: Counts;
  readonly operations: readonly ReportedOperation[];
  /** tools/list as clients of each contract get it; `none` is a client without Tasks. */
  readonly clients: readonly ClientView[];
  readonly warnings: readonly Fault[];
}

export interface Counts {
  readonly operations: number;
  readonly jobs: number;
  readonly confirm: number;
  readonly calls: number;
  readonly helpers: number;
  readonly leftOut: number;
}

export interface ClientView {
  readonly contract: Door;
  /** Companion tools counted. */
  readonly tools: number;
  readonly bytes: number;
  /** A quarter of the bytes: near enough for English and JSON, whatever the model. */
  readonly tokens: number;
}

export interface ReportedOperation {
  readonly verdict: Shown;
  readonly operationId?: string;
  readonly method: string;
  readonly path: string;
  readonly file: string;
  readonly line?: number;
  readonly pointer: string;
  readonly score: number;
  /** Strongest first. */
  readonly evidence: readonly {
    readonly rule: string;
    readonly score: number;
    readonly says: string;
    readonly pointer: string;
    readonly line: number;
    readonly column: number;
  }[];
  /** `described`: by x-longshore in the document or an overlay. `found`: by detection. */
  readonly source?: 'described' | 'found';
  readonly pairs: { readonly [role in keyof Pairs]?: { readonly operation: string; readonly how?: string } };
  readonly states?: States;
  /** Of a job; of one to confirm, what it would carry. And why. */
  readonly taskSupport?: TaskSupport;
  readonly why?: string;
  /** What only an answer can tell. */
  readonly atRunTime?: readonly string[];
  /** Jobs that a helper serves. */
  readonly serves?: readonly string[];
  /** Why it is left out, or why it is not taken for a job yet; and the way out. */
  readonly reason?: string;
  readonly mend?: string;
  readonly tool?: ReportedTool;
}

export interface States {
  readonly at?: string;
  readonly working?: readonly string[];
  readonly succeeded?: readonly string[];
  readonly failed?: readonly string[];
  readonly cancelled?: readonly string[];
  readonly input?: readonly string[];
  /** Words of the document that stand in none of these lists. */
  readonly unknown: readonly string[];
  readonly unknownForMs?: number;
}

export interface ReportedTool {
  readonly name: string;
  /** As it would be offered now. */
  readonly taskSupport: TaskSupport;
  /** Of its entry in tools/list, by contract. */
  readonly bytes: { readonly [contract: string]: number };
}

export interface ShownList {
  readonly contract: Door;
  readonly tools: readonly JsonObject[];
}

export const tokensOf = (bytes: number): number => Math.ceil(bytes / 4);
