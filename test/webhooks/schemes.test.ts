// Every signature scheme against senders of its own, and against what is almost genuine.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { Trust } from '../../src/core/webhook.ts';
import { authenticate, eventsOf, faultIn, permissionFor } from '../../src/webhooks/authenticate.ts';
import type { Scheme } from '../../src/webhooks/scheme.ts';
import * as all from '../../src/webhooks/schemes/index.ts';
import { incoming, NOW, NOW_S, type Sender, type Sent, senders, URL_GIVEN } from './senders.ts';

const BODY = '{ "type": "job.done",\n  "data": {"job": "job-7", "note": "caf\\u00e9 😊"} }';
const trusting = (secrets: readonly string[]): Trust => ({ secrets, keySets: [], allowedOrigins: [] });
const judge = async ({ rules, secrets }: Sender, sent: Sent, now = NOW, active: readonly string[] = secrets) =>
  'verdict' in (await authenticate(incoming(sent), [rules], active, now));
const signed = async (sender: Sender, { body = sender.body ?? BODY, atS = NOW_S, which = 0 as 0 | 1 } = {}) =>
  sender.sign(body, atS, which);

describe.each(senders.map((sender) => [sender.name, sender] as const))('%s', (_name, sender) => {
  test('is accepted by each active secret', async () => {
    for (const which of [0, 1] as const) expect(await judge(sender, await signed(sender, { which }))).toBe(true);
    expect(faultIn({ verify: sender.rules }, 'only', trusting(sender.secrets))).toBeUndefined();
  });

  test('is refused by a secret that is not active any more, and by none', async () => {
    const sent = await signed(sender, { which: 1 });
    expect(await judge(sender, sent, NOW, [sender.secrets[0]])).toBe(false);
    expect(await judge(sender, sent, NOW, [])).toBe(false);
  });

  test('is refused without what it is proved by', async () => {
    const sent = await signed(sender);
    expect(await judge(sender, { ...sent, headers: {}, ...(sender.inBody && { body: '{"value":[{}]}' }) })).toBe(false);
  });

  if (sender.timeless !== true)
    test('is refused beyond the tolerance, on either side', async () => {
      for (const offS of [-299, 299])
        expect(await judge(sender, await signed(sender, { atS: NOW_S + offS })), `${offS}`).toBe(true);
      for (const offS of [-301, 301])
        expect(await judge(sender, await signed(sender, { atS: NOW_S + offS })), `${offS}`).toBe(false);
    });

  if (sender.onlySender !== true)
    test('is refused with any byte of the body flipped', async () => {
      const sent = await signed(sender);
      const bytes = new TextEncoder().encode(sent.body);
      await fc.assert(
        fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
          const body = bytes.slice();
          body[at] = (body[at] ?? 0) ^ flip;
          const verdict = await authenticate({ ...incoming(sent), body }, [sender.rules], sender.secrets, NOW);
          // A form may be written in more than one way: then what it says is the same.
          const same = new TextDecoder().decode(body);
          const isSpelling =
            sender.body !== undefined && `${[...new URLSearchParams(same)]}` === `${[...new URLSearchParams(sent.body)]}`;
          expect('verdict' in verdict).toBe(isSpelling);
        }),
        { numRuns: 60 },
      );
    });

  if (sender.inBody !== true)
    test('is refused with any character of what proves it changed', async () => {
      const sent = await signed(sender);
      const covered = Object.keys(sent.headers).filter(
        (name) => !/^(x-github-delivery|content-type|aeg-event-type|ce-.*)$/i.test(name),
      );
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...covered), fc.nat(), fc.constantFrom(...'AZaz09+_-='), async (name, at, char) => {
          const value = sent.headers[name] ?? '';
          const index = at % value.length;
          // The case of hex and of a scheme's name is free.
          if (value[index]?.toLowerCase() === char.toLowerCase()) return;
          const changed = value.slice(0, index) + char + value.slice(index + 1);
          if (sameBase64(value, changed)) return;
          expect(await judge(sender, { ...sent, headers: { ...sent.headers, [name]: changed } }), `${name}: ${changed}`).toBe(
            false,
          );
        }),
        { numRuns: 60 },
      );
    });
});

