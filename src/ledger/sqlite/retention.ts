// Forgetting: ended operations past their ttl with everything that hangs on them, and blobs that nothing names.

import type { EpochMs } from '../../core/time.ts';
import type { Connection } from './connection.ts';

/**
 * How long a blob may wait for the event that names it. It is put first, by a worker that then appends, so minutes are
 * enough; a day costs little and forgives a clock that was set.
 */
const UNNAMED_MS = 24 * 60 * 60 * 1000;

/** Operations deleted in one transaction, about 10 ms: bounds how long it stops the event loop. */
export const EXPIRE_BATCH = 50;

/**
 * Deletes up to `limit` operations whose ttl is over, oldest first; never one that is live or has effects to follow.
 * Returns how many.
 */
export function expire(connection: Connection, now: EpochMs, limit: number): number {
  const gone = connection.all<{ id: string }>(
    'SELECT id FROM operations WHERE open = 0 AND expires_at < ? ORDER BY expires_at LIMIT ?',
    now,
    limit,
  );
  for (const { id } of gone) {
    const blobs = connection.all<{ blob: string }>(
      'SELECT DISTINCT blob FROM operation_events WHERE operation_id = ? AND blob IS NOT NULL',
      id,
    );
    // Events, receipt, outbox row and work go with it (ON DELETE CASCADE).
    connection.run('DELETE FROM operations WHERE id = ?', id);
    for (const { blob } of blobs) {
      connection.run(
        'UPDATE blobs SET named = 0 WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM operation_events WHERE blob = ?1)',
        blob,
      );
    }
  }
  // By age, and not at once: another operation may have put the same bytes a moment ago and not named them yet.
  connection.run(
    `DELETE FROM blobs WHERE digest IN (SELECT digest FROM blobs WHERE named = 0 AND put_at < ? ORDER BY put_at LIMIT ?)`,
    now - UNNAMED_MS,
    limit,
  );
  return gone.length;
}
