// What senders ask of a callback URL before they use it, and what they repeat in every delivery afterwards.

import { createHmac, sign } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import type { HandshakeRules, VerifyRules } from '../../src/core/webhook.ts';
import { faultIn } from '../../src/webhooks/authenticate.ts';
import { certificateOf, jwks, publish, reaching, rsaPair, standing } from '../webhooks/published.ts';
import { NOW, NOW_S } from '../webhooks/senders.ts';
import { standUp } from './receiver.ts';

const now = () => NOW;

describe('an echo', () => {
  const handshake: HandshakeRules = { kind: 'echo', parameter: 'validationToken' };
  const verify: VerifyRules = { scheme: 'repeated-secret', list: '/value', secretAt: '/clientState' };
  const asking = (text: string) => `/up/cb_1?validationToken=${encodeURIComponent(text)}`;

  test.each(['POST', 'GET'])('is the text of the parameter, as plain text, by %s', async (method) => {
    const { send, counted, taken } = await standUp({ verify, handshake });
    const text = 'Validation: testing reachability of 1d4-5 at 10:00+01:00 é';
    const answer = await send(asking(text), { method, body: '', headers: {} });
    expect(answer).toMatchObject({ status: 200, text });
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(counted).toEqual(['up none handshake']);
    expect(taken).toEqual([]);
  });

  test.each(['<script>alert(1)</script>', 'a&lt;b', "it's", 'a"b', 'a\nb', 'a\u0000b', 'x'.repeat(2049), ''])(
    'never repeats %j',
    async (text) => {
      const { send } = await standUp({ verify, handshake });
      expect(await send(asking(text), { body: '', headers: {} })).toMatchObject({ status: 400, text: '' });
    },
  );

  test('is not there for callback URLs that were not given out, nor where nobody described it', async () => {
    const described = await standUp({ verify, handshake });
    for (const path of ['/up/cb_2', '/quiet/cb_1', '/nobody/cb_1']) {
      expect((await described.send(`${path}?validationToken=x`, { body: '', headers: {} })).status, path).toBe(401);
      expect((await described.send(`${path}?validationToken=x`, { method: 'GET' })).status, path).toBe(405);
    }
    const plain = await standUp({ verify });
    expect((await plain.send(asking('x'), { body: '', headers: {} })).status).toBe(401);
    expect((await plain.send(asking('x'), { method: 'GET' })).status).toBe(405);
  });

  test('is not made of two parameters, nor of a delivery', async () => {
    const { send, taken } = await standUp({ verify, handshake });
    expect((await send(`${asking('a')}&validationToken=b`, { body: '', headers: {} })).status).toBe(400);
    const delivery = { headers: {}, body: '{"value":[{"clientState":"guess"}]}' };
    expect((await send(asking('a'), delivery)).status).toBe(401);
    expect(taken).toEqual([]);
  });

  test('is followed by deliveries whose every event repeats the secret, which goes no further', async () => {
    const { send, taken } = await standUp({ verify, handshake, secrets: ['old-one', 'sesame'] });
    const deliver = async (...states: readonly string[]) => {
      const value = states.map((clientState, index) => ({ id: `n-${index}`, clientState, resource: 'jobs/7' }));
      return (await send('/up/cb_1', { headers: {}, body: JSON.stringify({ value }) })).status;
    };
    expect(await deliver('sesame', 'old-one')).toBe(200);
    expect(await deliver('sesame', 'guess')).toBe(401);
    expect(await deliver('sesame', '')).toBe(401);
    expect(await deliver()).toBe(401);
    expect((await send('/up/cb_1', { headers: {}, body: '{"clientState":"sesame"}' })).status).toBe(401);
    expect(taken.flatMap(({ events }) => events)).toMatchObject([
      { eventKey: 'cb_1/n-0', delivery: { body: '{"id":"n-0","resource":"jobs/7"}' } },
      { eventKey: 'cb_1/n-1', delivery: { body: '{"id":"n-1","resource":"jobs/7"}' } },
    ]);
    expect(JSON.stringify(taken)).not.toMatch(/sesame|old-one/);
  });
});

