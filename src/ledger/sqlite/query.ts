// Reading: one operation, its history, pages, counts, receipts and the outbox. Reads see what is committed, never a
// group in the making, since a group runs without a pause.

import type { OperationId } from '../../core/ids.ts';
import type { Operation, OperationEvent } from '../../core/operation.ts';
import type { Receipt } from '../../core/outcome.ts';
import type { Life } from '../../core/transitions.ts';
import { LongshoreError } from '../../errors.ts';
import type { OperationFilter, OutboxRow, Page, StoredEvent } from '../ledger.ts';
import type { Connection, SqlValue } from './connection.ts';
import { fromText } from './rows.ts';

const PAGE_MAX = 500;

export function operation(connection: Connection, id: OperationId): Operation | undefined {
  const found = connection.first<{ row: string }>('SELECT row FROM operations WHERE id = ?', id);
  return found && fromText<Operation>(found.row);
}

export function history(connection: Connection, id: OperationId): StoredEvent[] {
  return connection
    .all<{ seq: number; event: string; disposition: StoredEvent['disposition'] }>(
      'SELECT seq, event, disposition FROM operation_events WHERE operation_id = ? ORDER BY seq',
      id,
    )
    .map(({ seq, event, disposition }) => ({ seq, event: fromText<OperationEvent>(event), disposition }));
}

/** A page, newest first. The cursor names the last row shown, so rows that come or go don't shift what follows. */
export function list(
  connection: Connection,
  filter: OperationFilter,
  cursor: string | undefined,
  limit: number,
): Page<Operation> {
  const { clauses, values } = conditions(filter);
  if (cursor !== undefined) {
    const last = readCursor(cursor);
    clauses.push('(created_at, id) < (?, ?)');
    values.push(last.createdAt, last.id);
  }
  const size = Math.min(PAGE_MAX, Math.max(1, Math.trunc(limit)));
  const rows = connection.all<{ row: string }>(
    `SELECT row FROM operations ${where(clauses)} ORDER BY created_at DESC, id DESC LIMIT ?`,
    ...values,
    size + 1,
  );
  const items = rows.slice(0, size).map(({ row }) => fromText<Operation>(row));
  const last = items.at(-1);
  return rows.length > size && last !== undefined ? { items, nextCursor: writeCursor(last) } : { items };
}

export function count(connection: Connection, filter: OperationFilter): Partial<Record<Life, number>> {
  const { clauses, values } = conditions(filter);
  const rows = connection.all<{ life: Life; number: number }>(
    `SELECT life, count(*) AS number FROM operations ${where(clauses)} GROUP BY life`,
    ...values,
  );
  return Object.fromEntries(rows.map(({ life, number }) => [life, number]));
}

export function receipt(connection: Connection, id: OperationId): Receipt | undefined {
  const found = connection.first<{ receipt: string }>('SELECT receipt FROM receipts WHERE operation_id = ?', id);
  return found && fromText<Receipt>(found.receipt);
}

export function outbox(connection: Connection, after: number, limit: number): OutboxRow[] {
  return connection
    .all<{ position: number; receipt: string }>(
      'SELECT position, receipt FROM outbox JOIN receipts USING (operation_id) WHERE position > ? ORDER BY position LIMIT ?',
      after,
      Math.max(1, Math.trunc(limit)),
    )
    .map((row) => ({ position: row.position, receipt: fromText<Receipt>(row.receipt) }));
}

/** The filter as SQL. Few texts are possible, so each is compiled once. */
function conditions(filter: OperationFilter): { clauses: string[]; values: SqlValue[] } {
  const clauses: string[] = [];
  const values: SqlValue[] = [];
  for (const column of ['principal', 'upstream', 'tool', 'contract'] as const) {
    const value = filter[column];
    if (value === undefined) continue;
    clauses.push(`${column} = ?`);
    values.push(value);
  }
  if (filter.lives !== undefined) {
    clauses.push('life IN (SELECT value FROM json_each(?))');
    values.push(JSON.stringify(filter.lives));
  }
  return { clauses, values };
}

const where = (clauses: readonly string[]) => (clauses.length === 0 ? '' : `WHERE ${clauses.join(' AND ')}`);

const writeCursor = ({ createdAt, id }: Operation) => Buffer.from(`${createdAt} ${id}`).toString('base64url');

function readCursor(cursor: string): { createdAt: number; id: OperationId } {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, createdAt, id] = /^(\d{1,15}) (\S{1,200})$/.exec(text) ?? [];
  if (createdAt === undefined || id === undefined || Buffer.from(text).toString('base64url') !== cursor) {
    throw new LongshoreError(
      'ARGUMENTS_INVALID',
      'The cursor is not one that this list gave out. Begin again without a cursor.',
    );
  }
  return { createdAt: Number(createdAt), id };
}
