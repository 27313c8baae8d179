// What senders publish for those that verify them: key sets and certificates, on a real server, and the way to it.

import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { exportJWK } from 'jose';
import { onTestFinished } from 'vitest';
import type { Trust } from '../../src/core/webhook.ts';
import { createClient } from '../../src/upstream/client.ts';
import { createReach, originsOf } from '../../src/webhooks/reach.ts';
import type { Reach } from '../../src/webhooks/scheme.ts';
import { Loopback } from '../upstream/loopback.ts';
import { NOW } from './senders.ts';

/** What is at each path; a path that is not there answers 404. A number is a status, a URL a redirect. */
export type Published = Map<string, string | number | URL>;

export interface Publisher {
  readonly origin: string;
  readonly pages: Published;
  /** Paths in the order in which they were asked for. */
  readonly asked: () => readonly string[];
  /** No answer any more, until the test is over. */
  goDown(): Promise<void>;
}

export async function publish(pages: Published = new Map()): Promise<Publisher> {
  const server = await Loopback.listen(({ target }, response) => {
    const page = pages.get(target) ?? 404;
    if (page instanceof URL) response.writeHead(301, { location: page.href });
    else if (typeof page === 'number') response.statusCode = page;
    response.end(typeof page === 'string' ? page : '');
  });
  let up = true;
  const close = async () => {
    if (up) await server[Symbol.asyncDispose]();
    up = false;
  };
  onTestFinished(close);
  return { origin: server.origin, pages, asked: () => server.received.map(({ target }) => target), goDown: close };
}

/** A clock that stands until it is moved. */
export function standing() {
  let passedMs = 0;
  return {
    now: () => NOW + passedMs,
    monotonic: () => passedMs,
    pass(ms: number) {
      passedMs += ms;
    },
  };
}

/** The way to what is trusted, through the transport of the product. */
export function reaching(
  trust: Partial<Pick<Trust, 'keySets' | 'allowedOrigins'>>,
  { clock = standing(), coolDownMs }: { clock?: ReturnType<typeof standing>; coolDownMs?: number } = {},
): Reach {
  const whole = { keySets: [], allowedOrigins: [], ...trust };
  const endpoint = { ownOrigins: [], allowedOrigins: originsOf(whole), credentials: [], requestBytesMax: 0 };
  const transport = createClient({ endpoint: () => endpoint, version: 'test', clock });
  onTestFinished(() => transport.close());
  return createReach({ trust: whole, transport, upstream: 'up', clock, ...(coolDownMs !== undefined && { coolDownMs }) });
}

export async function jwks(...keys: readonly (readonly [kid: string, key: KeyObject])[]): Promise<string> {
  return JSON.stringify({ keys: await Promise.all(keys.map(async ([kid, key]) => ({ ...(await exportJWK(key)), kid }))) });
}

export const rsaPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A certificate that signs itself, as PEM. @see RFC 5280 §4.1 */
export function certificateOf(
  { publicKey, privateKey }: ReturnType<typeof rsaPair>,
  fromMs: number,
  toMs: number,
  host = 'notifications.test',
): string {
  const sha256WithRsa = der(0x30, oid('2a864886f70d01010b'), der(0x05));
  const name = der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from(host)))));
  const time = (ms: number) => der(0x18, Buffer.from(new Date(ms).toISOString().replace(/\.\d+|[-:T]/g, '')));
  const validity = der(0x30, time(fromMs), time(toMs));
  const serial = der(0x02, Buffer.from([1]));
  const signed = der(0x30, serial, sha256WithRsa, name, validity, name, publicKey.export({ format: 'der', type: 'spki' }));
  const signature = createSign('sha256').update(signed).sign(privateKey);
  const whole = der(0x30, signed, sha256WithRsa, der(0x03, Buffer.from([0]), signature));
  return `-----BEGIN CERTIFICATE-----\n${whole.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));

/** Tag, length and content. @see ITU-T X.690 §8.1 */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const bytes = body.length < 128 ? [] : body.length < 256 ? [0x81] : [0x82, body.length >> 8];
  return Buffer.concat([Buffer.from([tag, ...bytes, body.length & 255]), body]);
}
