// The schema's history: applied once, whole or not at all, and never on a database that is not ours to change.

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/ledger/migrations/migrations.ts';
import { Connection } from '../../src/ledger/sqlite/connection.ts';
import { migrate } from '../../src/ledger/sqlite/migrate.ts';
import { NOW } from './fixtures.ts';

const root = mkdtempSync(join(tmpdir(), 'longshore-migrate-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('migrating', () => {
  let connection: Connection;
  let files = 0;
  beforeEach(() => {
    connection = Connection.open(join(root, `${++files}.db`));
  });
  afterEach(() => connection.close());

  const schema = () => connection.all<{ sql: string }>('SELECT sql FROM sqlite_schema ORDER BY name').map(({ sql }) => sql);
  const later = { number: MIGRATIONS.length + 1, name: 'later', sql: 'CREATE TABLE later (id TEXT) STRICT;' };

  test('applies every migration once, in order, and finds nothing to do the second time', () => {
    expect(migrate(connection, MIGRATIONS, NOW)).toEqual(MIGRATIONS.map(({ number }) => number));
    const before = schema();
    expect(migrate(connection, MIGRATIONS, NOW + 1)).toEqual([]);
    expect(schema()).toEqual(before);
    expect(connection.all('SELECT number, name, applied_at FROM migrations')).toEqual(
      MIGRATIONS.map(({ number, name }) => ({ number, name, applied_at: NOW })),
    );
  });

  test('applies only what is new to a database that has the rest', () => {
    migrate(connection, MIGRATIONS, NOW);
    expect(migrate(connection, [...MIGRATIONS, later], NOW)).toEqual([later.number]);
  });

  test('that fails half way leaves the old schema', () => {
    migrate(connection, MIGRATIONS, NOW);
    const before = schema();
    const broken = { ...later, sql: `${later.sql} CREATE TABLE operations (id TEXT);` };
    expect(() => migrate(connection, [...MIGRATIONS, broken], NOW)).toThrow(/operations already exists/);
    expect(schema()).toEqual(before);
    expect(migrate(connection, [...MIGRATIONS, later], NOW)).toEqual([later.number]);
  });

  test('refuses a database that a newer version made, and says what to do', () => {
    migrate(connection, [...MIGRATIONS, later], NOW);
    expect(() => migrate(connection, MIGRATIONS, NOW)).toThrow(
      expect.objectContaining({
        code: 'LEDGER_UNAVAILABLE',
        message: expect.stringContaining(
          `has schema ${later.number}, and this version of Longshore knows ${MIGRATIONS.length}. Start the newer version again`,
        ),
      }),
    );
  });

  test("refuses another program's database, and leaves it as it was", () => {
    connection.exec('CREATE TABLE songs (title TEXT)');
    expect(() => migrate(connection, MIGRATIONS, NOW)).toThrow(/database of another program \(it has the table "songs"\)/);
    expect(schema()).toEqual(['CREATE TABLE songs (title TEXT)']);
  });

  test('has numbers that are dense from 1', () => {
    expect(MIGRATIONS.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, index) => index + 1));
  });

  // The first one spells out the states of the machine. When they change, existing files need a migration of their own.
  test('has a past that does not change: add a migration instead', () => {
    expect(MIGRATIONS.map(({ name, sql }) => `${name} ${createHash('sha256').update(sql).digest('hex').slice(0, 16)}`)).toEqual(
      [
        'operations f58d9ba6759cd547',
        'live count 9d855d6d13ae0a05',
        'webhook inbox 5bdc69ba2814ccb5',
        'facets 8b4f41fa1d82a692',
        'gates 0b94d424fd8e6f38',
        'jobs 7e41f11b3021b27e',
        'support moves 4e268157ba89387f',
      ],
    );
  });
});
