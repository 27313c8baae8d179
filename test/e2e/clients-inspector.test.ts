// The Inspector's command line, each command a process of its own: in the era of 2025-11-25 it knows no Tasks; in that of 2026-07-28
// it follows a task for as long as it runs.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { folder, projectFile, until } from './gateway.ts';
import { DELETED, proves, stage, YES } from './matrix.ts';
import { modern, operationOf, textOf } from './wire.ts';

const LAUNCHER = projectFile('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
let env: NodeJS.ProcessEnv;

const it = stage(async ({ keep }) => {
  const home = await folder();
  keep(home, (one) => one.remove());
  env = { ...process.env, HOME: home.path };
});

type Era = 'legacy' | 'modern';

const command = (era: Era, method: string, ...more: readonly string[]): string[] => {
  const server = ['--cli', '--server-url', it.gateway.url, '--transport', 'http', '--protocol-era', era];
  return [LAUNCHER, ...server, '--format', 'json', '--method', method, ...more];
};
const callOf = (tool: string, args: object) => ['--tool-name', tool, '--tool-args-json', JSON.stringify(args)];

/** One call, to its end. */
async function call(era: Era, tool: string, args: object): Promise<unknown> {
  const options = { env, timeout: 60_000 };
  const { stdout } = await promisify(execFile)(process.execPath, command(era, 'tools/call', ...callOf(tool, args)), options);
  const printed = JSON.parse(stdout);
  return printed.result ?? printed;
}

/** What a command is refused with. */
async function refused(era: Era, method: string): Promise<string> {
  const running = promisify(execFile)(process.execPath, command(era, method), { env, timeout: 60_000 });
  return running.then(
    ({ stdout }) => stdout,
    ({ stderr }: { readonly stderr: string }) => stderr,
  );
}

/** A call that goes on: what it has printed when it is over, and how to end it. */
function begin(tool: string, args: object): { readonly child: ChildProcess; readonly printed: Promise<string> } {
  const child = spawn(process.execPath, command('modern', 'tools/call', ...callOf(tool, args)), { env });
  it.keep(child, async () => child.kill('SIGKILL'));
  const printed = Promise.all([text(child.stdout), text(child.stderr)]).then((streams) => streams.join(''));
  return { child, printed };
}

/** What another client reads of a task. */
const reader = () => modern(it.gateway.url);
const read = async (taskId: string) => (await reader().rpc('tasks/get', { taskId })).result;
const followed = async (state = 'working'): Promise<string> => {
  await until('the operation is followed', async () => (await it.latest()).state === state);
  return (await it.latest()).id;
};

proves('inspector-2025', {
  async create() {
    const operation = operationOf(await call('legacy', 'create_job', { name: 'Ada' }));
    it.jobs.release();
    expect(textOf(await call('legacy', 'wait_for_operation', { operation }))).toContain('Hello, Ada!');
    expect(textOf(await call('legacy', 'create_job', { name: 'Bea' }))).toContain('Hello, Bea!');
  },

  async input() {
    const pending = await call('legacy', 'confirm_delete', { filename: 'a.txt' });
    expect(textOf(pending)).toContain('Delete a.txt?');
    const operation = operationOf(pending);
    const result = await call('legacy', 'answer_operation', { operation, answer: { confirm: true } });
    expect(JSON.parse(textOf(result))).toEqual(DELETED);
  },

  async cancel() {
    expect(await refused('legacy', 'tasks/cancel')).toContain('Unsupported method: tasks/cancel');
    const operation = operationOf(await call('legacy', 'create_job', { name: 'Bo' }));
    await call('legacy', 'cancel_operation', { operation });
    await until('the service has cancelled', async () => (await it.jobStatus()) === 'cancelled');
  },

  async restart() {
    const operation = operationOf(await call('legacy', 'create_job', { name: 'Cy' }));
    await it.restart();
    it.jobs.release();
    expect(textOf(await call('legacy', 'wait_for_operation', { operation }))).toContain('Hello, Cy!');
    expect(it.jobs.jobsCreated()).toBe(1);
  },
});

proves('inspector-2026', {
  async create() {
    it.jobs.release();
    expect(textOf(await call('modern', 'create_job', { name: 'Ada' }))).toContain('Hello, Ada!');
    expect(it.jobs.submits).toHaveLength(1);
    expect(await read((await it.latest()).id)).toMatchObject({ status: 'completed' });
  },

  async input() {
    const { printed } = begin('confirm_delete', { filename: 'a.txt' });
    const taskId = await followed('input-required');
    const asked = await reader().rpc('tasks/get', { taskId });
    expect(asked.result['statusMessage']).toContain('Delete a.txt?');
    await reader().rpc('tasks/update', { taskId, inputResponses: { 'input-1.1': YES } });
    const { result } = JSON.parse(await printed);
    expect(JSON.parse(textOf(result))).toEqual(DELETED);
  },

  async cancel() {
    expect(await refused('modern', 'tasks/cancel')).toContain('Unsupported method: tasks/cancel');
    const { child } = begin('create_job', { name: 'Bo' });
    await it.jobExists();
    const taskId = await followed();
    child.kill('SIGINT');
    await once(child, 'exit');
    expect(await read(taskId)).toMatchObject({ status: 'working' });
    expect(await it.jobStatus()).toBe('running');
    await reader().rpc('tasks/cancel', { taskId });
    await until('the task is cancelled', async () => (await read(taskId))['status'] === 'cancelled');
  },

  async restart() {
    const { printed } = begin('create_job', { name: 'Cy' });
    await it.jobExists();
    const taskId = await followed();
    await it.restart();
    expect(JSON.parse(await printed)).toHaveProperty('error');
    it.jobs.release();
    const task = await until('the task completes', async () => {
      const now = await read(taskId);
      return now['status'] === 'completed' && now;
    });
    expect(textOf(task['result'])).toContain('Hello, Cy!');
    expect(it.jobs.jobsCreated()).toBe(1);
  },
});
