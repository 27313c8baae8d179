// mcpdo, the Inspector's command for a shell: a daemon holds connections, and each command uses one of them.
//   A connection runs one command at a time, so what is done to a task while its call still waits goes over a second one.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startReports } from '../../demo/reports.ts';
import type { Service } from '../../demo/service.ts';
import { systemClock } from '../../src/clock.ts';
import { startService } from '../conformance/service.ts';
import { closing, folder, type GatewayUnderTest, projectFile, serve, until } from './gateway.ts';
import { textOf } from './wire.ts';

const { keep, closeAll } = closing();
const TOKEN = 'a-token-for-operators-in-tests';
const COMMAND = projectFile('node_modules/@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js');
let reports: Service;
let gateway: GatewayUnderTest;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  reports = keep(await startReports({ port: 0, clock: systemClock }), (it) => it.close());
  const asking = keep(await startService(), async (it) => it.close());
  const upstreams = `
  reports:
    document: ${projectFile('specs/demo/reports.openapi.yaml')}
    baseUrl: ${reports.url}
    defaults: { pace: { min: 100ms } }
  asking:
    document: ${projectFile('test/conformance/service.openapi.yaml')}
    overlays: [${projectFile('test/conformance/service.overlay.yaml')}]
    baseUrl: ${asking.url}
`;
  const admin = { settings: 'admin: { token: { env: ADMIN } }', env: { ADMIN: TOKEN } };
  gateway = keep(await serve(upstreams, admin), (it) => it.dispose());
  const home = await folder();
  keep(home, (it) => it.remove());
  env = { ...process.env, HOME: home.path, TMPDIR: home.path, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  for (const [, name = '', value] of (await run('private')).matchAll(/^export (\w+)='(.*)'$/gm)) env[name] = value;
  keep(undefined, () => run('daemon', 'stop'));
}, 60_000);
afterAll(closeAll);

/** What a command prints, whether it succeeds or not. */
async function run(...args: readonly string[]): Promise<string> {
  const command = [COMMAND, '--format', 'json', ...args];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { env, timeout: 60_000 }).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => error,
  );
  return stdout.trim() === '' ? stderr : stdout;
}

/** One operation as an operator sees it: the latest, which is how somebody learns its id while a call waits. */
async function latestOperation(): Promise<{ readonly id: string; readonly tool: string } | undefined> {
  const response = await fetch(`${gateway.base}/admin/v1/operations?limit=1`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  return ((await response.json()) as { readonly items: readonly { id: string; tool: string }[] }).items[0];
}

describe.each(['legacy', 'modern'] as const)('mcpdo in the %s era', { timeout: 120_000 }, (era) => {
  /** Connects under a name of its own: the URL is the name. */
  async function connect(name: string) {
    const url = `${gateway.url}?${era}-${name}`;
    expect(JSON.parse(await run('connect', url, '--transport', 'http', '--era', era, '--elicit', 'form'))).toMatchObject({
      protocolEra: era,
    });
    return async (...args: readonly string[]) => {
      const printed = await run('--connection', url, ...args);
      return JSON.parse(printed.slice(printed.indexOf('{')));
    };
  }
  const task = era === 'legacy' ? ['--task'] : [];

  test('creates a task, and reads its result in the call and again', async () => {
    const mcpdo = await connect('reads');
    const before = reports.jobsCreated();
    const called = await mcpdo('tools/call', 'create_report', '{"month":"2026-09","seconds":0.4}', ...task);
    expect(textOf(called)).toContain('2026-09-00001');
    expect(reports.jobsCreated() - before).toBe(1);
    const taskId = (await latestOperation())?.id ?? '';
    expect((await mcpdo('tasks/get', taskId)).task).toMatchObject({ taskId, status: 'completed' });
    expect(textOf(await mcpdo('tasks/result', taskId))).toBe(textOf(called));
  });

  test('answers what a job asks', async () => {
    const mcpdo = await connect('answers');
    const { elicitationPending } = await mcpdo('tools/call', 'confirm_delete', '{"filename":"a.txt"}', ...task);
    expect(elicitationPending).toMatchObject({ message: 'Delete a.txt?', mode: 'form' });
    const done = await mcpdo('elicitation/respond', elicitationPending.elicitationId, 'confirm:=true');
    expect(JSON.parse(textOf(done))).toEqual({ sure: { confirm: true } });
  });

  test('cancels a task while its call waits, after a restart of the gateway', async () => {
    const caller = await connect('calls');
    const before = (await latestOperation())?.id;
    const calling = caller('tools/call', 'create_report', '{"month":"2026-09","seconds":600}', ...task);
    const taskId = await until('the task', async () => {
      const latest = await latestOperation();
      return latest?.id !== before && latest?.id;
    });
    await until('the job', async () => (await reportStatus()) === 'running');
    const jobs = reports.jobsCreated();

    await gateway.kill9();
    await gateway.start();

    const other = await connect('cancels');
    expect((await other('tasks/get', taskId)).task).toMatchObject({ taskId, status: 'working' });
    expect(await other('tasks/cancel', taskId)).toEqual({ cancelled: true, taskId });
    await until('the service has cancelled', async () => (await reportStatus()) === 'cancelled');
    await until('the task is cancelled', async () => (await other('tasks/get', taskId)).task.status === 'cancelled');
    expect(await calling).toHaveProperty('error');
    expect(reports.jobsCreated()).toBe(jobs);
  });
});

/** What the service itself says of its latest job. */
async function reportStatus(): Promise<string> {
  const response = await fetch(`${reports.url}/report-jobs/r-${1000 + reports.jobsCreated()}`);
  return ((await response.json()) as { readonly status: string }).status;
}
