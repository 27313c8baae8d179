// The TypeScript SDKs: the first with Tasks of 2025-11-25 and without, the second, which has none, in both eras.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'vitest';
import { until } from './gateway.ts';
import { DELETED, person, proves, stage } from './matrix.ts';
import { INFO, operationOf, textOf } from './wire.ts';

const it = stage();

/** A client of the first SDK; its person answers where it is one that can be asked. */
async function first(capabilities: object, answer?: ReturnType<typeof person>['answer']) {
  const client = new ClientV1(INFO, { capabilities: { ...capabilities, ...(answer && { elicitation: {} }) } });
  if (answer !== undefined) client.setRequestHandler(ElicitRequestSchema, async ({ params }) => answer(params));
  await client.connect(new TransportV1(new URL(it.gateway.url)) as Parameters<typeof client.connect>[0]);
  await client.listTools();
  return it.keep(client, (open) => open.close());
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

proves('sdk-1', {
  async create() {
    const { taskId, end } = follow(await first({ tasks: {} }), 'create_job', { name: 'Ada' });
    expect(await taskId).toMatch(/^op_/);
    it.jobs.release();
    expect(await end).toContain('Hello, Ada!');
    expect(it.jobs.submits).toHaveLength(1);
  },

  async input() {
    const { asked, answer } = person();
    const { end } = follow(await first({ tasks: {} }, answer), 'confirm_delete', { filename: 'a.txt' });
    expect(JSON.parse(await end)).toEqual(DELETED);
    expect(asked).toEqual(['Delete a.txt?']);
  },

  async cancel() {
    const client = await first({ tasks: {} });
    const { taskId, end } = follow(client, 'create_job', { name: 'Bo' });
    await taskId;
    await it.jobExists();
    expect(await client.experimental.tasks.cancelTask(await taskId)).toMatchObject({ status: 'cancelled' });
    expect(await end).toBe('error');
    await until('the service has cancelled', async () => (await it.jobStatus()) === 'cancelled');
  },

  async restart() {
    const before = follow(await first({ tasks: {} }), 'create_job', { name: 'Cy' });
    const taskId = await before.taskId;
    await it.jobExists();
    await it.restart();
    const again = await first({ tasks: {} });
    expect(await again.experimental.tasks.getTask(taskId)).toMatchObject({ taskId, status: 'working' });
    it.jobs.release();
    expect(textOf(await again.experimental.tasks.getTaskResult(taskId, CallToolResultSchema))).toContain('Hello, Cy!');
    expect(await before.end).toBe('error');
    expect(it.jobs.submits).toHaveLength(1);
  },
});

/** What every client without Tasks can do: one call, one answer. */
interface Plain {
  callTool(
    params: { name: string; arguments: Record<string, unknown>; _meta?: Record<string, unknown> },
    options?: { signal: AbortSignal },
  ): Promise<unknown>;
}

/** Waits as a model does that is told to wait again: how long one wait lasts is the gateway's to say. */
const ended = (client: Plain, operation: string): Promise<unknown> =>
  until('the operation ends', async () => {
    const answer = await client.callTool({ name: 'wait_for_operation', arguments: { operation } });
    return textOf(answer).startsWith('Not finished.') ? undefined : answer;
  });

/** The columns that are the same for every client without Tasks. */
const without = (connect: () => Promise<Plain>) => ({
  async create() {
    const client = await connect();
    const operation = operationOf(await client.callTool({ name: 'create_job', arguments: { name: 'Ada' } }));
    it.jobs.release();
    expect(textOf(await ended(client, operation))).toContain('Hello, Ada!');
    expect(it.jobs.submits).toHaveLength(1);
  },

  async cancel() {
    const client = await connect();
    const gone = new AbortController();
    const calling = client.callTool({ name: 'create_job', arguments: { name: 'Bo' } }, { signal: gone.signal });
    const over = calling.then(
      () => 'answered',
      () => 'given up',
    );
    await it.jobExists();
    gone.abort();
    expect(await over).toBe('given up');
    const operation = (await it.latest()).id;
    await until('the job is followed', async () => (await it.latest()).state === 'working');
    expect(await it.jobStatus()).toBe('running');
    await client.callTool({ name: 'cancel_operation', arguments: { operation } });
    expect(textOf(await ended(client, operation))).toMatch(/cancelled/i);
    expect(await it.jobStatus()).toBe('cancelled');
  },

  async restart() {
    const operation = operationOf(await (await connect()).callTool({ name: 'create_job', arguments: { name: 'Cy' } }));
    await it.restart();
    it.jobs.release();
    expect(textOf(await ended(await connect(), operation))).toContain('Hello, Cy!');
    expect(it.jobs.submits).toHaveLength(1);
  },
});

const plainFirst = async (): Promise<Plain> => {
  const client = await first({});
  return { callTool: (params, options) => client.callTool(params, undefined, options) };
};

proves('sdk-1-plain', {
  ...without(plainFirst),
  async input() {
    const client = await plainFirst();
    const pending = await client.callTool({ name: 'confirm_delete', arguments: { filename: 'b.txt' } });
    expect(textOf(pending)).toContain('Delete b.txt?');
    const args = { operation: operationOf(pending), answer: { confirm: true } };
    const result = await client.callTool({ name: 'answer_operation', arguments: args });
    expect(JSON.parse(textOf(result))).toEqual(DELETED);
  },
});

type Mode = 'legacy' | 'auto';

async function second(mode: Mode, answer?: (params: { readonly message?: unknown }) => unknown) {
  const capabilities = answer === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client(INFO, { capabilities, ...(mode === 'auto' && { versionNegotiation: { mode } }) });
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => (await answer(params)) as ReturnType<typeof yes>);
  await client.connect(new StreamableHTTPClientTransport(new URL(it.gateway.url)));
  return it.keep(client, (open) => open.close());
}
const yes = () => person().answer({});

