// MCP 2026-07-28: one test for each MUST and SHOULD that binds a server, of the Tasks extension (SEP-2663) and of the parts of the
// base protocol that tasks stand on, named by the section they stand in. The official suite sees some of it; this sees all of it.
// @see https://modelcontextprotocol.io/seps/2663-tasks-extension

import { describe, expect, test, vi } from 'vitest';
import { formOf } from '../../src/core/form.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Operation } from '../../src/core/operation.ts';
import { configOf, EXTENSION, listen, META, post, request, standUp, type Wire } from '../http/kit.ts';
import { json, operation, receipt } from '../http/scripted-engine.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const CAPABILITIES = META('clientCapabilities');
const WITH_FORMS = { meta: { [CAPABILITIES]: { elicitation: {}, extensions: { [EXTENSION]: {} } } } };
const ONLY_FORMS = { meta: { [CAPABILITIES]: { elicitation: {} } } };
const MISSING = { requiredCapabilities: { extensions: { [EXTENSION]: {} } } };
const CALL = { name: 'create_export', arguments: {} };

const asks = (round: number, ...messages: readonly string[]): Partial<Operation> => ({
  life: 'INPUT_REQUIRED',
  input: 'OPEN',
  round,
  answers: {},
  inputRequest: {
    questions: messages.map((message) => ({ message, form: formOf({ type: 'string' }) })),
    declinable: false,
  } as unknown as JsonObject,
});
const accept = (answer: string) => ({ action: 'accept', content: { answer } });
/** A result without what every result of this version carries. */
const bare = ({ _meta, ...result }: Wire): Wire => result;

async function opened(parts: Parameters<typeof standUp>[0] = {}) {
  const up = await standUp(parts);
  const create = async (): Promise<Wire> => (await request(up.url, 'tools/call', CALL, WITH_FORMS)).result;
  const get = async (taskId: string): Promise<Wire> => (await request(up.url, 'tasks/get', { taskId }, WITH_FORMS)).result;
  const update = (taskId: string, inputResponses: object) =>
    request(up.url, 'tasks/update', { taskId, inputResponses }, WITH_FORMS);
  return { ...up, create, get, update };
}

describe('Discovery', () => {
  test('server/discover tells versions, capabilities and who answers, to anybody', async () => {
    const { url } = await standUp();
    const { result } = await request(url, 'server/discover', {}, { tasks: false });
    expect(result.supportedVersions).toContain('2026-07-28');
    expect(result.capabilities).toMatchObject({ tools: {}, extensions: { [EXTENSION]: {} } });
    expect(result._meta[META('serverInfo')]).toMatchObject({ name: 'longshore', version: expect.any(String) });
    expect(result.capabilities).not.toHaveProperty('tasks');
  });
});

describe('Request metadata and headers', () => {
  const framed = (meta: object) => ({ jsonrpc: '2.0', id: 'e', method: 'tools/list', params: { _meta: meta } });
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
  const whole = {
    [META('protocolVersion')]: '2026-07-28',
    [META('clientInfo')]: { name: 'test', version: '1' },
    [CAPABILITIES]: {},
  };

  test('a request without its envelope, or with half of it, is 400 with -32602 and its own id', async () => {
    const { url } = await standUp();
    for (const missing of [undefined, META('protocolVersion'), CAPABILITIES]) {
      const meta = missing === undefined ? {} : Object.fromEntries(Object.entries(whole).filter(([key]) => key !== missing));
      const answer = await post(url, framed(meta), headers);
      expect([answer.http, answer.error.code, answer.messages[0].id]).toEqual([400, -32602, 'e']);
    }
  });
  test('a version that nobody speaks is 400 with -32022, naming those that are', async () => {
    const { url } = await standUp();
    const meta = { ...whole, [META('protocolVersion')]: '2027-01-01' };
    const answer = await post(url, framed(meta), { ...headers, 'mcp-protocol-version': '2027-01-01' });
    expect([answer.http, answer.error.code]).toEqual([400, -32022]);
    expect(answer.error.data).toMatchObject({ supported: ['2026-07-28'], requested: '2027-01-01' });
  });
  test('headers that are missing, or say otherwise than the body, are 400 with -32020', async () => {
    const { url } = await standUp();
    const wrong = [{}, { ...headers, 'mcp-method': 'tools/call' }, { ...headers, 'mcp-protocol-version': '2025-11-25' }];
    for (const given of wrong) {
      const answer = await post(url, framed(whole), given as Record<string, string>);
      expect([answer.http, answer.error.code]).toEqual([400, -32020]);
    }
  });
  test('Mcp-Name is the task id on tasks/get, tasks/update and tasks/cancel', async () => {
    const { url, create } = await opened();
    const { taskId } = await create();
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const params = { taskId, inputResponses: {} };
      expect((await request(url, method, params)).http).toBe(200);
      const other = await request(url, method, params, { headers: { 'mcp-name': 'op_9' } });
      expect([other.http, other.error.code]).toEqual([400, -32020]);
    }
  });
});

