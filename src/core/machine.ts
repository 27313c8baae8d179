// The machine: fold, step and due work, read off the table in transitions.ts. Being filled in: the signatures are final.

import type { Traits } from './descriptor.ts';
import type { Disposition, DueWork, EventOf, Operation, OperationEvent } from './operation.ts';

/** What an event does to an operation. `operation` is the next row where `applied`, else the row as it was but for `seq`. */
export interface Stepped {
  readonly disposition: Disposition;
  /** With `seq` raised by one, unless `refused` or `duplicate`. */
  readonly operation: Operation;
  readonly event: OperationEvent;
  /** True for exactly the event that ended the operation: `operation.receipt` is new. */
  readonly ended: boolean;
}

/** The operation that a `created` event makes: QUEUED, seq 1. */
export function open(_created: EventOf<'created'>, _traits: Traits): Operation {
  throw new Error('being filled in');
}

/**
 * The one judge. Pure: the same operation, event and traits always give the same answer.
 * An observation that changes nothing is `late`; one that is impossible is `refused`. An own event (an intent or a timer)
 * that has no row throws: that is a bug of ours. Callers ask {@link applies} before they record an intent.
 */
export function step(_operation: Operation, _event: OperationEvent, _traits: Traits): Stepped {
  throw new Error('being filled in');
}

/** Whether an event would be `applied`: asked before an intent is recorded, so that a lost race is dropped quietly. */
export function applies(_operation: Operation, _event: OperationEvent, _traits: Traits): boolean {
  throw new Error('being filled in');
}

/** The row that a history makes. Throws if it does not begin with `created`. */
export function fold(
  _events: readonly { readonly event: OperationEvent; readonly disposition: Disposition }[],
  _traits: Traits,
): Operation {
  throw new Error('being filled in');
}

/** Everything that is due for an operation, and when; empty when nothing is. */
export function dueWork(_operation: Operation, _traits: Traits): readonly DueWork[] {
  throw new Error('being filled in');
}
