// A gateway that is pointed at a document which says nothing of jobs: no extension, no overlay, no link, no header, no 202.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectExtTasks } from '../../demo/clients.ts';
import { systemClock } from '../../src/clock.ts';
import { startTes, TES_TOKEN } from '../fixtures/tes.ts';
import { closing, serve, until } from './gateway.ts';
import { modern, toolNames } from './wire.ts';

const json = (schema: object) => ({ 'application/json': { schema } });
const answer = (schema: object) => ({ 200: { description: 'ok', content: json(schema) } });
const text = { type: 'string' };
const id = { in: 'path', name: 'id', required: true, schema: text };
const STATES = ['QUEUED', 'INITIALIZING', 'RUNNING', 'COMPLETE', 'EXECUTOR_ERROR', 'CANCELED', 'CANCELING'];

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Tasks', version: '1' },
  security: [{ BearerAuth: [] }],
  paths: {
    '/tasks': {
      post: {
        operationId: 'CreateTask',
        requestBody: { required: true, content: json({ type: 'object', properties: { executors: { type: 'array' } } }) },
        responses: answer({ type: 'object', properties: { id: text } }),
      },
    },
    '/tasks/{id}': {
      get: {
        operationId: 'GetTask',
        parameters: [id],
        responses: answer({ type: 'object', properties: { id: text, state: { type: 'string', enum: STATES } } }),
      },
    },
    '/tasks/{id}:cancel': {
      post: { operationId: 'CancelTask', parameters: [id], responses: answer({ type: 'object' }) },
    },
  },
  components: { securitySchemes: { BearerAuth: { type: 'http', scheme: 'bearer' } } },
};

const { keep, closeAll } = closing();
let gateway: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  const folder = keep(await mkdtemp(join(tmpdir(), 'longshore-inferred-')), (it) => rm(it, { recursive: true }));
  await writeFile(join(folder, 'tasks.json'), JSON.stringify(DOCUMENT));
  const tes = keep(await startTes({ clock: systemClock, durationMs: 500 }), (it) => it.close());
  const upstreams = `
  tasks:
    document: ${join(folder, 'tasks.json')}
    baseUrl: ${tes.url}/ga4gh/tes/v1
    credentials: { BearerAuth: { env: TES_TOKEN } }
    defaults: { pace: { interval: 200ms, min: 100ms } }
`;
  gateway = keep(await serve(upstreams, { env: { TES_TOKEN } }), (it) => it.dispose());
});
afterAll(closeAll);

const executors = (command: string) => [{ image: 'ubuntu:24.04', command: [command] }];

describe('a document that says nothing of jobs', () => {
  test('offers the job, and nothing that only serves it', async () => {
    const names = await toolNames(modern(gateway.url));
    expect(names).toContain('create_task');
    expect(names.filter((name) => /^(get|cancel)_task$/.test(name))).toEqual([]);
  });

  test('has its job followed to the end, good or bad', async () => {
    const client = keep(await connectExtTasks(gateway.url, '2026-07-28'), (it) => it.close());
    const good = await client.callTool('create_task', { executors: executors('true') });
    expect(good.isError, good.text).toBe(false);
    expect(JSON.parse(good.text)).toMatchObject({ state: 'COMPLETE' });
    const bad = await client.callTool('create_task', { executors: executors('false') });
    expect(bad.isError).toBe(true);
  });

  test('has its job cancelled by what was found to cancel it', async () => {
    const wire = modern(gateway.url);
    const { result } = await wire.rpc('tools/call', { name: 'create_task', arguments: { executors: executors('sleep') } });
    const taskId = result['taskId'];
    await until('the job runs', () =>
      gateway.log.some((line) => line['event'] === 'submit_accepted' && line['operation'] === taskId),
    );
    expect((await wire.rpc('tasks/cancel', { taskId })).error).toBeUndefined();
    await until(
      'the task is cancelled',
      async () => (await wire.rpc('tasks/get', { taskId })).result['status'] === 'cancelled',
    );
  });
});
