// A job that asks a person: what the table of clients has no column for.

import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../conformance/service.ts';
import { closing, type GatewayUnderTest, projectFile, serve, until } from './gateway.ts';
import { DELETED, person, YES } from './matrix.ts';
import { INFO, modern, textOf } from './wire.ts';

const { keep, closeAll } = closing();
let gateway: GatewayUnderTest;
const EXTENSION = { 'io.modelcontextprotocol/tasks': {} };

beforeAll(async () => {
  const service = keep(await startService(), async (it) => it.close());
  gateway = keep(
    await serve(`
  service:
    document: ${projectFile('test/conformance/service.openapi.yaml')}
    overlays: [${projectFile('test/conformance/service.overlay.yaml')}]
    baseUrl: ${service.url}
`),
    (it) => it.dispose(),
  );
});
afterAll(closeAll);

test('a client of the first SDK that has no Tasks is asked on the stream of its call', async () => {
  const { asked, answer } = person();
  const client = new ClientV1(INFO, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => answer(params));
  await client.connect(new TransportV1(new URL(gateway.url)) as Parameters<typeof client.connect>[0]);
  keep(client, (it) => it.close());
  const result = await client.callTool({ name: 'confirm_delete', arguments: { filename: 'b.txt' } });
  expect(JSON.parse(textOf(result))).toEqual(DELETED);
  expect(asked).toEqual(['Delete b.txt?']);
});

describe('a restart of the gateway', () => {
  test('while a person is being asked is followed by the same question, to the client that comes back for the result', async () => {
    const connect = async (answer: () => Promise<typeof YES>) => {
      const client = new ClientV1(INFO, { capabilities: { tasks: {}, elicitation: {} } });
      client.setRequestHandler(ElicitRequestSchema, answer);
      await client.connect(new TransportV1(new URL(gateway.url)) as Parameters<typeof client.connect>[0]);
      await client.listTools();
      return keep(client, (it) => it.close());
    };
    const asked = Promise.withResolvers<void>();
    const restarted = Promise.withResolvers<void>();
    const before = await connect(async () => {
      asked.resolve();
      await restarted.promise;
      return YES;
    });
    const params = { name: 'confirm_delete', arguments: { filename: 'g.txt' } };
    const created = Promise.withResolvers<string>();
    const broken = (async () => {
      for await (const message of before.experimental.tasks.callToolStream(params, undefined, { task: { ttl: 600_000 } })) {
        if (message.type === 'taskCreated') created.resolve(message.task.taskId);
        if (message.type === 'error') return 'error';
        if (message.type === 'result') return 'result';
      }
      return 'nothing';
    })().catch(() => 'error');
    const taskId = await created.promise;
    await asked.promise;

    await gateway.kill9();
    await gateway.start();
    restarted.resolve();

    expect(await broken).toBe('error');
    let again = 0;
    const after = await connect(async () => {
      again += 1;
      return YES;
    });
    expect(await after.experimental.tasks.getTask(taskId)).toMatchObject({ taskId, status: 'input_required' });
    const result = await after.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    expect(JSON.parse(textOf(result))).toEqual(DELETED);
    expect(again).toBe(1);
  });

  test('keeps the question, its key, and the state of a call that asked back', async () => {
    const capabilities = { elicitation: {} };
    const tasks = modern(gateway.url, { capabilities: { ...capabilities, extensions: EXTENSION } });
    const plain = modern(gateway.url, { capabilities });
    const call = { name: 'confirm_delete', arguments: { filename: 'f.txt' } };
    const asked = await plain.rpc('tools/call', call);
    expect(asked.result).toMatchObject({ resultType: 'input_required', inputRequests: { 'input-1.1': {} } });
    const created = await tasks.rpc('tools/call', call);
    const taskId = String(created.result['taskId']);
    const waiting = await until('a task that asks', async () => {
      const { result } = await tasks.rpc('tasks/get', { taskId });
      return result['status'] === 'input_required' && result;
    });

    await gateway.kill9();
    await gateway.start();

    const { result: after } = await tasks.rpc('tasks/get', { taskId });
    expect(after['inputRequests']).toEqual(waiting['inputRequests']);
    const answers = { inputResponses: { 'input-1.1': YES } };
    await tasks.rpc('tasks/update', { taskId, ...answers });
    const done = await until('the end of the task', async () => {
      const { result } = await tasks.rpc('tasks/get', { taskId });
      return result['status'] === 'completed' && result;
    });
    expect(JSON.parse(textOf(done['result']))).toEqual(DELETED);
    const again = await plain.rpc('tools/call', { ...call, requestState: asked.result['requestState'], ...answers });
    expect(JSON.parse(textOf(again.result))).toEqual(DELETED);
  });
});
