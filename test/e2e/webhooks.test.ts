// Webhooks against the real process: what is acknowledged is kept over kill -9, and what is not genuine changes nothing.

import { afterEach, describe, expect, test } from 'vitest';
import {
  built,
  type CallbackService,
  OTHER_SECRET,
  packed,
  pushed,
  rendered,
  SCAN_SECRET,
  scanned,
  startCallbacks,
} from '../fixtures/callbacks.ts';
import { jwks, publish, rsaPair } from '../webhooks/published.ts';
import { closing, type GatewayUnderTest, projectFile, serve, until } from './gateway.ts';
import { modern, textOf } from './wire.ts';

const { keep, closeAll } = closing();
afterEach(closeAll);

async function setting(): Promise<{ service: CallbackService; gateway: GatewayUnderTest }> {
  const service = keep(await startCallbacks(), (it) => it.close());
  const upstreams = `
  up:
    document: ${projectFile('test/fixtures/callbacks.openapi.yaml')}
    baseUrl: ${service.url}
    webhooks: { secrets: [{ env: HOOK_NEW }, { env: HOOK_OLD }] }
    limits: { responseBytesMax: 64KiB }
`;
  const env = { HOOK_NEW: SCAN_SECRET, HOOK_OLD: OTHER_SECRET };
  return { service, gateway: keep(await serve(upstreams, { env }), (it) => it.dispose()) };
}

async function begin(
  { service, gateway }: { service: CallbackService; gateway: GatewayUnderTest },
  tool: string,
  args: Record<string, unknown>,
) {
  const count = service.started.length;
  const { result, error } = await modern(gateway.url).rpc('tools/call', { name: tool, arguments: args });
  expect(error).toBeUndefined();
  const job = await until('the job was started', () => service.started[count]);
  return { taskId: String(result['taskId']), ...job };
}

const taskOf = async (gateway: GatewayUnderTest, taskId: string) =>
  (await modern(gateway.url).rpc('tasks/get', { taskId })).result;
const ended = (gateway: GatewayUnderTest, taskId: string) =>
  until(`the end of ${taskId}`, async () => {
    const task = await taskOf(gateway, taskId);
    return task['status'] !== 'working' && task;
  });
const send = async (url: string, delivery: RequestInit) => (await fetch(url, delivery)).status;

