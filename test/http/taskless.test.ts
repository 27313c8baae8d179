import { describe, expect, test, vi } from 'vitest';
import { progressTeller } from '../../src/http/waiting.ts';
import { hasty, post, request, session, standUp, type Wire } from './kit.ts';
import { call, job, json, operation, ScriptedEngine } from './scripted-engine.ts';

const COMPANIONS = ['get_operation', 'wait_for_operation', 'cancel_operation'];
const pendingOf = (operation: string) => ({ outcome: 'pending', operation, doNotRepeat: true });

describe('a call that outlasts its wait', () => {
  test('is answered as pending, with a handle, and not as an error', async () => {
    const { url } = await standUp();
    const { result } = await request(url, 'tools/call', { name: 'maybe_export', arguments: {} }, { tasks: false });
    expect(result.structuredContent).toEqual(pendingOf('op_1'));
    expect(result.isError).toBeUndefined();
    expect(result.content[0].text).toMatch(/^Not finished\..*op_1.*Do not call maybe_export again.*wait_for_operation/);
  });

  test('tells of progress that only grows, to whoever gave a token', async () => {
    const { url, engine } = await standUp({ tools: [job('slow', { inlineWaitMs: 5_000 })] });
    const s = await session(url, { tasks: false });
    const params = { name: 'slow', arguments: {}, _meta: { progressToken: 'p1' } };
    const calling = post(url, { jsonrpc: '2.0', id: 7, method: 'tools/call', params }, s.headers);
    const fractions = [0.2, 0.1, 0.6];
    for (const [index, fraction] of fractions.entries()) {
      await vi.waitUntil(() => engine.waits === index + 1);
      engine.change('op_1', { progress: { fraction, message: 'copying' } });
    }
    await vi.waitUntil(() => engine.waits === fractions.length + 1);
    engine.end('op_1', 'succeeded', json({ n: 1 }));
    const { messages, result } = await calling;
    const told = messages
      .filter((message: Wire) => message.method === 'notifications/progress')
      .map((message: Wire) => message.params);
    const values = told.map((one: Wire) => one.progress);
    expect(values).toEqual([0, 20, 60]);
    expect(told.at(-1)).toEqual({ progressToken: 'p1', progress: 60, total: 100, message: 'copying' });
    expect(result.content).toEqual([{ type: 'text', text: '{"n":1}' }]);
  });

  test('keeps a client that counts on progress where the service says nothing new, and never shrinks', async () => {
    const told: { readonly progress: number; readonly total?: number }[] = [];
    const engine = new ScriptedEngine();
    const view = engine.put(operation({ progress: { fraction: 0.6 } }));
    const tell = progressTeller(async (one) => void told.push(one), 10_000);
    for (let second = 0; second <= 65; second += 5) {
      await tell(view, second * 1_000);
    }
    const values = told.map(({ progress }) => progress);
    expect(values).toEqual([...values].sort((one, other) => one - other));
    expect(new Set(values).size).toBe(7);
    expect([Math.floor(values.at(-1) ?? 0), told.at(-1)?.total]).toEqual([60, 100]);
    await tell(engine.put(operation({ progress: { fraction: 1 } })), 66_000);
    await tell(engine.put(operation({ progress: { fraction: 1 } })), 80_000);
    expect(told.slice(-2)).toEqual([{ progress: 100, total: 100 }, { progress: 100.01 }]);
  });

  test('that its client gives up is not cancelled', async () => {
    const { url, engine } = await standUp({ clock: hasty, tools: [job('slow', { inlineWaitMs: 60_000 })] });
    for (const leg of ['session', 'request'] as const) {
      const hangUp = new AbortController();
      const s = await session(url, { tasks: false });
      const calling =
        leg === 'session'
          ? s.rpc('tools/call', { name: 'slow', arguments: {} }, hangUp.signal)
          : request(url, 'tools/call', { name: 'slow', arguments: {} }, { tasks: false, signal: hangUp.signal });
      const over = calling.catch((error: Error) => error.name);
      await vi.waitUntil(() => engine.waiting === 1);
      hangUp.abort();
      expect(await over).toBe('AbortError');
      await vi.waitUntil(() => engine.waiting === 0);
    }
    expect([engine.started.length, engine.cancels]).toEqual([2, []]);
  });
});

