// Both contracts' views of random lives: whatever happens to an operation, what clients see of it obeys the protocol.

import { expect, test } from 'vitest';
import { contractFor } from '../../src/contracts/index.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { open, step } from '../../src/core/machine.ts';
import type { Operation } from '../../src/core/operation.ts';
import { OWN_EVENTS } from '../../src/core/transitions.ts';
import { created } from '../core/machine.fixtures.ts';
import { randomEvent, randomTraits, randomType, seededRandom } from '../core/machine.histories.ts';

const BOTH = ['2025-11-25', '2026-07-28'] as const;
const older = contractFor('session', '2025-11-25', BOTH).tasks;
const newer = contractFor('request', '2026-07-28', BOTH).tasks;
const TERMINAL = ['completed', 'failed', 'cancelled'];

/** What may follow a status. @see MCP 2025-11-25, Tasks, Task Status Lifecycle */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  working: ['working', 'input_required', ...TERMINAL],
  input_required: ['working', 'input_required', ...TERMINAL],
  completed: ['completed'],
  failed: ['failed'],
  cancelled: ['cancelled'],
};

/** One life: the operation after each event that applied. */
function* lifeOf(seed: number): Generator<Operation> {
  const random = seededRandom(seed);
  const traits = randomTraits(random);
  let operation = open(created(), traits);
  yield operation;
  for (let events = 0; events < 60; events += 1) {
    const type = randomType(random);
    const event = randomEvent(random, operation, type);
    try {
      const stepped = step(operation, event, traits);
      if (stepped.disposition !== 'applied') continue;
      operation = stepped.operation;
      yield operation;
    } catch (error) {
      // Only an own event may be without a row: a worker asks before it records one.
      if (!(OWN_EVENTS as readonly string[]).includes(type)) throw error;
    }
  }
}

const viewsOf = (operation: Operation) => {
  const view = {
    operation,
    pollIntervalMs: 500,
    payload: { mediaType: 'application/json', encoding: 'text', body: '{}' } as const,
  };
  const [a, b] = [older?.task(view), newer?.task(view)] as readonly JsonObject[];
  return { view, a: a as JsonObject, b: b as JsonObject };
};

test('both views begin as working, walk the diagram, end together by a receipt only, and stay there', () => {
  const endings = new Map<string, number>();
  for (let seed = 1; seed <= 600; seed += 1) {
    let [before, beforeNewer, at] = ['working', 'working', 0];
    let isFirst = true;
    for (const operation of lifeOf(seed)) {
      const { view, a, b } = viewsOf(operation);
      const [status, statusNewer] = [String(a['status']), String(b['status'])];
      const where = `seed ${seed}, ${operation.life}`;
      if (isFirst) expect([status, statusNewer], where).toEqual(['working', 'working']);
      isFirst = false;
      expect(NEXT[before], where).toContain(status);
      expect(NEXT[beforeNewer], where).toContain(statusNewer);
      expect(TERMINAL.includes(status), where).toBe(operation.receipt !== undefined);
      expect(TERMINAL.includes(statusNewer), where).toBe(operation.receipt !== undefined);
      expect(Date.parse(String(a['lastUpdatedAt'])), where).toBeGreaterThanOrEqual(at);
      [before, beforeNewer, at] = [status, statusNewer, Date.parse(String(a['lastUpdatedAt']))];

      if (operation.receipt === undefined) {
        expect(older?.outcome?.(view), where).toBe('not_yet');
        expect(
          ['result', 'error'].filter((member) => member in b),
          where,
        ).toEqual([]);
        expect(a['statusMessage'], where).toBe(b['statusMessage']);
        continue;
      }
      const outcome = older?.outcome?.(view);
      if (outcome === undefined || outcome === 'not_yet') throw new Error(`${where}: ended, and tasks/result has nothing`);
      if (outcome.as === 'result') {
        const { _meta, ...result } = outcome.result;
        expect({ resultType: 'complete', ...result }, where).toEqual(b['result']);
      } else if (statusNewer === 'failed') {
        expect(b['error'], where).toEqual({ code: outcome.code, message: outcome.message });
      } else {
        expect([status, statusNewer], where).toEqual(['cancelled', 'cancelled']);
      }
      endings.set(operation.receipt.outcome, (endings.get(operation.receipt.outcome) ?? 0) + 1);
    }
  }
  // The walk is worth something only if it got everywhere.
  expect([...endings.keys()].sort()).toEqual(['cancelled', 'failed', 'succeeded', 'unknown']);
});
