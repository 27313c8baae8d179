import { describe, expect, test, vi } from 'vitest';
import type { CallOutcome } from '../../src/engine/engine.ts';
import type { Identity } from '../../src/http/identity.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { configOf, post, request, session, standUp, TOOLS } from './kit.ts';
import { job, operation } from './scripted-engine.ts';

/** Callers told apart by a header. */
const byHeader: Identity = { identified: true, principal: (request) => request.header('x-user') };
const as = (user: string) => ({ headers: { 'x-user': user } });

describe('a session', () => {
  test('that was never opened, or was ended, is not found', async () => {
    const { url } = await standUp();
    const s = await session(url);
    expect((await fetch(url, { method: 'DELETE', headers: s.headers })).status).toBe(200);
    const after = await s.rpc('tools/list');
    expect([after.http, after.error.code]).toEqual([404, -32001]);
    const never = await post(url, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': 'never' });
    expect([never.http, never.error.code]).toEqual([404, -32001]);
    const none = await post(url, { jsonrpc: '2.0', id: 1, method: 'ping' });
    expect([none.http, none.error.code]).toEqual([400, -32000]);
  });

  test('does not exist for anybody but the principal that opened it', async () => {
    const { url } = await standUp({ identity: byHeader });
    const alice = await session(url, as('alice'));
    const bob = { ...alice.headers, 'x-user': 'bob' };
    expect((await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, bob)).http).toBe(404);
    expect((await fetch(url, { headers: { ...bob, accept: 'text/event-stream' } })).status).toBe(404);
    expect((await fetch(url, { method: 'DELETE', headers: bob })).status).toBe(404);
    expect((await alice.rpc('tools/list')).http).toBe(200);
  });

  test('is refused what the transport can not carry: an unknown version, or an answer that the client would not take', async () => {
    const { url } = await standUp();
    const s = await session(url);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await post(url, list, { ...s.headers, 'mcp-protocol-version': '1999-01-01' })).http).toBe(400);
    expect((await post(url, list, { ...s.headers, accept: 'application/json' })).http).toBe(406);
    expect((await fetch(url, { headers: { ...s.headers, accept: 'application/json' } })).status).toBe(406);
    const batch = [list, { jsonrpc: '2.0', id: 2, method: 'ping' }];
    expect((await post(url, batch, s.headers)).messages.map(({ id }: { id: number }) => id).sort()).toEqual([1, 2]);
  });

  test('has one stream at a time', async () => {
    const { url } = await standUp();
    const s = await session(url);
    const stream = await s.stream();
    expect((await s.stream()).http).toBe(409);
    stream.close();
  });

  test('that is idle too long is closed; one with a stream is not', async () => {
    const clock = new VirtualClock();
    const { url } = await standUp({ clock, config: configOf({ server: { sessionIdleMs: 60_000 } }) });
    const [idle, streaming] = [await session(url), await session(url)];
    const stream = await streaming.stream();
    await clock.advance(50_000);
    expect((await idle.rpc('tools/list')).http).toBe(200);
    await clock.advance(50_000);
    expect((await idle.rpc('tools/list')).http).toBe(200);
    await clock.advance(61_000);
    expect((await idle.rpc('tools/list')).http).toBe(404);
    expect((await streaming.rpc('tools/list')).http).toBe(200);
    stream.close();
  });

  test('beyond the most there may be takes the place of the one that is idle longest', async () => {
    const clock = new VirtualClock();
    const { url } = await standUp({ clock, config: configOf({ server: { sessionsMax: 2 } }) });
    const first = await session(url);
    await clock.advance(1_000);
    const second = await session(url);
    const third = await session(url);
    expect(third.opened.http).toBe(200);
    expect((await first.rpc('tools/list')).http).toBe(404);
    expect((await second.rpc('tools/list')).http).toBe(200);
  });

  test('of whoever has most makes room, and nobody has more than half where callers are told apart', async () => {
    const clock = new VirtualClock();
    const { url } = await standUp({ clock, identity: byHeader, config: configOf({ server: { sessionsMax: 4 } }) });
    const quiet = await session(url, as('bob'));
    await clock.advance(1_000);
    const greedy = [await session(url, as('alice')), await session(url, as('alice'))];
    await clock.advance(1_000);
    // Her third takes the place of her first.
    greedy.push(await session(url, as('alice')));
    const alive = async (s: Awaited<ReturnType<typeof session>>) => (await s.rpc('tools/list')).http === 200;
    expect(await Promise.all(greedy.map(alive))).toEqual([false, true, true]);
    const streams = [await greedy[1]?.stream(), await greedy[2]?.stream()];
    const refused = await session(url, as('alice'));
    expect([refused.opened.http, refused.opened.error.message]).toEqual([503, 'All 2 sessions that you may have are in use.']);
    for (const stream of streams) stream?.close();
    await session(url, as('carol'));
    await vi.waitUntil(async () => (await session(url, as('dave'))).opened.http === 200);
    expect(await alive(quiet)).toBe(true);
  });

  test('is refused where all are in use', async () => {
    const { url } = await standUp({ config: configOf({ server: { sessionsMax: 1 } }) });
    const stream = await (await session(url)).stream();
    expect((await session(url)).opened.http).toBe(503);
    stream.close();
  });
});

