import { describe, expect, test, vi } from 'vitest';
import { configOf, hasty, post, session, standUp, type Wire } from './kit.ts';
import { job, json, operation } from './scripted-engine.ts';

const startTask = async (s: Awaited<ReturnType<typeof session>>, args: object = {}) => {
  const answer = await s.rpc('tools/call', { name: 'create_export', arguments: args, task: { ttl: 60_000 } });
  return answer.result.task.taskId as string;
};

describe('a 2025-11-25 session', () => {
  test('is told of Tasks, and of no list where nobody is identified', async () => {
    const { url } = await standUp();
    const s = await session(url);
    expect(s.opened.result.capabilities.tasks).toEqual({ cancel: {}, requests: { tools: { call: {} } } });
    expect((await s.rpc('tasks/list')).error.code).toBe(-32601);
    expect((await s.rpc('tasks/update', { taskId: 'op_1', inputResponses: {} })).error.code).toBe(-32601);
  });

  test('sees what each tool lets it decide, and the companions, because a call without a task may end as pending', async () => {
    const { url } = await standUp();
    const s = await session(url);
    const tools: Wire[] = (await s.rpc('tools/list')).result.tools;
    expect(tools.map((tool) => [tool.name, tool.execution]).slice(0, 3)).toEqual([
      ['create_export', { taskSupport: 'required' }],
      ['maybe_export', { taskSupport: 'optional' }],
      ['get_order', undefined],
    ]);
    const pending = (await s.rpc('tools/call', { name: 'maybe_export', arguments: {} })).result.content[0].text;
    const named = ['wait_for_operation', 'cancel_operation'];
    expect(named.filter((name) => pending.includes(name) && tools.some((tool) => tool.name === name))).toEqual(named);
  });

  test('sees no companions where every job has to be a task', async () => {
    const { url } = await standUp({ tools: [job('create_export', { taskSupport: 'required' })] });
    const tools: Wire[] = (await (await session(url)).rpc('tools/list')).result.tools;
    expect(tools.map(({ name }) => name)).toEqual(['create_export']);
  });

  test('gets a task, leaving the wire as the contract wrote it', async () => {
    const { url } = await standUp();
    const answer = await (await session(url)).rpc('tools/call', {
      name: 'create_export',
      arguments: {},
      task: { ttl: 60_000 },
    });
    expect(Object.keys(answer.result)).toEqual(['task']);
    expect(answer.result.task).toEqual({
      taskId: 'op_1',
      status: 'working',
      createdAt: '2026-11-29T12:00:00.000Z',
      lastUpdatedAt: '2026-11-29T12:00:01.000Z',
      ttl: 60_000,
      pollInterval: 500,
    });
  });

  test('is refused by code where a tool and params.task do not go together, and nothing is started', async () => {
    const { url, engine } = await standUp();
    const s = await session(url);
    expect((await s.rpc('tools/call', { name: 'create_export', arguments: {} })).error.code).toBe(-32601);
    expect((await s.rpc('tools/call', { name: 'get_order', arguments: {}, task: {} })).error.code).toBe(-32601);
    expect((await s.rpc('tools/call', { name: 'maybe_export', arguments: {}, task: { ttl: -1 } })).error.code).toBe(-32602);
    expect((await s.rpc('tools/call', { name: 'nothing', arguments: {} })).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('nothing'),
    });
    expect([engine.started, engine.called]).toEqual([[], []]);
  });

  test('reads a task, then waits for its result', async () => {
    const { url, engine } = await standUp();
    const s = await session(url);
    const taskId = await startTask(s);
    const waiting = s.rpc('tasks/result', { taskId, task: { ttl: 1 } });
    await vi.waitUntil(() => engine.waiting === 1);
    expect((await s.rpc('tasks/get', { taskId })).result.status).toBe('working');
    engine.end(taskId, 'succeeded', json({ n: 1 }));
    expect((await waiting).result).toEqual({
      content: [{ type: 'text', text: '{"n":1}' }],
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    });
    expect((await s.rpc('tasks/get', { taskId })).result.status).toBe('completed');
  });

  test('reads a failed job as failed, its reason in the status message, and its result as an error result', async () => {
    const { url, engine } = await standUp();
    const s = await session(url);
    const taskId = await startTask(s);
    engine.end(taskId, 'failed', json({ code: 8 }), { endingMessage: 'quota exceeded' });
    expect((await s.rpc('tasks/get', { taskId })).result).toMatchObject({ status: 'failed', statusMessage: 'quota exceeded.' });
    expect((await s.rpc('tasks/result', { taskId })).result).toMatchObject({ isError: true });
  });

  test('cancels for good: the answer is the task, cancelled, and a second cancel is refused', async () => {
    const { url, engine } = await standUp();
    const s = await session(url);
    const taskId = await startTask(s);
    expect((await s.rpc('tasks/cancel', { taskId })).result).toMatchObject({ taskId, status: 'cancelled' });
    expect((await s.rpc('tasks/cancel', { taskId })).error.code).toBe(-32602);
    expect((await s.rpc('tasks/result', { taskId })).error).toMatchObject({ message: expect.stringContaining('Cancelled') });
    expect(engine.cancels).toEqual([{ id: taskId, sticky: true }]);
  });

  test('is told the same of a task that never was and one of somebody else', async () => {
    const { url, engine } = await standUp();
    const s = await session(url);
    engine.put(operation({ id: 'op_foreign', principal: 'somebody-else' }));
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      const [unknown, foreign] = [await s.rpc(method, { taskId: 'op_none' }), await s.rpc(method, { taskId: 'op_foreign' })];
      expect(unknown.error).toEqual({ code: -32602, message: 'Task not found.' });
      expect(foreign.error).toEqual(unknown.error);
    }
  });

  test('is told that its arguments do not fit, by an error where it asked for a task', async () => {
    const { url } = await standUp();
    const s = await session(url);
    const asTask = await s.rpc('tools/call', { name: 'create_export', arguments: { size: 'large' }, task: {} });
    expect(asTask.error).toMatchObject({ code: -32602, message: expect.stringContaining('/size: must be integer') });
    const plainly = await s.rpc('tools/call', { name: 'maybe_export', arguments: { size: 'large' } });
    expect(plainly.result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('/size: must be integer') }],
    });
  });
});

