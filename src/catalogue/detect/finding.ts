// What detection says of one operation: whether it starts a job, by which evidence, and with which other operations it goes.

import type { HelperRequest, JobDescription } from '../../core/description.ts';
import type { TaskSupport } from '../../core/tool.ts';
import type { SourceOperation } from '../operations.ts';

/** `propose`: likely, but somebody should say so before it is treated as a job. */
export type Verdict = 'asynchronous' | 'propose' | 'synchronous';

/** Sums of evidence from which on a verdict is given. */
export const ASYNCHRONOUS_FROM = 70;
export const PROPOSE_FROM = 40;

export const verdictOf = (score: number): Verdict =>
  score >= ASYNCHRONOUS_FROM ? 'asynchronous' : score >= PROPOSE_FROM ? 'propose' : 'synchronous';

/** One sign of a job, or against one. */
export interface Evidence {
  /** Name of the rule: `schema-identity`. */
  readonly rule: string;
  /** What it adds to the sum; below zero it speaks against a job. */
  readonly score: number;
  /** JSON Pointer into the document of what was seen. */
  readonly pointer: string;
  /** For people: what was seen. */
  readonly says: string;
}

/** Another operation of the job. */
export interface Pair {
  readonly operation: SourceOperation;
  /** For people: by what they were matched. */
  readonly how: string;
}

export interface Pairs {
  readonly status?: Pair;
  readonly cancel?: Pair;
  readonly result?: Pair;
  readonly input?: Pair;
  /** Creating the job does not start it: this does. */
  readonly start?: Pair;
}

export interface Finding {
  readonly verdict: Verdict;
  readonly score: number;
  /** Strongest first. */
  readonly evidence: readonly Evidence[];
  readonly pairs: Pairs;
  /** What an overlay would say. Empty for a synchronous operation. */
  readonly description: JobDescription;
  readonly taskSupport: TaskSupport;
  /** For people: why this `taskSupport`. */
  readonly why: string;
  /** Words of the status that mean different things to different services, or nothing that is known. */
  readonly unknownWords: readonly string[];
  /** Why the description is not enough to follow the job by; absent where it is. */
  readonly lacks?: string;
  /** What only an answer can tell, so that it is left to run time. */
  readonly atRunTime: readonly string[];
  /** The operation only serves the job of these: it is no candidate itself. */
  readonly serves: readonly SourceOperation[];
}

/** An operation as descriptions name it: by its operationId where that names only it. */
export const requestFor = (
  { operationId, method, path }: SourceOperation,
  isUnique: (operationId: string) => boolean,
): HelperRequest => ({
  operation: operationId !== undefined && isUnique(operationId) ? operationId : `${method} ${path}`,
});