describe('a principal', () => {
  test('that nobody knows is refused', async () => {
    const { url } = await standUp({ identity: byHeader });
    expect((await request(url, 'tools/list')).http).toBe(401);
    expect((await session(url)).opened.http).toBe(401);
  });

  test('has its own operations, under both contracts', async () => {
    const { url, engine } = await standUp({ identity: byHeader });
    const alice = await session(url, as('alice'));
    const { taskId } = (await alice.rpc('tools/call', { name: 'create_export', arguments: {}, task: {} })).result.task;
    engine.put(operation({ id: 'op_bob', principal: 'bob' }));
    expect(alice.opened.result.capabilities.tasks.list).toEqual({});
    expect((await alice.rpc('tasks/list')).result.tasks.map((task: { taskId: string }) => task.taskId)).toEqual([taskId]);
    expect((await request(url, 'tasks/get', { taskId }, as('alice'))).result.taskId).toBe(taskId);
    expect((await request(url, 'tasks/get', { taskId }, as('bob'))).error.code).toBe(-32602);
  });
});

describe('closing the app', () => {
  test('answers what only waits, lets what is at work finish, takes nothing more, and cancels nothing', async () => {
    const { url, engine, close } = await standUp({ tools: [...TOOLS, job('slow', { inlineWaitMs: 600_000 })] });
    const [s, plain] = [await session(url), await session(url, { tasks: false })];
    const { taskId } = (await s.rpc('tools/call', { name: 'create_export', arguments: {}, task: {} })).result.task;
    const result = s.rpc('tasks/result', { taskId });
    const inline = plain.rpc('tools/call', { name: 'slow', arguments: {} });
    await vi.waitUntil(() => engine.waiting === 2);
    const answer = Promise.withResolvers<CallOutcome>();
    engine.comesTo = answer.promise;
    const working = s.rpc('tools/call', { name: 'get_order', arguments: {} });
    await vi.waitUntil(() => engine.called.length === 1);

    const closed = close();
    expect((await result).error).toMatchObject({ code: -32603, message: expect.stringContaining('Ask again') });
    expect((await inline).result.structuredContent).toMatchObject({ outcome: 'pending', operation: 'op_2' });
    expect((await s.rpc('tools/list')).http).toBe(503);
    answer.resolve({ kind: 'answered', status: 200 });
    expect((await working).result.content[0].text).toMatch(/finished without a result/);
    await closed;
    expect([engine.waiting, engine.cancels]).toEqual([0, []]);
  });
});
