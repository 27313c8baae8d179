// MCP 2025-11-25, Tasks: one test for each MUST and SHOULD that binds a receiver, named by the section it stands in.
// No public suite covers it. @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { formOf } from '../../src/core/form.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Operation } from '../../src/core/operation.ts';
import type { Engine, OperationView } from '../../src/engine/engine.ts';
import { house } from '../engine/kit.ts';
import { META, post, session, standUp, type Wire } from '../http/kit.ts';
import { json, operation, receipt, ScriptedEngine } from '../http/scripted-engine.ts';

const RELATED = META('related-task');
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

async function opened(capabilities: object = { tasks: {}, elicitation: {} }) {
  const up = await standUp();
  const client = await session(up.url, { capabilities });
  const create = async (meta: object = {}) => {
    const answer = await client.rpc('tools/call', { name: 'create_export', arguments: {}, task: { ttl: 60_000 }, _meta: meta });
    return answer.result.task as Wire;
  };
  const get = async (taskId: string) => (await client.rpc('tasks/get', { taskId })).result as Wire;
  return { ...up, client, create, get };
}

const asks: Partial<Operation> = {
  life: 'INPUT_REQUIRED',
  input: 'OPEN',
  round: 1,
  inputRequest: {
    questions: [{ message: 'Which?', form: formOf({ type: 'string' }) }],
    declinable: false,
  } as unknown as JsonObject,
};
const ANSWER = { action: 'accept', content: { answer: 'this' } };

const everywhere = (message: Wire): readonly Wire[] => [message._meta, message.params?._meta, message.result?._meta];

describe('Capabilities', () => {
  test('servers that support task-augmented requests declare tasks by request category', async () => {
    const { client } = await opened();
    expect(client.opened.result.capabilities.tasks).toMatchObject({ cancel: {}, requests: { tools: { call: {} } } });
  });

  test('tasks.list is declared exactly where tasks/list is answered', async () => {
    const anonymous = await opened();
    expect(anonymous.client.opened.result.capabilities.tasks).not.toHaveProperty('list');
    expect((await anonymous.client.rpc('tasks/list')).error.code).toBe(-32601);
    const up = await standUp({ identity: { identified: true, principal: () => 'ada' } });
    const client = await session(up.url);
    expect(client.opened.result.capabilities.tasks.list).toEqual({});
    expect((await client.rpc('tasks/list')).result.tasks).toEqual([]);
  });
});

describe('Tool-Level Negotiation', () => {
  test('forbidden or absent: a call as a task is answered -32601', async () => {
    const { client } = await opened();
    expect((await client.rpc('tools/call', { name: 'get_order', arguments: {}, task: {} })).error.code).toBe(-32601);
  });
  test('optional: a call is carried out either way', async () => {
    const { client, engine } = await opened();
    const augmented = await client.rpc('tools/call', { name: 'maybe_export', arguments: {}, task: {} });
    expect(augmented.result.task.status).toBe('working');
    const plain = await client.rpc('tools/call', { name: 'maybe_export', arguments: {} });
    expect(plain.result).toHaveProperty('content');
    expect(engine.started).toHaveLength(2);
  });
  test('required: a call without a task is answered -32601', async () => {
    const { client } = await opened();
    expect((await client.rpc('tools/call', { name: 'create_export', arguments: {} })).error.code).toBe(-32601);
  });
});

describe('Task ID Requirements', () => {
  test('ids are strings, made by the receiver, and unique', async () => {
    const { client, create } = await opened();
    const wished = await client.rpc('tools/call', { name: 'create_export', arguments: {}, task: { taskId: 'mine' } });
    const ids = [wished.result.task.taskId, (await create()).taskId, (await create()).taskId];
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^op_/);
  });
});

describe('Task Status Lifecycle', () => {
  test('a task begins as working, even where it has ended by then', async () => {
    const { client, engine } = await opened();
    engine.starts = ({ tool }) => ({
      kind: 'operation',
      existing: true,
      view: engine.put(operation({ life: 'ACCEPTED', seen: 'succeeded', receipt: receipt('succeeded') }), json(1), tool),
    });
    const answer = await client.rpc('tools/call', { name: 'create_export', arguments: {}, task: {} });
    expect(answer.result.task.status).toBe('working');
  });
  test('working → input_required → working → completed', async () => {
    const { create, get, engine } = await opened();
    const { taskId } = await create();
    engine.change(taskId, asks);
    expect((await get(taskId)).status).toBe('input_required');
    engine.change(taskId, { life: 'WORKING', input: 'CLOSED' });
    expect((await get(taskId)).status).toBe('working');
    engine.end(taskId, 'succeeded', json({ ok: true }));
    expect((await get(taskId)).status).toBe('completed');
  });
  test('a tool result with isError makes the task failed', async () => {
    const { create, get, client, engine } = await opened();
    const { taskId } = await create();
    engine.end(taskId, 'failed', json({ why: 'no disk' }), { endingMessage: 'no disk' });
    expect(await get(taskId)).toMatchObject({ status: 'failed', statusMessage: expect.stringContaining('no disk') });
    expect((await client.rpc('tasks/result', { taskId })).result.isError).toBe(true);
  });
});

