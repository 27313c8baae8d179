// Senders of signed deliveries: each signs as its scheme says, written apart from the code that verifies.

import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import type { VerifyRules } from '../../src/core/webhook.ts';
import type { Incoming } from '../../src/webhooks/scheme.ts';

export const NOW = Date.UTC(2026, 7, 1, 12, 0, 0);
export const NOW_S = NOW / 1000;
export const URL_GIVEN = 'https://longshore.example/webhooks/studio/cb_1';

/** Headers as a sender writes them, and a body. */
export interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly url?: string;
}

export function incoming({ headers, body, url = URL_GIVEN }: Sent): Incoming {
  return {
    method: 'POST',
    url,
    headers: new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.split('\n')])),
    body: new TextEncoder().encode(body),
  };
}

export interface Sender {
  readonly name: string;
  readonly rules: VerifyRules;
  readonly secrets: readonly [string, string];
  /** Signs a body, at an instant, with one of the two secrets. */
  sign(body: string, atS: number, which: 0 | 1): Sent | Promise<Sent>;
  /** The body and the time are not covered. */
  readonly onlySender?: true;
  /** What proves it is in the body. */
  readonly inBody?: true;
  /** There is no time in it. */
  readonly timeless?: true;
  readonly body?: string;
}

const mac = (algorithm: string, key: string | Buffer, data: string, encoding: 'hex' | 'base64') =>
  createHmac(algorithm, key).update(data).digest(encoding);