describe('Capability Negotiation', () => {
  test('no task is given to a request that does not declare the extension, whatever an earlier one declared', async () => {
    const { url, create } = await opened();
    await create();
    const { result } = await request(url, 'tools/call', { name: 'maybe_export', arguments: {} }, { tasks: false });
    expect(result.resultType).toBe('complete');
    expect(result).not.toHaveProperty('taskId');
  });
  test('what can only be a task is refused without it, by -32021 naming the extension', async () => {
    const { url, engine } = await standUp({ config: configOf({ taskless: 'reject' }) });
    const { http, error } = await request(url, 'tools/call', CALL, { tasks: false });
    expect([http, error.code, error.data]).toEqual([400, -32021, MISSING]);
    expect(engine.started).toEqual([]);
  });
});

describe('Polymorphic Results', () => {
  test('resultType is "task" on a created task, and on nothing else', async () => {
    const { url, create, update } = await opened();
    const created = await create();
    expect(created.resultType).toBe('task');
    const { taskId } = created;
    const others = [
      await request(url, 'tasks/get', { taskId }),
      await update(taskId, {}),
      await request(url, 'tasks/cancel', { taskId }),
      await request(url, 'tools/call', { name: 'get_order', arguments: {} }),
      await request(url, 'tools/list'),
    ];
    for (const { result } of others) expect(result.resultType).toBe('complete');
  });
});

describe('Tasks', () => {
  test('have ids, ISO times and integer milliseconds, and no member of the other contract', async () => {
    const { create, get } = await opened();
    const created = await create();
    for (const task of [created, await get(created.taskId)]) {
      expect(task.createdAt).toMatch(ISO);
      expect(task.lastUpdatedAt).toMatch(ISO);
      expect(Number.isInteger(task.ttlMs) && task.ttlMs > 0).toBe(true);
      expect(Number.isInteger(task.pollIntervalMs) && task.pollIntervalMs > 0).toBe(true);
      for (const old of ['ttl', 'pollInterval', 'task', 'requestState']) expect(task).not.toHaveProperty(old);
    }
  });
  test('fail only by a JSON-RPC error; a tool error is completed', async () => {
    const { create, get, engine } = await opened();
    const [wrong, never] = [await create(), await create()];
    engine.end(wrong.taskId, 'failed', json({ why: 'no disk' }), { endingMessage: 'no disk' });
    const { seen: _seen, ...nothingSeen } = operation({ id: never.taskId, life: 'ACCEPTED', receipt: receipt('failed') });
    engine.put(nothingSeen);
    const completed = await get(wrong.taskId);
    expect(completed).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(completed).not.toHaveProperty('error');
    const failed = await get(never.taskId);
    expect(failed).toMatchObject({ status: 'failed', error: { code: -32603, message: expect.any(String) } });
    expect(failed).not.toHaveProperty('result');
  });
});

describe('Task Creation', () => {
  test('is answered only when the task can be read, and carries no result, error or question', async () => {
    const { create, get } = await opened();
    const created = await create();
    expect((await get(created.taskId)).taskId).toBe(created.taskId);
    for (const later of ['result', 'error', 'inputRequests']) expect(created).not.toHaveProperty(later);
  });
});

