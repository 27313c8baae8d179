import { expect, test } from 'vitest';
import { silentLog } from '../../src/core/log.ts';
import type { Context } from '../../src/engine/context.ts';
import { createWorker } from '../../src/engine/worker.ts';
import type { Lease } from '../../src/ledger/ledger.ts';
import { settle, VirtualClock } from '../support/virtual-clock.ts';

test('work whose budget somebody else took while it was being leased is given back, and begins nothing', async () => {
  const clock = new VirtualClock();
  let free = 2;
  const begun: string[] = [];
  const givenBack: (readonly [id: string, dueAt: number])[] = [];
  let wanted: readonly string[] = ['one', 'two'];
  const ledger = {
    async lease({
      kinds,
      now,
      leaseMs,
    }: {
      kinds: readonly string[];
      now: number;
      leaseMs: number;
    }): Promise<readonly Lease[]> {
      if (!kinds.includes('poll') || free < 1) return [];
      free -= 1; // a look of another part of the engine, in this very moment
      const ids = wanted;
      wanted = [];
      return ids.map((operationId, token) => ({
        operationId,
        kind: 'poll',
        upstream: 'reports',
        dueAt: 7,
        token,
        until: now + leaseMs,
        tries: 0,
      }));
    },
    reschedule: async ({ operationId }: Lease, dueAt: number) => givenBack.push([operationId, dueAt]) > 0,
    get: async (id: string) => void begun.push(id),
    nextDueAt: async () => (wanted.length > 0 ? 7 : undefined),
  };
  const budget = {
    available: (kind: string) => (kind === 'poll' ? free : 0),
    availableInAll: () => free,
    take: () => {
      free -= 1;
      return () => undefined;
    },
  };
  const settings = { workLeaseMs: 30_000 };
  const worker = createWorker({ ledger, budget, clock, log: silentLog, settings } as unknown as Context, () => ['reports']);
  const running = worker.run();
  await settle();
  expect(begun).toEqual(['one']);
  expect(givenBack).toEqual([['two', 7]]);
  const drained = worker.drain(0);
  await clock.advance(1);
  await Promise.all([drained, running]);
});

test('a wake that finds nothing due asks one question, and leases nothing', async () => {
  const clock = new VirtualClock();
  let asked = 0;
  const ledger = {
    lease: () => expect.unreachable('leased'),
    nextDueAt: async () => {
      asked += 1;
      return clock.now() + 60_000;
    },
  };
  const worker = createWorker({ ledger, clock, log: silentLog } as unknown as Context, () => ['reports']);
  const running = worker.run();
  await settle();
  worker.wake();
  await settle();
  expect(asked).toBe(2);
  const drained = worker.drain(0);
  await clock.advance(1);
  await Promise.all([drained, running]);
});
