// The ledger in one SQLite file: the default store, for one process. The laws are in ledger.ts; how they are kept is in
// sqlite/, one file for each concern. SQLite runs inside this thread: see docs/decisions/0002-sqlite-ledger.md.

import { Keyv } from 'keyv';
import type { Descriptor } from '../core/descriptor.ts';
import type { Clock } from '../core/time.ts';
import { openBlobStore } from './blobs.ts';
import type { DurationStore } from './durations.ts';
import type { GateStore } from './gates.ts';
import type { Inbox } from './inbox.ts';
import type { BlobStore, Ledger } from './ledger.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { SqliteBlobStorage } from './sqlite/blob-storage.ts';
import { append, create } from './sqlite/commit.ts';
import { Connection } from './sqlite/connection.ts';
import * as durations from './sqlite/durations.ts';
import * as gates from './sqlite/gates.ts';
import { GroupCommit } from './sqlite/group-commit.ts';
import * as inbox from './sqlite/inbox.ts';
import { migrate } from './sqlite/migrate.ts';
import * as query from './sqlite/query.ts';
import { EXPIRE_BATCH, expire } from './sqlite/retention.ts';
import { fromText, toText } from './sqlite/rows.ts';
import * as work from './sqlite/work.ts';

export interface SqliteLedger extends Ledger, Inbox, GateStore, DurationStore {
  /** Payloads in the same file, durable together with everything else. Closed with the ledger. */
  readonly blobs: BlobStore;
}

/**
 * Opens the ledger, and creates its file and directory where they are missing. `:memory:` keeps nothing.
 * Rejects with LEDGER_UNAVAILABLE, naming the file and the mend: in use by another process, not to be written, damaged,
 * another program's, or made by a newer version.
 */
export async function openSqliteLedger(options: { readonly path: string; readonly clock: Clock }): Promise<SqliteLedger> {
  const connection = Connection.open(options.path);
  try {
    migrate(connection, MIGRATIONS, options.clock.now());
    // The file is ours alone, so whoever held these leases is gone: what was on the wire at a kill is looked at again at once.
    connection.run('UPDATE work SET token = NULL, lease_until = NULL WHERE lease_until IS NOT NULL');
  } catch (error) {
    connection.close();
    throw error;
  }
  const commits = new GroupCommit(connection);
  const storage = new SqliteBlobStorage(connection, commits, () => options.clock.now());

  return {
    exclusive: true,
    blobs: openBlobStore(new Keyv({ store: storage })),

    create: (commit) => commits.write(() => create(connection, commit)),
    append: (commit) => commits.write(() => append(connection, commit)),

    get: async (id) => query.operation(connection, id),
    history: async (id) => query.history(connection, id),
    list: async (filter, { cursor, limit }) => query.list(connection, filter, cursor, limit),
    count: async (filter) => query.count(connection, filter ?? {}),
    receipt: async (id) => query.receipt(connection, id),
    outbox: async (after, limit) => query.outbox(connection, after, limit),

    lease: (request) => commits.write(() => work.lease(connection, request)),
    reschedule: (lease, dueAt, { failed }) => commits.write(() => work.reschedule(connection, lease, dueAt, failed)),
    nextDueAt: async () => work.nextDueAt(connection),
    work: async (id) => work.workOf(connection, id),
    async regenerate(derive) {
      let mended = 0;
      for (let after: string | undefined = ''; after !== undefined; ) {
        const from: string = after;
        const batch = await commits.write(() => work.regenerate(connection, from, derive));
        mended += batch.mended;
        after = batch.last;
      }
      return mended;
    },

    async putDescriptor(digest, descriptor) {
      const text = toText(descriptor);
      await commits.write(() =>
        connection.run('INSERT INTO descriptors (digest, descriptor) VALUES (?, ?) ON CONFLICT DO NOTHING', digest, text),
      );
    },
    async getDescriptor(digest) {
      const found = connection.first<{ descriptor: string }>('SELECT descriptor FROM descriptors WHERE digest = ?', digest);
      return found && fromText<Descriptor>(found.descriptor);
    },

    receive: (event) => commits.write(() => inbox.receive(connection, event)),
    findByCallbackToken: async (upstream, token) => inbox.findByCallbackToken(connection, upstream, token),
    pendingDeliveries: async (now, limit) => inbox.pending(connection, now, limit),
    settleDelivery: (id, as, happenedAt) => commits.write(() => inbox.settle(connection, id, as, happenedAt)),
    postponeDelivery: (id, dueAt) => commits.write(() => inbox.postpone(connection, id, dueAt)),
    nextDeliveryAt: async () => inbox.nextDeliveryAt(connection),
    newestEventAt: async (upstream, token) => inbox.newestEventAt(connection, upstream, token),
    expireDeliveries: (now, limit) => commits.write(() => inbox.expireDeliveries(connection, now, limit)),

    gates: async () => gates.gates(connection),
    changeGate: (change) => commits.write(() => gates.changeGate(connection, change)),
    gateHistory: async ({ before, limit }) => gates.gateHistory(connection, before, limit),
    liveByGate: async () => gates.liveByGate(connection),
    keepShadow: (answer) => commits.write(() => gates.keepShadow(connection, answer)),
    shadowOf: async (id) => gates.shadowOf(connection, id),
    shadows: async (limit) => gates.shadows(connection, limit),

    recentDurations: async (limit) => durations.recentDurations(connection, limit),
    keepMove: (move) => commits.write(() => durations.keepMove(connection, move)),
    moves: async ({ before, limit }) => durations.moves(connection, before, limit),
    lastMoves: async () => durations.lastMoves(connection),

    async expire(now, limit) {
      const most = Math.max(1, Math.trunc(limit));
      let gone = 0;
      for (let batch = EXPIRE_BATCH; batch === EXPIRE_BATCH && gone < most; gone += batch) {
        const size = Math.min(EXPIRE_BATCH, most - gone);
        batch = await commits.write(() => expire(connection, now, size));
      }
      return gone;
    },

    async ping() {
      await commits.write(() => connection.run("UPDATE counters SET value = value + 1 WHERE name = 'ping'"));
    },
    async close() {
      commits.close();
      connection.close();
    },
  };
}
