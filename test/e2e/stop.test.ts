import { afterEach, describe, expect, test } from 'vitest';
import { startJobs } from '../fixtures/jobs.ts';
import { closing, projectFile, serve, until } from './gateway.ts';
import { modern, textOf } from './wire.ts';

const { keep, closeAll } = closing();
afterEach(closeAll);

async function setting(settings = '') {
  const jobs = keep(await startJobs(), (it) => it.close());
  const upstreams = `
  jobs:
    document: ${projectFile('test/fixtures/jobs.openapi.yaml')}
    baseUrl: ${jobs.url}
`;
  return { jobs, gateway: keep(await serve(upstreams, { settings }), (it) => it.dispose()) };
}

describe('SIGTERM', () => {
  test('lets a submit on the wire finish, exits 0, and the next start goes on from there', async () => {
    const { jobs, gateway } = await setting();
    jobs.manner.submit = 'hangs';
    const { result } = await modern(gateway.url).rpc('tools/call', { name: 'create_order', arguments: { name: 'Ada' } });
    const { taskId } = result;
    expect(jobs.hanging()).toBe(1);
    const stopped = gateway.stop();
    await until('the gateway takes no more', async () => {
      const ready = await fetch(`${gateway.base}/readyz`).catch(() => undefined);
      return ready?.ok !== true;
    });
    jobs.resume();
    expect(await stopped).toBe(0);
    jobs.release();
    await gateway.start();
    const task = await until('the operation ends', async () => {
      const { result } = await modern(gateway.url).rpc('tasks/get', { taskId });
      return result['status'] === 'completed' && result;
    });
    expect(textOf(task['result'])).toContain('Hello, Ada!');
    expect(jobs.submits).toHaveLength(1);
  });

  test('ends a call that waits for its job with the handle, and exits within the drain time', async () => {
    const { jobs, gateway } = await setting('limits: { inlineWait: 10m }');
    const call = modern(gateway.url, { tasks: false }).rpc('tools/call', { name: 'create_job', arguments: { name: 'Ada' } });
    await until('the job exists', () => jobs.jobsCreated() === 1);
    const begunAt = performance.now();
    expect(await gateway.stop()).toBe(0);
    expect(performance.now() - begunAt).toBeLessThan(8000);
    const { result } = await call;
    expect(result['structuredContent']).toMatchObject({ outcome: 'pending', operation: expect.stringMatching(/^op_/) });
  });

  test('with nothing under way exits 0 at once', async () => {
    const { gateway } = await setting();
    const begunAt = performance.now();
    expect(await gateway.stop()).toBe(0);
    expect(performance.now() - begunAt).toBeLessThan(3000);
  });
});
