// Results in pages, through the real engine: put together, in spite of what gets lost, and within bounds.

import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/core/http.ts';
import type { Clock } from '../../src/core/time.ts';
import { Pages, Unfinished } from '../../src/engine/pages.ts';
import { ANSWERS, houses, jobTool, type Script, type Scripted } from './kit.ts';

const inHouse = houses();
const { accepted, done } = ANSWERS;

const tool = jobTool({
  handle: { id: '$response.body#/id' },
  status: { url: '/jobs/{id}' },
  state: { at: '/status' },
  result: { url: '/jobs/{id}/result', pages: { at: '/next', query: 'page' } },
});
const PAGES = 'GET /jobs/7/result';
const numberOf = ({ url }: HttpRequest): number => Number(new URL(url).searchParams.get('page') ?? '1');
const page = (number: number, of: number): Scripted => ({
  status: 200,
  json: { rows: [number], next: number < of ? String(number + 1) : null },
});
const rows = (count: number): string => JSON.stringify({ rows: Array.from({ length: count }, (_row, index) => index + 1) });

async function fetching(script: Script) {
  const house = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [done], [PAGES]: script }, { tool });
  const id = await house.begun();
  return { ...house, id, crash: house.crash, ended: async () => (await house.outcome(id)) !== undefined };
}

describe('a result in pages', () => {
  test('is put together, each page asked for once', async () => {
    const { clock, engine, upstream, id, ended } = await fetching((request) => page(numberOf(request), 5));
    await clock.advanceUntil(ended);
    expect((await engine.read(id, 'local'))?.payload).toEqual({
      mediaType: 'application/json',
      encoding: 'text',
      body: rows(5),
    });
    expect(upstream.count(PAGES)).toBe(5);
  });

  test.each<[string, Scripted]>([
    ['was lost', { fails: 'reset', mayHaveBeenSent: true }],
    ['was cut', { status: 200, headers: { 'content-type': 'application/json' }, text: '{"rows":[3' }],
    ['was a page of a proxy', { status: 200, headers: { 'content-type': 'text/html' }, text: '<h1>Sign in</h1>' }],
    ['was not there for a moment', { status: 503, json: {} }],
    ['came too early', { status: 429, headers: { 'retry-after': '3' }, json: {} }],
  ])('of which one %s, even twice, costs only that page', async (_how, bad) => {
    let third = 0;
    const { clock, engine, upstream, id, ended } = await fetching((request) =>
      numberOf(request) === 3 && ++third <= 2 ? bad : page(numberOf(request), 5),
    );
    await clock.advanceUntil(ended);
    expect((await engine.read(id, 'local'))?.payload?.body).toBe(rows(5));
    expect(upstream.count(PAGES)).toBe(7);
  });

  test('one of which is never there is unknown, and no half of it is shown', async () => {
    const { clock, engine, id, ended } = await fetching((request) =>
      numberOf(request) === 3 ? { status: 404, json: {} } : page(numberOf(request), 5),
    );
    await clock.advanceUntil(ended, { stepMs: 1_000 });
    const view = await engine.read(id, 'local');
    expect(view?.operation.receipt).toMatchObject({ outcome: 'unknown', reason: expect.stringContaining('404') });
    expect(view?.payload).toBeUndefined();
  });

  test('whose later page is refused for good is begun again: a token may have expired', async () => {
    let tokens = 0;
    const { clock, engine, id, ended } = await fetching((request) => {
      if (numberOf(request) === 1) tokens += 1;
      return numberOf(request) === 2 && tokens === 1 ? { status: 410, json: {} } : page(numberOf(request), 3);
    });
    await clock.advanceUntil(ended);
    expect((await engine.read(id, 'local'))?.payload?.body).toBe(rows(3));
    expect(tokens).toBe(2);
  });

  test.each<[string, Script, string]>([
    ['go round', (request) => page((numberOf(request) % 3) + 1, 9), 'in a circle'],
    ['never end', (request) => page(numberOf(request), Number.POSITIVE_INFINITY), 'more than 1000 pages'],
    [
      'are together too large',
      (request) => ({ status: 200, json: { rows: ['x'.repeat(300_000)], next: numberOf(request) + 1 } }),
      'larger than the limit',
    ],
  ])('whose pages %s is unknown, and says so', async (_how, script, why) => {
    const { clock, ledger, id, ended, upstream } = await fetching(script);
    await clock.advanceUntil(ended, { stepMs: 1_000 });
    expect((await ledger.get(id))?.receipt).toMatchObject({ outcome: 'unknown', reason: expect.stringContaining(why) });
    expect(upstream.count(PAGES)).toBeLessThan(1_100);
  });

  test('that takes longer than a lease goes on where it was', async () => {
    let clock: Clock | undefined;
    const house = await fetching(async (request) => {
      await clock?.sleep(8_000);
      return page(numberOf(request), 12);
    });
    clock = house.clock;
    await house.clock.advanceUntil(house.ended, { stepMs: 1_000 });
    expect((await house.engine.read(house.id, 'local'))?.payload?.body).toBe(rows(12));
    expect(house.upstream.count(PAGES)).toBeLessThanOrEqual(13);
  });

  test('that is half read when the process dies is read from its beginning by the next one', async () => {
    let isStuck = true;
    const house = await inHouse(
      {
        'POST /jobs': [accepted],
        'GET /jobs/7': [done],
        [PAGES]: (request) => (isStuck && numberOf(request) === 3 ? { status: 503 } : page(numberOf(request), 4)),
      },
      { tool },
    );
    const id = await house.begun();
    await house.clock.advanceUntil(async () => house.upstream.count(PAGES) >= 4);
    isStuck = false;
    await house.crash();
    await house.clock.advanceUntil(async () => (await house.outcome(id)) !== undefined, { stepMs: 1_000 });
    expect((await house.engine.read(id, 'local'))?.payload?.body).toBe(rows(4));
  });
});

