// A job that asks a person, through the clients that people have, and over a restart of the gateway.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  createApplicationInputHandler,
  createTaskSessionFromClient,
  toolDeclarationFromMcpTool,
} from '@modelcontextprotocol/ext-tasks/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dispatcher } from '../../demo/clients.ts';
import { startService } from '../conformance/service.ts';
import { closing, type GatewayUnderTest, projectFile, serve, until } from './gateway.ts';
import { modern, textOf } from './wire.ts';

const { keep, closeAll } = closing();
let gateway: GatewayUnderTest;
const INFO = { name: 'longshore-e2e', version: '1.0.0' };
const YES = { action: 'accept', content: { confirm: true } } as const;
const FORMS = { elicitation: { form: {} } };
const EXTENSION = { 'io.modelcontextprotocol/tasks': {} };
/** What the service makes of the answer. */
const DELETED = { sure: { confirm: true } };

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

/** Answers every question with a yes, and counts. */
function person() {
  const asked: string[] = [];
  return {
    asked,
    answer: (params: { readonly message?: unknown }) => {
      asked.push(String(params.message));
      return { ...YES };
    },
  };
}

describe('the first SDK', () => {
  async function connect(capabilities: object) {
    const { asked, answer } = person();
    const client = new ClientV1(INFO, { capabilities: { elicitation: {}, ...capabilities } });
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => answer(params));
    await client.connect(new TransportV1(new URL(gateway.url)) as Parameters<typeof client.connect>[0]);
    return { client: keep(client, (it) => it.close()), asked };
  }

  test('is asked once by callToolStream, and gets the result', async () => {
    const { client, asked } = await connect({ tasks: {} });
    const statuses: string[] = [];
    let result: unknown;
    const params = { name: 'confirm_delete', arguments: { filename: 'a.txt' } };
    for await (const message of client.experimental.tasks.callToolStream(params, undefined, { task: { ttl: 60_000 } })) {
      if (message.type === 'taskStatus') statuses.push(message.task.status);
      if (message.type === 'result') result = message.result;
      if (message.type === 'error') throw message.error;
    }
    expect(JSON.parse(textOf(result))).toEqual(DELETED);
    expect(asked).toEqual(['Delete a.txt?']);
  });

  test('is asked inline by a plain callTool', async () => {
    const { client, asked } = await connect({});
    const result = await client.callTool({ name: 'confirm_delete', arguments: { filename: 'b.txt' } });
    expect(JSON.parse(textOf(result))).toEqual(DELETED);
    expect(asked).toEqual(['Delete b.txt?']);
  });

  test('that can put no forms is told what is asked, and answers by the companion tool', async () => {
    const client = new ClientV1(INFO);
    await client.connect(new TransportV1(new URL(gateway.url)) as Parameters<typeof client.connect>[0]);
    keep(client, (it) => it.close());
    const pending = await client.callTool({ name: 'confirm_delete', arguments: { filename: 'c.txt' } });
    expect(textOf(pending)).toContain('Delete c.txt?');
    const { operation } = pending.structuredContent as { readonly operation: string };
    const result = await client.callTool({ name: 'answer_operation', arguments: { operation, answer: { confirm: true } } });
    expect(JSON.parse(textOf(result))).toEqual(DELETED);
  });
});

describe.each(['2025-11-25', '2026-07-28'] as const)('ext-tasks in the era of %s', (era) => {
  test('is asked and gets the result', async () => {
    const { asked, answer } = person();
    const client = new Client(INFO, {
      capabilities: FORMS,
      versionNegotiation: { mode: era === '2026-07-28' ? 'auto' : 'legacy' },
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    keep(client, (it) => it.close());
    const tools = new Map((await client.listTools()).tools.map((tool) => [tool.name, toolDeclarationFromMcpTool(tool)]));
    const unasked = () => {
      throw new Error('nobody asks for this');
    };
    const session = createTaskSessionFromClient(client, {
      endpointId: gateway.url,
      tools: { currentTool: (name) => tools.get(name) },
      onInputRequest: createApplicationInputHandler({
        elicitation: ({ params }) => answer(params),
        sampling: unasked,
        roots: unasked,
      }),
      ...(era === '2026-07-28'
        ? {
            rawDispatch: dispatcher(gateway.url),
            v2RequestFraming: {
              protocolVersion: era,
              clientInfo: INFO,
              clientCapabilities: { elicitation: {}, extensions: EXTENSION },
            },
          }
        : {}),
    });
    keep(session, (it) => it.close());
    const execution = await session.callTool('confirm_delete', { filename: 'd.txt' }, { task: { preference: 'prefer' } });
    const { outcome } = await execution.settle({});
    if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
    expect(JSON.parse(textOf(outcome.result))).toEqual(DELETED);
    expect(asked).toEqual(['Delete d.txt?']);
  });
});

describe('the second SDK', () => {
  test('is asked by the call itself, and makes it again by itself', async () => {
    const { asked, answer } = person();
    const client = new Client(INFO, { capabilities: FORMS, versionNegotiation: { mode: 'auto' } });
    client.setRequestHandler('elicitation/create', async ({ params }) => answer(params));
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    keep(client, (it) => it.close());
    const result = await client.callTool({ name: 'confirm_delete', arguments: { filename: 'e.txt' } });
    expect(JSON.parse(textOf(result))).toEqual(DELETED);
    expect(asked).toEqual(['Delete e.txt?']);
  });
});

describe('a restart of the gateway', () => {
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