/** Base64 of the same bytes: bits of the last character are not used, and `_` and `-` are how its other alphabet writes `/` and `+`. */
const sameBase64 = (one: string, other: string): boolean => {
  const decoded = (text: string) => {
    const last = text.split(/[ ,.]/).at(-1) ?? '';
    return [text.slice(0, text.length - last.length), Buffer.from(last, 'base64').toString('hex')].join();
  };
  return decoded(one) === decoded(other);
};

describe('the schemes', () => {
  const schemes: readonly Scheme[] = Object.values(all);
  test('have names of their own, and a sender here each', () => {
    expect(new Set(schemes.map(({ id }) => id)).size).toBe(schemes.length);
    const sent = new Set(senders.map(({ rules }) => rules.scheme));
    // Those that verify by what is published elsewhere are in notifications.test.ts.
    const here = schemes.filter(({ unsigned, needs = ['secrets'] }) => unsigned !== true && needs.includes('secrets'));
    expect(here.filter(({ id }) => !sent.has(id))).toEqual([]);
  });

  test('agree with the reference library of Standard Webhooks', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.uuid(), async (body, id) => {
        const signature = new Webhook(secret).sign(id, new Date(NOW), body);
        const headers = { 'webhook-id': id, 'webhook-timestamp': `${NOW_S}`, 'webhook-signature': signature };
        const verdict = await authenticate(incoming({ headers, body }), [{ scheme: 'standard-webhooks' }], [secret], NOW);
        expect(verdict).toMatchObject({ verdict: { ok: true, eventId: id, unique: true } });
      }),
    );
  });

  const [standard] = senders as readonly [Sender];
  test.each([
    ['a list with a good signature among bad ones', (good: string) => `v1,AAAA v1a,BBBB v2,CCCC ${good}`, true],
    ['lines of their own', (good: string) => `v1,AAAA\n${good}`, true],
    ['another version than we know', (good: string) => good.replace('v1,', 'v2,'), false],
    ['no version', (good: string) => good.replace('v1,', ''), false],
    ['nothing', () => '', false],
  ])('read %s', async (_what, change, accepted) => {
    const sent = await signed(standard);
    const headers = { ...sent.headers, 'webhook-signature': change(sent.headers['webhook-signature'] ?? '') };
    expect(await judge(standard, { ...sent, headers })).toBe(accepted);
  });

  test('read a list of signatures in one header', async () => {
    const stripe = senders.find(({ name }) => name === 'stripe') as Sender;
    const sent = await signed(stripe);
    const header = sent.headers['Stripe-Signature'] ?? '';
    for (const [value, accepted] of [
      [`${header},v1=${'0'.repeat(64)}`, true],
      [header.replace(',v1=', `,v1=${'0'.repeat(64)},v0=x, v1=`), true],
      [`${header},t=1`, false],
      [header.replace('v1=', 'v0='), false],
    ] as const) {
      expect(await judge(stripe, { ...sent, headers: { 'stripe-signature': value } }), value).toBe(accepted);
    }
  });

  test.each([
    ['hmac', (good: string) => `deadbeef, ${good}`],
    ['hmac', (good: string) => `${good},deadbeef`],
    ['hmac', (good: string) => `deadbeef\n${good}`],
    ['ed25519', (good: string) => `${'00'.repeat(64)},${good}`],
    ['ed25519', (good: string) => `${good}\n${'00'.repeat(64)}`],
    ['github', (good: string) => `sha1=00, ${good}`],
    ['slack', (good: string) => `v0=00,${good}`],
    ['token', (good: string) => `Key wrong\n${good}`],
  ] as const)('read a signature among others: %s, %s', async (scheme, change) => {
    const sender = senders.find(({ rules }) => rules.scheme === scheme) as Sender;
    const sent = await signed(sender);
    const [name = '', value = ''] = Object.entries(sent.headers).find(([key]) => /sig|hmac|token/i.test(key)) ?? [];
    expect(await judge(sender, { ...sent, headers: { ...sent.headers, [name]: change(value) } })).toBe(true);
    const another = await signed(sender, { body: 'another' });
    const bad = change(sender.onlySender === true ? 'Key other' : (another.headers[name] ?? ''));
    expect(await judge(sender, { ...sent, headers: { ...sent.headers, [name]: bad } })).toBe(false);
  });

  test.each(['NaN', '', '1790000000.5', '-5', '1e9', ' '])('take no time of %j', async (time) => {
    for (const sender of senders.filter((one) => one.timeless !== true && one.onlySender !== true)) {
      const sent = await signed(sender);
      const headers = Object.fromEntries(
        Object.entries(sent.headers).map(([name, value]) => [
          name,
          /time/i.test(name) ? time : value.replace(/^t=\d+/, `t=${time}`),
        ]),
      );
      expect(await judge(sender, { ...sent, headers }), sender.name).toBe(false);
    }
  });

  test('refuse a header that says two things where it must say one', async () => {
    const sent = await signed(standard);
    const headers = { ...sent.headers, 'webhook-id': 'msg_1\nmsg_2' };
    expect(await judge(standard, { ...sent, headers })).toBe(false);
    expect(await judge(standard, { ...sent, headers: { ...sent.headers, 'webhook-id': 'msg_1\nmsg_1' } })).toBe(true);
  });

  test('never take an empty key', async () => {
    const empty = ['whsec_', ''];
    const { createHmac } = await import('node:crypto');
    const signature = createHmac('sha256', '').update(`m.${NOW_S}.x`).digest('base64');
    const headers = { 'webhook-id': 'm', 'webhook-timestamp': `${NOW_S}`, 'webhook-signature': `v1,${signature}` };
    expect(await judge(standard, { headers, body: 'x' }, NOW, empty)).toBe(false);
    expect(faultIn({ verify: standard.rules }, 'only', trusting(['whsec_']))).toMatch(/holds no key/);
  });

  test('never verify a shared-secret token by a public key', async () => {
    const { SignJWT } = await import('jose');
    const publicKey = senders.find(({ name }) => name === 'jwt by a public key')?.secrets[0] ?? '';
    const forged = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt(NOW_S)
      .sign(new TextEncoder().encode(publicKey));
    const sent = incoming({ headers: { authorization: `Bearer ${forged}` }, body: '{}' });
    expect(await authenticate(sent, [{ scheme: 'jwt' }], [publicKey], NOW)).toEqual({ why: expect.stringMatching(/refused/) });
    const endless = await new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode('s'.repeat(32)));
    const old = incoming({ headers: { authorization: `Bearer ${endless}` }, body: '{}' });
    expect(await authenticate(old, [{ scheme: 'jwt' }], ['s'.repeat(32)], NOW)).toEqual({
      why: expect.stringMatching(/neither an end/),
    });
  });

  test('verify a URL with and without the port that goes without saying', async () => {
    const twilio = senders.find(({ name }) => name === 'twilio with a form') as Sender;
    const sent = await signed(twilio);
    expect(await judge(twilio, { ...sent, url: URL_GIVEN.replace('.example', '.example:443') })).toBe(true);
    expect(await judge(twilio, { ...sent, url: URL_GIVEN.replace('cb_1', 'cb_2') })).toBe(false);
  });

  test('give no reason that holds a secret or a signature', async () => {
    for (const sender of senders) {
      const sent = await signed(sender, { which: 1 });
      const verdict = await authenticate(incoming(sent), [sender.rules], [sender.secrets[0]], NOW);
      const why = 'why' in verdict ? verdict.why : '';
      expect(why).not.toBe('');
      for (const hidden of [...sender.secrets, ...Object.values(sent.headers)].filter((text) => text.length > 12)) {
        expect(why).not.toContain(hidden);
      }
    }
  });
});

