// Gates: their changes, what a creation expects of them, and the answers that were given past an operation (L15 to L18).

import type { Gate, GateChange, GateMode } from '../../core/gates.ts';
import { FIRST_EPOCH } from '../../core/gates.ts';
import type { Door, OperationId } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { LIVE, type Life } from '../../core/transitions.ts';
import type { GateExpectation, LiveCount, ShadowAnswer, ShadowRow } from '../gates.ts';
import type { Connection } from './connection.ts';

interface EventRow {
  readonly epoch: number;
  readonly adapter: string;
  readonly contract: Door;
  readonly upstream: string;
  readonly tool: string;
  readonly mode: GateMode;
  readonly share: number | null;
  readonly reason: string;
  readonly actor: string;
  readonly at: EpochMs;
}

const gateOf = ({ upstream, tool, share, at, ...row }: EventRow): Gate => ({
  ...row,
  ...(upstream !== '' && { upstream }),
  ...(tool !== '' && { tool }),
  ...(share !== null && { share }),
  since: at,
});

export const gates = (connection: Connection): Gate[] =>
  connection
    .all<EventRow>(
      `SELECT * FROM gate_events WHERE epoch IN (SELECT max(epoch) FROM gate_events GROUP BY adapter, contract, upstream, tool)
       ORDER BY adapter, contract, upstream, tool`,
    )
    .map(gateOf);

export function changeGate(connection: Connection, change: GateChange & { readonly at: EpochMs }): Gate {
  const { adapter, contract, upstream = '', tool = '', mode, share, reason, actor, at } = change;
  const row = connection.first<EventRow>(
    `INSERT INTO gate_events (adapter, contract, upstream, tool, mode, share, reason, actor, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
    adapter,
    contract,
    upstream,
    tool,
    mode,
    share ?? null,
    reason,
    actor,
    at,
  );
  if (row === undefined) throw new Error('a change of a gate was written and not answered');
  return gateOf(row);
}

export const gateHistory = (connection: Connection, before: number | undefined, limit: number): Gate[] =>
  connection
    .all<EventRow>(
      'SELECT * FROM gate_events WHERE epoch < ? ORDER BY epoch DESC LIMIT ?',
      before ?? Number.MAX_SAFE_INTEGER,
      Math.max(1, Math.trunc(limit)),
    )
    .map(gateOf);

/** Whether any expectation no longer holds (L16). */
export function moved(connection: Connection, expected: readonly GateExpectation[]): boolean {
  return expected.some(({ adapter, contract, upstream, tool, epoch }) => {
    const found = connection.first<{ epoch: number | null }>(
      `SELECT max(epoch) AS epoch FROM gate_events
       WHERE adapter = ? AND contract = ? AND upstream IN ('', ?) AND tool IN ('', ?)`,
      adapter,
      contract,
      upstream,
      tool,
    );
    return (found?.epoch ?? FIRST_EPOCH) !== epoch;
  });
}

export const liveByGate = (connection: Connection): LiveCount[] =>
  connection.all<LiveCount>(
    `SELECT json_extract(row, '$.adapter') AS adapter, contract, upstream, tool, count(*) AS live FROM operations
     WHERE life IN (${LIVE.map(() => '?').join(', ')}) GROUP BY 1, 2, 3, 4`,
    ...LIVE,
  );

export function keepShadow(connection: Connection, { operationId, epoch, at, status, excerpt }: ShadowAnswer): void {
  connection.run(
    'INSERT INTO shadow_answers (operation_id, epoch, at, status, excerpt) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    operationId,
    epoch,
    at,
    status ?? null,
    excerpt,
  );
}

export function shadowOf(connection: Connection, id: OperationId): ShadowAnswer | undefined {
  const row = connection.first<Omit<ShadowAnswer, 'status'> & { readonly status: number | null }>(
    'SELECT operation_id AS operationId, epoch, at, status, excerpt FROM shadow_answers WHERE operation_id = ?',
    id,
  );
  if (row === undefined) return undefined;
  const { status, ...answer } = row;
  return { ...answer, ...(status !== null && { status }) };
}

interface ShadowFound {
  readonly operationId: string;
  readonly epoch: number;
  readonly at: EpochMs;
  readonly status: number | null;
  readonly excerpt: string;
  readonly tool: string;
  readonly upstream: string;
  readonly contract: Door;
  readonly life: Life;
  readonly outcome: string | null;
}

export const shadows = (connection: Connection, limit: number): ShadowRow[] =>
  connection
    .all<ShadowFound>(
      `SELECT shadow_answers.operation_id AS operationId, epoch, shadow_answers.at AS at, status, excerpt,
         tool, upstream, contract, life, outcome
       FROM shadow_answers JOIN operations ON operations.id = shadow_answers.operation_id
       LEFT JOIN receipts ON receipts.operation_id = operations.id
       ORDER BY shadow_answers.at DESC, 1 LIMIT ?`,
      Math.max(1, Math.trunc(limit)),
    )
    .map(({ status, outcome, ...row }) => ({
      ...row,
      ...(status !== null && { status }),
      ...(outcome !== null && { outcome }),
    }));
