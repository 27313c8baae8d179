// Across the doors: what was created through one is read, answered and cancelled through every other, and a kept result is read
// through each, by its principal alone. The app on a real port, before the real engine on virtual time.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../src/core/log.ts';
import { createApp } from '../../src/http/app.ts';
import type { Identity } from '../../src/http/identity.ts';
import { DESCRIPTION, type House, house, jobTool, type Scripted } from '../engine/kit.ts';
import { type Answered, configOf, inTime, request, session, textOf, type Wire } from './kit.ts';
import { catalogueOf } from './scripted-engine.ts';

const DOORS = ['2025-11-25', '2026-07-28', 'companion tools'] as const;
type Door = (typeof DOORS)[number];

const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const SHOWS = {
  running: { status: 200, json: { id: '7', status: 'running' } },
  waiting: { status: 200, json: { id: '7', status: 'waiting', asks: 'who', question: 'Who is it for?', form: FORM } },
  done: { status: 200, json: { id: '7', status: 'succeeded', result: { n: 1 } } },
  cancelled: { status: 200, json: { id: '7', status: 'cancelled' } },
} as const satisfies Record<string, Scripted>;

interface Standing {
  readonly home: House;
  readonly url: string;
  /** The same engine, where another principal calls. */
  readonly foreign: string;
  /** What the one job shows. */
  readonly shows: { now: Scripted };
  readonly sent: string[];
}

async function stand(): Promise<Standing> {
  const shows: { now: Scripted } = { now: SHOWS.running };
  const sent: string[] = [];
  const home = await house(
    {
      'POST /jobs': [{ status: 202, json: { id: '7', status: 'queued' } }],
      'GET /jobs/7': () => shows.now,
      'POST /jobs/7/answer': ({ body }) => {
        sent.push(String(body));
        shows.now = SHOWS.done;
        return { status: 204 };
      },
      'DELETE /jobs/7': () => {
        sent.push('DELETE');
        shows.now = SHOWS.cancelled;
        return { status: 202, json: { id: '7', status: 'cancelling' } };
      },
    },
    {
      tool: jobTool({
        ...DESCRIPTION,
        state: { at: '/status', input: ['waiting'] },
        input: { url: '/jobs/{id}/answer', message: '/question', form: '/form', id: '/asks' },
        cancel: { url: '/jobs/{id}', method: 'DELETE' },
      }),
    },
  );
  const listen = async (identity?: Identity): Promise<string> => {
    const { app, close } = createApp({
      engine: home.engine,
      catalogue: catalogueOf(home.tool),
      config: configOf(),
      log: silentLog,
      clock: home.clock,
      ...(identity && { identity }),
    });
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(async () => {
      await close();
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  };
  onTestFinished(() => home.close());
  return {
    home,
    shows,
    sent,
    url: await listen(),
    foreign: await listen({ identified: true, principal: () => 'somebody else' }),
  };
}

const CALL = { name: 'start_job', arguments: { body: { name: 'a' } } };
const plain = { tasks: false } as const;

/** Starts the one operation through a door; its id. */
async function create(it: Standing, door: Door): Promise<string> {
  if (door === '2025-11-25') {
    const { rpc } = await session(it.url);
    return (await inTime(it, rpc('tools/call', { ...CALL, task: {} }))).result.task.taskId;
  }
  if (door === '2026-07-28') return (await inTime(it, request(it.url, 'tools/call', CALL))).result.taskId;
  const { result } = await inTime(it, request(it.url, 'tools/call', CALL, plain));
  return result.structuredContent.operation;
}

/** How an operation stands, through a door: its status there, and its result's text where it has one. */
async function read(it: Standing, door: Door, id: string, url = it.url): Promise<readonly [string, string?]> {
  if (door === '2025-11-25') {
    const { rpc } = await session(url);
    const task = await rpc('tasks/get', { taskId: id });
    if (task.error !== undefined) return [task.error.message];
    const { status } = task.result;
    return status === 'completed' ? [status, textOf((await rpc('tasks/result', { taskId: id })).result)] : [status];
  }
  if (door === '2026-07-28') {
    const { result, error } = await request(url, 'tasks/get', { taskId: id });
    if (error !== undefined) return [error.message];
    return result.result === undefined ? [result.status] : [result.status, textOf(result.result)];
  }
  const { result } = await companion(url, 'get_operation', id);
  if (result.structuredContent?.outcome === 'pending')
    return ['input' in result.structuredContent ? 'input_required' : 'working'];
  if (result.isError !== true) return ['completed', textOf(result)];
  return [/cancelled/i.test(textOf(result)) ? 'cancelled' : textOf(result)];
}

const companion = (url: string, name: string, operation: string, more: object = {}): Promise<Answered> =>
  request(url, 'tools/call', { name, arguments: { operation, ...more } }, plain);

/** Answers what it asks, through a door that has a way to. */
async function answer(it: Standing, door: Door, id: string, url = it.url): Promise<Wire> {
  const content = { name: 'Ada' };
  if (door === '2026-07-28') {
    const inputResponses = { 'input-1.1': { action: 'accept', content } };
    return request(url, 'tasks/update', { taskId: id, inputResponses });
  }
  if (door === 'companion tools') return inTime(it, companion(url, 'answer_operation', id, { answer: content }));
  // 2025-11-25 asks: on the stream of tasks/result, and is answered by a response.
  const { rpc, open, headers } = await session(url, { capabilities: { tasks: {}, elicitation: {} } });
  const waiting = await open('tasks/result', { taskId: id });
  const asked = await waiting.next();
  if (asked?.method !== 'elicitation/create') return { error: asked?.error };
  const response = { jsonrpc: '2.0', id: asked.id, result: { action: 'accept', content } };
  await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(response),
  });
  waiting.close();
  return rpc('ping');
}

