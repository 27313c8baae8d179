// mcpc, a command for a shell that keeps sessions of 2025-11-25: it creates a task, lets go of it, and comes back.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type JobService, startJobs } from '../fixtures/jobs.ts';
import { closing, folder, type GatewayUnderTest, projectFile, serve, until } from './gateway.ts';
import { textOf } from './wire.ts';

const { keep, closeAll } = closing();
const COMMAND = projectFile('node_modules/@apify/mcpc/bin/mcpc');
const SESSION = '@longshore';
let jobs: JobService;
let gateway: GatewayUnderTest;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  jobs = keep(await startJobs(), (it) => it.close());
  const upstreams = `
  jobs:
    document: ${projectFile('test/fixtures/jobs.openapi.yaml')}
    baseUrl: ${jobs.url}
`;
  gateway = keep(await serve(upstreams), (it) => it.dispose());
  const home = await folder();
  keep(home, (it) => it.remove());
  env = { ...process.env, HOME: home.path, MCPC_HOME_DIR: home.path };
  await run('connect', gateway.url, SESSION);
  // The session is held by a process of its own, which must not outlive the tests.
  keep(SESSION, (name) => run('close', name));
}, 60_000);
beforeEach(() => jobs.reset());
afterAll(closeAll);

async function run(...args: readonly string[]) {
  const command = [COMMAND, '--json', ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env, timeout: 60_000 });
  return JSON.parse(stdout);
}

/** Calls, and lets go as soon as there is a task. */
async function begin(): Promise<string> {
  const { taskId } = await run(SESSION, 'tools-call', 'create_job', 'name:="Ada"', '--detach');
  await until('the job exists', () => jobs.jobsCreated() === 1);
  return taskId;
}

describe('mcpc', { timeout: 90_000 }, () => {
  test('creates a task, and reads its result later', async () => {
    const taskId = await begin();
    expect(await run(SESSION, 'tasks-get', taskId)).toMatchObject({ taskId, status: 'working' });
    jobs.release();
    expect(textOf(await run(SESSION, 'tasks-result', taskId))).toContain('Hello, Ada!');
    expect(jobs.submits).toHaveLength(1);
  });

  test('cancels a task', async () => {
    const taskId = await begin();
    expect(await run(SESSION, 'tasks-cancel', taskId)).toMatchObject({ taskId, status: 'cancelled' });
    expect(await run(SESSION, 'tasks-get', taskId)).toMatchObject({ status: 'cancelled' });
  });

  test('reads the result after a restart of the gateway in mid-job, in a session that it restarts', async () => {
    const taskId = await begin();
    await gateway.kill9();
    await gateway.start();
    await run(SESSION, 'restart');
    expect(await run(SESSION, 'tasks-get', taskId)).toMatchObject({ taskId, status: 'working' });
    jobs.release();
    expect(textOf(await run(SESSION, 'tasks-result', taskId))).toContain('Hello, Ada!');
    expect(jobs.submits).toHaveLength(1);
  });
});
