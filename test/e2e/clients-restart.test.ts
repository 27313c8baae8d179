// Client libraries through what a long job meets: a restart of the gateway in the middle, and a change of mind.
//   A restart ends sessions of 2025-11-25, so each client connects again, as its host would, and goes on with the task's id.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  createTaskSessionFromClient,
  type SerializedTaskReference,
  type TaskEnabledSession,
  toolDeclarationFromMcpTool,
} from '@modelcontextprotocol/ext-tasks/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dispatcher } from '../../demo/clients.ts';
import { startReports } from '../../demo/reports.ts';
import type { Service } from '../../demo/service.ts';
import { systemClock } from '../../src/clock.ts';
import { type JobService, startJobs } from '../fixtures/jobs.ts';
import { closing, type GatewayUnderTest, projectFile, serve, until } from './gateway.ts';
import { textOf } from './wire.ts';

const { keep, closeAll } = closing();
const INFO = { name: 'longshore-e2e', version: '1.0.0' };
const REPORT = { month: '2026-09', seconds: 600 };
let jobs: JobService;
let reports: Service;
let gateway: GatewayUnderTest;

beforeAll(async () => {
  jobs = keep(await startJobs(), (it) => it.close());
  reports = keep(await startReports({ port: 0, clock: systemClock }), (it) => it.close());
  const upstreams = `
  jobs:
    document: ${projectFile('test/fixtures/jobs.openapi.yaml')}
    baseUrl: ${jobs.url}
  reports:
    document: ${projectFile('specs/demo/reports.openapi.yaml')}
    baseUrl: ${reports.url}
    defaults: { pace: { min: 100ms } }
`;
  gateway = keep(await serve(upstreams), (it) => it.dispose());
});
beforeEach(() => jobs.reset());
afterAll(closeAll);

/** Kills and starts again while the one job runs: it ends when it is released, and not before. */
async function restartMeanwhile(): Promise<void> {
  await until('the job exists', () => jobs.jobsCreated() === 1);
  await gateway.kill9();
  await gateway.start();
}

/** What the service itself says of its latest report. */
async function reportStatus(): Promise<string> {
  const response = await fetch(`${reports.url}/report-jobs/r-${1000 + reports.jobsCreated()}`);
  return ((await response.json()) as { readonly status: string }).status;
}

describe('the first SDK', { timeout: 90_000 }, () => {
  async function connect() {
    const client = new ClientV1(INFO, { capabilities: { tasks: {} } });
    await client.connect(new TransportV1(new URL(gateway.url)) as Parameters<typeof client.connect>[0]);
    await client.listTools();
    return keep(client, (it) => it.close());
  }

  /** Follows callToolStream: the task's id as soon as there is one, and how the stream ended. */
  function follow(client: ClientV1, name: string, args: Record<string, unknown>) {
    const created = Promise.withResolvers<string>();
    const drain = async () => {
      const options = { task: { ttl: 600_000 } };
      for await (const message of client.experimental.tasks.callToolStream({ name, arguments: args }, undefined, options)) {
        if (message.type === 'taskCreated') created.resolve(message.task.taskId);
        if (message.type === 'error') return 'error';
        if (message.type === 'result') return textOf(message.result);
      }
      return 'nothing';
    };
    return { taskId: created.promise, end: drain().catch(() => 'error') };
  }

  test('reads by the same id, after a restart in mid-job, what the job came to', async () => {
    const first = follow(await connect(), 'create_job', { name: 'Ada' });
    const taskId = await first.taskId;
    await restartMeanwhile();
    const again = await connect();
    expect(await again.experimental.tasks.getTask(taskId)).toMatchObject({ taskId, status: 'working' });
    jobs.release();
    expect(textOf(await again.experimental.tasks.getTaskResult(taskId, CallToolResultSchema))).toContain('Hello, Ada!');
    expect(await first.end).toBe('error');
    expect(jobs.submits).toHaveLength(1);
  });

  test('cancels a task that it follows', async () => {
    const client = await connect();
    const { taskId, end } = follow(client, 'create_report', REPORT);
    await taskId;
    await until('the job exists', async () => (await reportStatus()) === 'running');
    expect(await client.experimental.tasks.cancelTask(await taskId)).toMatchObject({ status: 'cancelled' });
    expect(await end).toBe('error');
    await until('the service has cancelled', async () => (await reportStatus()) === 'cancelled');
  });
});

describe.each(['2025-11-25', '2026-07-28'] as const)('ext-tasks in the era of %s', { timeout: 90_000 }, (era) => {
  async function connect(): Promise<TaskEnabledSession> {
    const mode = era === '2026-07-28' ? 'auto' : 'legacy';
    const client = keep(new Client(INFO, { versionNegotiation: { mode } }), (it) => it.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    const tools = new Map((await client.listTools()).tools.map((tool) => [tool.name, toolDeclarationFromMcpTool(tool)]));
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    const framing = { protocolVersion: era, clientInfo: INFO, clientCapabilities: { extensions } };
    const session = createTaskSessionFromClient(client, {
      endpointId: gateway.url,
      tools: { currentTool: (name) => tools.get(name) },
      ...(era === '2026-07-28' && { rawDispatch: dispatcher(gateway.url), v2RequestFraming: framing }),
    });
    return keep(session, (it) => it.close());
  }
  const call = async (name: string, args: Record<string, string | number>) => {
    const session = await connect();
    const execution = await session.callTool(name, args, { task: { preference: 'prefer' } });
    if (execution.kind !== 'task') throw new Error('the call made no task');
    return execution;
  };

  test('resumes, after a restart in mid-job, from the reference that its host kept', async () => {
    const kept: SerializedTaskReference[] = [];
    const execution = await call('create_job', { name: 'Bo' });
    await execution.handoff((reference) => {
      kept.push(JSON.parse(JSON.stringify(reference)));
    });
    await restartMeanwhile();
    const [reference] = kept;
    if (reference === undefined) throw new Error('no reference was kept');
    const session = await connect();
    const resumed = await session.resumeTask(reference);
    const seen: string[] = [];
    const settled = resumed.settle({
      onEvent: (event) => {
        if (event.type === 'task') seen.push(event.task.status);
      },
    });
    await until('the client sees the task at work', () => seen.includes('working'));
    jobs.release();
    const { outcome } = await settled;
    if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
    expect(textOf(outcome.result)).toContain('Hello, Bo!');
    expect(jobs.submits).toHaveLength(1);
  });

  test('cancels a task that it follows', async () => {
    const execution = await call('create_report', REPORT);
    const settled = execution.settle();
    await until('the job exists', async () => (await reportStatus()) === 'running');
    await execution.cancel();
    expect((await settled).outcome.status).toBe('cancelled');
    await until('the service has cancelled', async () => (await reportStatus()) === 'cancelled');
  });
});