describe('Task Polling', () => {
  test('shows a working task as working, and a cancelled one as cancelled, with nothing inside', async () => {
    const { create, get, engine } = await opened();
    const [one, two] = [await create(), await create()];
    engine.end(two.taskId, 'cancelled');
    expect((await get(one.taskId)).status).toBe('working');
    const cancelled = await get(two.taskId);
    expect(cancelled.status).toBe('cancelled');
    for (const member of ['result', 'error', 'inputRequests']) expect(cancelled).not.toHaveProperty(member);
  });
  test('shows everything that is still asked while input is required', async () => {
    const { create, get, engine } = await opened();
    const { taskId } = await create();
    engine.change(taskId, asks(1, 'Which?', 'How many?'));
    const { status, inputRequests } = await get(taskId);
    expect(status).toBe('input_required');
    expect(Object.values(inputRequests)).toMatchObject([
      { method: 'elicitation/create', params: { message: 'Which?' } },
      { method: 'elicitation/create', params: { message: 'How many?' } },
    ]);
    // The same again, for whoever polls again.
    expect((await get(taskId)).inputRequests).toEqual(inputRequests);
  });
  test('shows a completed task with the result that its call would have had, complete in itself', async () => {
    const { create, get, engine } = await opened();
    const { taskId } = await create();
    engine.end(taskId, 'succeeded', json({ ok: true }));
    const { resultType, status, result } = await get(taskId);
    expect([resultType, status]).toEqual(['complete', 'completed']);
    // Published clients refuse the task otherwise.
    expect(result).toEqual({ resultType: 'complete', content: [{ type: 'text', text: '{"ok":true}' }] });
  });
});

describe('Task Update Requests', () => {
  test('are acknowledged by an empty, complete result', async () => {
    const { create, update, engine } = await opened();
    const { taskId } = await create();
    engine.change(taskId, asks(1, 'Which?'));
    expect(bare((await update(taskId, { 'input-1.1': accept('this') })).result)).toEqual({ resultType: 'complete' });
  });
  test('keys are never used twice: what is asked later has others, and late answers to earlier ones change nothing', async () => {
    const { create, get, update, engine } = await opened();
    const { taskId } = await create();
    engine.change(taskId, asks(1, 'Which?'));
    const [first] = Object.keys((await get(taskId)).inputRequests);
    await update(taskId, { [first as string]: accept('this') });
    engine.change(taskId, asks(2, 'Which?'));
    const [second] = Object.keys((await get(taskId)).inputRequests);
    expect(second).not.toBe(first);
    await update(taskId, { [first as string]: accept('late'), never_issued: accept('x') });
    expect((await get(taskId)).status).toBe('input_required');
  });
  test('may be partial: what is not answered stays asked, and nothing else does', async () => {
    const { create, get, update, engine } = await opened();
    const { taskId } = await create();
    engine.change(taskId, asks(1, 'Which?', 'How many?'));
    await update(taskId, { 'input-1.2': accept('two') });
    expect(Object.keys((await get(taskId)).inputRequests)).toEqual(['input-1.1']);
    await update(taskId, { 'input-1.1': accept('this') });
    expect((await get(taskId)).status).toBe('working');
  });
});

describe('Task Cancellation', () => {
  test('is acknowledged by an empty, complete result, also where the task has ended, and promises nothing', async () => {
    const { url, create, get, engine } = await opened();
    const { taskId } = await create();
    for (let count = 0; count < 2; count += 1) {
      expect(bare((await request(url, 'tasks/cancel', { taskId })).result)).toEqual({ resultType: 'complete' });
      engine.end(taskId, 'succeeded', json({ ok: true }));
    }
    expect((await get(taskId)).status).toBe('completed');
    expect(engine.cancels).toEqual([{ id: taskId, sticky: false }]);
  });
  test('is not made by hanging up on the call that created the task', async () => {
    const { url, engine } = await opened();
    const hangUp = new AbortController();
    const calling = request(
      url,
      'tools/call',
      { name: 'maybe_export', arguments: {} },
      { tasks: false, signal: hangUp.signal },
    );
    const gone = calling.catch((error: Error) => error.name);
    await vi.waitUntil(() => engine.waiting === 1);
    hangUp.abort();
    expect(await gone).toBe('AbortError');
    await vi.waitUntil(() => engine.waiting === 0);
    expect(engine.cancels).toEqual([]);
  });
});

