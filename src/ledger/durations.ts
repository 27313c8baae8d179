// How long jobs took, as the receipts say, and what that has made of tools. The law, beside those of ledger.ts, inbox.ts and gates.ts:
//
//   L20. A move is durable when it is answered. Positions rise; events refuse UPDATE and DELETE; a tool stands where its last
//        move left it.

import type { SupportMove } from '../core/durations.ts';
import type { EpochMs } from '../core/time.ts';

export interface Duration {
  readonly upstream: string;
  readonly tool: string;
  /** From creation to the receipt, in milliseconds. */
  readonly durationMs: number;
  /** When the receipt was written. */
  readonly at: EpochMs;
}

export interface DurationStore {
  /** Of operations that succeeded, oldest first: the newest `limit` of them over all tools. */
  recentDurations(limit: number): Promise<readonly Duration[]>;
  keepMove(move: Omit<SupportMove, 'position'>): Promise<SupportMove>;
  /** Newest first, before a position. */
  moves(options: { readonly before?: number; readonly limit: number }): Promise<readonly SupportMove[]>;
  /** The last move of every tool that was ever moved. */
  lastMoves(): Promise<readonly SupportMove[]>;
}
