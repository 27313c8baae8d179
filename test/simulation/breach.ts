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

/** Whether two values say the same. What they share is not looked into: rows that follow one another share most of theirs. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one) as (keyof typeof one)[];
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], (other as typeof one)[name]))
  );
}

/** Comparable: rows and receipts are made in one order of members. */
export const text = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
