// Writing: one `created` event, or one event more. Runs inside a group's transaction and decides before it writes, so
// that `conflict` and `duplicate` leave nothing behind.

import { holdsKey } from '../../core/caller-key.ts';
import type { OperationId } from '../../core/ids.ts';
import type { Operation } from '../../core/operation.ts';
import { WANTING } from '../../core/transitions.ts';
import type { Appended, Commit, Creating } from '../ledger.ts';
import type { Connection } from './connection.ts';
import { moved } from './gates.ts';
import { blobOf, fromText, operationColumns, toText } from './rows.ts';
import { settleWork } from './work.ts';

/** Writes the first event and the row, or finds the operation that the caller's key still names (L1). */
export function create(connection: Connection, commit: Creating): { operation: Operation; created: boolean; gated?: true } {
  const { operation } = commit;
  const earlier = byCallerKey(connection, operation);
  if (earlier !== undefined && holdsKey(earlier, operation.createdAt)) return { operation: earlier, created: false };
  if (moved(connection, commit.gates ?? [])) return { operation, created: false, gated: true };
  if (earlier !== undefined) {
    connection.run('UPDATE operations SET caller_key = NULL WHERE id = ?', earlier.id);
  }
  if (operation.seq !== 1) throw new Error(`operation ${operation.id} is created with seq ${operation.seq}`);
  connection.run(
    `INSERT INTO operations (seq, life, cancellation, effects, input, ended_at, expires_at, row,
       id, principal, upstream, tool, contract, caller_key, created_at, callback_token)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...operationColumns(operation),
    operation.id,
    operation.principal,
    operation.upstream,
    operation.tool,
    operation.contract,
    operation.callerKey ?? null,
    operation.createdAt,
    operation.callbackToken ?? null,
  );
  writeEvent(connection, operation.id, 1, { ...commit, disposition: 'applied' });
  settleWork(connection, operation, commit.work);
  return { operation, created: true };
}

/** Writes one event and everything that follows from it, or nothing (L3, L4, L5). */
export function append(connection: Connection, commit: Commit): Appended {
  const { operation, event, expectedSeq } = commit;
  if (operation.seq !== expectedSeq + 1)
    throw new Error(`operation ${operation.id} goes from seq ${expectedSeq} to ${operation.seq}`);
  if (event.evidenceId !== undefined && hasEvidence(connection, operation.id, event.evidenceId)) return 'duplicate';
  const sharedWith = sharerOf(connection, commit);
  if (sharedWith !== undefined) return { sharedWith };
  const changed = connection.run(
    `UPDATE operations SET seq = ?, life = ?, cancellation = ?, effects = ?, input = ?, ended_at = ?, expires_at = ?, row = ?,
       job_address = ?
     WHERE id = ? AND seq = ?`,
    ...operationColumns(operation),
    commit.jobAddress ?? null,
    operation.id,
    expectedSeq,
  );
  if (changed === 0) return 'conflict';
  writeEvent(connection, operation.id, operation.seq, commit);
  if (commit.ended) writeReceipt(connection, operation);
  settleWork(connection, operation, commit.work);
  return 'committed';
}

function byCallerKey(connection: Connection, { principal, tool, callerKey }: Operation): Operation | undefined {
  if (callerKey === undefined) return undefined;
  const found = connection.first<{ row: string }>(
    'SELECT row FROM operations WHERE principal = ? AND tool = ? AND caller_key = ?',
    principal,
    tool,
    callerKey,
  );
  return found && fromText<Operation>(found.row);
}

const IS_OPEN = "(ended_at IS NULL OR effects IN ('REQUIRED', 'ESCALATED'))";
const IS_WANTED = `cancellation = 'NONE' AND life IN (${WANTING.map((life) => `'${life}'`).join(', ')})`;

/** Who is at the job's address already, where that forbids the commit (L19); nobody where the commit is stale anyway. */
function sharerOf(connection: Connection, commit: Commit): OperationId | undefined {
  const { operation, expectedSeq, jobAddress, unlessShared } = commit;
  if (unlessShared === undefined || jobAddress === undefined) return undefined;
  return connection.first<{ id: string }>(
    `SELECT id FROM operations
     WHERE upstream = ? AND job_address = ? AND ${IS_OPEN} ${unlessShared === 'wanted' ? `AND ${IS_WANTED}` : ''} AND id <> ?
       AND EXISTS (SELECT 1 FROM operations WHERE id = ? AND seq = ?)
     ORDER BY created_at, id LIMIT 1`,
    operation.upstream,
    jobAddress,
    operation.id,
    operation.id,
    expectedSeq,
  )?.id;
}

function hasEvidence(connection: Connection, id: OperationId, evidenceId: string): boolean {
  return (
    connection.first('SELECT 1 FROM operation_events WHERE operation_id = ? AND evidence_id = ?', id, evidenceId) !== undefined
  );
}

function writeEvent(
  connection: Connection,
  id: OperationId,
  seq: number,
  { event, disposition }: Pick<Commit, 'event' | 'disposition'>,
): void {
  const blob = blobOf(event);
  connection.run(
    `INSERT INTO operation_events (operation_id, seq, type, at, disposition, evidence_id, blob, event)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    seq,
    event.type,
    event.at,
    disposition,
    event.evidenceId ?? null,
    blob,
    toText(event),
  );
  if (blob !== null) connection.run('UPDATE blobs SET named = 1 WHERE digest = ?', blob);
}

function writeReceipt(connection: Connection, { id, receipt }: Operation): void {
  if (receipt === undefined) throw new Error(`operation ${id} is said to have ended and has no receipt`);
  connection.run(
    'INSERT INTO receipts (operation_id, id, at, outcome, receipt) VALUES (?, ?, ?, ?, ?)',
    id,
    receipt.id,
    receipt.at,
    receipt.outcome,
    toText(receipt),
  );
  connection.run('INSERT INTO outbox (operation_id) VALUES (?)', id);
}
