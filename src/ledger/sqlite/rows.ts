// What the ledger keeps as JSON text, and back. Numbers that JavaScript can't hold survive (core/json.ts).

import type { Descriptor } from '../../core/descriptor.ts';
import { type Json, parseJson, stringifyJson } from '../../core/json.ts';
import type { Operation, OperationEvent } from '../../core/operation.ts';
import type { Receipt } from '../../core/outcome.ts';
import type { EpochMs } from '../../core/time.ts';

type Kept = Operation | OperationEvent | Receipt | Descriptor;

/** The shapes above are JSON, but as interfaces TypeScript does not see it. */
export const toText = (value: Kept): string => stringifyJson(value as unknown as Json);

/** Only for text that {@link toText} wrote: the ledger's own columns. */
export const fromText = <T extends Kept>(text: string): T => parseJson(text) as unknown as T;

/** The columns of `operations` that are searched by, in the order in which they are bound. */
export function operationColumns(operation: Operation) {
  const endedAt = operation.receipt?.at ?? null;
  return [
    operation.seq,
    operation.life,
    operation.cancellation,
    operation.effects,
    operation.input,
    endedAt,
    endedAt === null ? null : keptFrom(operation, endedAt) + operation.ttlMs,
    toText(operation),
  ] as const;
}

/** What was left open at the end is kept from when it was last heard of: there must be time for an operator to answer. */
const keptFrom = ({ effects, updatedAt }: Operation, endedAt: EpochMs): EpochMs =>
  effects === 'NONE' ? endedAt : Math.max(endedAt, updatedAt);

/** The digest of the result that an event names and does not carry. */
export function blobOf(event: OperationEvent): string | null {
  if (!('held' in event) || event.held === undefined || event.held === 'empty') return null;
  return event.held.inline === undefined ? event.held.digest : null;
}
