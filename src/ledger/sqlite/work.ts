// Due work: rows derived from the operation (L7, L11) and leased to workers (L8).

import type { OperationId } from '../../core/ids.ts';
import type { DueWork, Operation } from '../../core/operation.ts';
import type { EpochMs } from '../../core/time.ts';
import type { WorkKind } from '../../core/transitions.ts';
import type { Lease, LeaseRequest } from '../ledger.ts';
import type { Connection } from './connection.ts';
import { fromText } from './rows.ts';

/** Operations that one transaction of {@link regenerate} looks at: bounds how long it stops the event loop. */
export const REGENERATE_BATCH = 100;

/**
 * Makes the rows of an operation what `work` says (L11). A kind whose instant is as it was derived before keeps its row,
 * with its lease and any later instant. Returns whether anything had to be written.
 */
export function settleWork(
  connection: Connection,
  { id, upstream }: Pick<Operation, 'id' | 'upstream'>,
  work: readonly DueWork[],
): boolean {
  const wanted = new Map<string, EpochMs>(work.map(({ kind, dueAt }) => [kind, dueAt]));
  let changed = 0;
  const rows = connection.all<{ kind: string; derived_at: number }>(
    'SELECT kind, derived_at FROM work WHERE operation_id = ?',
    id,
  );
  for (const row of rows) {
    const dueAt = wanted.get(row.kind);
    wanted.delete(row.kind);
    if (dueAt === undefined) changed += connection.run('DELETE FROM work WHERE operation_id = ? AND kind = ?', id, row.kind);
    else if (dueAt !== row.derived_at) {
      changed += connection.run(
        `UPDATE work SET derived_at = ?, due_at = ?, token = NULL, lease_until = NULL, tries = 0
         WHERE operation_id = ? AND kind = ?`,
        dueAt,
        dueAt,
        id,
        row.kind,
      );
    }
  }
  for (const [kind, dueAt] of wanted) {
    changed += connection.run(
      'INSERT INTO work (operation_id, kind, upstream, derived_at, due_at) VALUES (?, ?, ?, ?, ?)',
      id,
      kind,
      upstream,
      dueAt,
      dueAt,
    );
  }
  return changed > 0;
}

interface ReadyRow {
  readonly operation_id: string;
  readonly kind: WorkKind;
  readonly upstream: string;
  readonly due_at: number;
  readonly ready_at: number;
  readonly tries: number;
}

/** Hands out what is ready, per upstream the longest waiting first. */
export function lease(connection: Connection, request: LeaseRequest): Lease[] {
  const until = request.now + request.leaseMs;
  const found = Object.entries(request.perUpstream).flatMap(([upstream, limit]) =>
    readyOf(connection, upstream, limit, request),
  );
  const ready = request.limit === undefined ? found : longestWaiting(found, request.limit);
  if (ready.length === 0) return [];
  let token = lastToken(connection);
  const leases = ready.map((row): Lease => {
    token += 1;
    connection.run(
      'UPDATE work SET token = ?, lease_until = ? WHERE operation_id = ? AND kind = ?',
      token,
      until,
      row.operation_id,
      row.kind,
    );
    const { operation_id: operationId, kind, upstream, due_at: dueAt, tries } = row;
    return { operationId, kind, upstream, dueAt, token, until, tries };
  });
  connection.run("UPDATE counters SET value = ? WHERE name = 'token'", token);
  return leases;
}

/** One index range for each kind: a backlog of one kind costs nothing to who asks for another. */
function readyOf(connection: Connection, upstream: string, limit: number, { now, kinds }: LeaseRequest): readonly ReadyRow[] {
  if (limit < 1) return [];
  const rows = [...new Set(kinds)].flatMap((kind) =>
    connection.all<ReadyRow>(
      `SELECT operation_id, kind, upstream, due_at, ready_at, tries FROM work
       WHERE upstream = ? AND kind = ? AND ready_at <= ? ORDER BY ready_at LIMIT ?`,
      upstream,
      kind,
      now,
      Math.trunc(limit),
    ),
  );
  return longestWaiting(rows, limit);
}

const longestWaiting = (rows: readonly ReadyRow[], limit: number): readonly ReadyRow[] =>
  rows.toSorted((one, other) => one.ready_at - other.ready_at).slice(0, Math.max(0, Math.trunc(limit)));

/** Tokens come from one counter, so that a row deleted and made again can't repeat one that somebody still holds. */
function lastToken(connection: Connection): number {
  return connection.first<{ value: number }>("SELECT value FROM counters WHERE name = 'token'")?.value ?? 0;
}

/** Moves held work and gives the lease back; false, and nothing written, when the lease was lost. */
export function reschedule(connection: Connection, held: Lease, dueAt: EpochMs, failed: boolean): boolean {
  return (
    connection.run(
      `UPDATE work SET due_at = ?, token = NULL, lease_until = NULL, tries = CASE WHEN ? THEN tries + 1 ELSE 0 END
       WHERE operation_id = ? AND kind = ? AND token = ?`,
      dueAt,
      failed ? 1 : 0,
      held.operationId,
      held.kind,
      held.token,
    ) === 1
  );
}

/** The earliest instant at which something is due and not held. */
export function nextDueAt(connection: Connection): EpochMs | undefined {
  return connection.first<{ at: number | null }>('SELECT min(ready_at) AS at FROM work')?.at ?? undefined;
}

/** The rows of one operation. */
export function workOf(connection: Connection, id: OperationId): DueWork[] {
  return connection
    .all<{ kind: WorkKind; due_at: number }>('SELECT kind, due_at FROM work WHERE operation_id = ? ORDER BY due_at, kind', id)
    .map(({ kind, due_at: dueAt }) => ({ kind, dueAt }));
}

/** One batch of operations that may have due work, in the order of their ids. */
export function regenerate(
  connection: Connection,
  after: OperationId,
  derive: (operation: Operation) => readonly DueWork[] | undefined,
): { mended: number; last: OperationId | undefined } {
  const batch = connection.all<{ id: string; row: string }>(
    'SELECT id, row FROM operations WHERE open = 1 AND id > ? ORDER BY id LIMIT ?',
    after,
    REGENERATE_BATCH,
  );
  let mended = 0;
  for (const { row } of batch) {
    const operation = fromText<Operation>(row);
    const work = derive(operation);
    if (work !== undefined && settleWork(connection, operation, work)) mended += 1;
  }
  return { mended, last: batch.length < REGENERATE_BATCH ? undefined : batch.at(-1)?.id };
}
