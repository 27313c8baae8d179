// How services call back, as data: where they are told to, what they say, and how they sign it by schemes of the house.
//   K1. An event has one id for good, however often it is delivered. Some senders number their events for each job from one.
//   K2. Thin events say nothing, or which job; fat ones say how it stands. Whether they are believed is not theirs to say.

import { createHmac } from 'node:crypto';
import type { Ending } from '../../src/core/outcome.ts';
import type { WebhookRules } from '../../src/core/webhook.ts';
import type { Incoming } from '../../src/webhooks/scheme.ts';
import { EPOCH } from './time.ts';

export type Moment = 'started' | 'progress' | 'ended';

export interface Calls {
  readonly role: 'hint' | 'only';
  readonly says: 'nothing' | 'job' | 'state';
  readonly scheme: 'standard-webhooks' | 'github' | 'hmac';
  readonly at: readonly Moment[];
  /** The result is to be fetched from where the event says, and a status is not said: what is not an error is the end. */
  readonly elsewhere?: true;
}

/** One event on its way to one callback URL. */
export interface Letter {
  readonly upstream: string;
  readonly token: string;
  readonly call: number;
  readonly eventId: string;
  readonly body: string;
  /** The end that it tells of, truly or not. */
  readonly ending?: Ending;
}

/** What the gateway was told of it. */
export function rulesOf({ role, says, scheme, elsewhere }: Calls, speech: 'jobs' | 'operations'): WebhookRules {
  const verify =
    scheme === 'hmac'
      ? ({ scheme, header: 'x-signature', timestamp: 'x-timestamp', signed: '{timestamp}.{body}' } as const)
      : { scheme };
  const state = elsewhere === true ? { resultUrl: '/result_url' } : { status: '/status', result: '/result' };
  return {
    role,
    inject: { body: '/callback' },
    verify,
    event: {
      ...(scheme === 'hmac' && { id: '/event' }),
      ...(says !== 'nothing' && { job: speech === 'jobs' ? '/id' : '/name' }),
      ...(says === 'state' && { ...(role === 'only' && state), time: '/at' }),
    },
  };
}

export interface Said {
  readonly eventId: string;
  /** As the service calls it. */
  readonly job: string;
  readonly ending?: Ending;
  readonly result?: unknown;
  readonly at: number;
}

export function bodyOf({ says, scheme, elsewhere }: Calls, speech: 'jobs' | 'operations', said: Said): string {
  const named = speech === 'jobs' ? { id: said.job } : { name: `operations/${said.job}` };
  const { ending } = said;
  const error = ending !== undefined && ending !== 'succeeded' && { error: { message: 'out of paper' } };
  const result = elsewhere === true ? { result_url: `/jobs/${said.job}/result` } : { result: said.result };
  const state = {
    status: ending ?? 'running',
    ...(ending === 'succeeded' && result),
    ...error,
    at: new Date(EPOCH + said.at).toISOString(),
  };
  return JSON.stringify({
    ...(scheme === 'hmac' && { event: said.eventId }),
    ...(says !== 'nothing' && named),
    ...(says === 'state' && state),
  });
}

/** An event that says nothing, but for what it is known by. */
export const nonsenseOf = ({ scheme }: Calls, { eventId }: Said): string =>
  scheme === 'hmac' ? JSON.stringify({ event: eventId, words: 7 }) : '<h1>Welcome</h1>';

/** The secret of a service, as an operator would configure it. */
export const secretOf = (upstream: string, scheme: Calls['scheme'] | undefined): string =>
  scheme === 'standard-webhooks' ? `whsec_${Buffer.from(`secret of ${upstream}`).toString('base64')}` : `secret of ${upstream}`;

/** The request that carries a letter, signed at an instant by whoever has the secret. */
export function signed(letter: Letter, { scheme }: Calls, secret: string, at: number): Incoming {
  const { eventId, body, upstream, token } = letter;
  const seconds = String(Math.floor((EPOCH + at) / 1_000));
  const code = (key: string | Uint8Array, text: string, encoding: 'hex' | 'base64') =>
    createHmac('sha256', key).update(text).digest(encoding);
  const headers: Record<Calls['scheme'], () => Readonly<Record<string, string>>> = {
    'standard-webhooks': () => ({
      'webhook-id': eventId,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${code(Buffer.from(secret.replace('whsec_', ''), 'base64'), `${eventId}.${seconds}.${body}`, 'base64')}`,
    }),
    github: () => ({ 'x-github-delivery': eventId, 'x-hub-signature-256': `sha256=${code(secret, body, 'hex')}` }),
    hmac: () => ({ 'x-timestamp': seconds, 'x-signature': code(secret, `${seconds}.${body}`, 'hex') }),
  };
  const lines = Object.entries({ 'content-type': 'application/json', ...headers[scheme]() });
  return {
    method: 'POST',
    url: callbackUrl(upstream, token),
    headers: new Map(lines.map(([name, value]) => [name, [value]])),
    body: new TextEncoder().encode(body),
  };
}

export const callbackUrl = (upstream: string, token: string): string => `https://gateway.test/webhooks/${upstream}/${token}`;
/** The token of a callback URL. */
export const tokenIn = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';