describe('the companions', () => {
  const names = async (url: string, options: object) =>
    (await request(url, 'tools/list', {}, options)).result.tools.map((tool: Wire) => tool.name);

  test('are listed to callers without Tasks only, and only beside a job', async () => {
    const { url } = await standUp();
    expect(await names(url, { tasks: false })).toEqual(expect.arrayContaining(COMPANIONS));
    expect(await names(url, {})).not.toEqual(expect.arrayContaining([COMPANIONS[0]]));
    const { url: plain } = await standUp({ tools: [call('get_order')] });
    expect(await names(plain, { tasks: false })).toEqual(['get_order']);
  });

  test('give way to a tool of the same name, and the pending answer names them as they are called', async () => {
    const { url } = await standUp({ tools: [call('wait_for_operation'), job('slow', { inlineWaitMs: 10 })] });
    expect(await names(url, { tasks: false })).toContain('longshore_wait_for_operation');
    const { result } = await request(url, 'tools/call', { name: 'slow', arguments: {} }, { tasks: false });
    expect(result.content[0].text).toContain('call longshore_wait_for_operation');
  });

  test('look, wait and cancel', async () => {
    const { url, engine } = await standUp({ tools: [job('slow', { inlineWaitMs: 10 })] });
    const companion = async (name: string, args: object) =>
      (await request(url, 'tools/call', { name, arguments: args }, { tasks: false })).result;
    await request(url, 'tools/call', { name: 'slow', arguments: {} }, { tasks: false });
    expect((await companion('get_operation', { operation: 'op_1' })).structuredContent).toEqual(pendingOf('op_1'));
    expect((await companion('wait_for_operation', { operation: 'op_1', seconds: 0.05 })).structuredContent).toEqual(
      pendingOf('op_1'),
    );
    expect((await companion('cancel_operation', { operation: 'op_1' })).content[0].text).toMatch(/A cancel was requested/);
    expect(engine.cancels).toEqual([{ id: 'op_1', sticky: false }]);
    const waiting = companion('wait_for_operation', { operation: 'op_1' });
    await vi.waitUntil(() => engine.waiting === 1);
    engine.end('op_1', 'unknown');
    expect(await waiting).toMatchObject({ isError: true, structuredContent: { outcome: 'unknown', safeToRepeat: false } });
  });

  test('list what is the caller’s own, where callers are told apart', async () => {
    const identity = { identified: true, principal: (wire: Wire) => wire.header('x-user') };
    const { url, engine } = await standUp({ identity, tools: [job('slow', { inlineWaitMs: 10 })] });
    const as = (user: string) => ({ tasks: false, headers: { 'x-user': user } });
    expect(await names(url, as('ada'))).toContain('list_operations');
    for (let count = 0; count < 2; count += 1) await request(url, 'tools/call', { name: 'slow', arguments: {} }, as('ada'));
    engine.end('op_2', 'failed', json({}), { endingMessage: 'quota exceeded' });
    const list = async (user: string, args: object = {}) =>
      (await request(url, 'tools/call', { name: 'list_operations', arguments: args }, as(user))).result;
    const listed = await list('ada');
    expect(listed.structuredContent.operations).toEqual([
      { operation: 'op_1', tool: expect.any(String), outcome: 'pending', message: 'The service is working on it.' },
      { operation: 'op_2', tool: expect.any(String), outcome: 'failed', message: 'quota exceeded.' },
    ]);
    expect(listed.content[0].text).toMatch(
      /op_1 \(.*\): not finished\. The service is working on it\.\nop_2 \(.*\): ended, failed\. quota exceeded\.$/,
    );
    expect((await list('bob')).content[0].text).toBe('There are no operations of yours.');
    expect(await list('ada', { cursor: 7 })).toMatchObject({ isError: true });
    const { url: alone } = await standUp();
    expect(await names(alone, { tasks: false })).not.toContain('list_operations');
    expect((await request(alone, 'tools/call', { name: 'list_operations', arguments: {} }, { tasks: false })).error.code).toBe(
      -32602,
    );
  });

  test('say what is wrong with what they are given', async () => {
    const { url } = await standUp();
    const textOf = async (name: string, args: object) => {
      const { result } = await request(url, 'tools/call', { name, arguments: args }, { tasks: false });
      return [result.isError, result.content[0].text];
    };
    expect(await textOf('get_operation', {})).toEqual([true, expect.stringContaining('/operation')]);
    expect(await textOf('wait_for_operation', { operation: 'op_1', seconds: 'all' })).toEqual([
      true,
      expect.stringContaining('/seconds'),
    ]);
    expect(await textOf('get_operation', { operation: 'op_none' })).toEqual([
      true,
      expect.stringMatching(/^There is no such operation: /),
    ]);
  });
});

describe("a caller's idempotency key", () => {
  const withKey = (key: unknown) => ({ meta: { 'longshore/idempotencyKey': key } });

  test('travels in _meta', async () => {
    const { url, engine } = await standUp();
    await request(url, 'tools/call', { name: 'create_export', arguments: {} }, withKey('order-7'));
    expect(engine.started[0]).toMatchObject({ callerKey: 'order-7' });
  });

  test('that names another request is refused, naming the earlier operation', async () => {
    const { url, engine } = await standUp();
    engine.starts = () => ({ kind: 'conflict', earlier: 'op_earlier' });
    const answer = await request(url, 'tools/call', { name: 'create_export', arguments: {} }, withKey('order-7'));
    expect(answer.result).toMatchObject({ isError: true });
    expect(answer.result.content[0].text).toMatch(/key already names operation op_earlier/);
    const s = await session(url);
    const asTask = { name: 'create_export', arguments: {}, task: {}, _meta: { 'longshore/idempotencyKey': 'order-7' } };
    expect((await s.rpc('tools/call', asTask)).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('op_earlier'),
    });
  });

  test('must be a string of sensible length', async () => {
    const { url, engine } = await standUp();
    for (const key of ['', 7, 'x'.repeat(300)]) {
      const { result } = await request(url, 'tools/call', { name: 'create_export', arguments: {} }, withKey(key));
      expect(result).toMatchObject({ isError: true });
    }
    expect(engine.started).toEqual([]);
  });
});

describe('a synchronous tool', () => {
  test('publishes its schema, and answers with structured content that fits', async () => {
    const outputSchema = { type: 'object', properties: { ok: { type: 'boolean' } } };
    const { url } = await standUp({ tools: [call('get_order', { outputSchema }), job('slow', { outputSchema })] });
    const [order, slow] = (await request(url, 'tools/list')).result.tools;
    expect([order.outputSchema, slow.outputSchema]).toEqual([outputSchema, undefined]);
    const { result } = await request(url, 'tools/call', { name: 'get_order', arguments: {} });
    expect(result).toMatchObject({ structuredContent: { ok: true } });
  });

  test('that the upstream refuses is an error result', async () => {
    const { url, engine } = await standUp();
    engine.comesTo = { kind: 'failed', status: 409, message: 'order is locked' };
    const { result } = await request(url, 'tools/call', { name: 'get_order', arguments: {} });
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'HTTP 409: order is locked' }] });
  });
});