describe('a service that only calls back', { timeout: 90_000 }, () => {
  test('is given a URL of the operation, which nobody can choose, and its signed event is the result', async () => {
    const setup = await setting();
    const scan = await begin(setup, 'scan_host', { host: 'db-3' });
    expect(scan.callback).toMatch(new RegExp(`^${setup.gateway.base}/webhooks/up/cb_[0-9a-z]{26}$`));
    expect(scan.body).toEqual({ host: 'db-3', callback_url: scan.callback });
    expect(await send(scan.callback, scanned({ scan: scan.id, status: 'running' }))).toBe(200);
    expect(await send(scan.callback, packed(scanned({ scan: scan.id, status: 'succeeded', findings: { open: 2 } })))).toBe(200);
    const task = await ended(setup.gateway, scan.taskId);
    expect(task).toMatchObject({ status: 'completed' });
    expect(textOf(task['result'])).toContain('"open":2');
    const { result } = await modern(setup.gateway.url).rpc('tools/list', {});
    expect(JSON.stringify(result)).not.toContain('callback_url');
  });

  test('acknowledged and killed at once: nothing is lost, and a repetition changes nothing', async () => {
    const setup = await setting();
    const { gateway } = setup;
    const scans = [];
    for (const host of ['a', 'b', 'c', 'd']) scans.push(await begin(setup, 'scan_host', { host }));
    const deliveries = scans.map((scan) => scanned({ scan: scan.id, status: 'succeeded', findings: { of: scan.id } }));
    const statuses = await Promise.all(scans.map(({ callback }, index) => send(callback, deliveries[index] as RequestInit)));
    await gateway.kill9();
    expect(statuses).toEqual([200, 200, 200, 200]);
    await gateway.start();
    for (const [index, scan] of scans.entries()) {
      const task = await ended(gateway, scan.taskId);
      expect(textOf(task['result'])).toContain(`"of":"${scan.id}"`);
      expect(await send(scan.callback, deliveries[index] as RequestInit)).toBe(200);
      expect(await taskOf(gateway, scan.taskId)).toEqual(task);
    }
    expect(setup.service.jobsCreated()).toBe(4);
  });

  test('learns nothing and changes nothing with what is forged, stale, for nobody or about another job', async () => {
    const setup = await setting();
    const { gateway } = setup;
    const scan = await begin(setup, 'scan_host', { host: 'db-3' });
    const done = { scan: scan.id, status: 'succeeded', findings: 1 } as const;
    const stale = { signedAt: Date.now() - 400_000 };
    const forged = { secret: `whsec_${Buffer.alloc(32, 9).toString('base64')}` };
    const strange = `${gateway.base}/webhooks/up/cb_0000000000000000000000000`;
    const answers = {
      forged: await send(scan.callback, scanned(done, forged)),
      stale: await send(scan.callback, scanned(done, stale)),
      unsigned: await send(scan.callback, { method: 'POST', body: '{}' }),
      forgedForNobody: await send(strange, scanned(done, forged)),
      forNobody: await send(strange, scanned(done)),
      noSuchUpstream: await send(`${gateway.base}/webhooks/nobody/cb_1`, scanned(done)),
      tooLarge: await send(scan.callback, { method: 'POST', body: 'x'.repeat(65_537) }),
      tooLargeUnpacked: await send(scan.callback, packed({ method: 'POST', headers: {}, body: 'x'.repeat(200_000) })),
      unknownCoding: await send(scan.callback, { method: 'POST', headers: { 'content-encoding': 'zip' }, body: 'x' }),
      stranger: await send(scan.callback, scanned({ ...done, scan: 'scan-99' })),
      read: await send(scan.callback, { method: 'GET' }),
    };
    expect(answers).toEqual({
      forged: 401,
      stale: 401,
      unsigned: 401,
      forgedForNobody: 401,
      forNobody: 200,
      noSuchUpstream: 401,
      tooLarge: 413,
      tooLargeUnpacked: 413,
      unknownCoding: 415,
      stranger: 200,
      read: 405,
    });
    await until('the stranger was put aside', () => gateway.log.some(({ message }) => message === 'a delivery was put aside'));
    expect(await taskOf(gateway, scan.taskId)).toMatchObject({ status: 'working' });
    expect(await send(scan.callback, scanned({ ...done, id: 'msg_last' }, { secret: OTHER_SECRET }))).toBe(200);
    expect(await ended(gateway, scan.taskId)).toMatchObject({ status: 'completed' });
    expect(gateway.process().output()).not.toContain(scan.callback.split('/').at(-1));
  });
});

