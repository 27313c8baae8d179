import { afterEach, describe, expect, test } from 'vitest';
import { type JobService, startJobs } from '../fixtures/jobs.ts';
import { closing, type GatewayUnderTest, projectFile, serve, until } from './gateway.ts';
import { modern, session, textOf, type Wire } from './wire.ts';

const { keep, closeAll } = closing();
afterEach(closeAll);

async function setting(): Promise<{ jobs: JobService; gateway: GatewayUnderTest }> {
  const jobs = keep(await startJobs(), (it) => it.close());
  const upstreams = `
  jobs:
    document: ${projectFile('test/fixtures/jobs.openapi.yaml')}
    baseUrl: ${jobs.url}
`;
  return { jobs, gateway: keep(await serve(upstreams), (it) => it.dispose()) };
}

/** Calls a tool as a task of 2026-07-28. */
async function begin(wire: Wire, name: string, args: Record<string, unknown>): Promise<string> {
  const { result, error } = await wire.rpc('tools/call', { name, arguments: args });
  expect(error).toBeUndefined();
  expect(result).toMatchObject({ resultType: 'task' });
  return String(result['taskId']);
}

/** Calls a tool as a task of 2025-11-25. */
async function beginInSession(wire: Wire, name: string, args: Record<string, unknown>): Promise<string> {
  const { result, error } = await wire.rpc('tools/call', { name, arguments: args, task: { ttl: 600_000 } });
  expect(error).toBeUndefined();
  return (result['task'] as { taskId: string }).taskId;
}

/** The task once it has ended, as 2026-07-28 shows it. */
const ended = (gateway: GatewayUnderTest, taskId: string) =>
  until(`the end of ${taskId}`, async () => {
    const { result } = await modern(gateway.url).rpc('tasks/get', { taskId });
    return result['status'] !== undefined && result['status'] !== 'working' && result;
  });

describe('kill -9', { timeout: 90_000 }, () => {
  test('while jobs run under both contracts: each ends, and each exists once', async () => {
    const { jobs, gateway } = await setting();
    const names = ['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Flo', 'Gus', 'Hal'];
    const legacy = await session(gateway.url);
    const tasks = await Promise.all(
      names.map(async (name, index) => ({
        name,
        taskId: await (index % 2 === 0
          ? begin(modern(gateway.url), index < 4 ? 'create_job' : 'create_order', { name })
          : beginInSession(legacy, index < 4 ? 'create_job' : 'create_order', { name })),
      })),
    );
    await until('every job exists', () => jobs.jobsCreated() === names.length);
    await gateway.kill9();
    jobs.release();
    await gateway.start();
    for (const { name, taskId } of tasks) {
      const task = await ended(gateway, taskId);
      expect(task['status']).toBe('completed');
      expect(textOf(task['result'])).toContain(`Hello, ${name}!`);
    }
    expect(jobs.namesCreated()).toEqual(names);
    // The door that a task came through is open again too.
    const again = await session(gateway.url);
    const { result } = await again.rpc('tasks/result', { taskId: tasks[1]?.taskId });
    expect(textOf(result)).toContain('Hello, Bo!');
  });

  test('while a submit is on the wire to a service that knows keys: sent again with the same key, one job', async () => {
    const { jobs, gateway } = await setting();
    jobs.manner.submit = 'hangs';
    const taskId = await begin(modern(gateway.url), 'create_job', { name: 'Ada' });
    expect(jobs.hanging()).toBe(1);
    await gateway.kill9();
    jobs.manner.submit = 'answers';
    jobs.release();
    await gateway.start();
    const task = await ended(gateway, taskId);
    expect(textOf(task['result'])).toContain('Hello, Ada!');
    expect(jobs.namesCreated()).toEqual(['Ada']);
    expect(jobs.submits).toHaveLength(2);
    expect(new Set(jobs.submits.map((submit) => submit.key)).size).toBe(1);
  });

  test('while a submit is on the wire to a service without keys: never sent again, and said to be unknown', async () => {
    const { jobs, gateway } = await setting();
    jobs.manner.submit = 'hangs';
    const taskId = await begin(modern(gateway.url), 'create_order', { name: 'Ada' });
    expect(jobs.hanging()).toBe(1);
    await gateway.kill9();
    jobs.manner.submit = 'answers';
    jobs.release();
    await gateway.start();
    const task = await ended(gateway, taskId);
    expect(task).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(textOf(task['result'])).toMatch(/outcome unknown/i);
    expect(jobs.submits).toHaveLength(1);
  });

  test('while a poll is on the wire: the job is looked at again soon after the start', async () => {
    const { jobs, gateway } = await setting();
    jobs.manner.poll = 'hangs';
    const taskId = await begin(modern(gateway.url), 'create_job', { name: 'Ada' });
    await until('a poll is on the wire', () => jobs.hanging() === 1);
    await gateway.kill9();
    jobs.manner.poll = 'answers';
    jobs.release();
    await gateway.start();
    expect(textOf((await ended(gateway, taskId))['result'])).toContain('Hello, Ada!');
  });

  test('again and again while calls come in: what was acknowledged ends, and nothing is started twice', async () => {
    const { jobs, gateway } = await setting();
    const acknowledged: { readonly name: string; readonly taskId: string }[] = [];
    for (const round of [1, 2, 3]) {
      const legacy = await session(gateway.url);
      const before = jobs.submits.length;
      const calls = Array.from({ length: 6 }, async (_, index) => {
        const name = `${round}-${index}`;
        const taskId = await (index % 2 === 0
          ? begin(modern(gateway.url), 'create_job', { name })
          : beginInSession(legacy, 'create_job', { name }));
        acknowledged.push({ name, taskId });
      });
      const settled = Promise.allSettled(calls);
      await until('some submits have arrived', () => jobs.submits.length >= before + 2 * round);
      await gateway.kill9();
      await settled;
      await gateway.start();
    }
    jobs.release();
    for (const { name, taskId } of acknowledged) {
      expect(textOf((await ended(gateway, taskId))['result'])).toContain(`Hello, ${name}!`);
    }
    const names = jobs.namesCreated();
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(acknowledged.map(({ name }) => name)));
  });

  test('after the end: the result is still there, and the job is not started again', async () => {
    const { jobs, gateway } = await setting();
    jobs.release();
    const taskId = await begin(modern(gateway.url), 'create_job', { name: 'Ada' });
    await ended(gateway, taskId);
    await gateway.kill9();
    await gateway.start();
    expect(textOf((await ended(gateway, taskId))['result'])).toContain('Hello, Ada!');
    expect(jobs.submits).toHaveLength(1);
  });
});
