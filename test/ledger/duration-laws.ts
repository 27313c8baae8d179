// The law of moves in the ledger (src/ledger/durations.ts), as a suite that every store must pass.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SupportMove } from '../../src/core/durations.ts';
import type { DurationStore } from '../../src/ledger/durations.ts';
import { NOW } from './fixtures.ts';

export interface MovesUnderTest {
  readonly ledger: DurationStore;
  /** The store as another process finds it when this one is killed now. */
  crash(): Promise<MovesUnderTest>;
  close(): Promise<void>;
  /** Goes behind the ledger's back. Rejects when the store refuses. */
  spoilMoves(how: 'change' | 'remove'): Promise<void>;
}

export function durationLaws(name: string, openStore: () => Promise<MovesUnderTest>): void {
  describe(`${name} keeps the law of moves:`, () => {
    let store: MovesUnderTest;
    beforeEach(async () => {
      store = await openStore();
    });
    afterEach(() => store.close());

    const by = { count: 30, p50Ms: 61_000, p95Ms: 90_000, longestMs: 120_000 };
    const move = (changes: Partial<SupportMove> = {}) =>
      store.ledger.keepMove({ upstream: 'reports', tool: 'run', from: 'optional', to: 'required', by, at: NOW, ...changes });

    test('a move is there, with what was measured, after a kill too (L20)', async () => {
      const kept = await move();
      expect(kept).toEqual({
        position: 1,
        upstream: 'reports',
        tool: 'run',
        from: 'optional',
        to: 'required',
        by,
        at: NOW,
      });
      store = await store.crash();
      expect(await store.ledger.moves({ limit: 10 })).toEqual([kept]);
      expect(await store.ledger.lastMoves()).toEqual([kept]);
    });

    test('positions rise over all tools, and a tool stands where its last move left it (L20)', async () => {
      await move();
      await move({ tool: 'render' });
      await move({ from: 'required', to: 'optional', at: NOW + 1 });
      await move({ upstream: 'mill' });
      expect((await store.ledger.moves({ limit: 3 })).map(({ position }) => position)).toEqual([4, 3, 2]);
      expect((await store.ledger.moves({ before: 3, limit: 3 })).map(({ position }) => position)).toEqual([2, 1]);
      expect((await store.ledger.lastMoves()).map(({ upstream, tool, to }) => [upstream, tool, to])).toEqual([
        ['reports', 'render', 'required'],
        ['reports', 'run', 'optional'],
        ['mill', 'run', 'required'],
      ]);
    });

    test('events are neither changed nor removed (L20)', async () => {
      await move();
      await expect(store.spoilMoves('change')).rejects.toThrow(/append-only/);
      await expect(store.spoilMoves('remove')).rejects.toThrow(/are kept/);
      expect(await store.ledger.moves({ limit: 10 })).toHaveLength(1);
    });
  });
}
