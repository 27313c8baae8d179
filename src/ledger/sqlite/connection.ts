// The one file that knows node:sqlite: opening, settings, statements, and what its errors mean.
//   C1. One process per file. The lock is a transaction held open on `<path>.lock`, so the operating system releases it
//       even at kill -9, and a restart works at once. The database itself stays readable for backups.
//   C2. A commit is on disk when it returns (WAL and synchronous=FULL).
//   C3. What the machine or the file system does to us is LEDGER_UNAVAILABLE; any other error is a bug and stays as it is.

import { closeSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { LongshoreError } from '../../errors.ts';

/** What can be bound to a statement. */
export type SqlValue = SQLInputValue;

const MEMORY = ':memory:';

/** How long a statement waits for a program that reads or backs up the file, in milliseconds. The event loop waits too. */
const BUSY_TIMEOUT_MS = 2_000;

// A checkpoint runs inside a commit and stops the event loop. 8000 pages between two gave half as much throughput again but
// stalls of 42-67 ms; 1000 pages (4 MB) keep them short. The size limit gives the disk back after a burst.
const SETTINGS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA recursive_triggers = ON;
  PRAGMA wal_autocheckpoint = 1000;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA cache_size = -32768;
  PRAGMA temp_store = MEMORY;
`;

/** What is wrong and what to do, by SQLite's primary result code. @see https://sqlite.org/rescode.html */
const TROUBLE: Readonly<Record<number, string>> = {
  5: 'is locked by another program: wait for it, or stop it',
  6: 'is locked by another program: wait for it, or stop it',
  7: 'needs more memory than there is: give this process more',
  8: 'can not be written: check that it, its directory and its file system are writable for this user',
  10: 'can not be read or written: the disk or its file system reports an error',
  11: 'is damaged: restore a backup, or move the file away to begin with an empty ledger',
  13: 'can not grow: the disk is full, free some space',
  14: 'can not be opened: check that its directory exists and is writable for this user, and that it is a file',
  26: 'is not an SQLite database: give another path, or move the file away to begin with an empty ledger',
};

/** An SQLite or file system error as LEDGER_UNAVAILABLE naming the file and the mend; anything else as it is (C3). */
function explained(path: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if ('errcode' in error && typeof error.errcode === 'number') {
    const trouble = TROUBLE[error.errcode & 0xff];
    if (trouble === undefined) return error;
    return new LongshoreError('LEDGER_UNAVAILABLE', `The ledger ${path} ${trouble}.`, { cause: error });
  }
  if ('syscall' in error) {
    return new LongshoreError('LEDGER_UNAVAILABLE', `The ledger ${path} ${TROUBLE[14]} (${error.message}).`, { cause: error });
  }
  return error;
}

/** One connection. Synchronous: between BEGIN and COMMIT nothing else of this process runs. */
export class Connection {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #lock: DatabaseSync | undefined;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(path: string, database: DatabaseSync, lock: DatabaseSync | undefined) {
    this.path = path;
    this.#database = database;
    this.#lock = lock;
  }

  /** Opens or creates the file and its directory; `:memory:` for a database that dies with the process. */
  static open(path: string): Connection {
    if (path === MEMORY) return new Connection(path, new DatabaseSync(path), undefined).#settle();
    let lock: DatabaseSync | undefined;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // Arguments and results are their callers' business: nobody else on this machine may read a file we create.
      closeSync(openSync(path, 'a', 0o600));
      const real = realpathSync(path); // two spellings of one file must meet the same lock
      lock = lockFor(real);
      return new Connection(real, new DatabaseSync(real, { timeout: BUSY_TIMEOUT_MS }), lock).#settle();
    } catch (error) {
      lock?.close();
      throw explained(path, error);
    }
  }

  #settle(): this {
    try {
      this.#database.exec(SETTINGS);
      return this;
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs statements that give nothing back. */
  exec(sql: string): void {
    this.#explain(() => this.#database.exec(sql));
  }

  /** Runs one statement; answers how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number {
    return this.#explain(() => Number(this.#prepared(sql).run(...values).changes));
  }

  /** The first row. The caller names the shape that its SQL selects. */
  first<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#explain(() => this.#prepared(sql).get(...values) as Row | undefined);
  }

  /** Every row. The caller names the shape that its SQL selects. */
  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#explain(() => this.#prepared(sql).all(...values) as Row[]);
  }

  close(): void {
    if (!this.#database.isOpen) return;
    this.#statements.clear();
    this.#database.close();
    this.#lock?.close();
  }

  /** Statements are compiled once. Bounded by the number of different texts in this folder: values are always bound. */
  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #explain<T>(act: () => T): T {
    if (!this.#database.isOpen) throw new LongshoreError('LEDGER_UNAVAILABLE', `The ledger ${this.path} is closed.`);
    try {
      return act();
    } catch (error) {
      throw explained(this.path, error);
    }
  }
}

/** Takes the lock of C1, or says who is in the way. */
function lockFor(path: string): DatabaseSync {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === 5)) throw error;
    throw new LongshoreError(
      'LEDGER_UNAVAILABLE',
      `The ledger ${path} is in use by another Longshore process. Stop that one first, or give this one another ledger path: ` +
        'an SQLite ledger belongs to one process.',
      { cause: error },
    );
  }
}
