// mcpdo, the Inspector's command for a shell: a daemon holds connections, and each command uses one of them.
//   A connection runs one command at a time, so what is done to a task while its call still waits goes over a second one.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { folder, projectFile, until } from './gateway.ts';
import { DELETED, proves, stage } from './matrix.ts';
import { textOf } from './wire.ts';

const COMMAND = projectFile('node_modules/@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js');
let env: NodeJS.ProcessEnv;

const it = stage(async ({ keep }) => {
  const home = await folder();
  keep(home, (one) => one.remove());
  env = { ...process.env, HOME: home.path, TMPDIR: home.path, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  for (const [, name = '', value] of (await run('private')).matchAll(/^export (\w+)='(.*)'$/gm)) env[name] = value;
  keep(undefined, () => run('daemon', 'stop'));
});

/** What a command prints, whether it succeeds or not. */
async function run(...args: readonly string[]): Promise<string> {
  const command = [COMMAND, '--format', 'json', ...args];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { env, timeout: 60_000 }).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => error,
  );
  return stdout.trim() === '' ? stderr : stdout;
}

for (const era of ['legacy', 'modern'] as const) {
  /** Connects under a name of its own: the URL is the name. */
  const connect = async (name: string) => {
    const url = `${it.gateway.url}?${era}-${name}`;
    expect(JSON.parse(await run('connect', url, '--transport', 'http', '--era', era, '--elicit', 'form'))).toMatchObject({
      protocolEra: era,
    });
    return async (...args: readonly string[]) => {
      const printed = await run('--connection', url, ...args);
      return JSON.parse(printed.slice(printed.indexOf('{')));
    };
  };
  const task = era === 'legacy' ? ['--task'] : [];

  /** Calls, and answers once the task is known; the call goes on waiting. */
  const begin = async (name: string) => {
    const calling = (await connect(name))('tools/call', 'create_job', JSON.stringify({ name }), ...task);
    await it.jobExists();
    await until('the job is followed', async () => (await it.latest()).state === 'working');
    return { calling, taskId: (await it.latest()).id };
  };

  proves(era === 'legacy' ? 'mcpdo-2025' : 'mcpdo-2026', {
    async create() {
      const { calling, taskId } = await begin('Ada');
      it.jobs.release();
      const called = await calling;
      expect(textOf(called)).toContain('Hello, Ada!');
      expect(it.jobs.submits).toHaveLength(1);
      const mcpdo = await connect('reads');
      expect((await mcpdo('tasks/get', taskId)).task).toMatchObject({ taskId, status: 'completed' });
      expect(textOf(await mcpdo('tasks/result', taskId))).toBe(textOf(called));
    },

    async input() {
      const mcpdo = await connect('answers');
      const { elicitationPending } = await mcpdo('tools/call', 'confirm_delete', '{"filename":"a.txt"}', ...task);
      expect(elicitationPending).toMatchObject({ message: 'Delete a.txt?', mode: 'form' });
      const done = await mcpdo('elicitation/respond', elicitationPending.elicitationId, 'confirm:=true');
      expect(JSON.parse(textOf(done))).toEqual(DELETED);
    },

    async cancel() {
      const { calling, taskId } = await begin('Bo');
      const other = await connect('cancels');
      expect(await other('tasks/cancel', taskId)).toEqual({ cancelled: true, taskId });
      await until('the service has cancelled', async () => (await it.jobStatus()) === 'cancelled');
      await until('the task is cancelled', async () => (await other('tasks/get', taskId)).task.status === 'cancelled');
      expect(await calling).toHaveProperty('error');
    },

    async restart() {
      const { calling, taskId } = await begin('Cy');
      await it.restart();
      const other = await connect('resumes');
      expect((await other('tasks/get', taskId)).task).toMatchObject({ taskId, status: 'working' });
      it.jobs.release();
      await until('the task completes', async () => (await other('tasks/get', taskId)).task.status === 'completed');
      expect(textOf(await other('tasks/result', taskId))).toContain('Hello, Cy!');
      expect(await calling).toHaveProperty('error');
      expect(it.jobs.jobsCreated()).toBe(1);
    },
  });
}
