import { afterEach, describe, expect, test } from 'vitest';
import { type JobService, startJobs } from '../fixtures/jobs.ts';
import { closing, type GatewayUnderTest, projectFile, serve, until } from './gateway.ts';
import { modern, textOf } from './wire.ts';

const { keep, closeAll } = closing();
afterEach(closeAll);

async function setting(): Promise<{ jobs: JobService; gateway: GatewayUnderTest }> {
  const jobs = keep(await startJobs(), (it) => it.close());
  jobs.oneJobForAll = true;
  const upstreams = `
  jobs:
    document: ${projectFile('test/fixtures/jobs.openapi.yaml')}
    baseUrl: ${jobs.url}
`;
  return { jobs, gateway: keep(await serve(upstreams), (it) => it.dispose()) };
}

const begin = async (gateway: GatewayUnderTest, name: string) =>
  String((await modern(gateway.url).rpc('tools/call', { name: 'create_job', arguments: { name } })).result['taskId']);
const taskOf = async (gateway: GatewayUnderTest, taskId: string) =>
  (await modern(gateway.url).rpc('tasks/get', { taskId })).result;
const ended = (gateway: GatewayUnderTest, taskId: string) =>
  until(`the end of ${taskId}`, async () => {
    const task = await taskOf(gateway, taskId);
    return task['status'] === 'completed' && task;
  });

describe('a service that answers two calls with one job', { timeout: 60_000 }, () => {
  test('is not asked to stop it for one caller, over a kill too, and both get what it gives', async () => {
    const { jobs, gateway } = await setting();
    const first = await begin(gateway, 'Ada');
    const second = await begin(gateway, 'Ada');
    await gateway.kill9();
    await gateway.start();
    await modern(gateway.url).rpc('tasks/cancel', { taskId: second });
    const told = await until('the caller is told', async () => {
      const task = await taskOf(gateway, second);
      return String(task['statusMessage']).includes('cancel was not sent') && task;
    });
    expect(told['status']).toBe('working');
    expect(JSON.stringify(told)).not.toContain(first);
    jobs.release();
    for (const taskId of [first, second]) {
      expect(textOf((await ended(gateway, taskId))['result'])).toContain('Hello, Ada!');
    }
    expect(jobs.jobsCreated()).toBe(1);
    expect(gateway.log.some(({ message, sharedWith }) => message === 'a cancel was not sent' && sharedWith === first)).toBe(
      true,
    );
  });

  test('that ask for different things says with the result that it may be the answer to the other one', async () => {
    const { jobs, gateway } = await setting();
    const tasks = [await begin(gateway, 'Ada'), await begin(gateway, 'Bo')];
    jobs.release();
    for (const taskId of tasks) {
      const said = textOf((await ended(gateway, taskId))['result']);
      expect(said).toContain('Hello, Ada!');
      expect(said).toContain('with other arguments: what it gives may be the answer to that one');
    }
  });
});
