// Client libraries before the demo services: what a job comes to, by adapter. What else a client meets is in the other clients-*.test.ts.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAndWait, connectExtTasks, connectPlain, connectSdkV1, type ToolClient } from '../../demo/clients.ts';
import { startMedia } from '../../demo/media.ts';
import { startReports } from '../../demo/reports.ts';
import type { Service } from '../../demo/service.ts';
import { systemClock } from '../../src/clock.ts';
import { closing, type GatewayUnderTest, projectFile, serve, until } from './gateway.ts';
import { modern, session } from './wire.ts';

const { keep, closeAll } = closing();
let reports: Service;
let media: Service;
let gateway: GatewayUnderTest;

beforeAll(async () => {
  reports = keep(await startReports({ port: 0, clock: systemClock }), (it) => it.close());
  media = keep(await startMedia({ port: 0, clock: systemClock }), (it) => it.close());
  const upstreams = `
  reports:
    document: ${projectFile('specs/demo/reports.openapi.yaml')}
    baseUrl: ${reports.url}
    defaults: { pace: { min: 100ms } }
  media:
    document: ${projectFile('specs/demo/media.openapi.yaml')}
    overlays: [${projectFile('specs/demo/media.overlay.yaml')}]
    baseUrl: ${media.url}
`;
  gateway = keep(await serve(upstreams, { settings: 'limits: { inlineWait: 300ms }' }), (it) => it.dispose());
});
afterAll(closeAll);

const jobsCreated = () => reports.jobsCreated() + media.jobsCreated();

/** Connects, calls, closes. */
async function calling(
  connect: Promise<ToolClient>,
  name: string,
  args: Record<string, unknown>,
): Promise<{ text: string; isError: boolean; structured?: unknown; task?: string; jobs: number }> {
  const client = await connect;
  const before = jobsCreated();
  const task: { id?: string } = {};
  try {
    const answer = await client.callTool(name, args, {
      onTask: (id) => {
        task.id = id;
      },
    });
    return { ...answer, ...(task.id === undefined ? {} : { task: task.id }), jobs: jobsCreated() - before };
  } finally {
    await client.close();
  }
}

describe.each([
  ['the first SDK (callToolStream, 2025-11-25)', () => connectSdkV1(gateway.url)],
  ['ext-tasks in the era of 2025-11-25', () => connectExtTasks(gateway.url, '2025-11-25')],
  ['ext-tasks in the era of 2026-07-28', () => connectExtTasks(gateway.url, '2026-07-28')],
])('%s', (_name, connect) => {
  test('drives a job behind 202 + Location to its result', async () => {
    const answer = await calling(connect(), 'create_report', { month: '2026-09', seconds: 0.4 });
    expect(answer).toMatchObject({ isError: false, task: expect.stringMatching(/^op_/), jobs: 1 });
    expect(JSON.parse(answer.text)).toMatchObject({ month: '2026-09', entries: expect.any(Array) });
  });

  test('drives an AIP-151 operation to its result', async () => {
    const answer = await calling(connect(), 'transcode', { asset: 'a1', seconds: 0.4 });
    expect(answer).toMatchObject({ isError: false, task: expect.stringMatching(/^op_/), jobs: 1 });
    expect(answer.text).toContain('https://media.example/a1/1080p.mp4');
  });

  test('is told why a job failed', async () => {
    const report = await calling(connect(), 'create_report', { month: '2999-01', seconds: 0.2 });
    expect(report).toMatchObject({ isError: true, jobs: 1 });
    expect(report.text).toContain('The books of 2999-01 are not closed yet');
    const film = await calling(connect(), 'transcode', { asset: 'encrypted-7', seconds: 0.2 });
    expect(film).toMatchObject({ isError: true, jobs: 1 });
    expect(film.text).toContain('is encrypted');
  });

  test('gets the answer of a synchronous tool at once', async () => {
    const answer = await calling(connect(), 'list_months', {});
    expect(answer).toMatchObject({ isError: false, jobs: 0 });
    expect(answer.task).toBeUndefined();
    expect(JSON.parse(answer.text).months).toHaveLength(6);
  });
});

describe('a client without Tasks', () => {
  test('gets a handle for what outlasts the wait, and the result by waiting for it', async () => {
    const client = await connectPlain(gateway.url);
    const before = jobsCreated();
    const handles: string[] = [];
    const answer = await callAndWait(
      client,
      'create_report',
      { month: '2026-08', seconds: 1 },
      { onPending: (operation) => handles.push(operation) },
    );
    await client.close();
    expect(answer.isError).toBe(false);
    expect(answer.text).toContain('2026-08-00001');
    expect(new Set(handles).size).toBe(1);
    expect(jobsCreated() - before).toBe(1);
  });

  test('reads in the pending answer that nothing is done yet, and what to do', async () => {
    const answer = await calling(connectPlain(gateway.url), 'create_report', { month: '2026-08', seconds: 1 });
    expect(answer).toMatchObject({
      isError: false,
      structured: { outcome: 'pending', operation: expect.stringMatching(/^op_/) },
    });
    expect(answer.text).toMatch(/^Not finished\..*Do not call create_report again.*wait_for_operation/s);
  });

  test('gets the result of a quick job in the same answer', async () => {
    const answer = await calling(connectPlain(gateway.url), 'transcode', { asset: 'a3', seconds: 0 });
    expect(answer).toMatchObject({ isError: false, jobs: 1 });
    expect(answer.text).toContain('/a3/');
  });
});

describe('a cancel', () => {
  /** What the service itself says of its latest job. */
  const latestReport = async () => {
    const response = await fetch(`${reports.url}/report-jobs/r-${1000 + reports.jobsCreated()}`);
    return ((await response.json()) as { status: string }).status;
  };
  const call = { name: 'create_report', arguments: { month: '2026-05', seconds: 600 } };

  test('through 2025-11-25 is answered with the cancelled task, and reaches the service', async () => {
    const wire = await session(gateway.url);
    const { result } = await wire.rpc('tools/call', { ...call, task: { ttl: 60_000 } });
    const { taskId } = result['task'] as { taskId: string };
    await until('the job exists', async () => (await latestReport()) === 'running');
    expect((await wire.rpc('tasks/cancel', { taskId })).result).toMatchObject({ taskId, status: 'cancelled' });
    await until('the service has cancelled', async () => (await latestReport()) === 'cancelled');
    expect((await wire.rpc('tasks/cancel', { taskId })).error).toMatchObject({ code: -32602 });
  });

  test('through 2026-07-28 is acknowledged, and the task is cancelled once the service says so', async () => {
    const wire = modern(gateway.url);
    const { result } = await wire.rpc('tools/call', call);
    const { taskId } = result;
    await until('the job exists', async () => (await latestReport()) === 'running');
    expect((await wire.rpc('tasks/cancel', { taskId })).error).toBeUndefined();
    await until(
      'the task is cancelled',
      async () => (await wire.rpc('tasks/get', { taskId })).result['status'] === 'cancelled',
    );
    expect(await latestReport()).toBe('cancelled');
  });
});