describe('an HMAC of a token', () => {
  const verify: VerifyRules = {
    scheme: 'hmac',
    header: 'x-signature',
    prefix: 'v0=',
    timestamp: 'x-time',
    signed: 'v0:{timestamp}:{body}',
  };
  const handshake: HandshakeRules = { kind: 'hmac' };
  const mac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
  const asking = (plainToken: unknown, secret: string) => {
    const body = JSON.stringify({ event: 'endpoint.url_validation', payload: { plainToken }, event_ts: NOW });
    const headers = { 'x-time': `${NOW_S}`, 'x-signature': `v0=${mac(secret, `v0:${NOW_S}:${body}`)}` };
    return { body, headers };
  };

  test.each(['new-secret', 'old-secret'])('is made with the secret that the question is signed with: %s', async (secret) => {
    const { send, taken } = await standUp({ verify, handshake, secrets: ['new-secret', 'old-secret'], now });
    const answer = await send('/up/cb_1', asking('qgg8vlvZRS6UYooatFL8Aw', secret));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(JSON.parse(answer.text)).toEqual({
      plainToken: 'qgg8vlvZRS6UYooatFL8Aw',
      encryptedToken: mac(secret, 'qgg8vlvZRS6UYooatFL8Aw'),
    });
    expect(taken).toEqual([]);
  });

  test('is made for nobody who can not sign, and never of what could be signed itself', async () => {
    const { send } = await standUp({ verify, handshake, now });
    expect((await send('/up/cb_1', asking('token', 'guess'))).status).toBe(401);
    const forging = `v0:${NOW_S}:{"status":"succeeded"}`;
    for (const token of [forging, '', 'a b', 'x'.repeat(129), 7.5, null]) {
      const answer = await send('/up/cb_1', asking(token, 'sesame'));
      expect(answer, String(token)).toMatchObject({ status: 400, text: '' });
    }
  });

  test('is asked for nothing else: events are delivered', async () => {
    const { send, taken } = await standUp({ verify, handshake, now });
    const body = '{"event":"recording.completed"}';
    const headers = { 'x-time': `${NOW_S}`, 'x-signature': `v0=${mac('sesame', `v0:${NOW_S}:${body}`)}` };
    expect(await send('/up/cb_1', { body, headers })).toMatchObject({ status: 200, text: '{"received":true}' });
    expect(taken).toHaveLength(1);
  });
});

describe('a probe', () => {
  test('is answered where it was described, and tells nothing', async () => {
    const { send } = await standUp({ handshake: { kind: 'probe' } });
    for (const method of ['GET', 'HEAD']) {
      expect(await send('/up/cb_1', { method }), method).toMatchObject({ status: 200, text: '' });
      expect((await send('/up/cb_2', { method })).status, method).toBe(405);
      expect((await send('/quiet/cb_1', { method })).status, method).toBe(405);
    }
    expect((await send('/up/cb_1', { headers: {} })).status).toBe(401);
    expect((await send('/up/cb_1', { method: 'OPTIONS' })).status).toBe(204);
  });
});

describe('a challenge', () => {
  test('is echoed only where it is signed', async () => {
    const { send } = await standUp({ verify: { scheme: 'slack' }, now });
    const body = '{"type":"url_verification","challenge":"3eZbrw1aB"}';
    const signature = `v0=${createHmac('sha256', 'sesame').update(`v0:${NOW_S}:${body}`).digest('hex')}`;
    const headers = { 'x-slack-signature': signature, 'x-slack-request-timestamp': `${NOW_S}` };
    expect(await send('/up/cb_1', { body, headers })).toMatchObject({ status: 200, text: '3eZbrw1aB' });
    expect((await send('/up/cb_1', { body, headers: { ...headers, 'x-slack-signature': 'v0=00' } })).status).toBe(401);
  });
});

