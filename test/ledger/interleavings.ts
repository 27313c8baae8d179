// Random interleavings of writers, workers and kills, against any store. Each turn issues several calls at once, as one
// turn of the event loop does; then every law is checked on everything.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dueWork } from '../../src/core/machine.ts';
import type { Operation } from '../../src/core/operation.ts';
import type { Appended, Commit, Lease } from '../../src/ledger/ledger.ts';
import { breaches, created, EVENT, everything, MINUTE_MS, NOW, next, onward, request, TRAITS } from './fixtures.ts';
import type { OpenStore, StoreUnderTest } from './laws.ts';

const RUNS = 60;

type Command =
  | { readonly do: 'create'; readonly key: number }
  | { readonly do: 'onward' | 'look' | 'cancel' | 'again'; readonly pick: number }
  | { readonly do: 'lease'; readonly limit: number }
  | { readonly do: 'reschedule'; readonly pick: number; readonly laterMs: number };

const pick = fc.nat(50);
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('create' as const), key: fc.nat(3) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('onward' as const, 'look' as const, 'cancel' as const, 'again' as const),
      pick,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('lease' as const), limit: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('reschedule' as const), pick, laterMs: fc.nat(2 * MINUTE_MS) }) },
);
const turn = fc.record({
  commands: fc.array(command, { minLength: 1, maxLength: 6 }),
  passesMs: fc.nat(2 * MINUTE_MS),
  /** Killed this many turns of the event loop after the calls were made, whether or not they were answered. */
  killAfter: fc.option(fc.nat(2), { freq: 6 }),
});

/** Adds the property test for a store. */
export function interleavingsKeepTheLaws(name: string, openStore: OpenStore): void {
  test(`${name} keeps every law whatever happens at once, and whenever it is killed`, { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 10 }), async (turns) => {
        const play = new Play(await openStore());
        try {
          for (const { commands, passesMs, killAfter } of turns) await play.turn(commands, passesMs, killAfter);
        } finally {
          await play.store.close();
        }
      }),
      { numRuns: RUNS },
    );
  });
}

/** What was answered so far, and so must hold. */
class Play {
  store: StoreUnderTest;
  #now = NOW;
  readonly #rows = new Map<string, Operation>();
  readonly #keys = new Map<number, string>();
  readonly #commits: Commit[] = [];
  /** The latest lease on each piece of work that nothing has ended yet. */
  readonly #held = new Map<string, Lease>();
  readonly #leases: Lease[] = [];
  #position = 0;
  #kills = 0;

  constructor(store: StoreUnderTest) {
    this.store = store;
  }