test('the scheme that CONTRIBUTING shows is one of those here, to the letter: its file, and one line', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const [, diff = ''] = /```diff\n(.*?)```/s.exec(read('CONTRIBUTING.md')) ?? [];
  const files = diff.split(/^ *\+\+\+ b\//m).slice(1);
  const added = new Map(
    files.map((text) => {
      const [path = '', ...lines] = text.split('\n');
      return [path, lines.filter((line) => /^ *\+/.test(line)).map((line) => line.replace(/^ *\+/, ''))];
    }),
  );
  const [index, scheme] = ['src/webhooks/schemes/index.ts', 'src/webhooks/schemes/token.ts'];
  expect([...added.keys()].sort()).toEqual([index, scheme]);
  expect(`${added.get(scheme)?.join('\n')}\n`).toBe(read(scheme));
  expect(added.get(index)).toHaveLength(1);
  expect(read(index).split('\n')).toContain(added.get(index)?.[0]);
});

describe('rules', () => {
  test.each([
    [{ scheme: 'sha3' }, 'only', ['s'], /there is no scheme sha3: use one of basic, cloudevents, ed25519, /],
    [{ scheme: 'github' }, 'hint', [], /no secret is configured: set `webhooks.secrets`/],
    [{ scheme: 'unsigned' }, 'only', [], /nobody signs/],
    [{ scheme: 'hmac' }, 'hint', ['s'], /needs `header`/],
    [{ scheme: 'hmac', header: 'x', signed: '{timestamp}' }, 'hint', ['s'], /does not cover the body/],
    [{ scheme: 'hmac', header: 'x', signed: '{bdy}{body}' }, 'hint', ['s'], /a placeholder that is none/],
    [{ scheme: 'hmac', header: 'x', timestamp: 'x-time' }, 'hint', ['s'], /the time stamp is not signed/],
    [{ scheme: 'hmac', header: 'x', signed: '{timestamp}{body}' }, 'hint', ['s'], /set `timestamp`/],
    [{ scheme: 'ed25519', header: 'x', timestamp: 't' }, 'hint', ['no key'], /no Ed25519 public key/],
    [{ scheme: 'token' }, 'hint', ['s'], /needs `header`/],
    [{ scheme: 'basic' }, 'hint', ['password alone'], /user:password/],
  ] as const)('%j as %s with %j are refused', (rules, role, secrets, why) => {
    expect(faultIn({ verify: rules }, role, trusting(secrets))).toMatch(why);
  });

  test('that sign nothing will do for a hint', () => {
    expect(faultIn({ verify: { scheme: 'unsigned' } }, 'hint', trusting([]))).toBeUndefined();
  });

  test('are tried in turn', async () => {
    const [standard] = senders as readonly [Sender];
    const sent = incoming(await signed(standard));
    const verified = await authenticate(sent, [{ scheme: 'github' }, standard.rules], standard.secrets, NOW);
    expect(verified).toMatchObject({ scheme: { id: 'standard-webhooks' } });
  });
});