describe('Task Status Notifications', () => {
  test('need the extension', async () => {
    const { url } = await standUp();
    const stream = await listen(url, { taskIds: ['op_1'] }, { tasks: false });
    expect(stream.http).toBe(400);
    expect((await stream.next()).error).toMatchObject({ code: -32021, data: MISSING });
  });
  test('are what tasks/get would have answered at that moment, and nothing else is on the stream', async () => {
    const { url, create, get, engine } = await opened();
    const { taskId } = await create();
    const stream = await listen(url, { taskIds: [taskId] }, WITH_FORMS);
    const acknowledged = await stream.next();
    expect(acknowledged).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] } },
    });
    const changes: readonly (() => void)[] = [
      () => undefined,
      () => engine.change(taskId, { progress: { fraction: 0.5, message: 'rendering' } }),
      () => engine.change(taskId, asks(1, 'Which?')),
      () => engine.change(taskId, { life: 'WORKING', input: 'CLOSED', progress: { fraction: 0.9 } }),
      () => engine.end(taskId, 'succeeded', json({ ok: true })),
    ];
    for (const change of changes) {
      change();
      const { method, params } = await stream.next();
      expect([method, params._meta]).toEqual(['notifications/tasks', { [META('subscriptionId')]: stream.id }]);
      expect({ resultType: 'complete', ...bare(params) }).toEqual(bare(await get(taskId)));
    }
    expect((await stream.next()).result.resultType).toBe('complete');
  });
});

describe('Error Handling', () => {
  test('an unknown task, or none, is -32602 on get, update and cancel, with HTTP 200', async () => {
    const { url } = await standUp();
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const unknown = await request(url, method, { taskId: 'op_nothing', inputResponses: {} });
      expect([unknown.http, unknown.error.code]).toEqual([200, -32602]);
      expect((await request(url, method, {})).error.code).toBe(-32602);
    }
  });
  test('methods that this version does not have are 404 with -32601', async () => {
    const { url } = await standUp();
    for (const method of ['initialize', 'ping', 'tasks/list', 'tasks/result', 'logging/setLevel', 'resources/subscribe']) {
      const answer = await request(url, method, { taskId: 'op_1' });
      expect([method, answer.http, answer.error.code]).toEqual([method, 404, -32601]);
    }
  });
});

describe('Security', () => {
  const identity = { identified: true, principal: (wire: Wire) => wire.header('authorization') };
  const as = (name: string, more: object = WITH_FORMS) => ({ ...more, headers: { authorization: name } });

  test('a task is nobody else’s: get, update, cancel and listen do not see it', async () => {
    const { url, engine } = await standUp({ identity });
    const { taskId } = (await request(url, 'tools/call', CALL, as('ada'))).result;
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect((await request(url, method, { taskId, inputResponses: {} }, as('bob'))).error).toEqual({
        code: -32602,
        message: 'Task not found.',
      });
    const stream = await listen(url, { taskIds: [taskId] }, as('bob'));
    expect((await stream.next()).params.notifications).toEqual({ taskIds: [] });
    expect((await stream.next()).result.resultType).toBe('complete');
    expect(engine.cancels).toEqual([]);
  });

  test('requestState is believed from nobody but whom it was given to, and not once its operation is gone', async () => {
    const up = await standUp({ identity });
    const params = { name: 'maybe_export', arguments: { size: 3 } };
    const stop = up.engine.subscribe(({ id, life }) => {
      if (life !== 'WORKING') return;
      stop();
      queueMicrotask(() => up.engine.change(id, asks(1, 'Which?')));
    });
    const { requestState } = (await request(up.url, 'tools/call', params, as('ada', ONLY_FORMS))).result;
    const again = (name: string) =>
      request(
        up.url,
        'tools/call',
        { ...params, requestState, inputResponses: { 'input-1.1': accept('this') } },
        as(name, ONLY_FORMS),
      );
    const refused = { code: -32602, data: { reason: 'invalid_request_state' } };
    expect((await again('bob')).error).toMatchObject(refused);
    up.engine.forget(requestState.split('.')[0]);
    expect((await again('ada')).error).toMatchObject(refused);
    expect(up.engine.answers).toEqual([]);
    expect(up.engine.started).toHaveLength(1);
  });
});
