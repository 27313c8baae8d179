import { describe, expect, test, vi } from 'vitest';
import { configOf, EXTENSION, META, request, session, standUp } from './kit.ts';
import { ended, json, operation } from './scripted-engine.ts';

const start = async (url: string) =>
  (await request(url, 'tools/call', { name: 'create_export', arguments: {} })).result.taskId as string;

describe('a 2026-07-28 request', () => {
  test('discovers the extension, and no capability of the other contract', async () => {
    const { url } = await standUp();
    const { capabilities } = (await request(url, 'server/discover')).result;
    expect(capabilities.extensions).toEqual({ [EXTENSION]: {} });
    expect(capabilities.tasks).toBeUndefined();
  });

  test('gets a flat task, leaving the wire as the contract wrote it', async () => {
    const { url } = await standUp();
    const { result } = await request(url, 'tools/call', { name: 'create_export', arguments: {} });
    const { _meta, ...task } = result;
    expect(task).toEqual({
      resultType: 'task',
      taskId: 'op_1',
      status: 'working',
      createdAt: '2026-11-29T12:00:00.000Z',
      lastUpdatedAt: '2026-11-29T12:00:01.000Z',
      ttlMs: 3_600_000,
      pollIntervalMs: 500,
    });
    expect(Object.keys(_meta)).toEqual([META('serverInfo')]);
  });

  test('reads a task with its result inside', async () => {
    const { url, engine } = await standUp();
    const taskId = await start(url);
    expect((await request(url, 'tasks/get', { taskId })).result).toMatchObject({ resultType: 'complete', status: 'working' });
    engine.end(taskId, 'failed', json({ code: 8 }), { endingMessage: 'quota exceeded' });
    const { result } = await request(url, 'tasks/get', { taskId });
    expect(result).toMatchObject({
      resultType: 'complete',
      status: 'completed',
      result: { resultType: 'complete', isError: true },
    });
    expect(result.result.content[0].text).toBe('quota exceeded.');
  });

  test('is answered at once where the job has already ended', async () => {
    const { url, engine } = await standUp();
    engine.starts = () => ({ kind: 'operation', existing: false, view: engine.put(ended('succeeded'), json({ n: 1 })) });
    const { result } = await request(url, 'tools/call', { name: 'create_export', arguments: {} });
    expect(result).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: '{"n":1}' }] });
    expect(result.taskId).toBeUndefined();
  });

  test('acknowledges every cancel, cooperatively, and every update', async () => {
    const { url, engine } = await standUp();
    const taskId = await start(url);
    const bare = ({ result }: { result: { _meta: unknown } }) => ({ ...result, _meta: undefined });
    expect(bare(await request(url, 'tasks/cancel', { taskId }))).toEqual({ resultType: 'complete' });
    engine.end(taskId, 'succeeded', json({}));
    expect(bare(await request(url, 'tasks/cancel', { taskId }))).toEqual({ resultType: 'complete' });
    expect(bare(await request(url, 'tasks/update', { taskId, inputResponses: { x: { action: 'accept' } } }))).toEqual({
      resultType: 'complete',
    });
    expect(engine.cancels).toEqual([{ id: taskId, sticky: false }]);
    expect((await request(url, 'tasks/get', { taskId })).result.status).toBe('completed');
  });

  test('finds no task of somebody else, and none that never was, in the same words', async () => {
    const { url, engine } = await standUp();
    engine.put(operation({ id: 'op_foreign', principal: 'somebody-else' }));
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      for (const taskId of ['op_none', 'op_foreign']) {
        const answer = await request(url, method, { taskId });
        expect([answer.http, answer.error]).toEqual([200, { code: -32602, message: 'Task not found.' }]);
      }
    }
  });

  test('of a removed method is 404', async () => {
    const { url } = await standUp();
    for (const method of ['tasks/result', 'tasks/list', 'ping', 'logging/setLevel']) {
      const answer = await request(url, method, { taskId: 'op_1' });
      expect([method, answer.http, answer.error.code]).toEqual([method, 404, -32601]);
    }
  });

  test('whose headers and body disagree is refused', async () => {
    const { url } = await standUp();
    const taskId = await start(url);
    const answer = await request(url, 'tasks/get', { taskId }, { headers: { 'mcp-name': 'another' } });
    expect([answer.http, answer.error.code]).toEqual([400, -32020]);
  });

  test('reads a task that a session of the other contract started', async () => {
    const { url } = await standUp();
    const s = await session(url);
    const { taskId } = (await s.rpc('tools/call', { name: 'create_export', arguments: {}, task: {} })).result.task;
    expect((await request(url, 'tasks/get', { taskId })).result).toMatchObject({ taskId, ttlMs: 3_600_000 });
  });

  test('looks at no params.task', async () => {
    const { url } = await standUp();
    const { result } = await request(url, 'tools/call', { name: 'get_order', arguments: {}, task: { ttl: 1 } });
    expect(result).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: '{"ok":true}' }] });
  });
});

describe('a request that does not declare the extension', () => {
  const missing = { requiredCapabilities: { extensions: { [EXTENSION]: {} } } };

  test('may use no method of Tasks, whether or not the task exists', async () => {
    const { url, engine } = await standUp();
    const taskId = await start(url);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      for (const id of [taskId, 'op_none']) {
        const answer = await request(url, method, { taskId: id }, { tasks: false });
        expect([answer.http, answer.error.code, answer.error.data]).toEqual([400, -32021, missing]);
      }
    }
    expect(engine.cancels).toEqual([]);
  });

  test('is refused a tool that needs Tasks where the operator rejects such clients, and nothing is started', async () => {
    const { url, engine } = await standUp({ config: configOf({ taskless: 'reject' }) });
    const answer = await request(url, 'tools/call', { name: 'create_export', arguments: {} }, { tasks: false });
    expect([answer.http, answer.error.code, answer.error.data]).toEqual([400, -32021, missing]);
    expect(engine.started).toEqual([]);
  });

  test('waits for an optional job on the call itself', async () => {
    const { url, engine } = await standUp();
    const calling = request(url, 'tools/call', { name: 'maybe_export', arguments: {} }, { tasks: false });
    await vi.waitUntil(() => engine.started.length === 1);
    expect(engine.started[0]?.door).toBe('none');
    engine.end('op_1', 'succeeded', json({ n: 1 }));
    expect((await calling).result).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: '{"n":1}' }] });
  });
});

describe('a contract that is switched off', () => {
  test('is spoken without Tasks', async () => {
    const { url } = await standUp({ config: configOf({ contracts: ['2025-11-25'] }) });
    expect((await request(url, 'server/discover')).result.capabilities.extensions).toBeUndefined();
    expect((await request(url, 'tasks/get', { taskId: 'op_1' })).http).toBe(404);
  });
});
