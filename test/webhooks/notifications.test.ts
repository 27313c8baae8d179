// Notifications that are signed by a certificate which they name, and subscriptions that begin with one.

import { sign as signBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Trust, VerifyRules } from '../../src/core/webhook.ts';
import { authenticate, eventsOf, faultIn } from '../../src/webhooks/authenticate.ts';
import type { Reach } from '../../src/webhooks/scheme.ts';
import { certificateOf, type Publisher, publish, reaching, rsaPair } from './published.ts';
import { incoming, NOW, URL_GIVEN } from './senders.ts';

const HOUR_MS = 3_600_000;
const TOPIC = 'arn:test:topic:jobs';
const RULES: VerifyRules = { scheme: 'signed-notification', claims: { TopicArn: TOPIC } };
const pair = rsaPair();
const PEM = certificateOf(pair, NOW - HOUR_MS, NOW + 24 * HOUR_MS);
const CERTIFICATE = '/notifications-1.pem';

type Message = Record<string, string>;

const event = (publisher: Publisher, more: Message = {}): Message => ({
  Type: 'Notification',
  MessageId: 'm-1',
  TopicArn: TOPIC,
  Message: '{"job":"job-7","n":1.10}',
  Timestamp: new Date(NOW).toISOString(),
  SignatureVersion: '2',
  SigningCertURL: `${publisher.origin}${CERTIFICATE}`,
  ...more,
});

const subscription = (publisher: Publisher, more: Message = {}): Message =>
  event(publisher, {
    Type: 'SubscriptionConfirmation',
    Message: 'You have chosen to subscribe.',
    Token: 't0k3n',
    SubscribeURL: `${publisher.origin}/?Action=ConfirmSubscription&Token=t0k3n`,
    ...more,
  });

