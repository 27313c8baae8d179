import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Clock } from '../../src/core/time.ts';
import { configOf, EXTENSION, listen, META, request, standUp, stdio, type Wire } from './kit.ts';
import { json, operation } from './scripted-engine.ts';

type Options = NonNullable<Parameters<typeof listen>[2]>;
type Standing = Awaited<ReturnType<typeof standUp>>;

interface Listening {
  readonly id: number;
  next(): Promise<Wire>;
  /** The client wants no more. */
  stop(): void;
}

const start = async (url: string) =>
  (await request(url, 'tools/call', { name: 'create_export', arguments: {} })).result.taskId as string;
const subscribed = (id: number) => ({ [META('subscriptionId')]: id });

/** The same subscription over both: what is told and when is no matter of what carries it. */
const CARRIERS: Readonly<Record<string, (up: Standing, notifications: object, options?: Options) => Promise<Listening>>> = {
  async HTTP({ url }, notifications, options) {
    const stream = await listen(url, notifications, options);
    return { id: stream.id, next: stream.next, stop: stream.close };
  },
  async stdio({ connectStdio }, notifications, options) {
    const client = stdio(connectStdio);
    const id = client.send('subscriptions/listen', { notifications }, options);
    return { id, next: client.next, stop: () => client.cancel(id) };
  },
};

describe.each(Object.entries(CARRIERS))('listening to tasks over %s', (_carrier, carry) => {
  test('acknowledges what is honoured, shows it as it is, then tells each change, and ends with the last task', async () => {
    const up = await standUp();
    const { url, engine } = up;
    const taskId = await start(url);
    engine.put(operation({ id: 'op_foreign', principal: 'somebody-else' }));
    const stream = await carry(up, { taskIds: [taskId, 'op_none', 'op_foreign', taskId] });
    expect(await stream.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] }, _meta: subscribed(stream.id) },
    });
    expect(await stream.next()).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId, status: 'working', ttlMs: 3_600_000, _meta: subscribed(stream.id) },
    });
    engine.change(taskId, { progress: { fraction: 0.5 } });
    expect((await stream.next()).params).toMatchObject({ taskId, status: 'working', statusMessage: '50 %.' });
    engine.change(taskId, {});
    engine.end(taskId, 'succeeded', json({ n: 1 }));
    const told = await stream.next();
    expect(told.params).toMatchObject({ taskId, status: 'completed', result: { resultType: 'complete' } });
    expect(told.params.resultType).toBeUndefined();
    expect(await stream.next()).toEqual({
      jsonrpc: '2.0',
      id: stream.id,
      result: { resultType: 'complete', _meta: { ...subscribed(stream.id), [META('serverInfo')]: expect.any(Object) } },
    });
  });

  test('gets the list of tools as well where both are asked for, and goes on when the tasks have ended', async () => {
    const up = await standUp();
    const taskId = await start(up.url);
    const stream = await carry(up, { taskIds: [taskId], toolsListChanged: true, promptsListChanged: true });
    expect((await stream.next()).params.notifications).toEqual({ taskIds: [taskId], toolsListChanged: true });
    expect((await stream.next()).method).toBe('notifications/tasks');
    up.engine.moveSupport();
    expect(await stream.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: subscribed(stream.id) },
    });
    up.engine.end(taskId, 'succeeded', json({ n: 1 }));
    expect((await stream.next()).params.status).toBe('completed');
    up.engine.moveSupport();
    expect((await stream.next()).method).toBe('notifications/tools/list_changed');
    stream.stop();
  });

  test('of the list of tools alone is told of it', async () => {
    const up = await standUp();
    const stream = await carry(up, { toolsListChanged: true });
    expect((await stream.next()).params).toEqual({ notifications: { toolsListChanged: true }, _meta: subscribed(stream.id) });
    up.engine.moveSupport();
    expect(await stream.next()).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta: subscribed(stream.id) },
    });
    stream.stop();
  });

  test('shows a task that has ended, then ends', async () => {
    const up = await standUp();
    const taskId = await start(up.url);
    up.engine.end(taskId, 'succeeded', json({ n: 1 }));
    const stream = await carry(up, { taskIds: [taskId] });
    expect((await stream.next()).params.notifications).toEqual({ taskIds: [taskId] });
    expect((await stream.next()).params.status).toBe('completed');
    expect(await stream.next()).toMatchObject({ id: stream.id, result: { resultType: 'complete' } });
  });

  test('ends at once where there is nothing to listen to', async () => {
    const up = await standUp();
    const stream = await carry(up, { taskIds: ['op_none'] });
    expect((await stream.next()).params.notifications).toEqual({ taskIds: [] });
    expect(await stream.next()).toMatchObject({
      id: stream.id,
      result: { resultType: 'complete', _meta: subscribed(stream.id) },
    });
  });

  test('ends with a result when the gateway closes', async () => {
    const up = await standUp();
    const stream = await carry(up, { taskIds: [await start(up.url)] });
    await stream.next();
    await stream.next();
    await up.close();
    expect(await stream.next()).toMatchObject({ id: stream.id, result: { resultType: 'complete' } });
  });

  test('needs the extension, ids that are strings and not too many, and a filter that is right in itself', async () => {
    const up = await standUp();
    const refused = async (notifications: object, options?: Options) =>
      (await (await carry(up, notifications, options)).next()).error;
    expect(await refused({ taskIds: ['op_1'] }, { tasks: false })).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } },
    });
    const many = Array.from({ length: 1_001 }, (_, n) => `op_${n}`);
    for (const taskIds of [[7], 'op_1', null, many]) expect((await refused({ taskIds })).code).toBe(-32602);
    expect((await refused({ taskIds: ['op_1'], toolsListChanged: 'yes' })).code).toBe(-32602);
  });

  test('is bounded', async () => {
    const up = await standUp({ config: configOf({ server: { sessionsMax: 1 } }) });
    const taskId = await start(up.url);
    const first = await carry(up, { taskIds: [taskId] });
    await first.next();
    const refused = await carry(up, { taskIds: [taskId] });
    expect((await refused.next()).error).toMatchObject({ code: -32603, message: 'Subscription limit reached' });
    first.stop();
    const again = async () => {
      const stream = await carry(up, { taskIds: [taskId] });
      const first = await stream.next();
      stream.stop();
      return first?.method === 'notifications/subscriptions/acknowledged';
    };
    await vi.waitUntil(again);
  });

  test('that ends cancels nothing', async () => {
    const up = await standUp();
    const stream = await carry(up, { taskIds: [await start(up.url)] });
    await stream.next();
    stream.stop();
    expect(up.engine.cancels).toEqual([]);
  });
});

