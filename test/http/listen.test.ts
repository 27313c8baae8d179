import { describe, expect, test, vi } from 'vitest';
import { configOf, EXTENSION, listen, META, request, standUp } from './kit.ts';
import { json, operation } from './scripted-engine.ts';

const start = async (url: string) =>
  (await request(url, 'tools/call', { name: 'create_export', arguments: {} })).result.taskId as string;
const subscribed = (id: number) => ({ [META('subscriptionId')]: id });

describe('listening to tasks', () => {
  test('acknowledges what is honoured, shows it as it is, then tells each change', async () => {
    const { url, engine } = await standUp();
    const taskId = await start(url);
    engine.put(operation({ id: 'op_foreign', principal: 'somebody-else' }));
    const stream = await listen(url, { taskIds: [taskId, 'op_none', 'op_foreign'] });
    expect(await stream.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] }, _meta: subscribed(stream.id) },
    });
    expect(await stream.next()).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId, status: 'working', ttlMs: 3_600_000, _meta: subscribed(stream.id) },
    });
    engine.change(taskId, {});
    engine.end(taskId, 'succeeded', json({ n: 1 }));
    const told = await stream.next();
    expect(told.params).toMatchObject({ taskId, status: 'completed', result: { resultType: 'complete' } });
    expect(told.params.resultType).toBeUndefined();
    stream.close();
  });

  test('ends at once where there is nothing to listen to', async () => {
    const { url } = await standUp();
    const stream = await listen(url, { taskIds: ['op_none'] });
    expect((await stream.next()).params.notifications).toEqual({ taskIds: [] });
    expect(await stream.next()).toMatchObject({
      id: stream.id,
      result: { resultType: 'complete', _meta: subscribed(stream.id) },
    });
    expect(await stream.next()).toBeUndefined();
  });

  test('ends with a result when the gateway closes', async () => {
    const { url, close } = await standUp();
    const stream = await listen(url, { taskIds: [await start(url)] });
    await stream.next();
    await stream.next();
    await close();
    expect(await stream.next()).toMatchObject({ id: stream.id, result: { resultType: 'complete' } });
  });

  test('needs the extension, ids that are strings, and a request that is right in itself', async () => {
    const { url } = await standUp();
    const without = await listen(url, { taskIds: ['op_1'] }, { tasks: false });
    expect([without.http, JSON.parse(await without.text()).error]).toMatchObject([
      400,
      { code: -32021, data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } } },
    ]);
    const odd = await listen(url, { taskIds: [7] });
    expect([odd.http, JSON.parse(await odd.text()).error.code]).toEqual([200, -32602]);
    const wrong = await listen(url, { taskIds: ['op_1'] }, { headers: { 'mcp-method': 'tools/list' } });
    expect([wrong.http, JSON.parse(await wrong.text()).error.code]).toEqual([400, -32020]);
  });

  test('is bounded', async () => {
    const { url } = await standUp({ config: configOf({ server: { sessionsMax: 1 } }) });
    const taskId = await start(url);
    const first = await listen(url, { taskIds: [taskId] });
    const refused = await listen(url, { taskIds: [taskId] });
    expect(JSON.parse(await refused.text()).error).toMatchObject({ code: -32603, message: 'Subscription limit reached' });
    first.close();
    const again = async () => {
      const stream = await listen(url, { taskIds: [taskId] });
      const first = await stream.next();
      stream.close();
      return first?.method === 'notifications/subscriptions/acknowledged';
    };
    await vi.waitUntil(again);
  });

  test('that ends cancels nothing', async () => {
    const { url, engine } = await standUp();
    const stream = await listen(url, { taskIds: [await start(url)] });
    await stream.next();
    stream.close();
    expect(engine.cancels).toEqual([]);
  });
});
