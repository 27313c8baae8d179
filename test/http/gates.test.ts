// Gates as callers and operators meet them: the app on a real port, before the real engine on virtual time.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { holdSecret } from '../../src/config/secret.ts';
import { CONTRACTS } from '../../src/contracts/index.ts';
import type { GateChange } from '../../src/core/gates.ts';
import { silentLog } from '../../src/core/log.ts';
import type { TaskSupport } from '../../src/core/tool.ts';
import { createApp } from '../../src/http/app.ts';
import { type House, house, jobTool, type Script, type Scripted } from '../engine/kit.ts';
import { THIRD, tasks20270331 } from '../fixtures/contracts/tasks-2027-03-31.ts';
import { ask, TOKEN } from './admin-kit.ts';
import { configOf, inTime, listen, post, request, session, textOf, type Wire } from './kit.ts';
import { catalogueOf } from './scripted-engine.ts';

const accepted: Script = (_request, count) => ({ status: 202, json: { id: `j${count}`, status: 'queued' } });
const done: readonly Scripted[] = [{ status: 200, json: { status: 'succeeded', result: { n: 1 } } }];
const slow: readonly Scripted[] = [
  ...Array.from({ length: 30 }, () => ({ status: 200, json: { status: 'running' } })),
  ...done,
];
const scripts = { 'POST /jobs': accepted, 'GET /jobs/j1': done, 'GET /jobs/j2': done, 'GET /jobs/j3': done };

interface Standing {
  readonly home: House;
  readonly url: string;
  readonly origin: string;
}

