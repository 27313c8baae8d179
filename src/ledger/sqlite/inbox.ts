// The webhook inbox: verified events, from the moment they are durable to the moment their operation has them (L12 to L14).

import { parseJson, stringifyJson } from '../../core/json.ts';
import type { Operation } from '../../core/operation.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Delivery } from '../../core/webhook.ts';
import type { PendingDelivery, ReceivedEvent, SettledAs } from '../inbox.ts';
import type { Connection } from './connection.ts';
import { fromText } from './rows.ts';

/** Most events of one upstream that may wait: then its sender is told to come again later, as senders do. */
const PENDING_MAX = 10_000;

export function receive(
  connection: Connection,
  { upstream, token, eventKey, delivery, expiresAt }: ReceivedEvent,
): 'stored' | 'duplicate' | 'full' {
  const known = connection.first<{ id: number; token: string; disposition: SettledAs | null }>(
    'SELECT id, token, disposition FROM webhook_inbox WHERE upstream = ? AND event_key = ?',
    upstream,
    eventKey,
  );
  if (known !== undefined) {
    const { id, disposition } = known;
    const isElsewhere = known.token !== token;
    if (disposition === null) return isElsewhere ? 'full' : 'duplicate';
    const isAside = disposition === 'stranger' || disposition === 'unreadable' || (isElsewhere && disposition === 'late');
    if (!isAside) return 'duplicate';
    connection.run('DELETE FROM webhook_inbox WHERE id = ?', id);
  }
  if (isFull(connection, upstream)) return 'full';
  connection.run(
    `INSERT INTO webhook_inbox (upstream, token, event_key, received_at, expires_at, due_at, delivery)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    upstream,
    token,
    eventKey,
    delivery.receivedAt,
    expiresAt,
    delivery.receivedAt,
    stringifyJson({ ...delivery }),
  );
  return 'stored';
}

/** Counts only where there may be too many: no more can wait than came since the one that waits longest. */
function isFull(connection: Connection, upstream: string): boolean {
  const { came } = connection.first<{ came: number | null }>(
    `SELECT (SELECT max(id) FROM webhook_inbox) -
       (SELECT id FROM webhook_inbox WHERE upstream = ? AND due_at IS NOT NULL ORDER BY id LIMIT 1) + 1 AS came`,
    upstream,
  ) ?? { came: null };
  if (came === null || came < PENDING_MAX) return false;
  const waiting = connection.first<{ number: number }>(
    'SELECT count(*) AS number FROM webhook_inbox WHERE upstream = ? AND due_at IS NOT NULL',
    upstream,
  );
  return (waiting?.number ?? 0) >= PENDING_MAX;
}

export function findByCallbackToken(connection: Connection, upstream: string, token: string): Operation | undefined {
  const found = connection.first<{ row: string }>(
    'SELECT row FROM operations WHERE upstream = ? AND callback_token = ?',
    upstream,
    token,
  );
  return found && fromText<Operation>(found.row);
}

/** In the order in which they became due, and of those in the order in which they came. */
export function pending(connection: Connection, now: EpochMs, limit: number): PendingDelivery[] {
  return connection
    .all<{ id: number; upstream: string; token: string; delivery: string }>(
      'SELECT id, upstream, token, delivery FROM webhook_inbox WHERE due_at <= ? ORDER BY due_at, id LIMIT ?',
      now,
      Math.max(1, Math.trunc(limit)),
    )
    .map(({ delivery, ...row }) => ({ ...row, delivery: parseJson(delivery) as unknown as Delivery }));
}

export function settle(connection: Connection, id: number, as: SettledAs, happenedAt: EpochMs | undefined): boolean {
  return (
    connection.run(
      `UPDATE webhook_inbox SET disposition = ?, happened_at = ?, due_at = NULL, delivery = NULL
       WHERE id = ? AND due_at IS NOT NULL`,
      as,
      happenedAt ?? null,
      id,
    ) === 1
  );
}

export function postpone(connection: Connection, id: number, dueAt: EpochMs): boolean {
  return connection.run('UPDATE webhook_inbox SET due_at = ? WHERE id = ? AND due_at IS NOT NULL', dueAt, id) === 1;
}

export function nextDeliveryAt(connection: Connection): EpochMs | undefined {
  const found = connection.first<{ at: number | null }>('SELECT min(due_at) AS at FROM webhook_inbox WHERE due_at IS NOT NULL');
  return found?.at ?? undefined;
}

export function newestEventAt(connection: Connection, upstream: string, token: string): EpochMs | undefined {
  const found = connection.first<{ at: number | null }>(
    'SELECT max(happened_at) AS at FROM webhook_inbox WHERE upstream = ? AND token = ? AND happened_at IS NOT NULL',
    upstream,
    token,
  );
  return found?.at ?? undefined;
}

export function expireDeliveries(connection: Connection, now: EpochMs, limit: number): number {
  return connection.run(
    'DELETE FROM webhook_inbox WHERE id IN (SELECT id FROM webhook_inbox WHERE expires_at < ? ORDER BY expires_at LIMIT ?)',
    now,
    Math.max(1, Math.trunc(limit)),
  );
}
