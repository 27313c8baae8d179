// The SQLite ledger on real files: the laws, and what only a file can do.

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll } from 'vitest';
import { openSqliteLedger } from '../../src/ledger/sqlite.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { durationLaws, type MovesUnderTest } from './duration-laws.ts';
import { NOW } from './fixtures.ts';
import { type GatesUnderTest, gateLaws } from './gate-laws.ts';
import { type InboxUnderTest, inboxLaws } from './inbox-laws.ts';
import { interleavingsKeepTheLaws } from './interleavings.ts';
import { ledgerLaws, type StoreUnderTest } from './laws.ts';

const root = mkdtempSync(join(tmpdir(), 'longshore-ledger-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let files = 0;
const freshPath = () => join(root, String(++files), 'ledger.db');

async function openStore(path = freshPath()): Promise<StoreUnderTest & InboxUnderTest & GatesUnderTest & MovesUnderTest> {
  const ledger = await openSqliteLedger({ path, clock: new VirtualClock(NOW) });
  const behindItsBack = async (sql: string, ...values: (string | number)[]) => {
    const database = new DatabaseSync(path);
    try {
      database.prepare(sql).run(...values);
    } finally {
      database.close();
    }
  };
  return {
    ledger,
    close: () => ledger.close(),
    // Everything between BEGIN and COMMIT is synchronous, so what a kill leaves at this moment is the files as they are.
    async crash() {
      const copy = freshPath();
      mkdirSync(dirname(copy));
      for (const suffix of ['', '-wal']) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
      void ledger.close();
      return openStore(copy);
    },
    spoilGates: async () => {
      await behindItsBack("UPDATE gate_events SET mode = 'open'");
    },
    spoilMoves: (how) =>
      behindItsBack(how === 'change' ? "UPDATE support_moves SET tool = 'other'" : 'DELETE FROM support_moves'),
    spoil: {
      changeEvent: (id, seq) =>
        behindItsBack("UPDATE operation_events SET type = 'accept' WHERE operation_id = ? AND seq = ?", id, seq),
      removeEvent: (id, seq) => behindItsBack('DELETE FROM operation_events WHERE operation_id = ? AND seq = ?', id, seq),
      loseWork: (id) => behindItsBack('DELETE FROM work WHERE operation_id = ?', id),
    },
  };
}

ledgerLaws('SQLite', () => openStore());
inboxLaws('SQLite', () => openStore());
gateLaws('SQLite', () => openStore());
durationLaws('SQLite', () => openStore());
interleavingsKeepTheLaws('SQLite', () => openStore());
