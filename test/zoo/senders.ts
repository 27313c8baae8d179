// How services sign what they call back, what form it has, and what they ask of a URL before they use it: written apart from the
// code that verifies it.

import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import type { JsonObject } from '../../src/core/json.ts';
import { PRIVATE_KEY } from './certificate.ts';

/** Header with {@link CALLBACK_TOKEN}, that every delivery has which is not signed. */
export const CALLBACK_HEADER = 'X-Callback-Token';
export const CALLBACK_TOKEN = 'token-of-the-zoo';
/** What it was before; while it is changed, a service signs with both. */
export const FORMER_TOKEN = 'former-token-of-the-zoo';

export const SIGNATURE = 'X-Signature';
export const SIGNED_AT = 'X-Signed-At';
export const ECHOED = 'validationToken';
export const TOPIC = 'arn:zoo:topic:scans';
/** Where the certificate is that notifications are signed by, and where a subscription to them is confirmed, by which token. */
export const CERTIFICATE_AT = '/zoo.pem';
export const CONFIRM_AT = '/confirm';
export const CONFIRMED = new Set<string>();

export interface Parcel {
  readonly event: JsonObject;
  /** Of another job, for those who send several at once. */
  readonly stranger: JsonObject;
  readonly url: string;
  /** Of the service. */
  readonly origin: string;
  /** Oldest first. */
  readonly secrets: readonly string[];
  /** When it is signed, in seconds. */
  readonly atS: number;
  readonly id: string;
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Sender {
  readonly pack: (parcel: Parcel) => Sent;
  /** What it asks of a callback URL before a job is taken. */
  readonly ask?: (url: string, secret: string, origin: string) => Promise<void>;
}

export type SenderName =
  | 'token'
  | 'standard'
  | 'one-header'
  | 'hash'
  | 'key'
  | 'form'
  | 'batch'
  | 'list'
  | 'notification'
  | 'signed-token'
  | 'cloud-event';

const JSON_TYPE = { 'Content-Type': 'application/json' };
/** With blanks and breaks, so that it is another text once it was read and written again. */
const written = (event: unknown): string => JSON.stringify(event, null, 2);
const mac = (algorithm: string, key: string | Buffer, text: string, encoding: 'hex' | 'base64'): string =>
  createHmac(algorithm, key).update(text).digest(encoding);
const newest = (secrets: readonly string[]): string => secrets.at(-1) ?? '';

const PAIR = generateKeyPairSync('ed25519');
const STRANGER = generateKeyPairSync('ed25519');
/** The key set that the sender `key` publishes. */
export const KEYS = JSON.stringify({ keys: [{ ...PAIR.publicKey.export({ format: 'jwk' }), kid: 'zoo', use: 'sig' }] });

async function check(asked: string, answered: Response, isRight: (body: string) => boolean): Promise<void> {
  const body = await answered.text();
  if (answered.status !== 200 || !isRight(body)) throw new Error(`${asked} was answered with ${answered.status} ${body}`);
}

const oneHeader = (secrets: readonly string[], atS: number, body: string): string =>
  [`t=${atS}`, ...secrets.map((secret) => `v1=${mac('sha256', secret, `${atS}.${body}`, 'hex')}`)].join(',');

/** Names and values in the order of the names, a line each. */
function notified(message: JsonObject, isGenuine: boolean): string {
  const lines = Object.entries(message)
    .filter(([name]) => name !== 'SignatureVersion' && name !== 'SigningCertURL')
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}\n${value}\n`);
  const signature = sign('sha256', Buffer.from(`${lines.join('')}${isGenuine ? '' : 'by somebody else'}`), PRIVATE_KEY);
  return written({ ...message, Signature: signature.toString('base64') });
}

const notification = (origin: string, id: string, atS: number, more: JsonObject): JsonObject => ({
  MessageId: id,
  TopicArn: TOPIC,
  Timestamp: new Date(atS * 1000).toISOString(),
  SignatureVersion: '2',
  SigningCertURL: `${origin}${CERTIFICATE_AT}`,
  ...more,
});

const encoded = (json: JsonObject): string => Buffer.from(JSON.stringify(json)).toString('base64url');

export const SENDERS: Readonly<Record<SenderName, Sender>> = {
  token: {
    pack: ({ event, secrets }) => ({ headers: { ...JSON_TYPE, [CALLBACK_HEADER]: newest(secrets) }, body: written(event) }),
  },
  // Standard Webhooks: id, time and body.
  standard: {
    pack: ({ event, secrets, atS, id }) => {
      const body = written(event);
      const signatures = secrets.map(
        (secret) => `v1,${mac('sha256', Buffer.from(secret, 'base64'), `${id}.${atS}.${body}`, 'base64')}`,
      );
      return {
        headers: {
          ...JSON_TYPE,
          'webhook-id': id,
          'webhook-timestamp': String(atS),
          'webhook-signature': signatures.join(' '),
        },
        body,
      };
    },
  },
  // Time and signatures in one header; asks for the HMAC of a text.
  'one-header': {
    pack: ({ event, secrets, atS }) => {
      const body = written(event);
      return { headers: { ...JSON_TYPE, 'Stripe-Signature': oneHeader(secrets, atS, body) }, body };
    },
    ask: async (url, secret) => {
      const body = written({ event: 'endpoint.url_validation', payload: { plainToken: 'q7-plain' } });
      const signature = oneHeader([secret], Math.floor(Date.now() / 1000), body);
      const answered = await fetch(url, { method: 'POST', headers: { ...JSON_TYPE, 'Stripe-Signature': signature }, body });
      const expected = mac('sha256', secret, 'q7-plain', 'hex');
      await check('the question for an HMAC', answered, (text) => JSON.parse(text).encryptedToken === expected);
    },
  },
  // The body alone, several signatures joined by commas; looks first whether the URL is there.
  hash: {
    pack: ({ event, secrets }) => {
      const body = written(event);
      const signatures = secrets.map((secret) => `sha256=${mac('sha256', secret, body, 'hex')}`);
      return { headers: { ...JSON_TYPE, [SIGNATURE]: signatures.join(', ') }, body };
    },
    ask: async (url) => {
      await check('HEAD', await fetch(url, { method: 'HEAD' }), (text) => text === '');
      await check('GET', await fetch(url), (text) => text === '');
    },
  },
  // By a key that the service publishes.
  key: {
    pack: ({ event, secrets, atS }) => {
      const body = written(event);
      const { privateKey } = newest(secrets) === CALLBACK_TOKEN ? PAIR : STRANGER;
      const signature = sign(null, Buffer.from(`${atS}${body}`), privateKey).toString('hex');
      return { headers: { ...JSON_TYPE, [SIGNATURE]: signature, [SIGNED_AT]: String(atS) }, body };
    },
  },
  // A form, signed with the URL.
  form: {
    pack: ({ event, secrets, url }) => {
      const fields = Object.entries(event).map(([name, value]) => [name, String(value)] as const);
      const signed = fields.map(([name, value]) => `${name}${value}`).sort();
      const signature = mac('sha1', newest(secrets), `${url}${signed.join('')}`, 'base64');
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Twilio-Signature': signature };
      return { headers, body: new URLSearchParams(fields.map(([name, value]) => [name, value])).toString() };
    },
  },
  // Several at once, each with an id; sends a code first.
  batch: {
    pack: ({ event, stranger, secrets, id }) => ({
      headers: { ...JSON_TYPE, [CALLBACK_HEADER]: newest(secrets), 'aeg-event-type': 'Notification' },
      body: written([
        { ...stranger, id: `stranger-${id}` },
        { ...event, id },
      ]),
    }),
    ask: async (url, secret) => {
      const headers = { ...JSON_TYPE, [CALLBACK_HEADER]: secret, 'aeg-event-type': 'SubscriptionValidation' };
      const body = written([{ id: 'v', data: { validationCode: 'code 512' } }]);
      const answered = await fetch(url, { method: 'POST', headers, body });
      await check('the code', answered, (text) => JSON.parse(text).validationResponse === 'code 512');
    },
  },
  // Several at once, each with the secret that came with the submit; asks for an echo.
  list: {
    pack: ({ event, stranger, secrets, id }) => ({
      headers: JSON_TYPE,
      body: written({
        value: [
          { ...stranger, id: `stranger-${id}` },
          { ...event, id },
        ].map((each) => ({ ...each, clientState: newest(secrets) })),
      }),
    }),
    ask: async (url) => {
      const text = 'Validation: is anybody there? é';
      const answered = await fetch(`${url}?${ECHOED}=${encodeURIComponent(text)}`, { method: 'POST' });
      await check('the question for an echo', answered, (echo) => echo === text);
    },
  },
  // An envelope that names the certificate it is signed by; a subscription is confirmed first, at an address of the service.
  notification: {
    pack: ({ event, secrets, atS, id, origin }) => ({
      headers: { 'Content-Type': 'text/plain; charset=UTF-8' },
      body: notified(
        notification(origin, id, atS, { Type: 'Notification', Message: written(event) }),
        newest(secrets) === CALLBACK_TOKEN,
      ),
    }),
    ask: async (url, _secret, origin) => {
      const Token = createHash('sha256').update(url).digest('hex');
      const SubscribeURL = `${origin}${CONFIRM_AT}?Token=${Token}`;
      const more = { Type: 'SubscriptionConfirmation', Message: 'Confirm it.', Token, SubscribeURL };
      const body = notified(notification(origin, Token, Math.floor(Date.now() / 1000), more), true);
      const answered = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body });
      await check('the subscription', answered, () => CONFIRMED.has(Token));
    },
  },
  // A token that holds when it was made and the digest of the body.
  'signed-token': {
    pack: ({ event, secrets, atS }) => {
      const body = written(event);
      const sha256 = createHash('sha256').update(body).digest('hex');
      const signed = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ iat: atS, sha256 })}`;
      const signature = createHmac('sha256', newest(secrets)).update(signed).digest('base64url');
      return { headers: { ...JSON_TYPE, [SIGNATURE]: `${signed}.${signature}` }, body };
    },
  },
  // Its attributes are headers; asks for permission first.
  'cloud-event': {
    pack: ({ event, secrets, id }) => ({
      headers: {
        ...JSON_TYPE,
        'ce-specversion': '1.0',
        'ce-id': id,
        'ce-source': '/scans',
        'ce-type': 'scan.changed',
        Authorization: `Bearer ${newest(secrets)}`,
      },
      body: written(event),
    }),
    ask: async (url) => {
      const headers = { 'WebHook-Request-Origin': 'zoo.example', 'WebHook-Request-Rate': '120' };
      const answered = await fetch(url, { method: 'OPTIONS', headers });
      await check(
        'the request for permission',
        answered,
        () => answered.headers.get('webhook-allowed-origin') === 'zoo.example',
      );
    },
  },
};
