// GET /metrics: who may read it, and what is in it. Scraped over HTTP.

import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Config } from '../../src/config/config.ts';
import { holdSecret } from '../../src/config/secret.ts';
import type { Gate } from '../../src/core/gates.ts';
import { silentLog } from '../../src/core/log.ts';
import { createApp } from '../../src/http/app.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { configOf } from './kit.ts';
import { catalogueOf, job, operation, ScriptedEngine } from './scripted-engine.ts';

const TOKEN = 'correct-horse-battery-staple';

async function standUp(metrics: Config['metrics'] | undefined, registry = createMetrics('1.2.3')) {
  const config = { ...configOf(), ...(metrics && { metrics }) };
  const { app, close } = createApp({
    engine: new ScriptedEngine(),
    catalogue: catalogueOf(job('scan', {})),
    config,
    log: silentLog,
    clock: systemClock,
    ...(metrics && { metrics: registry.metrics, scraped: registry }),
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    await close();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  /** Host can't be chosen by fetch. */
  const scrape = async (headers: Readonly<Record<string, string>> = {}) => {
    const asking = httpRequest({ port, path: '/metrics', headers: { ...headers } }).end();
    const [response] = await once(asking, 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    return { status: Number(response.statusCode), headers: response.headers, text };
  };
  return { scrape, registry };
}

/** Samples by name and labels; throws for what is no OpenMetrics. @see OpenMetrics 1.0 §ABNF */
function samplesIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n');
  expect(lines.slice(-2)).toEqual(['# EOF', '']);
  const families = new Map<string, string>();
  const samples = new Map<string, number>();
  for (const line of lines.slice(0, -2)) {
    const [, family = '', type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (type !== '') {
      expect(families.has(family), `${family} twice`).toBe(false);
      families.set(family, type);
    }
    if (line.startsWith('#')) continue;
    const [, name = '', labels = '', value = ''] = /^([a-z_:][\w:]*)(\{[^{}]*\})? (\S+)$/i.exec(line) ?? [];
    expect(name, `no sample: ${line}`).not.toBe('');
    const type_ = families.get(name) ?? families.get(name.replace(/_(total|bucket|sum|count|created)$/, ''));
    expect(type_, `no family for ${line}`).toBeDefined();
    if (type_ === 'counter') expect(name).toMatch(/_total$/);
    expect(samples.has(`${name}${labels}`), `${line} twice`).toBe(false);
    samples.set(`${name}${labels.replace('{}', '')}`, Number(value));
  }
  return samples;
}

describe('metrics', () => {
  test('are not served unless they are asked for', async () => {
    const { scrape } = await standUp(undefined);
    expect((await scrape()).status).toBe(404);
  });

  test('are OpenMetrics, with what Node says of the process', async () => {
    const { scrape } = await standUp({});
    const { status, headers, text } = await scrape();
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    const samples = samplesIn(text);
    expect(samples.get('longshore_build_info{version="1.2.3"}')).toBe(1);
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes']) {
      expect([...samples.keys()], name).toContain(name);
    }
  });

  test('are told to no web page of another site', async () => {
    const { scrape } = await standUp({});
    expect((await scrape({ host: 'rebound.example' })).status).toBe(403);
    expect((await scrape({ origin: 'https://rebound.example' })).status).toBe(403);
  });

  test('are told to who brings the token, by whatever name of this machine', async () => {
    const { scrape } = await standUp({ token: holdSecret(TOKEN) });
    const none = await scrape();
    expect(none.status).toBe(401);
    expect(none.headers['www-authenticate']).toBe('Bearer realm="longshore metrics"');
    expect((await scrape({ authorization: 'Bearer guess' })).status).toBe(401);
    expect((await scrape({ authorization: `Bearer ${TOKEN}`, host: '10.0.0.7:8080' })).status).toBe(200);
  });

  test('count what the house says, and know beginnings and endings from the commits', async () => {
    const { scrape, registry } = await standUp({});
    const { metrics, changed } = registry;
    metrics.delivered({ upstream: 'up', scheme: 'hmac', outcome: 'accepted' });
    metrics.delivered({ upstream: 'up', scheme: 'hmac', outcome: 'accepted' });
    metrics.delivered({ upstream: 'none', scheme: 'none', outcome: 'refused' });
    metrics.settled({ upstream: 'up', outcome: 'stranger' });
    metrics.exchanged({ upstream: 'up', purpose: 'poll', result: '2xx' }, 20);
    metrics.exchanged({ upstream: 'up', purpose: 'submit', result: 'reset' }, 2_000);
    metrics.begun({ work: 'poll' }, -3);
    metrics.begun({ work: 'poll' }, 700);
    metrics.reached({ limit: 'sessionsMax', upstream: 'none' });
    metrics.reached({ limit: 'concurrentPollsMax', upstream: 'up' });
    metrics.refused({ upstream: 'up', why: 'gate' });
    const begun = operation({ id: 'op_secret', upstream: 'up', seq: 1, createdAt: 1_000 });
    const receipt = { id: 'rc_secret', seq: 3, at: 61_000, outcome: 'succeeded' };
    for (const one of [begun, { ...begun, seq: 2 }, { ...begun, seq: 3, receipt }, { ...begun, seq: 4, receipt }]) {
      changed(one as Parameters<typeof changed>[0]);
    }
    const { text } = await scrape();
    const samples = samplesIn(text);
    const of = (name: string) => Object.fromEntries([...samples].filter(([key]) => key.startsWith(`longshore_${name}`)));
    expect(of('webhook_')).toEqual({
      'longshore_webhook_deliveries_total{upstream="up",scheme="hmac",outcome="accepted"}': 2,
      'longshore_webhook_deliveries_total{upstream="none",scheme="none",outcome="refused"}': 1,
      'longshore_webhook_events_total{upstream="up",outcome="stranger"}': 1,
    });
    const { adapter, contract } = begun;
    const labels = `upstream="up",adapter="${adapter}",contract="${contract}"`;
    expect(of('operations_')).toEqual({
      [`longshore_operations_started_total{${labels}}`]: 1,
      [`longshore_operations_ended_total{${labels},outcome="succeeded"}`]: 1,
    });
    expect(samples.get('longshore_operation_duration_seconds_sum{upstream="up",outcome="succeeded"}')).toBe(60);
    expect(of('upstream_exchanges')).toEqual({
      'longshore_upstream_exchanges_total{upstream="up",purpose="poll",result="2xx"}': 1,
      'longshore_upstream_exchanges_total{upstream="up",purpose="submit",result="reset"}': 1,
    });
    expect(samples.get('longshore_upstream_exchange_duration_seconds_sum{upstream="up",purpose="submit"}')).toBe(2);
    expect(samples.get('longshore_due_work_lag_seconds_sum{work="poll"}')).toBe(0.7);
    expect({ ...of('limits_'), ...of('calls_') }).toEqual({
      'longshore_limits_reached_total{limit="sessionsMax",upstream="none"}': 1,
      'longshore_limits_reached_total{limit="concurrentPollsMax",upstream="up"}': 1,
      'longshore_calls_refused_total{upstream="up",why="gate"}': 1,
    });
    expect(text).not.toMatch(/op_secret|rc_secret/);
  });

  test('look at what is open, and at the gates, when they are asked', async () => {
    const { scrape, registry } = await standUp({});
    let gates: readonly Gate[] = [];
    let open = {};
    const unsettled = { REQUIRED: 2, ESCALATED: 1 };
    registry.look({ held: async () => ({ open, unsettled }), gates: () => gates });
    expect((await scrape()).text).not.toContain('longshore_gates{');
    const gate = { adapter: 'http-202@1', contract: 'none', reason: 'r', actor: 'a', epoch: 2, since: 1 } as const;
    gates = [{ ...gate, mode: 'drain', upstream: 'up' }];
    open = { WORKING: 3, SUBMISSION_UNKNOWN: 1 };
    const samples = samplesIn((await scrape()).text);
    const drained = 'longshore_gates{adapter="http-202@1",contract="none",upstream="up",tool="",mode="drain"}';
    expect(samples.get(drained)).toBe(1);
    expect(samples.get('longshore_operations_open{state="working"}')).toBe(3);
    expect(samples.get('longshore_operations_unsettled{effects="required"}')).toBe(2);
    expect(samples.get('longshore_operations_unsettled{effects="escalated"}')).toBe(1);
    expect(samples.get('longshore_operations_open{state="submission-unknown"}')).toBe(1);
    expect(samples.get('longshore_operations_open{state="queued"}')).toBe(0);
    gates = [{ ...gate, mode: 'open', upstream: 'up' }];
    const later = samplesIn((await scrape()).text);
    expect(later.get(drained)).toBeUndefined();
    expect(later.get(drained.replace('drain', 'open'))).toBe(1);
    expect(later.get('longshore_ledger_up')).toBe(1);
  });

  test('are told without what the ledger holds while it can not be read', async () => {
    const { scrape, registry } = await standUp({});
    let isReadable = true;
    const held = { open: { WORKING: 3 }, unsettled: { REQUIRED: 0, ESCALATED: 1 } };
    registry.look({ held: async () => (isReadable ? held : undefined), gates: () => [] });
    registry.metrics.reached({ limit: 'sessionsMax', upstream: 'none' });
    expect(samplesIn((await scrape()).text).get('longshore_operations_open{state="working"}')).toBe(3);
    isReadable = false;
    const { status, text } = await scrape();
    expect(status).toBe(200);
    const samples = samplesIn(text);
    expect(samples.get('longshore_ledger_up')).toBe(0);
    expect(samples.get('longshore_limits_reached_total{limit="sessionsMax",upstream="none"}')).toBe(1);
    for (const name of samples.keys()) expect(name).not.toMatch(/^longshore_operations_(open|unsettled)/);
    isReadable = true;
    const later = samplesIn((await scrape()).text);
    expect(later.get('longshore_ledger_up')).toBe(1);
    expect(later.get('longshore_operations_unsettled{effects="escalated"}')).toBe(1);
  });
});
