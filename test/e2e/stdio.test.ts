// `longshore serve --stdio`: a local host's own gateway, in both eras, beside HTTP.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../demo/gateway.ts';
import { startService } from '../conformance/service.ts';
import { closing, folder, projectFile } from './gateway.ts';
import { modern, textOf } from './wire.ts';

const { keep, closeAll } = closing();
const INFO = { name: 'longshore-e2e', version: '1.0.0' };
const YES = { action: 'accept', content: { confirm: true } } as const;
let serviceUrl: string;

beforeAll(async () => {
  const service = keep(await startService(), async (it) => it.close());
  serviceUrl = service.url;
});
afterAll(closeAll);

/** How a host starts it. */
async function command() {
  const { path } = keep(await folder(), (it) => it.remove());
  const base = `http://127.0.0.1:${await freePort()}`;
  const config = join(path, 'longshore.yaml');
  await writeFile(
    config,
    `
server: { listen: '${new URL(base).host}', drain: 1s }
ledger: sqlite:./ledger.db
pollInterval: 100ms
upstreams:
  service:
    document: ${projectFile('test/conformance/service.openapi.yaml')}
    overlays: [${projectFile('test/conformance/service.overlay.yaml')}]
    baseUrl: ${serviceUrl}
`,
  );
  return {
    base,
    command: process.execPath,
    args: [projectFile('src/main.ts'), 'serve', '--stdio', '--config', config],
    stderr: 'ignore' as const,
  };
}

describe('over stdio', () => {
  test('the first SDK drives a task that asks, to its result', async () => {
    const client = new ClientV1(INFO, { capabilities: { tasks: {}, elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async () => ({ ...YES }));
    await client.connect(new StdioV1(await command()));
    keep(client, (it) => it.close());
    let result: unknown;
    const params = { name: 'confirm_delete', arguments: { filename: 'a.txt' } };
    for await (const message of client.experimental.tasks.callToolStream(params, undefined, { task: { ttl: 60_000 } })) {
      if (message.type === 'error') throw message.error;
      if (message.type === 'result') result = message.result;
    }
    expect(JSON.parse(textOf(result))).toEqual({ sure: { confirm: true } });
  });

  test('the second SDK is served in its own era, and HTTP goes on beside it', async () => {
    const started = await command();
    const client = new Client(INFO, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: 'auto' },
    });
    client.setRequestHandler('elicitation/create', async () => ({ ...YES }));
    await client.connect(new StdioClientTransport(started));
    keep(client, (it) => it.close());
    const result = await client.callTool({ name: 'confirm_delete', arguments: { filename: 'b.txt' } });
    expect(JSON.parse(textOf(result))).toEqual({ sure: { confirm: true } });
    const greeted = await modern(`${started.base}/mcp`).rpc('tools/call', { name: 'greet', arguments: { name: 'Ada' } });
    expect(textOf(greeted.result)).toBe('Hello, Ada!');
  });

  test('a task is listened to, to its end', async () => {
    const { command: node, args } = await command();
    const gateway = spawn(node, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    const lines = createInterface({ input: gateway.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? 'null');
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': INFO,
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    };
    const send = (id: number, method: string, params: object) =>
      gateway.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } })}\n`);
    send(1, 'tools/call', { name: 'slow_compute', arguments: { seconds: 1, label: 'x' } });
    const { taskId } = (await next()).result;
    send(2, 'subscriptions/listen', { notifications: { taskIds: [taskId], toolsListChanged: true } });
    const acknowledged = await next();
    expect(acknowledged.params.notifications).toEqual({ toolsListChanged: true, taskIds: [taskId] });
    const statuses: string[] = [];
    while (statuses.at(-1) !== 'completed') {
      const { method, params } = await next();
      expect([method, params.taskId]).toEqual(['notifications/tasks', taskId]);
      statuses.push(params.status);
    }
    expect(new Set(statuses)).toEqual(new Set(['working', 'completed']));
    gateway.kill('SIGTERM');
    // What is still open ends with the gateway, by the result of its request.
    expect(await next()).toMatchObject({ id: 2, result: { resultType: 'complete' } });
    await once(gateway, 'exit');
  });

  test('nothing but messages is on standard output, and the end of the input ends the gateway', async () => {
    const { command: node, args } = await command();
    const gateway = spawn(node, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let out = '';
    let log = '';
    gateway.stdout.on('data', (chunk) => {
      out += chunk;
      // One answer is all that is waited for.
      if (out.includes('\n')) gateway.stdin.end();
    });
    gateway.stderr.on('data', (chunk) => {
      log += chunk;
    });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO };
    gateway.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    const [code] = await once(gateway, 'exit');
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).jsonrpc),
    ).toEqual(['2.0']);
    expect(log).toContain('"listening"');
    expect(log).toContain('end of input');
  });
});