describe('Input Required Status', () => {
  test('the request for input is associated with its task, and the task leaves input_required once it is answered', async () => {
    const { create, get, client, engine, url } = await opened();
    const { taskId } = await create();
    engine.change(taskId, asks);
    const result = await client.open('tasks/result', { taskId });
    const question = await result.next();
    expect(question).toMatchObject({ method: 'elicitation/create', params: { _meta: { [RELATED]: { taskId } } } });
    const reply = { jsonrpc: '2.0', id: question.id, result: { ...ANSWER, _meta: { [RELATED]: { taskId } } } };
    await post(url, reply, client.headers);
    await vi.waitFor(async () => expect((await get(taskId)).status).toBe('working'));
    engine.end(taskId, 'succeeded', json({ ok: true }));
    expect((await result.next()).result.content).toHaveLength(1);
  });
  test('tasks/get is not made a stream that asks', async () => {
    const { create, client, engine } = await opened();
    const { taskId } = await create();
    engine.change(taskId, asks);
    expect((await client.rpc('tasks/get', { taskId })).messages).toHaveLength(1);
  });
});

describe('TTL and Resource Management', () => {
  test('every task response has createdAt and lastUpdatedAt in ISO 8601, and the actual ttl', async () => {
    const { create, get, client } = await opened();
    const created = await create();
    const read = await get(created.taskId);
    const cancelled = (await client.rpc('tasks/cancel', { taskId: created.taskId })).result;
    for (const task of [created, read, cancelled]) {
      expect(task.createdAt).toMatch(ISO);
      expect(task.lastUpdatedAt).toMatch(ISO);
      expect(task.ttl).toBe(60_000);
      expect(task.pollInterval).toBeGreaterThan(0);
    }
  });
});

describe('Result Retrieval', () => {
  test('a call that is accepted as a task is answered with a CreateTaskResult and nothing else', async () => {
    const { client } = await opened();
    const { result } = await client.rpc('tools/call', { name: 'create_export', arguments: {}, task: {} });
    expect(Object.keys(result)).toEqual(['task']);
  });
  test('tasks/result blocks until the task is terminal', async () => {
    const { create, client, engine } = await opened();
    const { taskId } = await create();
    let answered = false;
    const result = client.rpc('tasks/result', { taskId }).finally(() => {
      answered = true;
    });
    await vi.waitFor(() => expect(engine.waiting).toBe(1));
    engine.change(taskId, { progress: { fraction: 0.5 } });
    await vi.waitFor(() => expect(engine.waiting).toBe(1));
    expect(answered).toBe(false);
    engine.end(taskId, 'succeeded', json({ ok: true }));
    expect((await result).result.content).toEqual([{ type: 'text', text: '{"ok":true}' }]);
  });
  test('a terminal task gives exactly what its call would have given: a result, or a JSON-RPC error', async () => {
    const { create, client, engine } = await opened();
    const [done, never] = [await create(), await create()];
    engine.end(done.taskId, 'succeeded', json({ ok: true }));
    const { seen: _seen, ...nothingSeen } = operation({ id: never.taskId, life: 'ACCEPTED', receipt: receipt('failed') });
    engine.put(nothingSeen);
    const { result } = await client.rpc('tasks/result', { taskId: done.taskId });
    expect(result.content).toEqual([{ type: 'text', text: '{"ok":true}' }]);
    expect((await client.rpc('tasks/result', { taskId: never.taskId })).error).toMatchObject({ code: -32603 });
    const again = await client.rpc('tasks/result', { taskId: done.taskId });
    expect(again.result).toEqual(result);
  });
});

describe('Associating Task-Related Messages', () => {
  test('what tasks/result answers names its task; what get, list and cancel answer does not', async () => {
    const { create, client, engine } = await opened();
    const { taskId } = await create();
    const related = { [RELATED]: { taskId: 'op_other' } };
    const read = await client.rpc('tasks/get', { taskId, _meta: related });
    // The parameter names the task, whatever the metadata says.
    expect(read.result.taskId).toBe(taskId);
    engine.end(taskId, 'succeeded', json({ ok: true }));
    const result = await client.rpc('tasks/result', { taskId });
    expect(result.result._meta).toEqual({ [RELATED]: { taskId } });
    const second = await create();
    const cancelled = await client.rpc('tasks/cancel', { taskId: second.taskId });
    for (const answer of [read, cancelled])
      for (const meta of everywhere({ result: answer.result })) expect(meta ?? {}).not.toHaveProperty([RELATED]);
  });
});

