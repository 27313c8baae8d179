// What only a real process and a real file system can show: kill -9, a second process, a full disk, a damaged file.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { Connection } from '../../src/ledger/sqlite/connection.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite.ts';
import { seededRandom, VirtualClock } from '../support/virtual-clock.ts';
import { breaches, NOW, told, toTheEnd } from './fixtures.ts';

const root = mkdtempSync(join(tmpdir(), 'longshore-durability-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const pathOf = (name: string) => join(root, name, 'ledger.db');
const open = (path: string) => openSqliteLedger({ path, clock: new VirtualClock(NOW) });

const COMMITTER = fileURLToPath(new URL('./committer.ts', import.meta.url));

/** Runs a committer. `lines` grows as it prints; `until` resolves when it has printed so many, `over` when it is gone. */
function commits(
  path: string,
  prefix: string,
  launch: (args: string[]) => ChildProcess = (args) => spawn(process.execPath, args),
) {
  const child = launch([COMMITTER, path, prefix]);
  let text = '';
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const lines = () => text.split('\n').slice(0, -1);
  const over = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const until = (count: number) =>
    new Promise<void>((resolve, reject) => {
      child.stdout?.on('data', (chunk) => {
        text += chunk;
        if (lines().length >= count) resolve();
      });
      void over.then(() => reject(new Error(`ended after ${lines().length} lines: ${stderr}`)));
    });
  return { child, lines, until, over };
}

/** The last position answered for, by operation. */
function answered(lines: readonly string[]): Map<string, number> {
  return new Map(
    lines
      .filter((line) => !line.startsWith('error'))
      .map((line) => line.split(' '))
      .map(([id = '', seq]) => [id, Number(seq)]),
  );
}

function checkFile(path: string): unknown {
  const database = new DatabaseSync(path);
  try {
    return database.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
  } finally {
    database.close();
  }
}

describe('kill -9', () => {
  test('loses nothing that was answered, leaves nothing half, and the next start works at once (L4, L10)', {
    timeout: 120_000,
  }, async () => {
    const path = pathOf('killed');
    const random = seededRandom(20260728);
    const known = new Map<string, number>();
    for (let kill = 1; kill <= 5; kill++) {
      const run = commits(path, `op_kill${kill}`);
      await run.until(20 + Math.floor(random.fraction() * 1_500));
      run.child.kill('SIGKILL');
      await run.over;
      for (const [id, seq] of answered(run.lines())) known.set(id, seq);

      const ledger = await open(path);
      const stored = new Map<string, number>();
      for (const id of known.keys()) stored.set(id, (await ledger.get(id))?.seq ?? 0);
      const lost = [...known].filter(([id, seq]) => (stored.get(id) ?? 0) < seq);
      expect(lost, `kill ${kill}`).toEqual([]);
      const all: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await ledger.list({}, { limit: 500, ...(cursor !== undefined && { cursor }) });
        all.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(all.length).toBeGreaterThanOrEqual(known.size);
      const recent = all.filter((id) => id.startsWith(`op_kill${kill}-`));
      expect((await Promise.all(recent.map((id) => breaches(ledger, id)))).flat()).toEqual([]);
      await ledger.close();
      expect(checkFile(path)).toBe('ok');
    }
    expect(known.size).toBeGreaterThan(20);
  });
});

describe('a second process', () => {
  test('is refused while the first lives, told what to do, and welcome once it is killed', async () => {
    const path = pathOf('shared');
    const run = commits(path, 'op_first');
    await run.until(1);
    await expect(open(path)).rejects.toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
      message: expect.stringMatching(/shared\/ledger\.db is in use by another Longshore process.*another ledger path/),
    });
    run.child.kill('SIGKILL');
    await run.over;
    const ledger = await open(path);
    await ledger.ping();
    await ledger.close();
  });

  test('is refused within one process too, and does not disturb the first', async () => {
    const path = pathOf('twice');
    const first = await open(path);
    await expect(open(join(root, 'twice', '..', 'twice', 'ledger.db'))).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    await first.ping();
    await first.close();
    await (await open(path)).close();
  });
});

describe('a full disk', () => {
  test.runIf(process.platform !== 'win32')('refuses what does not fit, and keeps what was answered', async () => {
    const path = pathOf('full');
    // A limit on the size of files fails a write as a full disk does, and needs no special disk.
    const run = commits(path, 'op_full', (args) =>
      spawn('bash', ['-c', 'ulimit -f 2000 && exec "$0" "$@"', process.execPath, ...args]),
    );
    await run.until(1);
    await run.over;
    expect(run.lines().at(-1)).toMatch(/^error LEDGER_UNAVAILABLE The ledger .*full\/ledger\.db can not /);
    const ledger = await open(path);
    for (const [id, seq] of answered(run.lines())) {
      expect((await ledger.get(id))?.seq).toBeGreaterThanOrEqual(seq);
      expect(await breaches(ledger, id)).toEqual([]);
    }
    await ledger.ping();
    await ledger.close();
  });
});

describe('a ledger that can not be opened', () => {
  const refusal = async (path: string) => {
    const error = await open(path).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'LEDGER_UNAVAILABLE', cause: expect.anything() });
    return (error as Error).message;
  };

  test('names a directory that can not be made', async () => {
    writeFileSync(join(root, 'file'), '');
    expect(await refusal(join(root, 'file', 'ledger.db'))).toMatch(
      /file\/ledger\.db can not be opened: check that its directory/,
    );
  });

  test('names a path that is a directory', async () => {
    mkdirSync(join(root, 'directory'));
    expect(await refusal(join(root, 'directory'))).toMatch(/directory can not be opened/);
  });

  test('names a file that is no database, and leaves it as it was', async () => {
    const path = join(root, 'letter.txt');
    writeFileSync(path, 'Dear reader, this is not a database. '.repeat(50));
    const before = readFileSync(path);
    expect(await refusal(path)).toMatch(/letter\.txt is not an SQLite database: give another path/);
    expect(readFileSync(path)).toEqual(before);
  });

  test('names a damaged file, when it is opened or when the damage is met', async () => {
    const path = pathOf('damaged');
    const sound = await open(path);
    const row = await told(sound, {}, ...toTheEnd());
    await sound.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4096); // everything but the first page
    writeFileSync(path, bytes);
    const met = open(path).then(async (ledger) => {
      try {
        return await ledger.history(row.id);
      } finally {
        await ledger.close();
      }
    });
    await expect(met).rejects.toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
      message: expect.stringMatching(/damaged\/ledger\.db is damaged: restore a backup/),
    });
  });
});

describe('a new ledger', () => {
  // A kill can't show this one: what was written survives the process anyway. Only a power cut takes what was not synced.
  test('syncs every commit to the disk before it answers', () => {
    const connection = Connection.open(pathOf('settings'));
    expect(connection.first('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(connection.first('PRAGMA synchronous')).toEqual({ synchronous: 2 });
    expect(connection.first('PRAGMA foreign_keys')).toEqual({ foreign_keys: 1 });
    connection.close();
  });

  test('makes its directory, and lets nobody else read it', async () => {
    const path = join(root, 'a', 'b', 'ledger.db');
    const ledger = await open(path);
    await ledger.ping();
    for (const file of [path, `${path}-wal`]) expect(statSync(file).mode & 0o077).toBe(0);
    await ledger.close();
  });

  test('in memory keeps the same laws for as long as it is open', async () => {
    const ledger = await open(':memory:');
    const row = await told(ledger, {}, ...toTheEnd());
    expect(await breaches(ledger, row.id)).toEqual([]);
    await ledger.close();
  });
});
