// A real scrape of the real process: what happened is counted, and nothing in it names an operation or holds a secret.

import { afterEach, describe, expect, test } from 'vitest';
import { built, OTHER_SECRET, SCAN_SECRET, scanned, startCallbacks } from '../fixtures/callbacks.ts';
import { closing, projectFile, serve, until } from './gateway.ts';
import { modern } from './wire.ts';

const { keep, closeAll } = closing();
afterEach(closeAll);

const SCRAPER = 'a-token-for-the-scraper';

describe('a scrape', { timeout: 90_000 }, () => {
  test('tells what was started, sent, delivered and ended, and no ids', async () => {
    const service = keep(await startCallbacks(), (it) => it.close());
    const upstreams = `
  up:
    document: ${projectFile('test/fixtures/callbacks.openapi.yaml')}
    baseUrl: ${service.url}
    webhooks: { secrets: [{ env: HOOK_NEW }, { env: HOOK_OLD }] }
`;
    const env = { HOOK_NEW: SCAN_SECRET, HOOK_OLD: OTHER_SECRET, SCRAPER };
    const settings = 'metrics: { token: { env: SCRAPER } }';
    const gateway = keep(await serve(upstreams, { env, settings }), (it) => it.dispose());
    const ids: string[] = [];
    const begin = async (name: string, args: object) => {
      const count = service.started.length;
      const { result } = await modern(gateway.url).rpc('tools/call', { name, arguments: args });
      const job = await until('the job was started', () => service.started[count]);
      ids.push(String(result['taskId']), job.callback.split('/').at(-1) ?? '', job.id);
      return job;
    };
    const scan = await begin('scan_host', { host: 'db-3' });
    const build = await begin('start_build', { branch: 'main' });
    const send = async (url: string, delivery: RequestInit) => (await fetch(url, delivery)).status;
    expect(await send(scan.callback, { method: 'POST', body: '{}' })).toBe(401);
    expect(await send(`${gateway.base}/webhooks/mallory/x`, { method: 'POST', body: '{}' })).toBe(401);
    const done = scanned({ scan: scan.id, status: 'succeeded', findings: 1 });
    expect(await send(scan.callback, done)).toBe(200);
    expect(await send(scan.callback, done)).toBe(200);
    expect(await send(build.callback, built(build.id, 'e-1'))).toBe(200);

    expect((await fetch(`${gateway.base}/metrics`)).status).toBe(401);
    const scrape = async () => {
      const response = await fetch(`${gateway.base}/metrics`, { headers: { authorization: `Bearer ${SCRAPER}` } });
      return { type: response.headers.get('content-type'), text: await response.text() };
    };
    const { type, text } = await until('all was counted', async () => {
      const scraped = await scrape();
      return (
        scraped.text.includes('outcome="succeeded"} 1') && scraped.text.includes('purpose="poll",result="2xx"} 1') && scraped
      );
    });
    expect(type).toContain('application/openmetrics-text');
    for (const sample of [
      'longshore_webhook_deliveries_total{upstream="up",scheme="standard-webhooks",outcome="accepted"} 1',
      'longshore_webhook_deliveries_total{upstream="up",scheme="standard-webhooks",outcome="duplicate"} 1',
      'longshore_webhook_deliveries_total{upstream="up",scheme="none",outcome="refused"} 1',
      'longshore_webhook_deliveries_total{upstream="none",scheme="none",outcome="refused"} 1',
      'longshore_operations_started_total{upstream="up",adapter="webhook@1",contract="2026-07-28"} 1',
      'longshore_operations_started_total{upstream="up",adapter="http-202@1",contract="2026-07-28"} 1',
      'longshore_operations_ended_total{upstream="up",adapter="webhook@1",contract="2026-07-28",outcome="succeeded"} 1',
      'longshore_operations_open{state="working"} 1',
      'longshore_upstream_exchanges_total{upstream="up",purpose="submit",result="2xx"} 2',
    ]) {
      expect(text).toContain(sample);
    }
    expect(text).toMatch(/longshore_due_work_lag_seconds_count\{work="poll"\} [1-9]/);
    for (const hidden of [...ids, SCAN_SECRET, OTHER_SECRET, SCRAPER, 'mallory', 'db-3', service.url]) {
      expect(text).not.toContain(hidden);
    }
    expect(await gateway.stop()).toBe(0);
  });
});