describe('Task Notifications', () => {
  test('a status notification holds the whole task, and no related-task metadata', async () => {
    const { create, client, engine } = await opened();
    const stream = await client.stream();
    const { taskId } = await create();
    engine.end(taskId, 'succeeded', json({ ok: true }));
    const told = await stream.next();
    expect(told).toMatchObject({ method: 'notifications/tasks/status', params: { taskId, status: 'completed', ttl: 60_000 } });
    expect(told.params._meta ?? {}).not.toHaveProperty([RELATED]);
    stream.close();
  });
});

describe('Task Progress Notifications', () => {
  test('the token of the call stays valid for the life of the task; progress names the task, and only grows', async () => {
    const { create, client, engine } = await opened();
    const stream = await client.stream();
    const { taskId } = await create({ progressToken: 'p1' });
    const progressed: Wire[] = [];
    const next = async () => {
      for (;;) {
        const message = await stream.next();
        if (message.method === 'notifications/progress') return message.params;
      }
    };
    for (const fraction of [0.25, 0.75]) {
      engine.change(taskId, { progress: { fraction, message: 'rendering' } });
      progressed.push(await next());
    }
    expect(progressed).toEqual(
      [25, 75].map((progress) => ({
        progressToken: 'p1',
        progress,
        total: 100,
        message: 'rendering',
        _meta: { [RELATED]: { taskId } },
      })),
    );
    stream.close();
  });
});

/** Pages of two, by a cursor that says nothing to anybody else. */
class PagingEngine extends ScriptedEngine {
  override async list(principal: string, options: Parameters<Engine['list']>[1] = { limit: 50 }) {
    const { items } = await super.list(principal);
    const from = options.cursor === undefined ? 0 : Number(atob(options.cursor));
    const page: readonly OperationView[] = items.slice(from, from + 2);
    return { items: page, ...(from + 2 < items.length && { nextCursor: btoa(String(from + 2)) }) };
  }
}

describe('Task Listing', () => {
  test('is paged, with a nextCursor while there is more, and lists whatever tasks/get reads', async () => {
    const engine = new PagingEngine();
    const up = await standUp({ engine, identity: { identified: true, principal: () => 'ada' } });
    const client = await session(up.url);
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) {
      const created = await client.rpc('tools/call', { name: 'create_export', arguments: {}, task: {} });
      ids.push(created.result.task.taskId);
    }
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const { result } = await client.rpc('tasks/list', cursor === undefined ? {} : { cursor });
      expect(result.tasks.length).toBeLessThanOrEqual(2);
      listed.push(...result.tasks.map(({ taskId }: Wire) => taskId));
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    expect(listed.sort()).toEqual(ids.sort());
  });
});

describe('Task Listing, from the ledger', () => {
  test('goes on by its own cursors, newest first, and refuses any other with -32602', async () => {
    const home = await house({ 'POST /jobs': (_request, count) => ({ status: 202, json: { id: `j${count}` } }) });
    onTestFinished(() => home.close());
    const identity = { identified: true, principal: () => 'local' };
    const up = await standUp({ engine: home.engine, tools: [home.tool], identity, clock: home.clock });
    const client = await session(up.url);
    const ids: string[] = [];
    for (let count = 0; count < 60; count += 1) ids.unshift(await home.begun({ name: `n${count}` }));
    const first = (await client.rpc('tasks/list')).result;
    expect(first.tasks.map(({ taskId }: Wire) => taskId)).toEqual(ids.slice(0, 50));
    const second = (await client.rpc('tasks/list', { cursor: first.nextCursor })).result;
    expect(second.tasks.map(({ taskId }: Wire) => taskId)).toEqual(ids.slice(50));
    expect(second).not.toHaveProperty('nextCursor');
    for (const cursor of ['nonsense', `${first.nextCursor}x`, '']) {
      expect([cursor, (await client.rpc('tasks/list', { cursor })).error.code]).toEqual([cursor, -32602]);
    }
  });
});

describe('Capability Negotiation', () => {
  test('a request that can be no task is carried out as it is, whatever its params say of one', async () => {
    const { client } = await opened();
    expect((await client.rpc('tools/list', { task: { ttl: 60_000 } })).result.tools[0].name).toBe('create_export');
    expect((await client.rpc('resources/list', { task: {} })).result.resources).toEqual([]);
  });
});

