// Public keys that senders publish: found, remembered, changed, and gone.

import { generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Transport } from '../../src/core/http.ts';
import type { Trust, VerifyRules } from '../../src/core/webhook.ts';
import { authenticate, faultIn } from '../../src/webhooks/authenticate.ts';
import { createReach } from '../../src/webhooks/reach.ts';
import type { Reach } from '../../src/webhooks/scheme.ts';
import { jwks, publish, reaching, rsaPair, standing } from './published.ts';
import { incoming, NOW, NOW_S, type Sent } from './senders.ts';

const AT = '/keys?v=3';
const [first, second] = [rsaPair(), rsaPair()];
const PUSH: VerifyRules = {
  scheme: 'jwt',
  issuer: 'https://accounts.example',
  audience: 'https://longshore.example/webhooks',
  claims: { email: 'push@jobs.example', email_verified: true },
};

async function pushed(kid: string, key: KeyObject, claims: JWTPayload = {}): Promise<Sent> {
  const token = await new SignJWT({
    iss: PUSH.issuer as string,
    aud: PUSH.audience as string,
    ...PUSH.claims,
    iat: NOW_S,
    exp: NOW_S + 3600,
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256', kid })
    .sign(key);
  return { headers: { authorization: `Bearer ${token}` }, body: '{"message":{"messageId":"m-1"}}' };
}

const judge = async (sent: Sent, reach: Reach, rules = PUSH) => {
  const verified = await authenticate(incoming(sent), [rules], [], NOW, reach);
  return 'verdict' in verified ? 'genuine' : verified.later === true ? `later: ${verified.why}` : `refused: ${verified.why}`;
};

describe('a key set', () => {
  test('is asked for once for many deliveries', async () => {
    const publisher = await publish(new Map([[AT, await jwks(['one', first.publicKey])]]));
    const reach = reaching({ keySets: [`${publisher.origin}${AT}`] });
    const sent = await pushed('one', first.privateKey);
    expect(await Promise.all([judge(sent, reach), judge(sent, reach)])).toEqual(['genuine', 'genuine']);
    expect(await judge(sent, reach)).toBe('genuine');
    expect(publisher.asked()).toEqual([AT]);
  });

  test('is asked for again when a token names a key that was not in it', async () => {
    const publisher = await publish(new Map([[AT, await jwks(['one', first.publicKey])]]));
    const reach = reaching({ keySets: [`${publisher.origin}${AT}`] }, { coolDownMs: 0 });
    expect(await judge(await pushed('one', first.privateKey), reach)).toBe('genuine');
    publisher.pages.set(AT, await jwks(['two', second.publicKey]));
    expect(await judge(await pushed('two', second.privateKey), reach)).toBe('genuine');
    expect(await judge(await pushed('one', first.privateKey), reach)).toMatch(/^refused/);
    expect(publisher.asked()).toHaveLength(3);
  });

  test('is asked for again after ten minutes, so that a key that was withdrawn is not believed for ever', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    onTestFinished(() => void vi.useRealTimers());
    const publisher = await publish(new Map([[AT, await jwks(['one', first.publicKey], ['two', second.publicKey])]]));
    const reach = reaching({ keySets: [`${publisher.origin}${AT}`] });
    expect(await judge(await pushed('two', second.privateKey), reach)).toBe('genuine');
    publisher.pages.set(AT, await jwks(['one', first.publicKey]));
    vi.setSystemTime(NOW + 599_000);
    expect(await judge(await pushed('two', second.privateKey), reach)).toBe('genuine');
    vi.setSystemTime(NOW + 601_000);
    expect(await judge(await pushed('two', second.privateKey), reach)).toMatch(/^refused/);
    expect(await judge(await pushed('one', first.privateKey), reach)).toBe('genuine');
    // Nor is it believed while nobody can be asked.
    publisher.pages.set(AT, 500);
    vi.setSystemTime(NOW + 1_300_000);
    expect(await judge(await pushed('one', first.privateKey), reach)).toMatch(/^later/);
  });

  test('is not asked for again by a flood of keys that nobody has', async () => {
    const publisher = await publish(new Map([[AT, await jwks(['one', first.publicKey])]]));
    const reach = reaching({ keySets: [`${publisher.origin}${AT}`] });
    for (let number = 0; number < 20; number++) {
      expect(await judge(await pushed(`k${number}`, second.privateKey), reach)).toMatch(/^refused: .*ERR_JWKS_NO_MATCHING_KEY/);
    }
    expect(publisher.asked()).toEqual([AT]);
  });

  test.each([
    ['answers with an error', 503, /answered 503/],
    ['is not there', 404, /answered 404/],
    ['holds no keys', '{"error":"maintenance"}', /holds no JSON Web Key Set/],
    ['holds no JSON', '<html>', /holds no JSON Web Key Set/],
    ['is larger than any', `{"keys":[],"x":"${'x'.repeat(300_000)}"}`, /larger than the limit/],
    ['leads elsewhere', new URL('http://169.254.169.254/latest'), /redirect was refused/],
  ])('that %s is no reason to refuse what may be genuine', async (_what, page, why) => {
    const clock = standing();
    const publisher = await publish(new Map([[AT, page]]));
    const reach = reaching({ keySets: [`${publisher.origin}${AT}`] }, { clock });
    const sent = await pushed('one', first.privateKey);
    const verdict = await judge(sent, reach);
    expect(verdict).toMatch(/^later: /);
    expect(verdict).toMatch(why);
    expect(verdict).not.toContain('?v=3');
    // Nobody asks again at once: a flood of deliveries must not become one at the key server.
    expect(await judge(sent, reach)).toBe(verdict);
    expect(publisher.asked()).toHaveLength(1);
    publisher.pages.set(AT, await jwks(['one', first.publicKey]));
    clock.pass(5_000);
    expect(await judge(sent, reach)).toBe('genuine');
  });

  test('that can not be reached is no reason either', async () => {
    const publisher = await publish();
    await publisher.goDown();
    const reach = reaching({ keySets: [`${publisher.origin}${AT}`] });
    expect(await judge(await pushed('one', first.privateKey), reach)).toMatch(/^later: .*no connection/);
  });

  test('is asked for within bounds, without credentials, at the address as it is written', async () => {
    const sent: unknown[] = [];
    const transport: Transport = {
      async send(upstream, request, options) {
        sent.push([upstream, request, options]);
        return { ok: false, failure: { kind: 'timeout', mayHaveBeenSent: true, message: 'no whole answer within 5000 ms' } };
      },
    };
    const trust = { keySets: ['https://keys.example/a%2Fb?p=Sign'], allowedOrigins: [] };
    const reach = createReach({ trust, transport, upstream: 'up', clock: standing() });
    expect(await judge(await pushed('one', first.privateKey), reach)).toBe('later: no whole answer within 5000 ms');
    expect(sent).toEqual([
      [
        'up',
        { method: 'GET', url: 'https://keys.example/a%2Fb?p=Sign', headers: [['accept', '*/*']], security: [] },
        { timeoutMs: 5_000, bytesMax: 262_144, purpose: 'keys' },
      ],
    ]);
  });

  test('of several that is down hides no other, and refuses nobody', async () => {
    const up = await publish(new Map([[AT, await jwks(['one', first.publicKey])]]));
    const down = await publish(new Map([[AT, 500]]));
    const reach = reaching({ keySets: [`${up.origin}${AT}`, `${down.origin}${AT}`] });
    expect(await judge(await pushed('one', first.privateKey), reach)).toBe('genuine');
    expect(await judge(await pushed('two', second.privateKey), reach)).toMatch(/^later/);
    const other = reaching({ keySets: [`${down.origin}${AT}`, `${up.origin}${AT}`] });
    expect(await judge(await pushed('one', first.privateKey), other)).toBe('genuine');
  });
});

describe('a token by a published key', () => {
  test.each([
    ['for another audience', { aud: 'https://elsewhere.example' }],
    ['of another issuer', { iss: 'https://accounts.invalid' }],
    ['of another customer of the same issuer', { email: 'push@mallory.example' }],
    ['of an address that nobody verified', { email_verified: false }],
    ['that is over', { exp: NOW_S - 301 }],
  ])('%s is refused', async (_what, claims) => {
    const publisher = await publish(new Map([[AT, await jwks(['one', first.publicKey])]]));
    const reach = reaching({ keySets: [`${publisher.origin}${AT}`] });
    expect(await judge(await pushed('one', first.privateKey), reach)).toBe('genuine');
    expect(await judge(await pushed('one', first.privateKey, claims), reach)).toMatch(/^refused/);
  });

  test('is never verified by it as by a shared secret', async () => {
    const set = await jwks(['one', first.publicKey]);
    const publisher = await publish(new Map([[AT, set]]));
    const reach = reaching({ keySets: [`${publisher.origin}${AT}`] });
    const forged = await new SignJWT({ ...PUSH.claims })
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .setIssuer(PUSH.issuer as string)
      .setAudience(PUSH.audience as string)
      .setIssuedAt(NOW_S)
      .sign(new TextEncoder().encode(set));
    expect(await judge({ headers: { authorization: `Bearer ${forged}` }, body: '{}' }, reach)).toMatch(/^refused/);
  });

  test('needs rules that say whose it is', () => {
    const trust: Trust = { secrets: [], keySets: ['https://keys.example/jwks'], allowedOrigins: [] };
    expect(faultIn({ verify: PUSH }, 'only', trust)).toBeUndefined();
    expect(faultIn({ verify: { scheme: 'jwt', issuer: 'i' } }, 'only', trust)).toMatch(/needs `audience` or `claims`/);
    expect(faultIn({ verify: PUSH }, 'only', { ...trust, keySets: [] })).toMatch(
      /set `webhooks.secrets` or `webhooks.keySets`/,
    );
    expect(faultIn({ verify: { scheme: 'github' } }, 'only', trust)).toMatch(/set `webhooks.secrets` of/);
  });
});

describe('an Ed25519 signature by a published key', () => {
  const rules: VerifyRules = { scheme: 'ed25519', header: 'x-signature', timestamp: 'x-time' };
  const [old, fresh] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
  const signed = ({ privateKey }: typeof old): Sent => {
    const signature = signBytes(null, Buffer.from(`${NOW_S}{"n":1}`), privateKey).toString('hex');
    return { headers: { 'x-signature': signature, 'x-time': `${NOW_S}` }, body: '{"n":1}' };
  };

  test('is found among the keys, and after they were changed', async () => {
    const publisher = await publish(new Map([[AT, await jwks(['a', first.publicKey], ['b', old.publicKey])]]));
    const reach = reaching({ keySets: [`${publisher.origin}${AT}`] }, { coolDownMs: 0 });
    expect(await judge(signed(old), reach, rules)).toBe('genuine');
    expect(publisher.asked()).toHaveLength(1);
    publisher.pages.set(AT, await jwks(['c', fresh.publicKey]));
    expect(await judge(signed(fresh), reach, rules)).toBe('genuine');
    expect(await judge(signed(old), reach, rules)).toMatch(/^refused/);
  });

  test('is neither refused nor taken while they can not be had', async () => {
    const publisher = await publish(new Map([[AT, 500]]));
    const reach = reaching({ keySets: [`${publisher.origin}${AT}`] });
    expect(await judge(signed(old), reach, rules)).toMatch(/^later/);
    expect(await judge({ ...signed(old), headers: {} }, reach, rules)).toMatch(/^refused/);
  });

  test('finds the good keys of a set that holds a bad one', async () => {
    const { keys } = JSON.parse(await jwks(['b', old.publicKey]));
    const set = JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'short' }, ...keys] });
    const publisher = await publish(new Map([[AT, set]]));
    expect(await judge(signed(old), reaching({ keySets: [`${publisher.origin}${AT}`] }), rules)).toBe('genuine');
  });
});
