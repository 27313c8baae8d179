// Brings a database to the newest schema, or refuses one that it can't understand.

import type { EpochMs } from '../../core/time.ts';
import { LongshoreError } from '../../errors.ts';
import type { Migration } from '../migrations/migrations.ts';
import type { Connection } from './connection.ts';

/**
 * Applies what is missing, all in one transaction: a crash leaves the old schema. The state is read inside that
 * transaction, so that of two migrators the second finds nothing to do. Returns the numbers it applied.
 * Throws LEDGER_UNAVAILABLE for a newer schema and for a database that is not a ledger.
 */
export function migrate(connection: Connection, migrations: readonly Migration[], now: EpochMs): readonly number[] {
  connection.exec('BEGIN IMMEDIATE');
  try {
    refuseForeign(connection);
    connection.exec(
      'CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT',
    );
    const applied = connection.first<{ number: number | null }>('SELECT max(number) AS number FROM migrations')?.number ?? 0;
    refuseNewer(connection, applied, migrations.at(-1)?.number ?? 0);
    const missing = migrations.filter(({ number }) => number > applied);
    for (const { number, name, sql } of missing) {
      connection.exec(sql);
      connection.run('INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)', number, name, now);
    }
    connection.exec('COMMIT');
    return missing.map(({ number }) => number);
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function refuseForeign(connection: Connection): void {
  const tables = connection.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
  if (tables.length === 0 || tables.some(({ name }) => name === 'migrations')) return;
  throw new LongshoreError(
    'LEDGER_UNAVAILABLE',
    `${connection.path} is the database of another program (it has the table "${tables[0]?.name}"). Give the ledger another path.`,
  );
}

function refuseNewer(connection: Connection, applied: number, known: number): void {
  if (applied <= known) return;
  throw new LongshoreError(
    'LEDGER_UNAVAILABLE',
    `The ledger ${connection.path} has schema ${applied}, and this version of Longshore knows ${known}. ` +
      'Start the newer version again, or restore the backup made before it.',
  );
}