async function stand({ third = false, support = 'optional' as TaskSupport } = {}): Promise<Standing> {
  const contracts = third ? ([THIRD, '2025-11-25', '2026-07-28'] as const) : (['2025-11-25', '2026-07-28'] as const);
  const home = await house(scripts, {
    gates: { contracts },
    durations: true,
    tool: { ...jobTool(), taskSupport: support, measured: true },
  });
  const { app, close } = createApp({
    engine: home.engine,
    catalogue: catalogueOf(home.tool),
    config: { ...configOf({ contracts }), admin: { token: holdSecret(TOKEN) } },
    log: silentLog,
    clock: systemClock,
    // One more contract: its file, and this line.
    ...(third && { contracts: [tasks20270331, ...CONTRACTS] }),
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    await close();
    server.closeAllConnections();
    server.close();
    await home.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { home, origin, url: `${origin}/mcp` };
}

const CALL = { name: 'start_job', arguments: { body: { name: 'a' } } };
const AS_TASK = { ...CALL, task: {} };
const set = ({ origin }: Standing, changes: Partial<GateChange> = {}) =>
  ask(origin, '/gates', {
    body: { adapter: 'http-202@1', contract: '2025-11-25', mode: 'drain', actor: 'ada', reason: 'it changed', ...changes },
  });

const described = async (listed: Promise<{ readonly result: Wire }>): Promise<string> =>
  (await listed).result.tools[0].description;

describe('a drained contract', () => {
  test('refuses a task of 2025-11-25 as an error of the protocol that names the gate, and nobody else', async () => {
    const it = await stand();
    const { rpc } = await session(it.url);
    await set(it);
    const { error } = await rpc('tools/call', AS_TASK);
    expect(error.message).toContain('gate http-202@1 × 2025-11-25 is drained since ');
    expect(error.message).toContain('it changed');
    expect(error.data).toMatchObject({ gate: 'http-202@1 × 2025-11-25', mode: 'drain', reason: 'it changed' });
    expect(it.home.upstream.requests).toHaveLength(0);
    expect((await request(it.url, 'tools/call', CALL)).result).toMatchObject({ resultType: 'task' });
    const plain = await session(it.url, { tasks: false });
    expect((await inTime(it, plain.rpc('tools/call', CALL))).result.isError).toBeUndefined();
  });

  test('refuses a task of 2026-07-28 as an error of the tool', async () => {
    const it = await stand();
    await set(it, { contract: '2026-07-28' });
    const { result } = await request(it.url, 'tools/call', CALL);
    expect(result).toMatchObject({ resultType: 'complete', isError: true });
    expect(textOf(result)).toContain('gate http-202@1 × 2026-07-28 is drained');
  });

  test('is closed to its own clients that call without a task as well', async () => {
    const it = await stand();
    const { rpc } = await session(it.url);
    await set(it);
    expect(textOf((await rpc('tools/call', CALL)).result)).toContain('gate http-202@1 × 2025-11-25 is drained');
  });

  test('leaves old tasks to be read, cancelled and ended', async () => {
    const it = await stand();
    const { rpc } = await session(it.url);
    const ids: string[] = [];
    for (const name of ['a', 'b'])
      ids.push((await rpc('tools/call', { ...AS_TASK, arguments: { body: { name } } })).result.task.taskId);
    await set(it);
    expect((await rpc('tasks/get', { taskId: ids[0] })).result.status).toBe('working');
    expect((await rpc('tasks/cancel', { taskId: ids[1] })).result.status).toBe('cancelled');
    await it.home.clock.advance(30_000);
    expect((await rpc('tasks/get', { taskId: ids[0] })).result.status).toBe('completed');
  });

  test('is said in its tool’s description, and to whoever listens, under both contracts', async () => {
    const it = await stand();
    const old = await session(it.url);
    const stream = await old.stream();
    const subscription = await listen(it.url, { toolsListChanged: true });
    await subscription.next();
    expect(old.opened.result.capabilities.tools).toEqual({ listChanged: true });
    await set(it);
    expect((await stream.next()).method).toBe('notifications/tools/list_changed');
    expect((await subscription.next()).method).toBe('notifications/tools/list_changed');
    stream.close();
    subscription.close();
    expect(await described(old.rpc('tools/list'))).toMatch(
      /^Takes no new calls: gate http-202@1 × 2025-11-25 is drained since .*: it changed\.\n\nStarts a job\.$/,
    );
    expect(await described(request(it.url, 'tools/list'))).toBe('Starts a job.');
    await set(it, { mode: 'open', reason: 'read it' });
    expect(await described(old.rpc('tools/list'))).toBe('Starts a job.');
  });
});

describe('the words of a refusal', () => {
  /** What stands for the instant of the change: virtual time says which. */
  const SINCE = '2026-11-29T12:00:00.000Z';
  const refusal = (contract: string) =>
    `start_job takes no new calls: gate http-202@1 × ${contract} is drained since ${SINCE}: it changed. Nothing was started. Calling again does not help until whoever runs this gateway opens the gate: tell the user. What was started before goes on, and can be read and cancelled.`;
  const withheld = (mode: string) =>
    `start_job runs this call without a task: gate http-202@1 × 2025-11-25 is in ${mode} since ${SINCE}: it changed. Nothing was started: call it again without params.task.`;
  const data = (contract: string, mode = 'drain') => ({
    gate: `http-202@1 × ${contract}`,
    mode,
    reason: 'it changed',
    since: SINCE,
  });
  /** The same with the instant in it, whenever that was. */
  const said = (words: unknown) => JSON.parse(JSON.stringify(words).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, SINCE));

  test('for a task of 2025-11-25', async () => {
    const it = await stand();
    const { rpc } = await session(it.url);
    await set(it);
    const { error } = await rpc('tools/call', AS_TASK);
    expect(said(error)).toEqual({ code: -32603, message: refusal('2025-11-25'), data: data('2025-11-25') });
  });

  test('for a call without a task of a client of 2025-11-25 that has Tasks', async () => {
    const it = await stand();
    const { rpc } = await session(it.url);
    await set(it);
    const { result } = await rpc('tools/call', CALL);
    expect(said(result)).toEqual({ isError: true, content: [{ type: 'text', text: refusal('2025-11-25') }] });
  });

  test('for a task of 2026-07-28', async () => {
    const it = await stand();
    await set(it, { contract: '2026-07-28' });
    const { result } = await request(it.url, 'tools/call', CALL);
    expect(said(result)).toMatchObject({
      resultType: 'complete',
      isError: true,
      content: [{ type: 'text', text: refusal('2026-07-28') }],
    });
  });

  test('for callers without Tasks, through every version of the protocol', async () => {
    const it = await stand();
    await set(it, { contract: 'none' });
    const answers = [
      await (await session(it.url, { tasks: false })).rpc('tools/call', CALL),
      await (await session(it.url, { version: '2025-06-18' })).rpc('tools/call', CALL),
      await request(it.url, 'tools/call', CALL, { tasks: false }),
    ];
    for (const { result } of answers)
      expect(said(result)).toMatchObject({ isError: true, content: [{ type: 'text', text: refusal('none') }] });
    expect(it.home.upstream.requests).toHaveLength(0);
  });

  test.each([
    ['canary', { share: 0 }],
    ['shadow', {}],
  ] as const)('for a task that is withheld in %s', async (mode, more) => {
    const it = await stand();
    const { rpc } = await session(it.url);
    await set(it, { mode, ...more });
    const { error } = await rpc('tools/call', AS_TASK);
    expect(said(error)).toEqual({ code: -32601, message: withheld(mode), data: data('2025-11-25', mode) });
  });

  test('in the list of tools', async () => {
    const it = await stand();
    const { rpc } = await session(it.url);
    await set(it);
    expect(said(await described(rpc('tools/list')))).toBe(
      `Takes no new calls: gate http-202@1 × 2025-11-25 is drained since ${SINCE}: it changed.\n\nStarts a job.`,
    );
  });
});

describe('a canary', () => {
  test('of nothing gives no tasks: one contract waits, the other tells the caller to call without', async () => {
    const it = await stand();
    for (const contract of ['2025-11-25', '2026-07-28'] as const) await set(it, { contract, mode: 'canary', share: 0 });
    const { rpc } = await session(it.url);
    const { error } = await rpc('tools/call', AS_TASK);
    expect(error).toMatchObject({ code: -32601, data: { mode: 'canary' } });
    expect(error.message).toContain('call it again without params.task');
    expect((await rpc('tools/list')).result.tools[0].execution).toEqual({ taskSupport: 'optional' });
    const { result } = await inTime(it, request(it.url, 'tools/call', CALL));
    expect([result.resultType, textOf(result)]).toEqual(['complete', '{"n":1}']);
    expect(textOf((await inTime(it, rpc('tools/call', CALL))).result)).toBe('{"n":1}');
  });

  test.each(['canary', 'shadow'] as const)(
    '(here %s) that withholds the task from a tool that demands one lets it be called without',
    async (mode) => {
      const it = await stand({ support: 'required' });
      const { rpc } = await session(it.url);
      expect((await rpc('tools/call', CALL)).error.message).toContain('runs as a task only');
      await set(it, { mode, ...(mode === 'canary' && { share: 0 }) });
      expect((await rpc('tools/call', AS_TASK)).error.message).toContain('call it again without params.task');
      const { result } = await inTime(it, rpc('tools/call', CALL));
      expect(textOf(result)).toBe(mode === 'canary' ? '{"n":1}' : '{"id":"j1","status":"queued"}');
    },
  );

  test('lists the companions, because a call that it keeps from being a task may end as pending', async () => {
    const it = await stand();
    const names = async () => (await request(it.url, 'tools/list')).result.tools.map(({ name }: Wire) => name);
    expect(await names()).toEqual(['start_job']);
    await set(it, { contract: '2026-07-28', mode: 'canary', share: 0.5 });
    expect(await names()).toContain('wait_for_operation');
    await set(it, { contract: '2026-07-28', mode: 'open', reason: 'enough' });
    expect(await names()).toEqual(['start_job']);
  });

  test('of all gives tasks', async () => {
    const it = await stand();
    await set(it, { contract: '2026-07-28', mode: 'canary', share: 1 });
    expect((await request(it.url, 'tools/call', CALL)).result).toMatchObject({ resultType: 'task' });
  });
});

describe('in shadow', () => {
  test('a caller gets what the upstream said, and an operator sees what came of it', async () => {
    const it = await stand();
    await set(it, { contract: '2026-07-28', mode: 'shadow' });
    const { result } = await request(it.url, 'tools/call', CALL);
    expect([result.resultType, textOf(result)]).toEqual(['complete', '{"id":"j1","status":"queued"}']);
    await it.home.clock.advance(30_000);
    const { body } = await ask(it.origin, '/gates/shadows');
    expect(body.items).toEqual([
      expect.objectContaining({
        contract: '2026-07-28',
        answered: { status: 202, excerpt: '{"id":"j1","status":"queued"}' },
        tracked: { life: 'ACCEPTED', outcome: 'succeeded' },
      }),
    ]);
    const shown = (await ask(it.origin, `/operations/${body.items[0].operation}`)).body;
    expect(shown).toMatchObject({
      state: 'succeeded',
      epoch: 2,
      contract: '2026-07-28',
      shadow: { status: 202, excerpt: '{"id":"j1","status":"queued"}' },
    });
  });

  test('nobody of 2025-11-25 is told that there are tasks, and who asks for one is told to call without', async () => {
    const it = await stand();
    const { rpc } = await session(it.url);
    await set(it, { mode: 'shadow' });
    expect((await rpc('tools/list')).result.tools[0].execution).toBeUndefined();
    expect((await rpc('tools/call', AS_TASK)).error.code).toBe(-32601);
    expect(textOf((await rpc('tools/call', CALL)).result)).toBe('{"id":"j1","status":"queued"}');
  });
});

describe('an operator', () => {
  test('sees the matrix, sets a gate, and sees who did what', async () => {
    const it = await stand();
    await request(it.url, 'tools/call', CALL);
    const changed = await set(it, { contract: '2026-07-28' });
    expect(changed.body.gate).toMatchObject({ gate: 'http-202@1 × 2026-07-28', mode: 'drain', actor: 'ada', epoch: 2 });
    const { body } = await ask(it.origin, '/gates');
    expect(body.items.map(({ gate, mode, live }: Wire) => [gate, mode, live])).toEqual([
      ['http-202@1 × 2025-11-25', 'open', 0],
      ['http-202@1 × 2026-07-28', 'drain', 1],
      ['http-202@1 × none', 'open', 0],
    ]);
    expect((await ask(it.origin, '/gates/history')).body.items).toEqual([changed.body.gate]);
  });

  test.each([
    ['nobody', { actor: '' }, /\/actor/],
    ['no reason', { reason: '  ' }, /\/reason/],
    ['a mode that is none', { mode: 'shut' as never }, /\/mode/],
    [
      'an adapter that is none',
      { adapter: 'http-404@1' },
      /there is no adapter http-404@1: there is http-202@1; no gate was changed/,
    ],
    ['a canary without a share', { mode: 'canary' as const }, /a canary needs a share/],
    ['more than is known', { until: 'tomorrow' } as never, /until/],
  ])('who names %s is refused, and no gate changes', async (_what, changes, detail) => {
    const it = await stand();
    const { status, body } = await set(it, changes);
    expect([status, body.detail]).toEqual([400, expect.stringMatching(detail)]);
    expect((await ask(it.origin, '/gates/history')).body.items).toEqual([]);
  });

  test('brings the token, as everywhere in the admin API', async () => {
    const it = await stand();
    expect((await ask(it.origin, '/gates', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
  });
});

describe('measured durations', () => {
  test('change what a tool says about Tasks, and whoever listens is told', async () => {
    const it = await stand();
    const { rpc, stream } = await session(it.url);
    const events = await stream();
    expect((await rpc('tools/list')).result.tools[0].execution).toEqual({ taskSupport: 'optional' });
    // Each takes half a minute and more: it is looked at seldom.
    it.home.upstream.script(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`GET /jobs/j${n + 1}`, slow])));
    for (let n = 0; n < 30; n += 1) await it.home.begun({ n });
    await it.home.clock.advance(300_000);
    expect((await it.home.ledger.recentDurations(100)).length).toBe(30);
    expect((await events.next()).method).toBe('notifications/tools/list_changed');
    events.close();
    expect((await rpc('tools/list')).result.tools[0].execution).toEqual({ taskSupport: 'required' });
    const { body } = await ask(it.origin, '/tools/moves');
    expect(body.items).toEqual([
      {
        position: 1,
        tool: 'start_job',
        upstream: 'reports',
        from: 'optional',
        to: 'required',
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        measured: { jobs: 30, p50Ms: expect.any(Number), p95Ms: expect.any(Number), longestMs: expect.any(Number) },
      },
    ]);
    expect((await ask(it.origin, '/tools')).body.items).toEqual([
      expect.objectContaining({
        tool: 'start_job',
        taskSupport: 'required',
        moves: true,
        why: expect.stringMatching(/^its last 30 jobs/),
        measured: body.items[0].measured,
      }),
    ]);
    expect((await ask(it.origin, '/tools/moves?before=1')).body.items).toEqual([]);
    expect((await ask(it.origin, '/tools/moves?since=1')).body.detail).toBe('There is no parameter since here.');
  });
});

describe('a third contract', () => {
  /** A session of it. */
  async function third({ url }: Standing) {
    const params = { protocolVersion: '2025-06-18', capabilities: { jobs: {} }, clientInfo: { name: 'test', version: '1' } };
    const opened = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-06-18' };
    await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    let id = 0;
    return (method: string, given: object = {}) => post(url, { jsonrpc: '2.0', id: ++id, method, params: given }, headers);
  }

  const LATER = { ...CALL, later: true };

  test('is one file and one line, and trusted only once the adapter is qualified for it', async () => {
    const it = await stand({ third: true });
    const rpc = await third(it);
    const { error } = await rpc('tools/call', LATER);
    expect(error.message).toContain(`http-202@1 is not qualified for ${THIRD}`);
    expect(it.home.upstream.requests).toHaveLength(0);
  });

  test('is opened by an operator, spoken to the end of a job, and removed at run time by its gate', async () => {
    const it = await stand({ third: true });
    const rpc = await third(it);
    await set(it, { contract: THIRD, mode: 'open', reason: 'qualified by hand' });
    const { result } = await rpc('tools/call', LATER);
    expect(result).toMatchObject({ job: expect.stringMatching(/^op_/), state: 'GOING' });
    await set(it, { contract: THIRD, reason: 'withdrawn' });
    expect((await rpc('tools/call', LATER)).error.message).toContain(`gate http-202@1 × ${THIRD} is drained`);
    await it.home.clock.advance(30_000);
    const ended = (await rpc('tasks/get', { taskId: result.job })).result;
    expect([ended.job, ended.state, textOf(ended.answer)]).toEqual([result.job, 'DONE', '{"n":1}']);
    // Another contract of the same caller reads it, and none of the others noticed.
    expect((await request(it.url, 'tasks/get', { taskId: result.job })).result.status).toBe('completed');
    expect((await request(it.url, 'tools/call', CALL)).result).toMatchObject({ resultType: 'task' });
  });
});