describe('the stream of a session', () => {
  test('is told when a task that the session knows changes, once for each change', async () => {
    const { url, engine } = await standUp();
    const s = await session(url);
    const stream = await s.stream();
    const taskId = await startTask(s);
    engine.change(taskId, { progress: { fraction: 0.5 } });
    expect(await stream.next()).toMatchObject({
      method: 'notifications/tasks/status',
      params: { taskId, status: 'working', statusMessage: '50 %.' },
    });
    engine.change(taskId, {});
    engine.end(taskId, 'succeeded', json({ n: 1 }));
    expect(await stream.next()).toMatchObject({ params: { taskId, status: 'completed' } });
    stream.close();
  });

  test('is told nothing of a task that another session started', async () => {
    const { url, engine } = await standUp();
    const [mine, other] = [await session(url), await session(url)];
    const stream = await mine.stream();
    const theirs = await startTask(other);
    engine.end(theirs, 'succeeded');
    const own = await startTask(mine);
    engine.end(own, 'succeeded');
    expect((await stream.next()).params.taskId).toBe(own);
    stream.close();
  });
});

describe('a client that loses a stream', () => {
  test('resumes a blocking tasks/result by Last-Event-ID, and gets the result once', async () => {
    const { url, engine } = await standUp();
    const s = await session(url);
    const taskId = await startTask(s);
    const first = await s.open('tasks/result', { taskId });
    const lastEventId = await first.eventId();
    await vi.waitUntil(() => engine.waiting === 1);
    first.close();
    engine.end(taskId, 'succeeded', json({ ok: true }));
    const resumed = await s.stream({ 'last-event-id': lastEventId });
    expect((await resumed.next()).result.content).toEqual([{ type: 'text', text: '{"ok":true}' }]);
    expect(await resumed.next()).toBeUndefined();
  });

  test('is told that an event is not kept where it is none', async () => {
    const { url } = await standUp();
    const s = await session(url);
    expect((await s.stream({ 'last-event-id': '999' })).http).toBe(400);
  });

  test('gets nothing of another session by its event ids', async () => {
    const { url, engine } = await standUp();
    const [mine, other] = [await session(url), await session(url)];
    const taskId = await startTask(mine);
    engine.end(taskId, 'succeeded', json({ secret: true }));
    const answered = await mine.rpc('tasks/result', { taskId });
    const ids = [...answered.text.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id);
    expect(ids.length).toBeGreaterThan(0);
    for (const id of ids) {
      const stream = await other.stream({ 'last-event-id': id });
      expect(await stream.text()).not.toContain('secret');
    }
  });
});