describe('Resource Management', () => {
  const standing = async (settings: Parameters<typeof house>[1] = {}) => {
    const home = await house({ 'POST /jobs': (_request, count) => ({ status: 202, json: { id: `j${count}` } }) }, settings);
    onTestFinished(() => home.close());
    const { url } = await standUp({ engine: home.engine, tools: [home.tool], clock: home.clock });
    const client = await session(url);
    let calls = 0;
    const create = async (task: object): Promise<Wire> => {
      calls += 1;
      const params = { name: home.tool.name, arguments: { body: { calls } }, task };
      let over = false;
      const answer = client.rpc('tools/call', params).finally(() => {
        over = true;
      });
      while (!over) await home.clock.advance(100);
      return answer;
    };
    return { home, url, client, create };
  };

  test('concurrent tasks of a requestor have a limit, and whoever is over it is told so', async () => {
    const { create, home } = await standing({ settings: { operationsPerPrincipalMax: 2 } });
    for (let count = 0; count < 2; count += 1) expect((await create({})).result.task.status).toBe('working');
    const { error } = await create({});
    expect(error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('Nothing was started: wait for one to end, or cancel one'),
    });
    expect(home.upstream.count('POST /jobs')).toBe(2);
  });
  test('a ttl that is asked for has a maximum, and the actual one is told', async () => {
    const { create } = await standing();
    const month = 30 * 24 * 3_600_000;
    expect((await create({ ttl: 2 * 3_600_000 })).result.task.ttl).toBe(2 * 3_600_000);
    expect((await create({ ttl: 100 * month })).result.task.ttl).toBe(month);
  });
  test('a task is cleaned up after its ttl, and then is not found', async () => {
    const { create, home, url, client } = await standing();
    const { taskId, ttl } = (await create({})).result.task;
    home.upstream.script({ 'GET /jobs/j1': [{ status: 200, json: { status: 'succeeded', result: 1 } }] });
    await home.clock.advance(60_000);
    expect((await client.rpc('tasks/get', { taskId })).result.status).toBe('completed');
    await home.clock.advance(ttl + 120_000);
    const later = await session(url);
    expect((await later.rpc('tasks/get', { taskId })).error).toEqual({ code: -32602, message: 'Task not found.' });
  });
});

describe('Task Cancellation', () => {
  test('of a terminal task is refused with -32602', async () => {
    const { create, client, engine } = await opened();
    for (const outcome of ['succeeded', 'failed', 'cancelled'] as const) {
      const { taskId } = await create();
      engine.end(taskId, outcome, json({ ok: true }));
      expect((await client.rpc('tasks/cancel', { taskId })).error.code).toBe(-32602);
    }
  });
  test('has made the task cancelled before it is answered, and it stays so whatever the job does', async () => {
    const { create, client, get, engine } = await opened();
    const { taskId } = await create();
    expect((await client.rpc('tasks/cancel', { taskId })).result.status).toBe('cancelled');
    expect(engine.cancels).toEqual([{ id: taskId, sticky: true }]);
    engine.change(taskId, { effects: 'SETTLED', finding: 'succeeded' }, json({ ok: true }));
    expect((await get(taskId)).status).toBe('cancelled');
    expect((await client.rpc('tasks/result', { taskId })).error).toBeDefined();
  });
});

describe('Error Handling', () => {
  test('an invalid or nonexistent task id is -32602 for get, result and cancel', async () => {
    const { client } = await opened();
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      expect((await client.rpc(method, { taskId: 'op_nothing' })).error.code).toBe(-32602);
      expect((await client.rpc(method, { taskId: 7 })).error.code).toBe(-32602);
    }
  });
});

describe('Task Isolation and Access Control', () => {
  test('a task is bound to the context it was created in: get, result, cancel and list of anybody else do not see it', async () => {
    const identity = { identified: true, principal: (request: Wire) => request.header('authorization') };
    const up = await standUp({ identity });
    const ada = await session(up.url, { headers: { authorization: 'ada' } });
    const bob = await session(up.url, { headers: { authorization: 'bob' } });
    const created = await ada.rpc('tools/call', { name: 'create_export', arguments: {}, task: {} });
    const { taskId } = created.result.task;
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect((await bob.rpc(method, { taskId })).error).toMatchObject({ code: -32602 });
    expect((await bob.rpc('tasks/list')).result.tasks).toEqual([]);
    expect((await ada.rpc('tasks/get', { taskId })).result.status).toBe('working');
  });
  test('ids have enough entropy to be no guess', async () => {
    const { newId } = await import('../../src/core/ids.ts');
    expect(newId('op', new Uint8Array(17).fill(255))).toMatch(/^op_[0-9a-z]{26}$/);
  });
});
