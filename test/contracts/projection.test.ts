// Both contracts' views of random lives: whatever happens to an operation, what clients see of it obeys the protocol.

import { expect, test } from 'vitest';
import { contractFor } from '../../src/contracts/index.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Operation } from '../../src/core/operation.ts';
import { lifeOf } from './lives.ts';

const BOTH = ['2025-11-25', '2026-07-28'] as const;
const older = contractFor('session', '2025-11-25', BOTH).tasks;
const newer = contractFor('request', '2026-07-28', BOTH).tasks;
const TERMINAL = ['completed', 'failed', 'cancelled'];

/** What may follow a status; '' is before the first. @see MCP 2025-11-25, Tasks, Task Status Lifecycle */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  '': ['working'],
  working: ['working', 'input_required', ...TERMINAL],
  input_required: ['working', 'input_required', ...TERMINAL],
  completed: ['completed'],
  failed: ['failed'],
  cancelled: ['cancelled'],
};

const viewsOf = (operation: Operation) => {
  const view = {
    operation,
    pollIntervalMs: 500,
    payload: { mediaType: 'application/json', encoding: 'text', body: '{}' } as const,
  };
  const [a, b] = [older?.task(view), newer?.task(view)] as readonly JsonObject[];
  return { view, a: a as JsonObject, b: b as JsonObject };
};

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

test('both views begin as working, walk the diagram, end together by a receipt only, and stay there', () => {
  const breaches: string[] = [];
  const endings = new Set<string>();
  for (let seed = 1; seed <= 500; seed += 1) {
    let [before, beforeNewer, at] = ['', '', 0];
    for (const operation of lifeOf(seed)) {
      const must = (holds: boolean, rule: string) => {
        if (!holds) breaches.push(`seed ${seed}, seq ${operation.seq}, ${operation.life}: ${rule}`);
      };
      const { view, a, b } = viewsOf(operation);
      const [status, statusNewer] = [String(a['status']), String(b['status'])];
      must(NEXT[before]?.includes(status) === true, `2025-11-25 goes from ${before} to ${status}`);
      must(NEXT[beforeNewer]?.includes(statusNewer) === true, `2026-07-28 goes from ${beforeNewer} to ${statusNewer}`);
      const isEnded = operation.receipt !== undefined;
      must(
        TERMINAL.includes(status) === isEnded && TERMINAL.includes(statusNewer) === isEnded,
        'a terminal status needs a receipt',
      );
      must(Date.parse(String(a['lastUpdatedAt'])) >= at, 'lastUpdatedAt goes back');
      [before, beforeNewer, at] = [status, statusNewer, Date.parse(String(a['lastUpdatedAt']))];

      const outcome = older?.outcome?.(view);
      if (operation.receipt === undefined || outcome === undefined || outcome === 'not_yet') {
        must(
          operation.receipt === undefined && outcome === 'not_yet',
          'tasks/result has something exactly when there is an ending',
        );
        must(!('result' in b) && !('error' in b), 'a live task carries no ending');
        must(a['statusMessage'] === b['statusMessage'], 'both say the same');
        continue;
      }
      endings.add(operation.receipt.outcome);
      if (outcome.as === 'result') {
        const { _meta, ...result } = outcome.result;
        must(same({ resultType: 'complete', ...result }, b['result']), 'both give the same result');
      } else if (statusNewer === 'failed') {
        must(same(b['error'], { code: outcome.code, message: outcome.message }), 'both give the same error');
      } else {
        must(status === 'cancelled' && statusNewer === 'cancelled', 'both are cancelled');
      }
    }
  }
  expect(breaches).toEqual([]);
  // The walk is worth something only if it got everywhere.
  expect([...endings].sort()).toEqual(['cancelled', 'failed', 'succeeded', 'unknown']);
});
