// Gates in the ledger: their changes are events, and a gate is its last event. The laws, beside those of ledger.ts and inbox.ts:
//
//   L15. A change is durable when it is answered. Its epoch is greater than every earlier one, of any gate; events refuse UPDATE and DELETE.
//   L16. A creation that expects an epoch is written only while that is still the epoch of what it is: else it writes nothing
//        and is `gated`. Decided inside the transaction, so that between a change and a creation one of the two is first.
//   L17. A creation whose caller's key names an earlier operation gets that one, whatever the gates say: nothing new is started.
//   L18. An answer given past an operation (shadow) is kept once, as long as its operation is kept.

import type { Gate, GateChange, GateSubject } from '../core/gates.ts';
import type { Door, OperationId } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { Life } from '../core/transitions.ts';

/** What a creation expects its gates to be at. */
export interface GateExpectation extends GateSubject {
  readonly epoch: number;
}

/** How many operations live of one kind. */
export interface LiveCount extends GateSubject {
  readonly live: number;
}

/** What a caller was answered while the operation was only tracked. */
export interface ShadowAnswer {
  readonly operationId: OperationId;
  /** Of the gate that was in shadow. */
  readonly epoch: number;
  readonly at: EpochMs;
  /** Absent where the upstream gave no answer. */
  readonly status?: number;
  /** The beginning of what the caller got, as text. */
  readonly excerpt: string;
}

/** A shadow's answer, and what the operation has come to by now. */
export interface ShadowRow extends ShadowAnswer {
  readonly tool: string;
  readonly upstream: string;
  readonly contract: Door;
  readonly life: Life;
  readonly outcome?: string;
}

export interface GateStore {
  /** Every gate that was ever changed, as it is now. */
  gates(): Promise<readonly Gate[]>;
  changeGate(change: GateChange & { readonly at: EpochMs }): Promise<Gate>;
  /** Changes, newest first, before an epoch. */
  gateHistory(options: { readonly before?: number; readonly limit: number }): Promise<readonly Gate[]>;
  /** Over everything that lives. */
  liveByGate(): Promise<readonly LiveCount[]>;
  keepShadow(answer: ShadowAnswer): Promise<void>;
  shadowOf(id: OperationId): Promise<ShadowAnswer | undefined>;
  /** Newest first. */
  shadows(limit: number): Promise<readonly ShadowRow[]>;
}