describe('events', () => {
  const within = async (name: string, sent?: Partial<Sent>, places = {}) => {
    const sender = senders.find((one) => one.name === name) as Sender;
    const own = await signed(sender, sent?.body === undefined ? {} : { body: sent.body });
    const whole = incoming({ ...own, headers: { ...own.headers, ...sent?.headers } });
    const verified = await authenticate(whole, [sender.rules], sender.secrets, NOW);
    if ('why' in verified) throw new Error(verified.why);
    return eventsOf(whole, verified, places, 'cb_1', NOW);
  };
  test('are known by the id that the scheme signs, wherever they come', async () => {
    expect(await within('standard-webhooks')).toMatchObject([
      { eventKey: 'msg_1', delivery: { eventId: 'msg_1', body: BODY, receivedAt: NOW } },
    ]);
  });

  test('are known only within their callback URL by any other id', async () => {
    expect(await within('github')).toMatchObject([{ eventKey: 'cb_1/d-1' }]);
    expect(await within('stripe', { body: '{"id":"evt_1"}' })).toMatchObject([{ eventKey: 'cb_1/evt_1' }]);
    expect(await within('standard-webhooks', { body: '{"n":12}' }, { id: '/n' })).toMatchObject([{ eventKey: 'cb_1/12' }]);
    expect(await within('token', { headers: { 'x-event': 'e9' } }, { id: 'X-Event' })).toMatchObject([{ eventKey: 'cb_1/e9' }]);
    expect(await within('twilio with a form', {}, { id: '/CallSid' })).toMatchObject([{ eventKey: 'cb_1/CA1' }]);
  });

  test('without any id are known by what they say and when it was signed', async () => {
    const [one] = await within('token', { body: '{"a":1}' });
    const [other] = await within('token', { body: '{"a":2}' });
    expect(one?.eventKey).toMatch(/^cb_1\/[0-9a-f]{64}$/);
    expect(await within('token', { body: '{"a":1}' })).toEqual([one]);
    expect(other?.eventKey).not.toBe(one?.eventKey);
  });

  test('are known by several places together, so that each status of a job is one of its own', async () => {
    const places = { id: ['/job', '/status'] };
    const keyed = async (event: object, more = {}) =>
      (await within('token', { body: JSON.stringify(event), ...more }, places)).map(({ eventKey }) => eventKey);
    expect(await keyed({ job: 'j-1', status: 'running', emission: 1 })).toEqual(['cb_1/j-1 running']);
    expect(await keyed({ job: 'j-1', status: 'running', emission: 2 })).toEqual(['cb_1/j-1 running']);
    expect(await keyed({ job: 'j-1', status: 'done' })).toEqual(['cb_1/j-1 done']);
    // A part alone may be that of another event.
    expect(await keyed({ job: 'j-1' })).toEqual([expect.stringMatching(/^cb_1\/[0-9a-f]{64}$/)]);
    const mixed = await within(
      'token',
      { body: '{"job":"j-1"}', headers: { 'x-attempt': '2' } },
      { id: ['/job', 'X-Attempt'] },
    );
    expect(mixed).toMatchObject([{ eventKey: 'cb_1/j-1 2' }]);
  });

  test('that name different jobs are told apart from those of one', async () => {
    const marks = async (name: string, body: unknown, places = {}) =>
      (await within(name, { body: JSON.stringify(body) }, { job: '/job', ...places })).map(
        ({ delivery }) => delivery.amongOthers === true,
      );
    expect(
      await marks('eventgrid', [
        { id: '1', job: 'j-1' },
        { id: '2', job: 'j-2' },
      ]),
    ).toEqual([true, true]);
    expect(await marks('eventgrid', [{ id: '1', job: 'j-1' }, { id: '2' }])).toEqual([true, true]);
    expect(
      await marks('eventgrid', [
        { id: '1', job: 'j-1' },
        { id: '2', job: 'j-1' },
      ]),
    ).toEqual([false, false]);
    expect(await marks('eventgrid', [{ id: '1', job: 'j-1' }])).toEqual([false]);
    expect(
      await marks(
        'eventgrid',
        [
          { id: '1', a: 1 },
          { id: '2', a: 2 },
        ],
        { job: undefined },
      ),
    ).toEqual([false, false]);
    expect(await marks('token', { job: 'j-1' })).toEqual([false]);
  });

  test('are taken out of their envelope, and known by what is on it', async () => {
    const event = '{"job":"job-7","n":1.10}';
    const places = { id: '/message/messageId', within: '/message/data', withinEncoding: 'base64' } as const;
    const body = JSON.stringify({ message: { messageId: 'm-1', data: Buffer.from(event).toString('base64') } });
    expect(await within('token', { body }, places)).toMatchObject([
      { eventKey: 'cb_1/m-1', delivery: { mediaType: 'application/json', body: event } },
    ]);
    const text = JSON.stringify({ detail: event });
    expect(await within('token', { body: text }, { within: '/detail' })).toMatchObject([{ delivery: { body: event } }]);
    expect(await within('token', { body: '{"detail":{"n":1}}' }, { within: '/detail' })).toMatchObject([
      { delivery: { body: '{"detail":{"n":1}}' } },
    ]);
  });

  test('come in batches, with their digits', async () => {
    const body = '[{"id":"a","data":{"n":9007199254740993}},{"id":"b"},3]';
    expect(await within('eventgrid', { body })).toMatchObject([
      { eventKey: 'cb_1/a', delivery: { body: '{"id":"a","data":{"n":9007199254740993}}', mediaType: 'application/json' } },
      { eventKey: 'cb_1/b' },
      { delivery: { body: '3' } },
    ]);
  });

  test('of CloudEvents are known by source and id in each mode', async () => {
    expect(await within('cloudevents', { body: '{}' })).toMatchObject([{ eventKey: 'cb_1//jobs#7' }]);
    const one = '{"id":"1","source":"/a"}';
    const structured = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
    expect(await within('cloudevents', { body: one, headers: structured })).toMatchObject([{ eventKey: 'cb_1//a#1' }]);
    const batched = { 'content-type': 'application/cloudevents-batch+json' };
    expect(await within('cloudevents', { body: `[${one},{"id":"2","source":"/a"}]`, headers: batched })).toMatchObject([
      { eventKey: 'cb_1//a#1' },
      { eventKey: 'cb_1//a#2' },
    ]);
  });

  test('with ids that are too long are known by a digest', async () => {
    const [event] = await within('github', { headers: { 'X-GitHub-Delivery': 'x'.repeat(5000) } });
    expect(event?.delivery.eventId).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('a handshake', () => {
  const ask = async (name: string, body: string, headers: Record<string, string> = {}) => {
    const sender = senders.find((one) => one.name === name) as Sender;
    const sent = await signed(sender, { body });
    const whole = incoming({ ...sent, headers: { ...sent.headers, ...headers } });
    const verified = await authenticate(whole, [sender.rules], sender.secrets, NOW);
    return 'scheme' in verified ? verified.scheme.handshake?.(whole) : undefined;
  };

  test('of Event Grid echoes the code', async () => {
    const body = '[{"id":"1","eventType":"Microsoft.EventGrid.SubscriptionValidationEvent","data":{"validationCode":"512d"}}]';
    const header = { 'aeg-event-type': 'SubscriptionValidation' };
    expect(await ask('eventgrid', body, header)).toMatchObject({ status: 200, body: '{"validationResponse":"512d"}' });
    expect(await ask('eventgrid', '[]', header)).toMatchObject({ status: 400 });
    expect(await ask('eventgrid', body)).toBeUndefined();
  });

  test('of Slack echoes the challenge', async () => {
    expect(await ask('slack', '{"type":"url_verification","challenge":"3eZb"}')).toMatchObject({ status: 200, body: '3eZb' });
    expect(await ask('slack', '{"type":"event_callback"}')).toBeUndefined();
  });

  test('of CloudEvents allows the origin that asks', () => {
    const asking = incoming({
      headers: { 'WebHook-Request-Origin': 'eventemitter.example.com', 'WebHook-Request-Rate': '120' },
      body: '',
    });
    expect(permissionFor(asking, [{ scheme: 'github' }, { scheme: 'cloudevents' }])).toEqual({
      status: 200,
      headers: { allow: 'POST', 'webhook-allowed-origin': 'eventemitter.example.com', 'webhook-allowed-rate': '120' },
      body: '',
    });
    expect(permissionFor(asking, [{ scheme: 'github' }])).toBeUndefined();
    expect(permissionFor(incoming({ headers: {}, body: '' }), [{ scheme: 'cloudevents' }])).toBeUndefined();
  });
});
