// What a description says of pace, keys and cancels, as the engine does it: on virtual time.

import { describe, expect, test } from 'vitest';
import type { JobDescription } from '../../src/core/description.ts';
import { ANSWERS, DESCRIPTION, houses, jobTool } from './kit.ts';

const inHouse = houses();
const { accepted, running, done, lost } = ANSWERS;
const described = (more: JobDescription) => jobTool({ ...DESCRIPTION, ...more });

describe('the first look', () => {
  const service = { 'POST /jobs': [accepted], 'GET /jobs/7': [running, done] };

  test('waits for as long as is described, and later ones do not', async () => {
    const home = await inHouse(service, { tool: described({ pace: { firstMs: 10_000 } }) });
    const id = await home.begun();
    await home.clock.advance(9_000);
    expect(home.upstream.count('GET /jobs/7')).toBe(0);
    await home.clock.advance(6_000);
    expect(await home.outcome(id)).toBe('succeeded');
  });

  test('comes when the answer to the submit says, whatever is described', async () => {
    const soon = { ...accepted, headers: { 'retry-after-ms': '300' } };
    const home = await inHouse({ ...service, 'POST /jobs': [soon] }, { tool: described({ pace: { firstMs: 60_000 } }) });
    await home.begun();
    await home.clock.advance(500);
    expect(home.upstream.count('GET /jobs/7')).toBe(1);
  });
});

describe('what a member of the body asks for', () => {
  test('is waited for between looks', async () => {
    const slow = { status: 200, json: { status: 'running', poll_after_ms: 8_000 } };
    const home = await inHouse(
      { 'POST /jobs': [accepted], 'GET /jobs/7': [slow, done] },
      { tool: described({ pace: { after: { at: '/poll_after_ms', unit: 'ms' } } }) },
    );
    const id = await home.begun();
    await home.clock.advance(7_000);
    expect(home.upstream.count('GET /jobs/7')).toBe(1);
    await home.clock.advance(5_000);
    expect(await home.outcome(id)).toBe('succeeded');
  });
});

describe('a submit that is answered with "not now"', () => {
  test('creates nothing, and is sent again until it is taken', async () => {
    const busy = { status: 409, json: { error: { code: 'InProgress' } } };
    const home = await inHouse(
      { 'POST /jobs': [busy, busy, accepted], 'GET /jobs/7': [done] },
      { tool: described({ submit: { busy: { codes: [409], at: '/error/code', words: ['InProgress'] } } }) },
    );
    const id = await home.begun();
    expect(await home.ledger.get(id)).toMatchObject({ life: 'QUEUED', mayExist: false });
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(home.upstream.count('POST /jobs')).toBe(3);
  });
});

describe('a submission key', () => {
  test('of a described form is the same bytes at every attempt, and what operators see', async () => {
    const home = await inHouse(
      { 'POST /jobs': [lost, lost, accepted], 'GET /jobs/7': [done] },
      { tool: described({ submissionKey: { header: 'Idempotency-Key', format: { as: 'base36', prefix: 'ls-' } } }) },
    );
    const id = await home.begun();
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    const keys = home.upstream.requests
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers.find(([name]) => name === 'Idempotency-Key')?.[1]);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^ls-[0-9a-z]{25}$/);
  });
});

describe('a cancel', () => {
  const CANCEL: JobDescription = { cancel: { url: '/jobs/{id}/cancel', allowedWhen: '/can' } };
  const look = (can: boolean) => ({ status: 200, json: { status: 'running', can } });

  test('of a job that can not be cancelled yet is asked once it can', async () => {
    const home = await inHouse(
      {
        'POST /jobs': [accepted],
        'GET /jobs/7': [
          look(false),
          look(false),
          look(false),
          look(true),
          look(true),
          { status: 200, json: { status: 'cancelled' } },
        ],
        'POST /jobs/7/cancel': [{ status: 202 }],
      },
      { tool: described(CANCEL) },
    );
    const id = await home.begun();
    await home.clock.advance(1_500);
    await home.engine.cancel(id, 'local', { sticky: false });
    await home.clock.advance(500);
    expect(home.upstream.count('POST /jobs/7/cancel')).toBe(0);
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect(home.upstream.count('POST /jobs/7/cancel')).toBe(1);
    expect(await home.outcome(id)).toBe('cancelled');
  });

  test('that a job never allows leaves its end as it is', async () => {
    const home = await inHouse(
      {
        'POST /jobs': [accepted],
        'GET /jobs/7': [look(false), look(false), look(false), done],
        'POST /jobs/7/cancel': [{ status: 202 }],
      },
      { tool: described(CANCEL) },
    );
    const id = await home.begun();
    await home.clock.advance(1_500);
    await home.engine.cancel(id, 'local', { sticky: false });
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect(home.upstream.count('POST /jobs/7/cancel')).toBe(0);
    expect(await home.outcome(id)).toBe('succeeded');
  });

  test('whose answer is that the job is over is followed by a look, which says how it ended', async () => {
    const home = await inHouse(
      {
        'POST /jobs': [accepted],
        'GET /jobs/7': (_request, count) => (count > 1 ? done : running),
        'POST /jobs/7/cancel': [{ status: 404 }],
      },
      { tool: described({ cancel: { url: '/jobs/{id}/cancel', over: [404] }, pace: {} }) },
    );
    const id = await home.begun();
    await home.clock.advance(800);
    await home.engine.cancel(id, 'local', { sticky: false });
    await home.clock.advance(1_000);
    expect(home.upstream.count('POST /jobs/7/cancel')).toBe(1);
    expect(await home.outcome(id)).toBe('succeeded');
  });
});
