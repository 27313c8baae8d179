// What the engine refuses at its bounds is counted.

import { describe, expect, test } from 'vitest';
import { noMetrics } from '../../src/core/metrics.ts';
import { passThrough } from '../../src/engine/call.ts';
import type { Context } from '../../src/engine/context.ts';
import { call } from '../http/scripted-engine.ts';
import { house, jobTool } from './kit.ts';

function counting() {
  const counted: unknown[] = [];
  const metrics = { ...noMetrics, reached: (one: unknown) => counted.push(one), refused: (one: unknown) => counted.push(one) };
  return { counted, metrics };
}

describe('a caller that has as many operations as it may', () => {
  test('is refused, which is counted; the one before was not', async () => {
    const { counted, metrics } = counting();
    const h = await house(
      { 'POST /jobs': [{ status: 202, json: { id: 'j1' } }], 'GET /jobs/j1': [{ status: 200, json: { status: 'running' } }] },
      { metrics, settings: { operationsPerPrincipalMax: 1 } },
    );
    await h.start();
    expect(counted).toEqual([]);
    const again = { tool: h.tool, arguments: { body: { name: 'y' } }, principal: 'local', door: '2026-07-28' } as const;
    await expect(h.engine.start(again)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    expect(counted).toEqual([{ limit: 'operationsPerPrincipalMax', upstream: 'none' }]);
  });
});

describe('a synchronous call to an upstream without a free place', () => {
  test('is refused, nothing is sent, and it is counted', async () => {
    const { counted, metrics } = counting();
    const budget = { available: () => 0 } as unknown as Context['budget'];
    const { descriptor } = jobTool();
    const tool = call('get_order', { request: descriptor.submit });
    const outcome = await passThrough(
      { budget, metrics } as unknown as Context,
      tool,
      { body: {} },
      new AbortController().signal,
    );
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('Nothing was sent') });
    expect(counted).toEqual([{ upstream: 'billing', why: 'busy' }]);
  });
});
