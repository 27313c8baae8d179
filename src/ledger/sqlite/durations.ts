// Durations of what succeeded, by the order of the outbox, which is indexed; and the moves that they made (L20).

import type { SupportMove } from '../../core/durations.ts';
import type { EpochMs } from '../../core/time.ts';
import type { TaskSupport } from '../../core/tool.ts';
import type { Duration } from '../durations.ts';
import type { Connection } from './connection.ts';

export const recentDurations = (connection: Connection, limit: number): Duration[] =>
  connection
    .all<Duration>(
      `SELECT upstream, tool, receipts.at - created_at AS durationMs, receipts.at AS at
       FROM (SELECT position, operation_id FROM outbox ORDER BY position DESC LIMIT ?) AS newest
       JOIN receipts ON receipts.operation_id = newest.operation_id
       JOIN operations ON operations.id = newest.operation_id
       WHERE outcome = 'succeeded' ORDER BY position DESC`,
      Math.max(1, Math.trunc(limit)),
    )
    .reverse();

interface MoveRow {
  readonly position: number;
  readonly upstream: string;
  readonly tool: string;
  readonly moved_from: TaskSupport;
  readonly moved_to: TaskSupport;
  readonly jobs: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly longest_ms: number;
  readonly at: EpochMs;
}

const moveOf = ({ position, upstream, tool, moved_from, moved_to, jobs, p50_ms, p95_ms, longest_ms, at }: MoveRow) => ({
  position,
  upstream,
  tool,
  from: moved_from,
  to: moved_to,
  by: { count: jobs, p50Ms: p50_ms, p95Ms: p95_ms, longestMs: longest_ms },
  at,
});

export function keepMove(
  connection: Connection,
  { upstream, tool, from, to, by, at }: Omit<SupportMove, 'position'>,
): SupportMove {
  const row = connection.first<MoveRow>(
    `INSERT INTO support_moves (upstream, tool, moved_from, moved_to, jobs, p50_ms, p95_ms, longest_ms, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
    upstream,
    tool,
    from,
    to,
    by.count,
    by.p50Ms,
    by.p95Ms,
    by.longestMs,
    at,
  );
  if (row === undefined) throw new Error('a move of a tool was written and not answered');
  return moveOf(row);
}

export const moves = (connection: Connection, before: number | undefined, limit: number): SupportMove[] =>
  connection
    .all<MoveRow>(
      'SELECT * FROM support_moves WHERE position < ? ORDER BY position DESC LIMIT ?',
      before ?? Number.MAX_SAFE_INTEGER,
      Math.max(1, Math.trunc(limit)),
    )
    .map(moveOf);

export const lastMoves = (connection: Connection): SupportMove[] =>
  connection
    .all<MoveRow>(
      'SELECT * FROM support_moves WHERE position IN (SELECT max(position) FROM support_moves GROUP BY upstream, tool) ORDER BY position',
    )
    .map(moveOf);
