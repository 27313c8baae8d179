import { afterEach, describe, expect, test } from 'vitest';
import { startMedia } from '../../demo/media.ts';
import { startReports } from '../../demo/reports.ts';
import type { Service } from '../../demo/service.ts';
import type { Clock } from '../../src/core/time.ts';

/** Stands still until it is moved. */
function standingClock(at: string): Clock & { pass(durationMs: number): void } {
  let now = Date.parse(at);
  const pass = (durationMs: number) => {
    now += durationMs;
  };
  return { now: () => now, monotonic: () => now, sleep: async () => undefined, pass };
}

const open: Service[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((service) => service.close()));
});

async function call(method: string, url: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : JSON.parse(text) };
}

describe('the report service', () => {
  async function reports() {
    const clock = standingClock('2026-11-20T12:00:00Z');
    const service = await startReports({ port: 0, clock });
    open.push(service);
    return { clock, service, at: (path: string) => `${service.url}${path}` };
  }

  test('answers 202 with a monitor that shows progress and sends on to the report', async () => {
    const { clock, at } = await reports();
    const accepted = await call('POST', at('/reports'), { month: '2026-10', seconds: 10 });
    expect(accepted).toMatchObject({ status: 202, body: { id: 'r-1001', status: 'queued' } });
    expect(accepted.headers.get('retry-after')).toBe('1');
    const monitor = at(accepted.headers.get('location') ?? '');
    clock.pass(4000);
    expect(await call('GET', monitor)).toMatchObject({
      status: 200,
      body: { status: 'running', percent: 40, step: 'matching payments' },
    });
    clock.pass(6000);
    const done = await call('GET', monitor);
    expect(done.status).toBe(303);
    const report = await call('GET', at(done.headers.get('location') ?? ''));
    expect(report.body).toMatchObject({ month: '2026-10', currency: 'EUR' });
    expect(report.text.length).toBeGreaterThan(15_000);
  });

  test('fails a month whose books are open', async () => {
    const { at } = await reports();
    await call('POST', at('/reports'), { month: '2027-01', seconds: 0 });
    const { body } = await call('GET', at('/report-jobs/r-1001'));
    expect(body).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('2027-01') } });
  });

  test('starts one job for one key, and refuses the key with another body', async () => {
    const { at, service } = await reports();
    const key = { 'Idempotency-Key': 'k1' };
    const [first, second] = [
      await call('POST', at('/reports'), { month: '2026-10' }, key),
      await call('POST', at('/reports'), { month: '2026-10' }, key),
    ];
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect((await call('POST', at('/reports'), { month: '2026-09' }, key)).status).toBe(422);
    expect(service.jobsCreated()).toBe(1);
  });

  test('cancels a running job, and not a finished one', async () => {
    const { clock, at } = await reports();
    await call('POST', at('/reports'), { month: '2026-10', seconds: 10 });
    expect(await call('DELETE', at('/report-jobs/r-1001'))).toMatchObject({ status: 202, body: { status: 'cancelled' } });
    await call('POST', at('/reports'), { month: '2026-10', seconds: 10 });
    clock.pass(10_000);
    expect((await call('DELETE', at('/report-jobs/r-1002'))).status).toBe(409);
    expect(await call('GET', at('/report-jobs/r-1001'))).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  });

  test('says what is wrong with a request that it can not read', async () => {
    const { at } = await reports();
    expect(await call('POST', at('/reports'), { month: 'May' })).toMatchObject({
      status: 400,
      body: { title: 'No such month' },
    });
    expect((await call('GET', at('/nothing'))).status).toBe(404);
    const response = await fetch(at('/reports'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{',
    });
    expect(response.status).toBe(400);
  });

  test('lists six months at once', async () => {
    const { at } = await reports();
    const { body } = await call('GET', at('/months'));
    expect(body.months).toHaveLength(6);
    expect(body.months[0]).toEqual({ month: '2026-11', closed: false, bookings: 156 });
    expect(body.months[1]).toEqual({ month: '2026-10', closed: true, bookings: 156 });
  });
});

describe('the transcoding service', () => {
  async function media() {
    const clock = standingClock('2026-11-20T12:00:00Z');
    const service = await startMedia({ port: 0, clock });
    open.push(service);
    return { clock, service, at: (path: string) => `${service.url}${path}` };
  }

  test('answers with an operation whose name has slashes, and shows it until its response', async () => {
    const { clock, at } = await media();
    const { body: begun } = await call('POST', at('/v1/media:transcode'), { asset: 'a1', seconds: 10 });
    expect(begun.name).toBe('projects/demo/locations/local/operations/transcode-1');
    expect(begun).not.toHaveProperty('done');
    clock.pass(5000);
    const { body: halfway } = await call('GET', at(`/v1/${begun.name}`));
    expect(halfway.metadata).toMatchObject({ progressPercent: 50, stage: 'encoding' });
    clock.pass(5000);
    const { body: ended } = await call('GET', at(`/v1/${begun.name}`));
    expect(ended).toMatchObject({ done: true, response: { asset: 'a1' } });
    expect(ended.response.renditions).toHaveLength(3);
  });

  test('ends with a google.rpc.Status what can not be done', async () => {
    const { at } = await media();
    const { body: begun } = await call('POST', at('/v1/media:transcode'), { asset: 'encrypted-7', seconds: 0 });
    expect(begun).toMatchObject({ done: true, error: { code: 9, message: 'Asset "encrypted-7" is encrypted.' } });
  });

  test('cancels what is running', async () => {
    const { at } = await media();
    const { body: begun } = await call('POST', at('/v1/media:transcode'), { asset: 'a1' });
    expect(await call('POST', at(`/v1/${begun.name}:cancel`))).toMatchObject({ status: 200, body: {} });
    expect((await call('GET', at(`/v1/${begun.name}`))).body).toMatchObject({ done: true, error: { code: 1 } });
  });

  test('starts one operation for one request id', async () => {
    const { at, service } = await media();
    const request = { asset: 'a1', requestId: '9f0c5f6e-1111-4222-8333-944444444444' };
    const [first, second] = [
      await call('POST', at('/v1/media:transcode'), request),
      await call('POST', at('/v1/media:transcode'), request),
    ];
    expect(second.body.name).toBe(first.body.name);
    expect(service.jobsCreated()).toBe(1);
  });

  test('refuses what names nothing', async () => {
    const { at } = await media();
    expect(await call('POST', at('/v1/media:transcode'), {})).toMatchObject({
      status: 400,
      body: { error: { status: 'INVALID_ARGUMENT' } },
    });
    expect(await call('GET', at('/v1/projects/x/operations/y'))).toMatchObject({ status: 404, body: { error: { code: 404 } } });
  });
});

describe('two services', () => {
  test('on one port: the second takes a free one', async () => {
    const clock = standingClock('2026-11-20T12:00:00Z');
    const first = await startMedia({ port: 0, clock });
    const second = await startMedia({ port: Number(new URL(first.url).port), clock });
    open.push(first, second);
    expect(second.url).not.toBe(first.url);
    expect((await call('POST', `${second.url}/v1/media:transcode`, { asset: 'a1' })).status).toBe(200);
  });
});
