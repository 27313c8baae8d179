// One more contract is one new file, and its import and name in the list: done to a copy of the sources, which is then started, configured and called.

import { execFile } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort, startGateway } from '../../demo/gateway.ts';
import { startService } from '../conformance/service.ts';
import { THIRD } from '../fixtures/contracts/tasks-2027-03-31.ts';
import { post, request } from '../http/kit.ts';
import { closing, folder, projectFile } from './gateway.ts';
import { textOf } from './wire.ts';

const { keep, closeAll } = closing();
afterAll(closeAll);

const LINES = [
  [
    "from './tasks-2026-07-28.ts';\n",
    "from './tasks-2026-07-28.ts';\nimport { tasks20270331 } from './tasks-2027-03-31.ts';\n",
  ],
  ['Contract[] = [', 'Contract[] = [tasks20270331, '],
] as const;

/** The product's sources with the contract added, and nothing else changed. */
async function extended(): Promise<string> {
  const { path } = keep(await folder(), (it) => it.remove());
  for (const part of ['src', 'adapters', 'specs', 'package.json'])
    await cp(projectFile(part), join(path, part), { recursive: true });
  await symlink(projectFile('node_modules'), join(path, 'node_modules'));
  const file = await readFile(projectFile('test/fixtures/contracts/tasks-2027-03-31.ts'), 'utf8');
  await writeFile(
    join(path, 'src/contracts/tasks-2027-03-31.ts'),
    file.replaceAll('../../../src/contracts/', './').replaceAll('../../../src/', '../'),
  );
  const index = join(path, 'src/contracts/index.ts');
  let list = await readFile(index, 'utf8');
  for (const [before, after] of LINES) {
    expect(list.split(before)).toHaveLength(2);
    list = list.replace(before, after);
  }
  await writeFile(index, list);
  return path;
}

describe('a third contract, added', () => {
  test('is configured, gated, inspected, and spoken to the end of a job', async () => {
    const path = await extended();
    const main = join(path, 'src/main.ts');
    const service = keep(await startService(), async (it) => it.close());
    const url = `http://127.0.0.1:${await freePort()}`;
    const document = projectFile('test/conformance/service.openapi.yaml');
    const overlay = projectFile('test/conformance/service.overlay.yaml');
    const config = join(path, 'longshore.yaml');
    await writeFile(
      config,
      `
server: { listen: '${new URL(url).host}', drain: 1s }
ledger: sqlite:./ledger.db
contracts: ['${THIRD}', '2026-07-28']
gates: { set: [{ adapter: http-202@1, contract: '${THIRD}', mode: open, reason: qualified by hand }] }
upstreams:
  service: { document: ${document}, overlays: [${overlay}], baseUrl: '${service.url}' }
`,
    );
    const gateway = await startGateway({ config, url, main });
    keep(gateway, async (it) => {
      it.signal('SIGTERM');
      await it.exited;
    });

    const params = { protocolVersion: '2025-06-18', capabilities: { jobs: {} }, clientInfo: { name: 'test', version: '1' } };
    const opened = await post(`${url}/mcp`, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
    expect(opened.result.capabilities.experimental).toEqual({ jobs: {} });
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-06-18' };
    const rpc = (method: string, given: object) =>
      post(`${url}/mcp`, { jsonrpc: '2.0', id: 1, method, params: given }, headers);
    const call = { name: 'slow_compute', arguments: { seconds: 0, label: 'x' }, later: true };
    const { job } = (await rpc('tools/call', call)).result;
    const ended = async () => (await rpc('tasks/get', { taskId: job })).result;
    await expect.poll(async () => (await ended()).state, { timeout: 10_000 }).toBe('DONE');
    expect(JSON.parse(textOf((await ended()).answer))).toEqual({ label: 'x', seconds: 0 });
    // The others are spoken beside it, and read what it started.
    expect((await request(`${url}/mcp`, 'tasks/get', { taskId: job })).result.status).toBe('completed');

    const run = promisify(execFile);
    const inspect = ['inspect', document, '--overlay', overlay, '--contract', THIRD, '--json'];
    const { stdout } = await run(process.execPath, [main, ...inspect]);
    const slow = JSON.parse(stdout).operations.find(
      ({ operationId }: { operationId: string }) => operationId === 'slow_compute',
    );
    expect(Object.keys(slow.tool.bytes)).toEqual([THIRD]);
  });
});
