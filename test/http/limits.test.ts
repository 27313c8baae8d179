// Rule 9: a bound that is reached can be seen, and so can a call that is refused.

import { describe, expect, test } from 'vitest';
import type { Log } from '../../src/core/log.ts';
import { silentLog } from '../../src/core/log.ts';
import { noMetrics } from '../../src/core/metrics.ts';
import { LongshoreError } from '../../src/errors.ts';
import { configOf, post, request, session, standUp } from './kit.ts';

/** The app, and what it counts and warns of. */
async function watched(parts: Parameters<typeof standUp>[0] = {}) {
  const counted: unknown[] = [];
  const logged: string[] = [];
  const tell = (...said: readonly unknown[]) => void logged.push(String(said.at(-1)));
  const up = await standUp({
    log: { ...silentLog, warn: tell, error: tell } as Log,
    metrics: { ...noMetrics, reached: (labels) => counted.push(labels), refused: (labels) => counted.push(labels) },
    ...parts,
  });
  return { ...up, counted, logged };
}
const sessions = { limit: 'sessionsMax', upstream: 'none' };

describe('a bound that is reached', () => {
  test('of sessions is counted where one makes room, and counted and logged where one is refused', async () => {
    const { url, counted, logged } = await watched({ config: configOf({ server: { sessionsMax: 1 } }) });
    await session(url);
    expect(counted).toEqual([]);
    const second = await session(url);
    expect([counted, logged]).toEqual([[sessions], []]);
    const stream = await second.stream();
    expect((await session(url)).opened.http).toBe(503);
    expect(counted).toEqual([sessions, sessions]);
    expect(logged).toEqual(['a session was refused: All 1 sessions are in use (server.sessionsMax)']);
    stream.close();
  });

  test('of a request is counted and logged', async () => {
    const { url, counted, logged } = await watched();
    await post(url, { jsonrpc: '2.0', id: 1, method: 'ping', params: { filler: 'x'.repeat(20_000) } });
    expect(counted).toEqual([{ limit: 'requestBytesMax', upstream: 'none' }]);
    expect(logged).toEqual(['a request was refused: it is larger than server.requestBytesMax']);
  });
});

describe('a call that is refused is counted', () => {
  test.each([
    ['arguments', { kind: 'invalid', faults: [{ pointer: '/a', message: 'is missing' }] }],
    ['key', { kind: 'conflict', earlier: 'op_9' }],
    ['gate', { kind: 'gated' }],
  ] as const)('by its cause: %s', async (why, comesTo) => {
    const { url, engine, counted } = await watched();
    engine.starts = () => comesTo;
    await request(url, 'tools/call', { name: 'create_export', arguments: {} });
    expect(counted).toEqual([{ upstream: 'billing', why }]);
  });

  test.each([
    ['limit', 'LIMIT_REACHED', [], 'no: '],
    [
      'ledger',
      'LEDGER_UNAVAILABLE',
      ['a call was refused: it could not be written to the ledger'],
      'Try again later; its operator',
    ],
  ] as const)('by what is thrown: %s', async (why, code, said, told) => {
    const { url, engine, counted, logged } = await watched();
    engine.starts = () => {
      throw new LongshoreError(code, 'no: /var/lib/longshore.db');
    };
    const { result } = await request(url, 'tools/call', { name: 'create_export', arguments: {} });
    expect([counted, logged]).toEqual([[{ upstream: 'billing', why }], said]);
    expect(result.content[0].text).toContain(told);
  });

  test('and one that is taken is not', async () => {
    const { url, counted } = await watched();
    await request(url, 'tools/call', { name: 'create_export', arguments: {} });
    await request(url, 'tools/call', { name: 'get_order', arguments: {} });
    expect(counted).toEqual([]);
  });
});
