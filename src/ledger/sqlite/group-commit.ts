// Group commit: everything asked for in one turn of the event loop shares one transaction, because the sync to disk is what
// costs (about 0.6 ms alone; a hundred writes together cost a sixth of that each).
//   G1. A promise resolves only after COMMIT returned (L10).
//   G2. Each write is atomic by itself: one that throws is rolled back alone and rejected alone.
//   G3. When COMMIT fails, every write of the group is rolled back and rejected.
//   G4. Writes are decided in the order in which they were asked for, each seeing the ones before it.

import { LongshoreError } from '../../errors.ts';
import type { Connection } from './connection.ts';

/** Writes in one transaction: bounds how long a commit stops the event loop, about 10 ms. More would save next to nothing. */
const GROUP_MAX = 128;
/** Writes that may wait: beyond it callers are told at once rather than late. */
const WAITING_MAX = 20_000;

interface Waiting {
  /** Decides and writes; synchronous. Returns how to tell the caller, once the group is on disk. */
  readonly attempt: () => () => void;
  readonly reject: (error: unknown) => void;
}

export class GroupCommit {
  readonly #connection: Connection;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #closed = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Runs `decide` inside the next transaction. Rejects with what `decide` throws, or with LEDGER_UNAVAILABLE. */
  write<T>(decide: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(new LongshoreError('LEDGER_UNAVAILABLE', `The ledger ${this.#connection.path} is closed.`));
      } else if (this.#waiting.length >= WAITING_MAX) {
        reject(new LongshoreError('LIMIT_REACHED', `${WAITING_MAX} writes wait for the ledger already. Try again later.`));
      } else {
        const attempt = () => {
          const value = decide();
          return () => resolve(value);
        };
        this.#waiting.push({ attempt, reject });
        this.#schedule();
      }
    });
  }

  /** Commits what waits, then refuses more. */
  close(): void {
    this.#closed = true;
    while (this.#waiting.length > 0) this.#commit();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#commit();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #commit(): void {
    const group = this.#waiting.slice(0, GROUP_MAX);
    this.#waiting = this.#waiting.slice(GROUP_MAX);
    if (group.length === 0) return;
    try {
      this.#connection.exec('BEGIN IMMEDIATE');
      const answers = group.map((write) => this.#attempt(write));
      this.#connection.exec('COMMIT');
      for (const answer of answers) answer();
    } catch (error) {
      this.#rollBack();
      for (const write of group) write.reject(error);
    }
  }

  #attempt(write: Waiting): () => void {
    this.#connection.run('SAVEPOINT one');
    try {
      const answer = write.attempt();
      this.#connection.run('RELEASE one');
      return answer;
    } catch (error) {
      // A full disk can make SQLite roll the whole transaction back by itself: then nothing of the group stands.
      if (!this.#connection.inTransaction) throw error;
      this.#connection.run('ROLLBACK TO one');
      this.#connection.run('RELEASE one');
      return () => write.reject(error);
    }
  }

  #rollBack(): void {
    try {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
    } catch {
      // The error that brought us here says more, and SQLite rolls back what is left open when the file is opened again.
    }
  }
}
