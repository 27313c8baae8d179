// What is wrong with a document, as a value: for the whole document, and for one operation of it.

import { describeFault, type Fault, LongshoreError } from '../errors.ts';

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
