// Durations of what succeeded, by the order of the outbox, which is indexed.

import type { Duration } from '../durations.ts';
import type { Connection } from './connection.ts';

export const recentDurations = (connection: Connection, limit: number): Duration[] =>
  connection
    .all<Duration>(
      `SELECT upstream, tool, receipts.at - created_at AS durationMs
       FROM (SELECT position, operation_id FROM outbox ORDER BY position DESC LIMIT ?) AS newest
       JOIN receipts ON receipts.operation_id = newest.operation_id
       JOIN operations ON operations.id = newest.operation_id
       WHERE outcome = 'succeeded' ORDER BY position DESC`,
      Math.max(1, Math.trunc(limit)),
    )
    .reverse();