const columnsOfSecond = (mode: Mode) => without(async () => (await second(mode)) as Plain);

async function isAsked(mode: Mode): Promise<void> {
  const { asked, answer } = person();
  const client = await second(mode, answer);
  const result = await client.callTool({ name: 'confirm_delete', arguments: { filename: 'c.txt' } });
  expect(JSON.parse(textOf(result))).toEqual(DELETED);
  expect(asked).toEqual(['Delete c.txt?']);
}

proves('sdk-2-2025', { ...columnsOfSecond('legacy'), input: () => isAsked('legacy') });

proves('sdk-2-2026', {
  async create() {
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    const declares = new Client(INFO, { capabilities: { extensions }, versionNegotiation: { mode: 'auto' } });
    await declares.connect(new StreamableHTTPClientTransport(new URL(it.gateway.url)));
    it.keep(declares, (open) => open.close());
    const refusing = declares.callTool({ name: 'create_job', arguments: { name: 'Di' } });
    await expect(refusing).rejects.toMatchObject({ code: 'UNSUPPORTED_RESULT_TYPE' });
    it.jobs.reset();
    await columnsOfSecond('auto').create();
  },

  async input() {
    await isAsked('auto');
    // While the person thinks, the gateway is killed and started again: the call is made again all the same.
    const { asked, answer } = person();
    const client = await second('auto', async (params) => {
      await it.restart();
      return answer(params);
    });
    const result = await client.callTool({ name: 'confirm_delete', arguments: { filename: 'd.txt' } });
    expect(JSON.parse(textOf(result))).toEqual(DELETED);
    expect(asked).toEqual(['Delete d.txt?']);
  },

  cancel: columnsOfSecond('auto').cancel,

  async restart() {
    await columnsOfSecond('auto').restart();
    it.jobs.reset();
    const call = { name: 'create_job', arguments: { name: 'Ed' }, _meta: { 'longshore/idempotencyKey': 'the same call' } };
    const broken = (await second('auto')).callTool(call).catch(() => 'broken');
    await it.jobExists();
    await it.restart();
    expect(await broken).toBe('broken');
    it.jobs.release();
    const again = (await second('auto')) as Plain;
    const answer = await again.callTool(call);
    const isPending = textOf(answer).startsWith('Not finished.');
    expect(textOf(isPending ? await ended(again, operationOf(answer)) : answer)).toContain('Hello, Ed!');
    // Killed before it had the answer, the gateway submits again under the key by which the service deduplicates.
    expect(it.jobs.jobsCreated()).toBe(1);
  },
});