describe('a result in pages that are counted', () => {
  const counting = jobTool({
    handle: { id: '$response.body#/id' },
    status: { url: '/jobs/{id}' },
    state: { at: '/status' },
    result: { url: '/jobs/{id}/result', at: '/rows', pages: { query: 'page', by: 'page' } },
  });
  const counted = async (script: Script) => {
    const house = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [done], [PAGES]: script }, { tool: counting });
    const id = await house.begun();
    return {
      ...house,
      id,
      ended: () => house.clock.advanceUntil(async () => (await house.outcome(id)) !== undefined, { stepMs: 1_000 }),
    };
  };

  test('is read until one is empty, and a page that is cut or an error in words costs only itself', async () => {
    let bad = 0;
    const { engine, upstream, id, ended } = await counted((request) => {
      const number = numberOf(request);
      if (number === 2 && ++bad <= 2)
        return bad === 1
          ? { status: 200, json: { message: 'too many requests' } }
          : { status: 200, headers: { 'content-type': 'application/json' }, text: '{"rows":[' };
      return { status: 200, json: { rows: number <= 3 ? [number] : [] } };
    });
    await ended();
    expect((await engine.read(id, 'local'))?.payload?.body).toBe('[1,2,3]');
    expect(upstream.count(PAGES)).toBe(6);
  });

  test.each<[string, Script, string]>([
    ['are always the same', () => ({ status: 200, json: { rows: [1] } }), 'the same, byte for byte'],
    [
      'go on behind a refusal',
      (request) => (numberOf(request) === 1 ? { status: 200, json: { rows: [1] } } : { status: 404 }),
      '404',
    ],
  ])('that %s is unknown, and nothing of it is shown', async (_how, script, why) => {
    const { engine, id, ended } = await counted(script);
    await ended();
    const view = await engine.read(id, 'local');
    expect(view?.operation.receipt).toMatchObject({ outcome: 'unknown', reason: expect.stringContaining(why) });
    expect(view?.payload).toBeUndefined();
  });
});

describe('results that are half read', () => {
  const begun = (bytes: number): Pages => {
    const first = { method: 'GET', url: 'http://reports.test/1', headers: [] };
    const pages = new Pages(first, 1e9);
    const page = { mediaType: 'text/plain', encoding: 'text', body: 'x'.repeat(bytes) } as const;
    pages.take({ kind: 'page', page, next: [{ ...first, url: 'http://reports.test/2' }], joint: {} });
    return pages;
  };

  test('are kept, one taker each, while they are few and small; the oldest go first', () => {
    const unfinished = new Unfinished();
    for (let id = 1; id <= 40; id += 1) unfinished.keep(`op_${id}`, begun(10));
    expect(unfinished.take('op_8')).toBeUndefined();
    expect(unfinished.take('op_9')).toBeInstanceOf(Pages);
    expect(unfinished.take('op_9')).toBeUndefined();
    const large = begun(40 * 1024 * 1024);
    unfinished.keep('op_a', large);
    unfinished.keep('op_b', begun(40 * 1024 * 1024));
    expect(unfinished.take('op_40')).toBeUndefined();
    expect(unfinished.take('op_a')).toBeUndefined();
    expect(unfinished.take('op_b')?.bytes).toBe(40 * 1024 * 1024);
  });
});
