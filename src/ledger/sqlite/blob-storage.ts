// The ledger's own database as a Keyv storage, so that large payloads are kept where the operations are, by default.
// Keys are digests, so the same key always means the same value. What goes wrong rejects; Keyv reports it.

import { type KeyvStorageAdapter, type KeyvStorageEntry, type KeyvStorageGetResult, keyvStorageCapability } from 'keyv';
import type { EpochMs } from '../../core/time.ts';
import type { Connection } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';

/** Keyv 6's storage contract: what it asks of a store, less the event emitter that only its own adapters need. */
export class SqliteBlobStorage implements Pick<KeyvStorageAdapter, 'get' | 'getMany' | 'set' | 'setMany' | 'has' | 'hasMany'> {
  readonly #connection: Connection;
  readonly #commits: GroupCommit;
  readonly #now: () => EpochMs;

  constructor(connection: Connection, commits: GroupCommit, now: () => EpochMs) {
    this.#connection = connection;
    this.#commits = commits;
    this.#now = now;
  }

  get capabilities() {
    return keyvStorageCapability(this);
  }

  async get<Value>(key: string): Promise<KeyvStorageGetResult<Value>> {
    return this.#connection.first<{ body: string }>('SELECT body FROM blobs WHERE digest = ?', key)?.body;
  }

  getMany<Value>(keys: string[]): Promise<KeyvStorageGetResult<Value | undefined>[]> {
    return Promise.all(keys.map((key) => this.get<Value>(key)));
  }

  async has(key: string): Promise<boolean> {
    return this.#connection.first('SELECT 1 FROM blobs WHERE digest = ?', key) !== undefined;
  }

  hasMany(keys: string[]): Promise<boolean[]> {
    return Promise.all(keys.map((key) => this.has(key)));
  }

  /** Kept until nothing names it, which the ledger knows: a blob has no hour to die at. */
  async set(key: string, value: unknown, expires?: number): Promise<boolean> {
    if (expires !== undefined) throw new TypeError('blobs in the ledger do not expire by time');
    await this.#commits.write(() =>
      this.#connection.run(
        'INSERT INTO blobs (digest, body, put_at) VALUES (?, ?, ?) ON CONFLICT (digest) DO UPDATE SET put_at = excluded.put_at',
        key,
        String(value),
        this.#now(),
      ),
    );
    return true;
  }

  setMany<Value>(entries: KeyvStorageEntry<Value>[]): Promise<boolean[]> {
    return Promise.all(entries.map(({ key, value, expires }) => this.set(key, value, expires)));
  }

  delete(key: string): Promise<boolean> {
    return this.#commits.write(() => this.#connection.run('DELETE FROM blobs WHERE digest = ?', key) > 0);
  }

  deleteMany(keys: string[]): Promise<boolean[]> {
    return Promise.all(keys.map((key) => this.delete(key)));
  }

  async clear(): Promise<void> {
    await this.#commits.write(() => this.#connection.run('DELETE FROM blobs'));
  }
}