describe('listening over HTTP', () => {
  test('is for one principal at most half of what there is for all', async () => {
    const identity = { identified: true, principal: (wire: Wire) => wire.header('x-user') };
    const { url } = await standUp({ identity, config: configOf({ server: { sessionsMax: 2 } }) });
    const of = async (user: string) => {
      const stream = await listen(url, { taskIds: [], toolsListChanged: true }, { headers: { 'x-user': user } });
      return [await stream.next(), stream.close] as const;
    };
    const [first] = await of('alice');
    expect(first.method).toBe('notifications/subscriptions/acknowledged');
    expect((await of('alice'))[0].error).toMatchObject({ code: -32603, message: 'Subscription limit reached' });
    expect((await of('bob'))[0].method).toBe('notifications/subscriptions/acknowledged');
  });

  test('is refused by the status that its error has', async () => {
    const { url } = await standUp();
    const without = await listen(url, { taskIds: ['op_1'] }, { tasks: false });
    expect(without.http).toBe(400);
    const wrong = await listen(url, { taskIds: ['op_1'] }, { headers: { 'mcp-method': 'tools/list' } });
    expect([wrong.http, JSON.parse(await wrong.text()).error.code]).toEqual([400, -32020]);
  });

  /** Keep-alives in a hurry. */
  const clock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms === 15_000 ? 5 : ms, signal) };

  test('is ended where its client reads nothing, so that others have room', async () => {
    const config = configOf({ server: { sessionsMax: 1 } });
    const large = { ...config, limits: { ...config.limits, resultBytesInlineMax: 64_000_000 } };
    const { url, engine } = await standUp({ clock, config: large });
    const [taskId, other] = [await start(url), await start(url)];
    const deaf = await listen(url, { taskIds: [taskId, other] });
    for (let count = 0; count < 3; count += 1) await deaf.next();
    engine.end(taskId, 'succeeded', json('x'.repeat(32_000_000)));
    const again = async () => {
      const stream = await listen(url, { taskIds: [other] });
      const first = await stream.next();
      stream.close();
      return first?.method === 'notifications/subscriptions/acknowledged';
    };
    await vi.waitUntil(again, { timeout: 10_000 });
    deaf.close();
  });

  test('is kept alive by comments', async () => {
    const { url } = await standUp({ clock });
    const stream = await listen(url, { taskIds: [await start(url)] });
    expect(await stream.until(': keep-alive')).toBe(true);
    stream.close();
  });
});

