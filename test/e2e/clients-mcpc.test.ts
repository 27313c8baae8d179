// mcpc, a command for a shell that keeps sessions of 2025-11-25: it creates a task, lets go of it, and comes back.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { folder, projectFile, until } from './gateway.ts';
import { DELETED, proves, stage } from './matrix.ts';
import { textOf } from './wire.ts';

const COMMAND = projectFile('node_modules/@apify/mcpc/bin/mcpc');
const SESSION = '@longshore';
let env: NodeJS.ProcessEnv;

const it = stage(async ({ gateway, keep }) => {
  const home = await folder();
  keep(home, (one) => one.remove());
  env = { ...process.env, HOME: home.path, MCPC_HOME_DIR: home.path };
  await run('connect', gateway.url, SESSION);
  // The session is held by a process of its own, which must not outlive the tests.
  keep(SESSION, (name) => run('close', name));
});

async function run(...args: readonly string[]) {
  const command = [COMMAND, '--json', ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env, timeout: 60_000 });
  return JSON.parse(stdout);
}

const call = (tool: string, args: object, ...flags: readonly string[]) =>
  run(SESSION, 'tools-call', tool, JSON.stringify(args), ...flags);

/** Calls, and lets go as soon as there is a task. */
async function begin(name: string): Promise<string> {
  const { taskId } = await call('create_job', { name }, '--detach');
  await it.jobExists();
  return taskId;
}

proves('mcpc', {
  async create() {
    const taskId = await begin('Ada');
    expect(await run(SESSION, 'tasks-get', taskId)).toMatchObject({ taskId, status: 'working' });
    it.jobs.release();
    expect(textOf(await run(SESSION, 'tasks-result', taskId))).toContain('Hello, Ada!');
    expect(it.jobs.submits).toHaveLength(1);
  },

  async input() {
    // A client that declares that it can put forms would be asked, and not told.
    expect(textOf(await call('confirm_delete', { filename: 'b.txt' }))).toContain('call answer_operation');
    const { taskId } = await call('confirm_delete', { filename: 'a.txt' }, '--detach');
    const asking = await until('the task asks', async () => {
      const task = await run(SESSION, 'tasks-get', taskId);
      return task.status === 'input_required' && task;
    });
    expect(asking.statusMessage).toContain('Delete a.txt?');
    const named = (await run(SESSION, 'tools-list')).map(({ name }: { readonly name: string }) => name);
    expect(named).toContain('answer_operation');
    const answered = await call('answer_operation', { operation: taskId, answer: { confirm: true } });
    expect(JSON.parse(textOf(answered))).toEqual(DELETED);
    expect(textOf(await run(SESSION, 'tasks-result', taskId))).toBe(textOf(answered));
  },

  async cancel() {
    const taskId = await begin('Bo');
    expect(await run(SESSION, 'tasks-cancel', taskId)).toMatchObject({ taskId, status: 'cancelled' });
    expect(await run(SESSION, 'tasks-get', taskId)).toMatchObject({ status: 'cancelled' });
    await until('the service has cancelled', async () => (await it.jobStatus()) === 'cancelled');
  },

  async restart() {
    const taskId = await begin('Cy');
    await it.restart();
    await run(SESSION, 'restart');
    expect(await run(SESSION, 'tasks-get', taskId)).toMatchObject({ taskId, status: 'working' });
    it.jobs.release();
    expect(textOf(await run(SESSION, 'tasks-result', taskId))).toContain('Hello, Cy!');
    expect(it.jobs.jobsCreated()).toBe(1);
  },
});
