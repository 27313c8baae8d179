// Reading: one operation, its history, pages, counts, receipts and the outbox. Reads see what is committed, never a
// group in the making, since a group runs without a pause.

import type { OperationId } from '../../core/ids.ts';
import type { Operation, OperationEvent } from '../../core/operation.ts';
import type { Receipt } from '../../core/outcome.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Life } from '../../core/transitions.ts';
import { LongshoreError } from '../../errors.ts';
import type { CountFilter, Facet, OperationFilter, OutboxRow, Page, StoredEvent } from '../ledger.ts';
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
  const last = cursor === undefined ? undefined : readCursor(cursor);
  const size = Math.min(PAGE_MAX, Math.max(1, Math.trunc(limit)));
  const found = rangesOf(filter).flatMap((one) => newest(connection, one, last, size + 1));
  // What fits two facets is found twice.
  const rows = [...new Map(found.map((row) => [row.id, row])).values()].sort(
    (one, other) => other.created_at - one.created_at || (one.id < other.id ? 1 : -1),
  );
  const items = rows.slice(0, size).map(({ row }) => fromText<Operation>(row));
  const shown = items.at(-1);
  return rows.length > size && shown !== undefined ? { items, nextCursor: writeCursor(shown) } : { items };
}

export function count(connection: Connection, { facet, ...filter }: CountFilter): Partial<Record<Life, number>> {
  const rows = rangesOf(filter).flatMap((one) => {
    const { where, values } = conditions(facet === undefined ? one : { ...one, facet });
    return connection.all<{ life: Life; number: number }>(
      `SELECT life, count(*) AS number FROM operations ${where} GROUP BY life`,
      ...values,
    );
  });
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

/** A filter that is one range of an index. */
interface Range extends Omit<OperationFilter, 'lives' | 'facets'> {
  readonly life?: Life;
  readonly facet?: Facet;
}

interface Place {
  readonly createdAt: EpochMs;
  readonly id: OperationId;
}

/** One filter for each life and each facet that is asked for: then each is one range of an index, and what is rare is found at once. */
function rangesOf({ lives, facets, ...filter }: OperationFilter): Range[] {
  const byLife: Range[] = lives === undefined ? [filter] : [...new Set(lives)].map((life) => ({ ...filter, life }));
  return facets === undefined ? byLife : byLife.flatMap((range) => facets.map((facet) => ({ ...range, facet })));
}

function newest(connection: Connection, filter: Range, before: Place | undefined, limit: number) {
  const { where, values } = conditions(filter, before);
  return connection.all<{ id: string; created_at: number; row: string }>(
    `SELECT id, created_at, row FROM operations ${where} ORDER BY created_at DESC, id DESC LIMIT ?`,
    ...values,
    limit,
  );
}

/** The filter as SQL. Few texts are possible, so each is compiled once. */
function conditions(filter: Range, before?: Place): { where: string; values: SqlValue[] } {
  const clauses: string[] = [];
  const values: SqlValue[] = [];
  for (const column of ['principal', 'upstream', 'tool', 'contract', 'life'] as const) {
    const value = filter[column];
    if (value === undefined) continue;
    clauses.push(`${column} = ?`);
    values.push(value);
  }
  const { facet } = filter;
  if (facet !== undefined && 'life' in facet) {
    clauses.push('life = ?');
    values.push(facet.life);
  } else if (facet !== undefined && 'effects' in facet) {
    // The index holds only the open ones, and is used only where the text itself says that it is one of those.
    const isOpen = facet.effects === 'REQUIRED' || facet.effects === 'ESCALATED';
    clauses.push(`${isOpen ? "effects IN ('REQUIRED', 'ESCALATED') AND " : ''}effects = ?`);
    values.push(facet.effects);
  } else if (facet !== undefined) {
    clauses.push("ended_at IS NOT NULL AND json_extract(row, '$.receipt.outcome') = ?");
    values.push(facet.outcome);
  }
  if (before !== undefined) {
    clauses.push('(created_at, id) < (?, ?)');
    values.push(before.createdAt, before.id);
  }
  return { where: clauses.length === 0 ? '' : `WHERE ${clauses.join(' AND ')}`, values };
}

const writeCursor = ({ createdAt, id }: Operation) => Buffer.from(`${createdAt} ${id}`).toString('base64url');

function readCursor(cursor: string): Place {
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