describe('listening over stdio', () => {
  const working = async (up: Standing) => {
    const client = stdio(up.connectStdio);
    const { result } = await client.rpc('tools/call', { name: 'create_export', arguments: {} });
    return { client, taskId: result.taskId as string };
  };

  test('goes on among other requests, and several at once are told apart by the ids of their requests', async () => {
    const up = await standUp();
    const { client, taskId } = await working(up);
    const other = (await client.rpc('tools/call', { name: 'create_export', arguments: {} })).result.taskId;
    const [one, two] = [taskId, other].map((id) => client.send('subscriptions/listen', { notifications: { taskIds: [id] } }));
    const seen: Wire[] = [];
    for (let count = 0; count < 4; count += 1) seen.push(await client.next());
    expect(seen.filter(({ method }) => method === 'notifications/tasks').map(({ params }) => params)).toMatchObject([
      { taskId, _meta: subscribed(one as number) },
      { taskId: other, _meta: subscribed(two as number) },
    ]);
    expect((await client.rpc('tasks/get', { taskId })).result.status).toBe('working');
    up.engine.end(other, 'succeeded', json({ n: 1 }));
    expect((await client.next()).params).toMatchObject({ taskId: other, status: 'completed' });
    expect((await client.next()).id).toBe(two);
  });

  test('is over when it is cancelled, without another word', async () => {
    const up = await standUp();
    const { client, taskId } = await working(up);
    const id = client.send('subscriptions/listen', { notifications: { taskIds: [taskId] } });
    for (let count = 0; count < 2; count += 1) await client.next();
    client.cancel(id);
    // Asked afterwards and answered first.
    expect((await client.rpc('tasks/get', { taskId })).result.taskId).toBe(taskId);
    up.engine.end(taskId, 'succeeded', json({ n: 1 }));
    expect((await client.rpc('tasks/get', { taskId })).result.status).toBe('completed');
    expect(up.engine.cancels).toEqual([]);
  });

  test('that was cancelled before it was answered begins nothing', async () => {
    const up = await standUp();
    const { client, taskId } = await working(up);
    client.cancel(client.send('subscriptions/listen', { notifications: { taskIds: [taskId] } }));
    expect((await client.rpc('tasks/get', { taskId })).result.taskId).toBe(taskId);
    up.engine.end(taskId, 'succeeded', json({ n: 1 }));
    expect((await client.rpc('tasks/get', { taskId })).result.status).toBe('completed');
  });

  test('is no method of a session', async () => {
    const up = await standUp();
    const client = stdio(up.connectStdio);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    client.write({ jsonrpc: '2.0', id: 'i', method: 'initialize', params });
    expect((await client.next()).result.protocolVersion).toBe('2025-11-25');
    client.write({ jsonrpc: '2.0', id: 'l', method: 'subscriptions/listen', params: { notifications: { taskIds: ['op_1'] } } });
    expect(await client.next()).toMatchObject({ id: 'l', error: { code: -32601 } });
  });
});
