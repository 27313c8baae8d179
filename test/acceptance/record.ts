// What the ledger says about operations, in the harness's words. Read beside the running gateway: the file is in WAL mode.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Operation } from '../../src/core/operation.ts';

export interface NeutralRecord {
  readonly taskId: string;
  /** An ended operation's outcome, else its life. */
  readonly status: string;
  readonly receipts: number;
  readonly cancelRequested: boolean;
  readonly upstreamOutcome: 'succeeded' | 'failed' | 'cancelled' | 'unknown' | null;
  readonly upstreamId?: string | undefined;
}

const ENDINGS = ['succeeded', 'failed', 'cancelled'] as const;

/** All operations in the ledger of a gateway's folder, oldest first. */
export function recordsIn(folder: string): readonly NeutralRecord[] {
  const database = new DatabaseSync(join(folder, 'ledger.db'), { readOnly: true });
  try {
    const rows = database
      .prepare(
        `SELECT row, (SELECT count(*) FROM receipts WHERE operation_id = operations.id) AS receipts
         FROM operations ORDER BY created_at, id`,
      )
      .all();
    return rows.map((row) => recordOf(JSON.parse(String(row['row'])) as Operation, Number(row['receipts'])));
  } finally {
    database.close();
  }
}

function recordOf(operation: Operation, receipts: number): NeutralRecord {
  const outcome = operation.receipt?.outcome;
  return {
    taskId: operation.id,
    status: outcome ?? operation.life,
    receipts,
    cancelRequested: operation.cancellation !== 'NONE',
    upstreamOutcome: endingIn(operation.seen) ?? endingIn(operation.finding) ?? (outcome === 'unknown' ? 'unknown' : null),
    upstreamId: operation.reference?.id,
  };
}

/** A finding may also be a sentence, such as "never created". */
const endingIn = (word: string | undefined) => ENDINGS.find((ending) => ending === word);
