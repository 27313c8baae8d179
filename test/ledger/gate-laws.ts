// The laws of gates in the ledger (src/ledger/gates.ts), as a suite that every store must pass.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { GateChange } from '../../src/core/gates.ts';
import type { GateExpectation, GateStore } from '../../src/ledger/gates.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { created, NOW, told, toTheEnd, toWorking } from './fixtures.ts';

export interface GatesUnderTest {
  readonly ledger: Ledger & GateStore;
  /** The store as another process finds it when this one is killed now. */
  crash(): Promise<GatesUnderTest>;
  close(): Promise<void>;
  /** Goes behind the ledger's back. Rejects when the store refuses. */
  spoilGates(): Promise<void>;
}

export function gateLaws(name: string, openStore: () => Promise<GatesUnderTest>): void {
  describe(`${name} keeps the laws of gates:`, () => {
    let store: GatesUnderTest;
    let ledger: Ledger & GateStore;
    beforeEach(async () => {
      store = await openStore();
      ledger = store.ledger;
    });
    afterEach(() => store.close());

    const { adapter, contract, upstream, tool } = created().operation;
    const expecting = (epoch: number, changes: Partial<GateExpectation> = {}): GateExpectation[] => [
      { adapter, contract, upstream, tool, epoch, ...changes },
    ];
    const change = (changes: Partial<GateChange> = {}) =>
      ledger.changeGate({ adapter, contract, mode: 'drain', reason: 'pin differs', actor: 'ada', at: NOW, ...changes });

    test('a change is there, with its actor and reason, after a kill too (L15)', async () => {
      const gate = await change({ upstream, tool });
      expect(gate).toEqual({
        adapter,
        contract,
        upstream,
        tool,
        mode: 'drain',
        reason: 'pin differs',
        actor: 'ada',
        epoch: 2,
        since: NOW,
      });
      store = await store.crash();
      ledger = store.ledger;
      expect(await ledger.gates()).toEqual([gate]);
      expect(await ledger.gateHistory({ limit: 10 })).toEqual([gate]);
    });

    test('a gate is its last event, and its history is every one, newest first (L15)', async () => {
      await change();
      await change({ upstream: 'mill' });
      await change({ mode: 'canary', share: 0.25, reason: 'trying again' });
      expect((await ledger.gates()).map(({ upstream, mode, share, epoch }) => [upstream, mode, share, epoch])).toEqual([
        [undefined, 'canary', 0.25, 4],
        ['mill', 'drain', undefined, 3],
      ]);
      expect((await ledger.gateHistory({ limit: 2 })).map(({ epoch }) => epoch)).toEqual([4, 3]);
      expect((await ledger.gateHistory({ limit: 2, before: 3 })).map(({ epoch }) => epoch)).toEqual([2]);
    });

    test('epochs rise over all gates, also of changes at once (L15)', async () => {
      const changed = await Promise.all([change(), change({ contract: 'none' }), change({ adapter: 'other@1' }), change()]);
      expect(new Set(changed.map(({ epoch }) => epoch)).size).toBe(4);
      expect(Math.min(...changed.map(({ epoch }) => epoch))).toBe(2);
    });

    test('events are neither changed nor removed (L15)', async () => {
      await change();
      await expect(store.spoilGates()).rejects.toThrow(/append-only|are kept/);
      expect(await ledger.gates()).toHaveLength(1);
    });

    test('a creation that expects the epoch there is is written (L16)', async () => {
      expect((await ledger.create({ ...created(), gates: expecting(1) })).created).toBe(true);
      await change();
      expect((await ledger.create({ ...created(), gates: expecting(2) })).created).toBe(true);
    });

    test.each([
      ['its gate', {}],
      ['one narrowed to its upstream', { upstream }],
      ['one narrowed to its tool', { tool }],
      ['one narrowed to both', { upstream, tool }],
    ])('a creation is gated when %s has moved, and writes nothing (L16)', async (_which, narrowed) => {
      await change(narrowed);
      const commit = { ...created(), gates: expecting(1) };
      expect(await ledger.create(commit)).toMatchObject({ created: false, gated: true });
      expect(await ledger.get(commit.operation.id)).toBeUndefined();
      expect(await ledger.history(commit.operation.id)).toEqual([]);
      expect(await ledger.work(commit.operation.id)).toEqual([]);
    });

    test.each([
      ['of another adapter', { adapter: 'other@1' }],
      ['of another contract', { contract: 'none' as const }],
      ['of another upstream', { upstream: 'elsewhere' }],
      ['of another tool', { tool: 'another' }],
    ])('a gate %s stops nobody (L16)', async (_which, other) => {
      await change(other);
      expect((await ledger.create({ ...created(), gates: expecting(1) })).created).toBe(true);
    });

    test('a creation that expects something of two gates is gated by either (L16)', async () => {
      await change({ contract: 'none' });
      const gates = [...expecting(1), ...expecting(1, { contract: 'none' })];
      expect(await ledger.create({ ...created(), gates })).toMatchObject({ gated: true });
    });

    test('of a change and creations at once, none is created after the change (L16)', async () => {
      const before = [1, 2, 3].map(() => ledger.create({ ...created(), gates: expecting(1) }));
      const changed = change();
      const after = [1, 2, 3].map(() => ledger.create({ ...created(), gates: expecting(1) }));
      await changed;
      expect((await Promise.all(before)).map(({ created }) => created)).toEqual([true, true, true]);
      expect((await Promise.all(after)).map(({ created }) => created)).toEqual([false, false, false]);
    });

    test('a caller’s key gives the earlier operation, whatever the gates say (L17)', async () => {
      const earlier = await told(ledger, { callerKey: 'k' }, ...toWorking());
      await change();
      const answer = await ledger.create({ ...created({ callerKey: 'k' }), gates: expecting(0) });
      expect(answer).toEqual({ operation: earlier, created: false });
    });

    test('what was started before goes on under a closed gate', async () => {
      await change();
      const ended = await told(ledger, {}, ...toTheEnd(NOW + 3));
      expect(await ledger.receipt(ended.id)).toBeDefined();
    });

    test('counts what lives, by what a gate is about', async () => {
      await told(ledger, {}, ...toWorking());
      await told(ledger, {}, ...toWorking());
      await told(ledger, {}, ...toTheEnd(NOW + 3));
      expect(await ledger.liveByGate()).toEqual([{ adapter, contract, upstream, tool, live: 2 }]);
    });

    test('an answer past an operation is kept once, beside what the operation came to (L18)', async () => {
      const { id } = await told(ledger, {}, ...toTheEnd(NOW + 3));
      const answer = { operationId: id, epoch: 2, at: NOW, status: 202, excerpt: '{"id":"j1"}' };
      await ledger.keepShadow(answer);
      await ledger.keepShadow({ ...answer, excerpt: 'another' });
      expect(await ledger.shadows(10)).toEqual([
        expect.objectContaining({ ...answer, tool, upstream, contract, outcome: 'succeeded' }),
      ]);
    });
  });
}