const standardKey = (secret: string) => Buffer.from(secret.slice(6), 'base64');
const pairs = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')] as const;
const bare = (key: KeyObject): Buffer => Buffer.from(String(key.export({ format: 'jwk' }).x), 'base64url');
const pem = (key: KeyObject): string => String(key.export({ format: 'pem', type: 'spki' }));
const rsa = [generateKeyPairSync('rsa', { modulusLength: 2048 }), generateKeyPairSync('rsa', { modulusLength: 2048 })] as const;
const TEXT = ['one-secret-that-is-long-enough-0123', 'another-secret-that-is-long-enough-4'] as const;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export const senders: readonly Sender[] = [
  {
    name: 'standard-webhooks',
    rules: { scheme: 'standard-webhooks' },
    secrets: [`whsec_${Buffer.alloc(24, 1).toString('base64')}`, `whsec_${Buffer.alloc(24, 2).toString('base64')}`],
    sign(body, atS, which) {
      const signature = mac('sha256', standardKey(this.secrets[which]), `msg_1.${atS}.${body}`, 'base64');
      return {
        body,
        headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': `${atS}`, 'webhook-signature': `v1,${signature}` },
      };
    },
  },
  {
    name: 'standard-webhooks with public keys, in the older spelling',
    rules: { scheme: 'standard-webhooks' },
    secrets: [`whpk_${bare(pairs[0].publicKey).toString('base64')}`, `whpk_${bare(pairs[1].publicKey).toString('base64')}`],
    sign(body, atS, which) {
      const signature = signBytes(null, Buffer.from(`msg_1.${atS}.${body}`), pairs[which].privateKey).toString('base64');
      return { body, headers: { 'svix-id': 'msg_1', 'svix-timestamp': `${atS}`, 'svix-signature': `v1a,${signature}` } };
    },
  },
  {
    name: 'stripe',
    rules: { scheme: 'stripe' },
    secrets: ['whsec_taken_as_it_is', 'whsec_another'],
    sign(body, atS, which) {
      const signature = mac('sha256', this.secrets[which], `${atS}.${body}`, 'hex');
      return { body, headers: { 'Stripe-Signature': `t=${atS},v1=${signature}` } };
    },
  },
  {
    name: 'stripe by other names, in milliseconds',
    rules: { scheme: 'stripe', header: 'x-signed', prefix: 'v0' },
    secrets: TEXT,
    sign(body, atS, which) {
      return { body, headers: { 'x-signed': `t=${atS}000,v0=${mac('sha256', TEXT[which], `${atS}000.${body}`, 'hex')}` } };
    },
  },
  {
    name: 'github',
    rules: { scheme: 'github' },
    secrets: TEXT,
    timeless: true,
    sign(body, _atS, which) {
      const signature = `sha256=${mac('sha256', TEXT[which], body, 'hex')}`;
      return { body, headers: { 'X-Hub-Signature-256': signature, 'X-GitHub-Delivery': 'd-1' } };
    },
  },
  {
    name: 'slack',
    rules: { scheme: 'slack' },
    secrets: TEXT,
    sign(body, atS, which) {
      const signature = `v0=${mac('sha256', TEXT[which], `v0:${atS}:${body}`, 'hex')}`;
      return { body, headers: { 'X-Slack-Signature': signature, 'X-Slack-Request-Timestamp': `${atS}` } };
    },
  },
  {
    name: 'twilio with a form',
    rules: { scheme: 'twilio' },
    secrets: TEXT,
    timeless: true,
    body: 'CallStatus=completed&CallSid=CA1&Digits=1&Digits=2&Empty=',
    sign(body, _atS, which) {
      const signed = `${URL_GIVEN}${[...new URLSearchParams(body)]
        .map((pair) => pair.join(''))
        .sort()
        .join('')}`;
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      return { body, headers: { ...type, 'X-Twilio-Signature': mac('sha1', TEXT[which], signed, 'base64') } };
    },
  },
  {
    name: 'twilio with JSON',
    rules: { scheme: 'twilio' },
    secrets: TEXT,
    timeless: true,
    sign(body, _atS, which) {
      const url = `${URL_GIVEN}?bodySHA256=${sha256(body)}`;
      return { body, url, headers: { 'X-Twilio-Signature': mac('sha1', TEXT[which], url, 'base64') } };
    },
  },
  {
    name: 'hmac in base64, keys in base64',
    rules: { scheme: 'hmac', header: 'X-Hmac', algorithm: 'sha512', encoding: 'base64', secretEncoding: 'base64' },
    secrets: [Buffer.from('binary\u0001').toString('base64'), Buffer.from('binary\u0002').toString('base64')],
    timeless: true,
    sign(body, _atS, which) {
      return { body, headers: { 'X-Hmac': mac('sha512', Buffer.from(this.secrets[which], 'base64'), body, 'base64') } };
    },
  },
  {
    name: 'hmac over parts that are described',
    rules: {
      scheme: 'hmac',
      header: 'x-sig',
      algorithm: 'sha1',
      prefix: 'v2=',
      signed: '{header.x-id}|{timestamp}|{url}|{bodySha256}',
      timestamp: 'x-time',
    },
    secrets: TEXT,
    sign(body, atS, which) {
      const time = new Date(atS * 1000).toISOString();
      const signed = `e-1|${time}|${URL_GIVEN}|${sha256(body)}`;
      return { body, headers: { 'x-id': 'e-1', 'x-time': time, 'x-sig': `v2=${mac('sha1', TEXT[which], signed, 'hex')}` } };
    },
  },
  {
    name: 'ed25519',
    rules: { scheme: 'ed25519', header: 'x-signature', timestamp: 'x-timestamp' },
    secrets: [bare(pairs[0].publicKey).toString('hex'), pem(pairs[1].publicKey)],
    sign(body, atS, which) {
      const signature = signBytes(null, Buffer.from(`${atS}${body}`), pairs[which].privateKey).toString('hex');
      return { body, headers: { 'x-signature': signature, 'x-timestamp': `${atS}` } };
    },
  },
  {
    name: 'jwt bound to the body, by a shared secret',
    rules: { scheme: 'jwt', header: 'x-jws', issuer: 'builder', digestClaim: 'sha256' },
    secrets: TEXT,
    timeless: true,
    async sign(body, _atS, which) {
      const token = await new SignJWT({ sha256: sha256(body) })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer('builder')
        .sign(new TextEncoder().encode(TEXT[which]));
      return { body, headers: { 'x-jws': token } };
    },
  },
  {
    name: 'jwt by a public key',
    rules: { scheme: 'jwt', audience: 'longshore' },
    secrets: [
      pem(rsa[0].publicKey),
      JSON.stringify({ keys: [{ ...rsa[1].publicKey.export({ format: 'jwk' }), alg: 'RS256' }] }),
    ],
    onlySender: true,
    async sign(body, atS, which) {
      const token = await new SignJWT({})
        .setProtectedHeader({ alg: 'RS256' })
        .setAudience('longshore')
        .setIssuedAt(atS)
        .setJti('t-1')
        .sign(rsa[which].privateKey);
      return { body, headers: { Authorization: `Bearer ${token}` } };
    },
  },
  {
    name: 'token',
    rules: { scheme: 'token', header: 'X-Token', prefix: 'Key ' },
    secrets: TEXT,
    onlySender: true,
    timeless: true,
    sign: (body, _atS, which) => ({ body, headers: { 'X-Token': `Key ${TEXT[which]}` } }),
  },
  {
    name: 'basic',
    rules: { scheme: 'basic' },
    secrets: ['user:pass:word', 'other:pass'],
    onlySender: true,
    timeless: true,
    sign(body, _atS, which) {
      return { body, headers: { authorization: `Basic ${Buffer.from(this.secrets[which]).toString('base64')}` } };
    },
  },
  {
    name: 'eventgrid',
    rules: { scheme: 'eventgrid', header: 'x-key' },
    secrets: TEXT,
    onlySender: true,
    timeless: true,
    sign: (body, _atS, which) => ({ body, headers: { 'x-key': TEXT[which], 'aeg-event-type': 'Notification' } }),
  },
  {
    name: 'cloudevents',
    rules: { scheme: 'cloudevents' },
    secrets: TEXT,
    onlySender: true,
    timeless: true,
    sign: (body, _atS, which) => ({
      body,
      headers: { authorization: `Bearer ${TEXT[which]}`, 'ce-id': '7', 'ce-source': '/jobs' },
    }),
  },
  {
    name: 'a secret that every event repeats',
    rules: { scheme: 'repeated-secret', list: '/value', secretAt: '/clientState' },
    secrets: TEXT,
    onlySender: true,
    inBody: true,
    timeless: true,
    sign: (body, _atS, which) => ({
      headers: { 'content-type': 'application/json' },
      body: `{"value":[{"id":"n-1","clientState":"${TEXT[which]}","event":${body}}]}`,
    }),
  },
];