  async turn(commands: readonly Command[], passesMs: number, killAfter: number | null): Promise<void> {
    this.#now += passesMs;
    const possible = new Map<string, Set<string>>(); // rows that a kill may leave, by operation
    const calls = commands.map((one) => this.#issue(one, possible));
    const answers = Promise.all(calls);
    if (killAfter === null) {
      await answers;
    } else {
      for (let turns = 0; turns < killAfter; turns++) await new Promise((resolve) => setImmediate(resolve));
      answers.catch(() => undefined);
      const killed = this.store.crash();
      this.#kills += 1;
      this.store = await killed;
      await this.#takeStock(possible);
    }
    await this.#check();
  }

  /** Makes one call; what its answer promises is noted when it comes. */
  #issue(one: Command, possible: Map<string, Set<string>>): Promise<void> {
    const { ledger } = this.store;
    const kills = this.#kills;
    // An answer that comes after the kill was never heard.
    const heard = (note: () => void) => {
      if (this.#kills === kills) note();
    };
    const operation = 'pick' in one ? [...this.#rows.values()][one.pick % Math.max(1, this.#rows.size)] : undefined;
    const maybe = (row: Operation) => {
      const rows = possible.get(row.id) ?? new Set();
      possible.set(row.id, rows.add(JSON.stringify(row)));
    };
    const append = async (commit: Commit) => {
      maybe(commit.operation);
      const answer = await ledger.append(commit);
      heard(() => this.#appended(commit, answer));
    };

    switch (one.do) {
      case 'create': {
        const commit = created({ callerKey: `key-${one.key}`, createdAt: this.#now });
        maybe(commit.operation);
        return ledger.create(commit).then((answer) =>
          heard(() => {
            const first = this.#keys.get(one.key);
            expect(answer.created).toBe(first === undefined);
            if (first !== undefined) expect(answer.operation.id).toBe(first);
            else expect(answer.operation).toEqual(commit.operation);
            this.#keys.set(one.key, answer.operation.id);
            if (answer.created) this.#rows.set(answer.operation.id, answer.operation);
          }),
        );
      }
      case 'onward':
      case 'look':
      case 'cancel': {
        // Nothing can be seen of what was never sent.
        if (operation === undefined || (one.do === 'look' && operation.life === 'QUEUED')) return Promise.resolve();
        const events = {
          onward: onward(operation, this.#now),
          look: EVENT.working(this.#now, this.#now + MINUTE_MS),
          cancel: EVENT.cancel(this.#now),
        };
        const event = events[one.do];
        if (event === undefined) return Promise.resolve();
        return append(next(operation, event));
      }
      case 'again': {
        const commit = this.#commits[one.pick % Math.max(1, this.#commits.length)];
        return commit === undefined ? Promise.resolve() : append(commit);
      }
      case 'lease':
        return ledger.lease(request(this.#now, { perUpstream: { studio: one.limit } })).then((leases) =>
          heard(() => {
            expect(leases.length).toBeLessThanOrEqual(one.limit);
            for (const lease of leases) this.#leased(lease);
          }),
        );
      case 'reschedule': {
        const lease = this.#leases[one.pick % Math.max(1, this.#leases.length)];
        if (lease === undefined) return Promise.resolve();
        return ledger.reschedule(lease, this.#now + one.laterMs, { failed: false }).then((kept) =>
          heard(() => {
            // What an append of this same turn did to the lease depends on the order in which the store took them.
            if (!possible.has(lease.operationId)) expect(kept).toBe(this.#held.get(workOf(lease))?.token === lease.token);
            if (kept) this.#held.delete(workOf(lease));
          }),
        );
      }
    }
  }

  #appended(commit: Commit, answer: Appended): void {
    const { id } = commit.operation;
    const before = this.#rows.get(id);
    const isCurrent = before?.seq === commit.expectedSeq;
    const isKnown = this.#commits.some(
      (other) => other.operation.id === id && other.event.evidenceId === commit.event.evidenceId,
    );
    expect(answer).toBe(commit.event.evidenceId !== undefined && isKnown ? 'duplicate' : isCurrent ? 'committed' : 'conflict');
    if (answer !== 'committed' || before === undefined) return;
    this.#commits.push(commit);
    this.#rows.set(id, commit.operation);
    const earlier = new Map(dueWork(before, TRAITS).map(({ kind, dueAt }) => [kind, dueAt]));
    const later = new Map(commit.work.map(({ kind, dueAt }) => [kind, dueAt]));
    for (const [kind, dueAt] of earlier) if (later.get(kind) !== dueAt) this.#held.delete(`${id} ${kind}`); // L11
  }

  #leased(lease: Lease): void {
    const held = this.#held.get(workOf(lease));
    if (held !== undefined) expect(held.until, 'one holder at a time (L8)').toBeLessThanOrEqual(this.#now);
    for (const other of this.#leases) if (workOf(other) === workOf(lease)) expect(lease.token).toBeGreaterThan(other.token);
    expect(lease.dueAt).toBeLessThanOrEqual(this.#now);
    this.#held.set(workOf(lease), lease);
    this.#leases.push(lease);
  }

  /** After a kill: what was answered is there (L10); what was not may be, whole. */
  async #takeStock(possible: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
    for (const [id, rows] of possible) {
      const operation = await this.store.ledger.get(id);
      const known = this.#rows.get(id);
      if (operation === undefined) {
        expect(known, `${id} was answered for`).toBeUndefined();
        continue;
      }
      if (JSON.stringify(operation) === JSON.stringify(known)) continue;
      expect(rows, `${id} is as some call asked`).toContain(JSON.stringify(operation));
      this.#rows.set(id, operation);
      const key = Number(operation.callerKey?.slice('key-'.length));
      this.#keys.set(key, id);
      for (const { seq, event, disposition } of (await this.store.ledger.history(id)).slice(known?.seq ?? 1)) {
        this.#commits.push({ expectedSeq: seq - 1, event, disposition, operation, work: [], ended: false });
      }
    }
    // Leases that were never answered may have been written: nobody holds them, and they expire like any other.
    for (const key of [...this.#held.keys()]) this.#held.delete(key);
    this.#leases.length = 0;
  }

  async #check(): Promise<void> {
    const { ledger } = this.store;
    for (const [id, row] of this.#rows) {
      expect(await ledger.get(id)).toEqual(row);
      expect(await breaches(ledger, id)).toEqual([]);
    }
    const told = await ledger.outbox(this.#position, 1000);
    for (const { position, receipt } of told) {
      expect(position).toBeGreaterThan(this.#position);
      this.#position = position;
      expect((await everything(ledger, receipt.operationId)).receipt).toEqual(receipt);
    }
    const counted = await ledger.count();
    expect(Object.values(counted).reduce((sum, number) => sum + number, 0)).toBe(this.#rows.size);
  }
}

const workOf = ({ operationId, kind }: Lease) => `${operationId} ${kind}`;
