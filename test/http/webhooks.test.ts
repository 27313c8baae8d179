// The receiver's edge: what is asked of the engine, and what each kind of sender is told.

import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { LongshoreError } from '../../src/errors.ts';
import { standUp } from './receiver.ts';

describe('the receiver', () => {
  test('hands over what is verified, as it came', async () => {
    const { send, taken } = await standUp();
    const headers = { 'x-token': 'sesame', 'content-type': 'application/vnd.x+json; charset=utf-8' };
    expect(await send('/up/cb_1', { headers, body: ' {"n": 1.10}\n' })).toMatchObject({
      status: 200,
      text: '{"received":true}',
    });
    expect(taken).toMatchObject([
      {
        upstream: 'up',
        token: 'cb_1',
        events: [
          {
            eventKey: expect.stringMatching(/^cb_1\//),
            delivery: { mediaType: 'application/vnd.x+json', body: ' {"n": 1.10}\n', receivedAt: 5 },
          },
        ],
      },
    ]);
  });

  test('tells a stranger nothing: no upstream, no token and a bad signature are answered alike', async () => {
    const { send, taken } = await standUp();
    const bad = { headers: { 'x-token': 'guess' } };
    const answers = [
      await send('/up/cb_1', bad),
      await send('/up/cb_2', bad),
      await send('/nobody/cb_1', bad),
      await send('/quiet/cb_1'),
    ];
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['401 The delivery could not be verified.\n']),
    );
    expect(await send('/up/cb_2')).toMatchObject({ status: 200, text: '{"received":true}' });
    expect(taken).toEqual([]);
  });

  test('acknowledges only what is durable', async () => {
    const down = await standUp({ receive: () => Promise.reject(new LongshoreError('LEDGER_UNAVAILABLE', 'the disk is full')) });
    const failed = await down.send('/up/cb_1');
    expect(failed).toMatchObject({ status: 503, text: 'Come again later.\n' });
    expect(failed.headers.get('retry-after')).toBe('5');
    const full = await standUp({ receive: async () => 'full' });
    expect(await full.send('/up/cb_1')).toMatchObject({ status: 503 });
  });

  test('takes a whole batch, or tells the sender to come again', async () => {
    const { send, taken } = await standUp({ verify: { scheme: 'eventgrid', header: 'x-token' } });
    expect(await send('/up/cb_1', { body: '[{"id":"a"},{"id":"b"}]' })).toMatchObject({ status: 200 });
    expect(taken[0]?.events.map(({ eventKey }) => eventKey)).toEqual(['cb_1/a', 'cb_1/b']);
  });

  test('shakes hands before anything is delivered', async () => {
    const grid = await standUp({ verify: { scheme: 'eventgrid', header: 'x-token' } });
    const headers = { 'x-token': 'sesame', 'aeg-event-type': 'SubscriptionValidation' };
    const body = '[{"data":{"validationCode":"c0de"}}]';
    expect(await grid.send('/up/cb_1', { headers, body })).toMatchObject({
      status: 200,
      text: '{"validationResponse":"c0de"}',
    });
    expect(await grid.send('/up/cb_1', { headers: { ...headers, 'x-token': 'guess' }, body })).toMatchObject({ status: 401 });
    expect(grid.taken).toEqual([]);
    const cloud = await standUp({ verify: { scheme: 'cloudevents' } });
    const asked = await cloud.send('/up/cb_1', {
      method: 'OPTIONS',
      headers: { 'webhook-request-origin': 'a.example' } as never,
    });
    expect(asked.status).toBe(200);
    expect(asked.headers.get('webhook-allowed-origin')).toBe('a.example');
    expect(
      (await cloud.send('/nobody/x', { method: 'OPTIONS', headers: { 'webhook-request-origin': 'a.example' } })).status,
    ).toBe(204);
  });

  test('is there for POST alone, and leads nowhere else', async () => {
    const { send } = await standUp();
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const answer = await send('/up/cb_1', { method });
      expect(answer.status, method).toBe(405);
      expect(answer.headers.get('allow')).toBe('POST');
    }
    expect((await send('/up')).status).toBe(405);
  });

  test.each([
    ['too large', { body: 'x'.repeat(1001) }, 413],
    ['in a coding that is none', { headers: { 'x-token': 'sesame', 'content-encoding': 'x' } }, 415],
    ['said to be packed and is not', { headers: { 'x-token': 'sesame', 'content-encoding': 'gzip' } }, 400],
  ])('refuses a body that is %s', async (_what, sent, status) => {
    const { send, taken } = await standUp();
    expect((await send('/up/cb_1', sent)).status).toBe(status);
    expect(taken).toEqual([]);
  });

  test('keeps places for other upstreams, however many deliveries of one are held up', async () => {
    const over = Promise.withResolvers<'stored'>();
    const held = Promise.withResolvers<void>();
    let holding = 0;
    const receive = () => {
      holding += 1;
      if (holding === 48) held.resolve();
      return over.promise;
    };
    const { send, counted } = await standUp({ receive });
    const waiting = Array.from({ length: 48 }, () => send('/up/cb_1'));
    await held.promise;
    const turnedAway = await send('/up/cb_1');
    expect(turnedAway.status).toBe(503);
    expect(turnedAway.headers.get('retry-after')).toBe('5');
    expect((await send('/quiet/cb_1')).status).toBe(401);
    expect(counted).toEqual(['up none busy', 'quiet none refused']);
    over.resolve('stored');
    expect((await Promise.all(waiting)).every(({ status }) => status === 200)).toBe(true);
    expect((await send('/up/cb_1')).status).toBe(200);
  });

  test('waits for no body that does not come', async () => {
    const over = Promise.withResolvers<void>();
    const { url, taken } = await standUp({ sleep: () => over.promise });
    const slow = httpRequest(`${url}/up/cb_1`, { method: 'POST', headers: { 'content-length': 100, 'x-token': 'sesame' } });
    slow.on('error', () => undefined);
    const answered = once(slow, 'response');
    slow.write('{');
    over.resolve();
    const [response] = (await answered) as [{ statusCode: number; resume(): void }];
    response.resume();
    expect(response.statusCode).toBe(408);
    expect(taken).toEqual([]);
    slow.destroy();
  });

  test('survives a sender that breaks off', async () => {
    const { send, url } = await standUp();
    const broken = httpRequest(`${url}/up/cb_1`, { method: 'POST', headers: { 'content-length': 100, 'x-token': 'sesame' } });
    broken.on('error', () => undefined);
    broken.write('{');
    await once(broken, 'socket');
    broken.destroy();
    expect((await send('/up/cb_1')).status).toBe(200);
  });

  test('counts each delivery once, by what became of it, and by no name that a stranger chose', async () => {
    const one = await standUp();
    await one.send('/up/cb_1');
    await one.send('/up/cb_2');
    await one.send('/up/cb_1', { headers: {} });
    await one.send('/mallory/cb_1');
    await one.send('/up/cb_1', { body: 'x'.repeat(1001) });
    await one.send('/up/cb_1', { headers: { 'content-encoding': 'gzip' } });
    await one.send('/up/cb_1', { method: 'PUT' });
    expect(one.counted).toEqual([
      'up token accepted',
      'up token stranger',
      'up none refused',
      'none none refused',
      'up none too_large',
      'up none malformed',
    ]);
    for (const [became, outcome] of [
      ['duplicate', 'duplicate'],
      ['full', 'full'],
    ] as const) {
      const other = await standUp({ receive: async () => became });
      await other.send('/up/cb_1');
      expect(other.counted).toEqual([`up token ${outcome}`]);
    }
    const down = await standUp({ receive: () => Promise.reject(new LongshoreError('LEDGER_UNAVAILABLE', 'the disk is full')) });
    await down.send('/up/cb_1');
    expect(down.counted).toEqual(['up none failed']);
  });

  test('never says that it has moved or gone, whatever comes: senders would give up', async () => {
    const { send } = await standUp();
    const answers = await Promise.all(
      ['/up/cb_1', '/up/cb_2', '/up/cb_1/', '/UP/cb_1', '//up/cb_1', '/up', '/up/../quiet/cb_1'].flatMap((path) =>
        ['POST', 'GET', 'HEAD', 'OPTIONS', 'DELETE'].map(async (method) => (await send(path, { method })).status),
      ),
    );
    expect(answers.filter((status) => status === 410 || (status >= 300 && status < 400))).toEqual([]);
  });
});