describe('a client that goes away', () => {
  test('stops waiting once it had time to come back, and cancels nothing', async () => {
    const { url, engine } = await standUp({ clock: hasty });
    const s = await session(url);
    const taskId = await startTask(s);
    const hangUp = new AbortController();
    const waiting = s.rpc('tasks/result', { taskId }, hangUp.signal).catch((error: Error) => error.name);
    await vi.waitUntil(() => engine.waiting === 1);
    hangUp.abort();
    expect(await waiting).toBe('AbortError');
    await vi.waitUntil(() => engine.waiting === 0);
    expect(engine.cancels).toEqual([]);
  });

  test('may say so by notifications/cancelled, with the same effect', async () => {
    const { url, engine } = await standUp();
    const s = await session(url);
    const taskId = await startTask(s);
    const hangUp = new AbortController();
    const waiting = post(
      url,
      { jsonrpc: '2.0', id: 'w', method: 'tasks/result', params: { taskId } },
      s.headers,
      hangUp.signal,
    ).catch(() => undefined);
    await vi.waitUntil(() => engine.waiting === 1);
    await post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'w' } }, s.headers);
    await vi.waitUntil(() => engine.waiting === 0);
    expect(engine.cancels).toEqual([]);
    hangUp.abort();
    await waiting;
  });
});

describe('a client without a sign of Tasks', () => {
  test('is shown tools that need them as optional, with the companions, and may call them', async () => {
    const { url } = await standUp();
    const s = await session(url, { tasks: false });
    const tools = (await s.rpc('tools/list')).result.tools;
    expect(tools[0]).toMatchObject({ name: 'create_export', execution: { taskSupport: 'optional' } });
    expect(tools.map((tool: { name: string }) => tool.name)).toEqual(
      expect.arrayContaining(['get_operation', 'wait_for_operation', 'cancel_operation']),
    );
  });

  test('is shown them as they are, and refused, where the operator rejects such clients', async () => {
    const { url } = await standUp({ config: configOf({ taskless: 'reject' }) });
    const s = await session(url, { tasks: false });
    expect((await s.rpc('tools/list')).result.tools[0].execution).toEqual({ taskSupport: 'required' });
    expect((await s.rpc('tools/call', { name: 'create_export', arguments: {} })).error.code).toBe(-32601);
  });

  test('has shown one once it has sent a task', async () => {
    const { url } = await standUp({ tools: [job('create_export', { taskSupport: 'required' })] });
    const s = await session(url, { tasks: false });
    await startTask(s);
    expect((await s.rpc('tools/list')).result.tools).toMatchObject([{ execution: { taskSupport: 'required' } }]);
  });

  test('of an older protocol version knows nothing of Tasks', async () => {
    const { url } = await standUp();
    const s = await session(url, { version: '2025-06-18' });
    expect(s.opened.result).toMatchObject({ protocolVersion: '2025-06-18' });
    expect(s.opened.result.capabilities.tasks).toBeUndefined();
    expect((await s.rpc('tools/list')).result.tools[0].execution).toBeUndefined();
    expect((await s.rpc('tasks/get', { taskId: 'op_1' })).error.code).toBe(-32601);
  });
});
