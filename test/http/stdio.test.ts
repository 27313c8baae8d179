// Standard streams: what can't be read is said, and the connection goes on.

import { describe, expect, test } from 'vitest';
import { noMetrics } from '../../src/core/metrics.ts';
import { standUp, stdio } from './kit.ts';

describe('a line on standard input', () => {
  test('that is no JSON is answered with an error that belongs to no request', async () => {
    const client = stdio((await standUp()).connectStdio);
    client.writeText('{"jsonrpc":"2.0",\n');
    expect(await client.next()).toEqual({
      jsonrpc: '2.0',
      error: { code: -32700, message: 'Parse error: the line is not JSON.' },
    });
    expect((await client.rpc('tools/list')).result.tools).not.toEqual([]);
  });

  test('that is too long is not kept, is answered and counted, and costs only itself', async () => {
    const counted: unknown[] = [];
    const { connectStdio } = await standUp({ metrics: { ...noMetrics, reached: (labels) => counted.push(labels) } });
    const client = stdio(connectStdio);
    expect((await client.rpc('tools/list')).result.tools).not.toEqual([]);
    client.writeText(`${'x'.repeat(10_001)}\n`);
    expect(await client.next()).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: 'The line is longer than 10000 bytes.' },
    });
    expect(counted).toEqual([{ limit: 'requestBytesMax', upstream: 'none' }]);
    expect((await client.rpc('tools/list')).result.tools).not.toEqual([]);
  });

  test('is the last when it ends: the connection is over, and nothing was cancelled', async () => {
    const up = await standUp();
    const client = stdio(up.connectStdio);
    const { result } = await client.rpc('tools/call', { name: 'create_export', arguments: {} });
    client.hangUp();
    await client.connection.closed;
    expect(result.resultType).toBe('task');
    expect(up.engine.cancels).toEqual([]);
  });
});
