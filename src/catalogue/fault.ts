// What is wrong with a document, as a value: for the whole document, and for one operation of it.

import { describeFault, type Fault, LongshoreError } from '../errors.ts';
import type { Node } from './node.ts';

/** A document or overlay that can't be used at all: every fault of it at once. */
export class DocumentError extends LongshoreError {
  /** Never empty. */
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[], options?: { readonly cause?: unknown }) {
    super('DOCUMENT_INVALID', faults.map(describeFault).join('\n'), options);
    this.faults = faults;
  }
}

/** Why one operation can't be compiled. Thrown and caught inside the catalogue, where it becomes a `LeftOut`. */
export class Uncompilable extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** What is wrong at a node of a document. */
export function problem(
  { document, pointer }: Pick<Node, 'document' | 'pointer'>,
  message: string,
  mend: string,
): Uncompilable {
  return new Uncompilable({ file: document.file, ...document.placeOf(pointer), pointer, message, mend });
}

/** Waits for all, and throws one {@link DocumentError} with the faults of every one that failed so. */
export async function gather<T>(waiting: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(waiting);
  const faults: Fault[] = [];
  for (const result of settled) {
    if (result.status === 'fulfilled') continue;
    if (!(result.reason instanceof DocumentError)) throw result.reason;
    faults.push(...result.reason.faults);
  }
  if (faults.length > 0) throw new DocumentError(faults);
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