describe('a service that signs nothing', { timeout: 90_000 }, () => {
  test('comes with the credentials that were put into its URL, and is believed by them alone', async () => {
    const service = keep(await startCallbacks(), (it) => it.close());
    const upstreams = `
  up:
    document: ${projectFile('test/fixtures/callbacks.openapi.yaml')}
    baseUrl: ${service.url}
    tools: { include: [transcribe] }
    webhooks: { secrets: [{ env: HOOK }] }
`;
    const gateway = keep(await serve(upstreams, { env: { HOOK: 'scribe:p@ss' } }), (it) => it.dispose());
    const { taskId, callback } = await begin({ service, gateway }, 'transcribe', { recording: 'a.wav' });
    const { username, password, origin, pathname } = new URL(callback);
    expect([username, decodeURIComponent(password)]).toEqual(['scribe', 'p@ss']);
    const body = '{"text":"hello"}';
    const headers = {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from('scribe:p@ss').toString('base64')}`,
    };
    expect(await send(`${origin}${pathname}`, { method: 'POST', body })).toBe(401);
    expect(await send(`${origin}${pathname}`, { method: 'POST', headers, body })).toBe(200);
    expect(textOf((await ended(gateway, taskId))['result'])).toContain('hello');
  });
});

describe('a service that asks whether anybody is there', { timeout: 90_000 }, () => {
  test('is answered before it takes the job, and believed by the secret that it was given', async () => {
    const service = keep(await startCallbacks(), (it) => it.close());
    const upstreams = `
  up:
    document: ${projectFile('test/fixtures/callbacks.openapi.yaml')}
    baseUrl: ${service.url}
    tools: { include: [renderFilm] }
    webhooks: { secrets: [{ env: HOOK }] }
`;
    const gateway = keep(await serve(upstreams, { env: { HOOK: 'a-secret-of-the-films' } }), (it) => it.dispose());
    const film = await begin({ service, gateway }, 'render_film', { title: 'M' });
    expect(film.body).toEqual({ title: 'M', notificationUrl: film.callback, clientState: 'a-secret-of-the-films' });
    const done = { film: film.id, state: 'succeeded', reels: { n: 3 } };
    expect(await send(film.callback, rendered('a-guess', done))).toBe(401);
    expect(await send(film.callback, rendered('a-secret-of-the-films', { film: film.id, state: 'running' }, done))).toBe(200);
    const task = await ended(gateway, film.taskId);
    expect(textOf(task['result'])).toContain('"n":3');
    expect(JSON.stringify(task) + gateway.process().output()).not.toContain('a-secret-of-the-films');
  });
});

describe('a service that publishes its keys', { timeout: 90_000 }, () => {
  test('is put off while they can not be had, and loses nothing by it', async () => {
    const service = keep(await startCallbacks(), (it) => it.close());
    const pair = rsaPair();
    const publisher = await publish(new Map([['/keys', 503]]));
    const upstreams = `
  up:
    document: ${projectFile('test/fixtures/callbacks.openapi.yaml')}
    baseUrl: ${service.url}
    tools: { include: [printPages] }
    webhooks: { keySets: ["${publisher.origin}/keys"] }
`;
    const gateway = keep(await serve(upstreams), (it) => it.dispose());
    const page = await begin({ service, gateway }, 'print_pages', { pages: 2 });
    const key = { key: pair.privateKey, kid: 'k-1' };
    const done = await pushed({ state: 'succeeded', sheets: 1 }, key);
    expect(await send(page.callback, done)).toBe(503);
    await until('it was said', () => gateway.log.some(({ message }) => String(message).startsWith('a delivery was put off')));
    publisher.pages.set('/keys', await jwks(['k-1', pair.publicKey]));
    // As its sender does: again, until it is taken.
    await until('it was taken', async () => (await send(page.callback, done)) === 200);
    expect(await send(page.callback, await pushed({ state: 'failed' }, { ...key, email: 'push@mallory.example' }))).toBe(401);
    const task = await ended(gateway, page.taskId);
    expect(textOf(task['result'])).toContain('"sheets":1');
    expect(publisher.asked()).toEqual(['/keys', '/keys']);
  });
});

describe('a service that can be polled', { timeout: 90_000 }, () => {
  test('is polled when it calls back, and its status decides', async () => {
    const setup = await setting();
    const { service, gateway } = setup;
    const build = await begin(setup, 'start_build', { branch: 'main' });
    expect(await send(build.callback, built(build.id, 'e-1'))).toBe(200);
    await until('the call back was followed by a poll', () => service.polls() === 1);
    expect(await taskOf(gateway, build.taskId)).toMatchObject({ status: 'working' });
    service.release();
    expect(await send(build.callback, built(build.id, 'e-1'))).toBe(200);
    expect(await send(build.callback, built(build.id, 'e-2', OTHER_SECRET))).toBe(200);
    const task = await ended(gateway, build.taskId);
    expect(textOf(task['result'])).toContain('"n":1');
    expect(service.polls()).toBe(2);
  });
});
