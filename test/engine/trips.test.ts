// What closes a gate by itself, as data: no engine and no ledger.

import { describe, expect, test } from 'vitest';
import { http202 } from '../../adapters/http-202/adapter.ts';
import type { Gate, GatePlace } from '../../src/core/gates.ts';
import { atStart, createConduct, type Heard, type StartFacts } from '../../src/engine/trips.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { jobTool } from './kit.ts';

const tool = jobTool();
const facts = (changes: Partial<StartFacts> = {}): StartFacts => ({
  contracts: ['2025-11-25', '2026-07-28'],
  doors: ['2025-11-25', '2026-07-28', 'none'],
  configured: [],
  mistrusted: [],
  adapters: new Map([['http-202@1', http202]]),
  catalogue: { tools: new Map([[tool.name, tool]]), leftOut: [], services: new Map(), warnings: [] },
  known: [],
  history: [],
  live: [],
  ...changes,
});
const live = (adapter: string) => [
  { adapter, contract: '2026-07-28' as const, upstream: 'reports', tool: 'start_job', live: 3 },
];

describe('a tool that is compiled by another version of its adapter', () => {
  test('takes no new calls through any door while operations of the earlier one live', () => {
    const { wanted } = atStart(facts({ live: live('http-202@0') }));
    expect(wanted.map(({ adapter, contract, tool, mode }) => [adapter, contract, tool, mode])).toEqual([
      ['http-202@1', '2025-11-25', 'start_job', 'drain'],
      ['http-202@1', '2026-07-28', 'start_job', 'drain'],
      ['http-202@1', 'none', 'start_job', 'drain'],
    ]);
    expect(wanted[0]?.reason).toBe('operations that http-202@0 follows still live, and the tool is compiled by http-202@1 now');
  });

  test('is opened at a start at which none of them lives', () => {
    const closed = atStart(facts({ live: live('http-202@0') })).wanted.map(
      (change, at): Gate => ({ ...change, epoch: at + 2, since: 0 }),
    );
    const { wanted } = atStart(facts({ known: closed, history: [...closed].reverse() }));
    expect(wanted.map(({ mode, actor }) => `${mode} ${actor}`)).toEqual(Array(3).fill('open longshore'));
    expect(atStart(facts({ live: live('http-202@0'), known: closed, history: [...closed].reverse() })).wanted).toEqual([]);
  });

  test('is not one whose operations were compiled as it is now, nor one that is no longer there', () => {
    expect(atStart(facts({ live: live('http-202@1') })).wanted).toEqual([]);
    expect(atStart(facts({ live: live('gone@1').map((one) => ({ ...one, tool: 'gone' })) })).wanted).toEqual([]);
  });
});

describe('a place that the configuration speaks of', () => {
  test('is what the configuration says, whatever closes by itself', () => {
    const place = { adapter: 'http-202@1', contract: '2025-11-25' as const };
    const { wanted } = atStart(
      facts({
        configured: [{ ...place, mode: 'canary', share: 0.1, reason: 'trying' }],
        mistrusted: [{ contract: '2025-11-25', reason: 'differs' }],
      }),
    );
    expect(wanted).toEqual([{ ...place, mode: 'canary', share: 0.1, reason: 'trying', actor: 'configuration' }]);
  });
});

describe('answers that can’t be read', () => {
  const of = { adapter: 'http-202@1', upstream: 'reports', tool: 'start_job' };

  function conduct(tripAfter = 4) {
    const clock = new VirtualClock();
    const trips: [Omit<GatePlace, 'contract'>, string][] = [];
    const heard = createConduct(
      { tripAfter, tripWithinMs: 60_000 },
      clock,
      (place, reason) => void trips.push([place, reason]),
    );
    const odd = (operation: string, status = 200, as: Heard['as'] = 'status') =>
      heard({ as, of, operation, status, misfit: 'no state' });
    return { clock, trips, odd, fine: () => heard({ as: 'status', of, operation: 'op_1', status: 200 }) };
  }

  test('close a gate after so many in a row, of several operations', () => {
    const { trips, odd } = conduct();
    for (const operation of ['op_1', 'op_2', 'op_3']) odd(operation);
    expect(trips).toEqual([]);
    odd('op_1');
    expect(trips).toEqual([[of, 'answers outside its protocol, 4 times in a row; the last: no state']]);
  });

  test('count from the beginning after one that can, and after the time is over', async () => {
    const { trips, odd, fine, clock } = conduct();
    for (const operation of ['op_1', 'op_2', 'op_3']) odd(operation);
    fine();
    odd('op_1');
    await clock.advance(60_001);
    for (const operation of ['op_2', 'op_3', 'op_4']) odd(operation);
    expect(trips).toEqual([]);
  });

  test('are counted by what they answer: results that can not be read are not forgiven for a status that can', () => {
    const { trips, odd, fine } = conduct();
    for (const operation of ['op_1', 'op_2', 'op_3', 'op_4']) {
      expect(trips).toEqual([]);
      odd(operation, 200, 'result');
      odd('op_1', 200, 'lookup');
      fine();
    }
    expect(trips).toHaveLength(1);
  });

  test('count for nothing where the status says that something failed, and never where that is switched off', () => {
    const failing = conduct();
    const off = conduct(0);
    for (let n = 0; n < 50; n += 1) {
      failing.odd(`op_${n}`, 502);
      off.odd(`op_${n}`);
    }
    expect([failing.trips, off.trips]).toEqual([[], []]);
  });
});