/** As the sender signs: the names and values of what is there, in the order of the names, a line each. */
function signed(message: Message, { privateKey } = pair): Message {
  const names = ['Message', 'MessageId', 'SubscribeURL', 'Subject', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const text = names.flatMap((name) => (message[name] === undefined ? [] : [name, message[name]])).join('\n');
  const algorithm = message['SignatureVersion'] === '1' ? 'sha1' : 'sha256';
  return { ...message, Signature: signBytes(algorithm, Buffer.from(`${text}\n`), privateKey).toString('base64') };
}

const cameAs = (message: Message) =>
  incoming({ headers: { 'content-type': 'text/plain; charset=UTF-8' }, body: JSON.stringify(message) });
const judge = async (message: Message, reach: Reach, rules = RULES, now = NOW) => {
  const verified = await authenticate(cameAs(message), [rules], [], now, reach);
  return 'verdict' in verified ? 'genuine' : verified.later === true ? `later: ${verified.why}` : `refused: ${verified.why}`;
};
const setting = async (page: string | number = PEM) => {
  const publisher = await publish(new Map([[CERTIFICATE, page]]));
  return { publisher, reach: reaching({ allowedOrigins: [publisher.origin] }) };
};

describe('a signed notification', () => {
  test('is verified by the certificate that it names, which is fetched once', async () => {
    const { publisher, reach } = await setting();
    expect(await judge(signed(event(publisher)), reach)).toBe('genuine');
    expect(await judge(signed(event(publisher, { MessageId: 'm-2', Subject: 'Done' })), reach)).toBe('genuine');
    expect(publisher.asked()).toEqual([CERTIFICATE]);
  });

  test('is handed on without its envelope, under the id of its message', async () => {
    const { publisher, reach } = await setting();
    const came = cameAs(signed(event(publisher)));
    const verified = await authenticate(came, [RULES], [], NOW, reach);
    if ('why' in verified) throw new Error(verified.why);
    expect(eventsOf(came, verified, {}, 'cb_1', NOW)).toEqual([
      {
        eventKey: 'cb_1/m-1',
        delivery: { eventId: 'm-1', mediaType: 'application/json', body: '{"job":"job-7","n":1.10}', receivedAt: NOW },
      },
    ]);
  });

  test.each(['Message', 'MessageId', 'Timestamp', 'TopicArn', 'Type', 'Subject', 'Signature'])(
    'is refused with another %s than was signed',
    async (name) => {
      const { publisher, reach } = await setting();
      const changed = { Timestamp: new Date(NOW - 1).toISOString(), Type: 'UnsubscribeConfirmation' }[name] ?? 'AAAA';
      const message = { ...signed(event(publisher)), [name]: changed };
      expect(await judge(message, reach)).toMatch(/^refused/);
    },
  );

  test('by SHA-1 is taken only where that was described', async () => {
    const { publisher, reach } = await setting();
    const weak = signed(event(publisher, { SignatureVersion: '1' }));
    expect(await judge(weak, reach)).toMatch(/^refused: the signature is not by SHA-256/);
    expect(await judge(weak, reach, { ...RULES, algorithm: 'sha1' })).toBe('genuine');
    expect(await judge(signed(event(publisher)), reach, { ...RULES, algorithm: 'sha1' })).toBe('genuine');
  });

  test('of another customer of the same sender is refused, however well it is signed', async () => {
    const { publisher, reach } = await setting();
    expect(await judge(signed(event(publisher, { TopicArn: 'arn:test:topic:mallory' })), reach)).toMatch(/somebody else's/);
    expect(publisher.asked()).toEqual([]);
  });

  test('by a certificate from elsewhere is refused, and nobody is asked for it', async () => {
    const { publisher, reach } = await setting();
    const elsewhere = await publish(new Map([[CERTIFICATE, PEM]]));
    for (const url of [
      `${elsewhere.origin}${CERTIFICATE}`,
      `${publisher.origin}@${new URL(elsewhere.origin).host}${CERTIFICATE}`,
      `${publisher.origin}.evil.example${CERTIFICATE}`,
      'file:///etc/ssl/certs/ca.pem',
      '//169.254.169.254/x.pem',
      CERTIFICATE,
      '',
      `${publisher.origin}/uploads/mine.txt`,
    ]) {
      expect(await judge(signed(event(publisher, { SigningCertURL: url })), reach), url).toMatch(/^refused: the certificate/);
    }
    expect([...publisher.asked(), ...elsewhere.asked()]).toEqual([]);
  });

  test('by the key of another certificate is refused', async () => {
    const { publisher, reach } = await setting();
    expect(await judge(signed(event(publisher), rsaPair()), reach)).toMatch(/not by the key of the certificate/);
  });

  test.each([
    ['is over', NOW - 2 * HOUR_MS, NOW - HOUR_MS],
    ['has not begun', NOW + HOUR_MS, NOW + 2 * HOUR_MS],
  ])('by a certificate whose time %s is refused', async (_what, from, to) => {
    const { publisher, reach } = await setting(certificateOf(pair, from, to));
    expect(await judge(signed(event(publisher)), reach)).toMatch(/the certificate is not valid now/);
  });

  test.each([
    ['is not there', 404, /answered 404/],
    ['is none', '<html>', /is none/],
  ])('is put off while its certificate %s', async (_what, page, why) => {
    const { publisher, reach } = await setting(page);
    expect(await judge(signed(event(publisher)), reach)).toMatch(why);
    expect(await judge(signed(event(publisher)), reach)).toMatch(/^later/);
  });

  test('may be as old as its sender tries, and no older', async () => {
    const { publisher, reach } = await setting();
    const message = signed(event(publisher));
    expect(await judge(message, reach, RULES, NOW + HOUR_MS - 1)).toBe('genuine');
    expect(await judge(message, reach, RULES, NOW + HOUR_MS + 1)).toMatch(/too old/);
    expect(await judge(message, reach, { ...RULES, toleranceMs: 60_000 }, NOW + 60_001)).toMatch(/too old/);
  });

  test.each(['', '[]', '{"Type":"constructor"}', '{"Type":"Notification"}', 'null'])('is not %j', async (body) => {
    const { reach } = await setting();
    expect('why' in (await authenticate(incoming({ headers: {}, body }), [RULES], [], NOW, reach))).toBe(true);
  });

  test('names new certificates only so often', async () => {
    const { publisher, reach } = await setting();
    for (let number = 0; number < 40; number++) {
      const message = signed(event(publisher, { SigningCertURL: `${publisher.origin}/${number}.pem` }));
      expect(await judge(message, reach)).toMatch(/^later/);
    }
    expect(publisher.asked()).toHaveLength(30);
  });

  test('needs an origin to believe, and a topic', () => {
    const trust: Trust = { secrets: [], keySets: [], allowedOrigins: ['https://notifications.example'] };
    expect(faultIn({ verify: RULES }, 'only', trust)).toBeUndefined();
    expect(faultIn({ verify: RULES }, 'only', { ...trust, allowedOrigins: [] })).toMatch(/set `webhooks.allowedOrigins`/);
    expect(faultIn({ verify: { scheme: RULES.scheme } }, 'only', trust)).toMatch(/needs `claims`/);
    expect(faultIn({ verify: { ...RULES, claims: { Subject: 'x', Token: 'y' } } }, 'only', trust)).toMatch(
      /not signed in every/,
    );
    expect(faultIn({ verify: { ...RULES, algorithm: 'sha512' } }, 'only', trust)).toMatch(/sha256 and sha1 only/);
  });
});

describe('a subscription', () => {
  test('is answered once the URL in it was asked', async () => {
    const { publisher, reach } = await setting();
    const came = cameAs(signed(subscription(publisher)));
    const verified = await authenticate(came, [RULES], [], NOW, reach);
    if ('why' in verified) throw new Error(verified.why);
    const visit = `${publisher.origin}/?Action=ConfirmSubscription&Token=t0k3n`;
    expect(verified.scheme.handshake?.(came)).toEqual({ status: 200, headers: {}, body: '', visit });
    expect(
      verified.scheme.handshake?.(incoming({ headers: {}, body: '{"Type":"Notification"}', url: URL_GIVEN })),
    ).toBeUndefined();
  });

  test('with another URL than was signed is refused', async () => {
    const { publisher, reach } = await setting();
    const message = { ...signed(subscription(publisher)), SubscribeURL: `${publisher.origin}/?Action=DeleteTopic` };
    expect(await judge(message, reach)).toMatch(/^refused/);
  });
});