async function cancel(door: Door, id: string, url: string): Promise<Wire> {
  if (door === '2025-11-25') return (await session(url)).rpc('tasks/cancel', { taskId: id });
  if (door === '2026-07-28') return request(url, 'tasks/cancel', { taskId: id });
  return companion(url, 'cancel_operation', id);
}

const PAIRS = DOORS.flatMap((created) => DOORS.map((used) => [created, used] as const));

describe.each(PAIRS)('what was created through %s is, through %s,', (created, used) => {
  test('read while it lives, and its result once it has ended', async () => {
    const it = await stand();
    const id = await create(it, created);
    expect(await read(it, used, id)).toEqual(['working']);
    it.shows.now = SHOWS.done;
    await it.home.clock.advance(30_000);
    expect(await read(it, used, id)).toEqual(['completed', '{"n":1}']);
  });

  test('seen to ask, and answered once', async () => {
    const it = await stand();
    const id = await create(it, created);
    it.shows.now = SHOWS.waiting;
    await it.home.clock.advance(30_000);
    expect(await read(it, used, id)).toEqual(['input_required']);
    expect((await answer(it, used, id)).error).toBeUndefined();
    await it.home.clock.advance(30_000);
    expect(it.sent).toEqual(['{"name":"Ada"}']);
    expect(await read(it, used, id)).toEqual(['completed', '{"n":1}']);
  });

  test('cancelled, by the rule of the door that is used', async () => {
    const it = await stand();
    const id = await create(it, created);
    expect((await cancel(used, id, it.url)).error).toBeUndefined();
    // 2025-11-25 is sticky; elsewhere a cancel is a request, and the service decides.
    expect(await read(it, created, id)).toEqual([used === '2025-11-25' ? 'cancelled' : 'working']);
    await it.home.clock.advance(30_000);
    expect(it.sent).toEqual(['DELETE']);
    expect(await read(it, used, id)).toEqual(['cancelled']);
  });

  test('not there for another principal, whatever it asks', async () => {
    const it = await stand();
    const id = await create(it, created);
    // As if it had never been: the words are those for an id that nobody was given.
    const notFound = await read(it, used, 'op_nothing');
    expect(notFound[0]).toMatch(/Task not found|There is no such operation/);
    expect(await read(it, used, id, it.foreign)).toEqual(notFound);
    const refused = await cancel(used, id, it.foreign);
    expect([refused.error?.message ?? textOf(refused.result)]).toEqual(notFound);
    it.shows.now = SHOWS.waiting;
    await it.home.clock.advance(30_000);
    const answered = await answer(it, used, id, it.foreign);
    expect([answered.error?.message ?? textOf(answered.result)]).toEqual(notFound);
    expect(it.sent).toEqual([]);
    expect(await read(it, used, id)).toEqual(['input_required']);
  });
});

describe.each(DOORS)('a result that was kept of what was created through %s', (created) => {
  test('is a resource for its principal through every door, and for nobody else', async () => {
    const it = await stand();
    const id = await create(it, created);
    it.shows.now = SHOWS.done;
    await it.home.clock.advance(30_000);
    const uri = `longshore://results/${id}`;
    const through = async (url: string): Promise<readonly Answered[]> => [
      await (await session(url)).rpc('resources/read', { uri }),
      await (await session(url, { tasks: false, version: '2025-06-18' })).rpc('resources/read', { uri }),
      await request(url, 'resources/read', { uri }),
      await request(url, 'resources/read', { uri }, plain),
    ];
    for (const { result } of await through(it.url))
      expect(result.contents).toEqual([{ uri, mimeType: 'application/json', text: '{"n":1}' }]);
    for (const { error } of await through(it.foreign))
      expect(error).toMatchObject({ code: -32602, message: 'Resource not found.' });
  });
});
