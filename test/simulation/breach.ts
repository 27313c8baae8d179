// A broken rule, as every watcher reports it.

import type { Operation } from '../../src/core/operation.ts';

/** The counters of the last line of a run. */
export const COUNTERS = [
  'terminalDivergence',
  'duplicateUpstreamJobs',
  'lostOperations',
  'unreceipted',
  'pollsOverBudget',
] as const;
export type Counter = (typeof COUNTERS)[number];

export interface Breach {
  /** As DESIGN and the invariants of the machine number it: `rule 5`, `I7`; L for laws of the ledger and of liveness. */
  readonly rule: string;
  readonly counter?: Counter;
  readonly message: string;
  /** Milliseconds of true time. */
  readonly at: number;
}

export type Report = (rule: string, message: string, counter?: Counter) => void;

/** The number of the call that an operation is. */
export const callOf = (row: Operation): number => Number((row.arguments['body'] as { readonly call: number }).call);

/** Comparable: rows and receipts are made in one order of members. */
export const text = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