describe('a subscription', () => {
  const pair = rsaPair();
  const verify: VerifyRules = { scheme: 'signed-notification', claims: { TopicArn: 't' } };
  async function setting(confirmation: string | number = 'ok') {
    const publisher = await publish(
      new Map([
        ['/c.pem', certificateOf(pair, NOW - 1000, NOW + 1000)],
        ['/confirm?token=1', confirmation],
      ]),
    );
    const clock = standing();
    const it = await standUp({ verify, secrets: [], reach: reaching({ allowedOrigins: [publisher.origin] }, { clock }), now });
    const message = (subscribeUrl: string, type = 'SubscriptionConfirmation') => {
      const signed = {
        Message: 'm',
        MessageId: 'id',
        SubscribeURL: subscribeUrl,
        Timestamp: new Date(NOW).toISOString(),
        Token: '1',
        TopicArn: 't',
        Type: type,
      };
      const text = Object.entries(signed)
        .map(([name, value]) => `${name}\n${value}\n`)
        .join('');
      const Signature = sign('sha256', Buffer.from(text), pair.privateKey).toString('base64');
      const body = JSON.stringify({ ...signed, Signature, SignatureVersion: '2', SigningCertURL: `${publisher.origin}/c.pem` });
      return { headers: { 'content-type': 'text/plain' }, body };
    };
    return { ...it, publisher, message, confirm: `${publisher.origin}/confirm?token=1` };
  }

  test('is confirmed by asking its URL, once it is verified', async () => {
    const { send, publisher, message, confirm, counted, taken } = await setting();
    expect(await send('/up/cb_1', message(confirm))).toMatchObject({ status: 200, text: '' });
    expect(publisher.asked()).toEqual(['/c.pem', '/confirm?token=1']);
    expect(counted).toEqual(['up signed-notification handshake']);
    expect(taken).toEqual([]);
  });

  test('is not confirmed for a callback URL that was not given out', async () => {
    const { send, publisher, message, confirm } = await setting();
    expect(await send('/up/cb_2', message(confirm))).toMatchObject({ status: 200 });
    expect(publisher.asked()).toEqual(['/c.pem']);
  });

  test('is confirmed nowhere but where the operator said', async () => {
    const elsewhere = await publish(new Map([['/confirm', 'ok']]));
    const { send, message, warned } = await setting();
    expect((await send('/up/cb_1', message(`${elsewhere.origin}/confirm`))).status).toBe(401);
    expect((await send('/up/cb_1', message('http://169.254.169.254/latest/meta-data'))).status).toBe(401);
    expect(elsewhere.asked()).toEqual([]);
    expect(warned.join()).toContain('allowedOrigins');
  });

  test('that can not be confirmed now is put off', async () => {
    const { send, publisher, message, confirm, counted } = await setting(500);
    expect((await send('/up/cb_1', message(confirm))).status).toBe(503);
    publisher.pages.set('/confirm?token=1', 'ok');
    expect((await send('/up/cb_1', message(confirm))).status).toBe(200);
    expect(counted).toEqual(['up signed-notification unverifiable', 'up signed-notification handshake']);
  });

  test('whose end is told is acknowledged, and not begun again', async () => {
    const { send, publisher, message, confirm, taken } = await setting();
    expect((await send('/up/cb_1', message(confirm, 'UnsubscribeConfirmation'))).status).toBe(200);
    expect(publisher.asked()).toEqual(['/c.pem']);
    expect(taken).toEqual([]);
  });
});

describe('a delivery whose key can not be had', () => {
  test('is told to come again, in the log too, and is taken when it does', async () => {
    const pair = rsaPair();
    const publisher = await publish(new Map([['/keys', 503]]));
    const clock = standing();
    const reach = reaching({ keySets: [`${publisher.origin}/keys`] }, { clock });
    const verify: VerifyRules = { scheme: 'jwt', audience: 'here', claims: { email: 'push@jobs.example' } };
    const { send, taken, counted, warned } = await standUp({ verify, secrets: [], reach, now });
    const token = await new SignJWT({ email: 'push@jobs.example' })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setAudience('here')
      .setIssuedAt(NOW_S)
      .sign(pair.privateKey);
    expect((await jwtVerify(token, pair.publicKey, { currentDate: new Date(NOW) })).payload.aud).toBe('here');
    const headers = { authorization: `Bearer ${token}` };
    const first = await send('/up/cb_1', { headers });
    expect(first.status).toBe(503);
    expect(first.headers.get('retry-after')).toBe('5');
    expect(warned).toEqual([
      `a delivery was put off: what it is verified by can not be had now: ${publisher.origin}/keys answered 503`,
    ]);
    publisher.pages.set('/keys', await jwks(['k', pair.publicKey]));
    clock.pass(5_000);
    expect((await send('/up/cb_1', { headers })).status).toBe(200);
    expect(taken).toHaveLength(1);
    expect(counted).toEqual(['up none unverifiable', 'up jwt accepted']);
  });
});

describe('a handshake', () => {
  const trust = { secrets: ['s'], keySets: [], allowedOrigins: [] };
  const verify = { scheme: 'github' };
  test('that there is none of is said, and what it needs', () => {
    expect(faultIn({ verify, handshake: { kind: 'wave' } }, 'hint', trust)).toMatch(
      /no handshake wave: use one of echo, hmac, probe/,
    );
    expect(faultIn({ verify, handshake: { kind: 'echo' } }, 'hint', trust)).toMatch(/needs `parameter`/);
    expect(faultIn({ verify, handshake: { kind: 'probe' } }, 'hint', trust)).toBeUndefined();
  });
});
