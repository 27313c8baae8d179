// The receiver alone, on a real port, in front of an engine that takes whatever it is asked to.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { UpstreamConfig } from '../../src/config/config.ts';
import { holdSecret } from '../../src/config/secret.ts';
import { silentLog } from '../../src/core/log.ts';
import { noMetrics } from '../../src/core/metrics.ts';
import type { Clock } from '../../src/core/time.ts';
import type { HandshakeRules, VerifyRules, WebhookRules } from '../../src/core/webhook.ts';
import type { CallbackEvent, Callbacks } from '../../src/engine/engine.ts';
import { createWebhooks } from '../../src/http/webhooks.ts';
import { NO_REACH, type Reach } from '../../src/webhooks/scheme.ts';
import { catalogueOf, job } from './scripted-engine.ts';

const TOKEN: VerifyRules = { scheme: 'token', header: 'x-token' };
const RULES = { role: 'only', inject: { body: '/hook' }, event: {} } as const;

export async function standUp({
  verify = TOKEN,
  handshake,
  secrets = ['sesame'],
  reach = NO_REACH,
  receive,
  sleep = systemClock.sleep,
  now = () => 5,
}: {
  verify?: VerifyRules;
  handshake?: HandshakeRules;
  secrets?: readonly string[];
  reach?: Reach;
  receive?: Callbacks['receive'];
  sleep?: Clock['sleep'];
  now?: Clock['now'];
} = {}) {
  const rules: WebhookRules = { ...RULES, verify, ...(handshake && { handshake }) };
  const counted: string[] = [];
  const warned: string[] = [];
  const taken: { readonly upstream: string; readonly token: string; readonly events: readonly CallbackEvent[] }[] = [];
  const callbacks: Callbacks = {
    rulesFor: async (upstream, token) => (upstream === 'up' && token === 'cb_1' ? rules : undefined),
    receive:
      receive ??
      (async (upstream, token, events) => {
        taken.push({ upstream, token, events });
        return 'stored';
      }),
  };
  const scripted = job('scan', {});
  if (scripted.kind !== 'job') throw new Error('a job was wanted');
  const tool = { ...scripted, upstream: 'up', descriptor: { ...scripted.descriptor, webhook: rules } };
  const limits = { responseBytesMax: 1000 };
  const upstreams = [
    { name: 'up', limits, webhooks: { secrets: secrets.map(holdSecret), keySets: [], allowedOrigins: [] } },
    { name: 'quiet', limits },
  ];
  const app = express();
  const callbackUrl = (upstream: string, token: string) => `https://gateway.test/webhooks/${upstream}/${token}`;
  app.use(
    '/webhooks',
    createWebhooks({
      callbacks,
      catalogue: catalogueOf(tool),
      upstreams: upstreams as unknown as UpstreamConfig[],
      callbackUrl,
      reach: () => reach,
      metrics: { ...noMetrics, delivered: ({ upstream, scheme, outcome }) => counted.push(`${upstream} ${scheme} ${outcome}`) },
      log: {
        ...silentLog,
        warn: ({ detail }, message) => warned.push(`${message}${detail === undefined ? '' : `: ${detail}`}`),
      },
      clock: { now, sleep },
    }),
  );
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  const send = async (
    path: string,
    {
      headers = { 'x-token': 'sesame' },
      body = '{"n":1}',
      method = 'POST',
    }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string; readonly method?: string } = {},
  ) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers },
      ...(method === 'POST' && { body }),
      redirect: 'manual',
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { taken, counted, warned, send, url };
}
