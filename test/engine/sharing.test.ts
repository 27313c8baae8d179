// One job of the upstream for two operations: it deduplicates by content, or gives a used id again.

import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/core/http.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { present } from '../../src/core/presentation.ts';
import { ANSWERS, DESCRIPTION, type House, houses, jobTool, type Scripted, TIMING } from './kit.ts';

const inHouse = houses();
const { accepted, running, done, missing } = ANSWERS;
const cancelAt = (home: House) => home.upstream.count('POST /jobs/7/cancel');
const SERVICE = { 'POST /jobs': [accepted], 'GET /jobs/7': [running], 'POST /jobs/7/cancel': [{ status: 202, json: {} }] };

/** Two operations that the service answers with job 7. */
async function two(home: House, first: JsonObject = { name: 'x' }, second: JsonObject = { name: 'x' }) {
  return { first: await home.begun(first), second: await home.begun(second) };
}
const row = async (home: House, id: string) => {
  const found = await home.ledger.get(id);
  if (found === undefined) throw new Error(`${id} is gone`);
  return found;
};
const cancel = (home: House, id: string) => home.engine.cancel(id, 'local', { sticky: false });

describe('a service that answers the same call with the same job', () => {
  test('is believed: both are followed, both know, both end with its result', async () => {
    const home = await inHouse(SERVICE);
    const { first, second } = await two(home);
    expect(await row(home, first)).toMatchObject({ life: 'WORKING', shared: { operation: second, alike: true } });
    expect(await row(home, second)).toMatchObject({ life: 'WORKING', shared: { operation: first, alike: true } });
    home.upstream.script({ 'GET /jobs/7': [done] });
    await home.clock.advanceUntil(async () => (await home.outcome(first)) === 'succeeded' && !!(await home.outcome(second)));
    const receipts = await Promise.all([first, second].map((id) => home.ledger.receipt(id)));
    expect(receipts.map((receipt) => receipt?.matched)).toMatchObject([
      { referenceId: '7', shared: { operation: second, alike: true } },
      { referenceId: '7', shared: { operation: first, alike: true } },
    ]);
    expect(receipts.map((receipt) => receipt?.outcome)).toEqual(['succeeded', 'succeeded']);
  });

  test('is not asked to stop it by one of the callers, who is told why; the other one gets its result', async () => {
    const home = await inHouse(SERVICE);
    const { first, second } = await two(home);
    await cancel(home, second);
    await home.clock.advance(5_000);
    expect(cancelAt(home)).toBe(0);
    const refused = await row(home, second);
    expect(refused).toMatchObject({ life: 'WORKING', cancellation: 'REFUSED', withheld: true });
    expect(present({ operation: refused })).toMatchObject({ message: expect.stringContaining('The cancel was not sent') });
    expect(JSON.stringify(present({ operation: refused }))).not.toContain(first);
    home.upstream.script({ 'GET /jobs/7': [done] });
    await home.clock.advanceUntil(async () => (await home.outcome(first)) !== undefined);
    expect(await home.outcome(first)).toBe('succeeded');
  });

  test('is not asked to stop it either when it says that the status of one of them has moved', async () => {
    const home = await inHouse({ ...SERVICE, 'GET /moved/7': [running] });
    const { first, second } = await two(home);
    const looks = home.upstream.count('GET /jobs/7');
    const elsewhere: Scripted = {
      status: 200,
      json: { status: 'running' },
      headers: { 'operation-location': '/moved/7' },
    };
    home.upstream.script({ 'GET /jobs/7': (_request, count) => (count === looks + 1 ? elsewhere : running) });
    await home.clock.advance(5_000);
    const rows = await Promise.all([first, second].map((id) => row(home, id)));
    const moved = rows.find(({ reference }) => reference?.statusUrl?.endsWith('/moved/7'));
    expect(moved?.reference?.home).toMatch(/\/jobs\/7$/);
    await cancel(home, moved?.id ?? '');
    await home.clock.advance(5_000);
    expect(cancelAt(home)).toBe(0);
    expect(await row(home, moved?.id ?? '')).toMatchObject({ cancellation: 'REFUSED', withheld: true });
  });

  test('is asked to stop once neither of them wants it any more', async () => {
    const home = await inHouse(SERVICE);
    const { first, second } = await two(home);
    await cancel(home, second);
    await home.clock.advance(2_000);
    await cancel(home, first);
    await home.clock.advance(2_000);
    expect(cancelAt(home)).toBe(1);
    expect(await row(home, first)).toMatchObject({ cancellation: 'ASKED' });
  });

  test('is asked to stop for an operator, who sees who shares the job', async () => {
    const home = await inHouse(SERVICE);
    const { first, second } = await two(home);
    const word = { actor: 'ada', reason: 'runs away' };
    const cancelled = await home.engine.cancelByOperator(second, word);
    expect(cancelled?.view.operation.shared?.operation).toBe(first);
    await home.clock.advance(2_000);
    expect(cancelAt(home)).toBe(1);
  });

  test('is cancelled for ever through a contract that promises it, and the job goes on for the other', async () => {
    const home = await inHouse(SERVICE);
    const { first, second } = await two(home);
    await home.engine.cancel(second, 'local', { sticky: true });
    await home.clock.advance(2_000);
    expect(cancelAt(home)).toBe(0);
    expect(await row(home, second)).toMatchObject({ life: 'CANCELLED_ACCEPTED', effects: 'REQUIRED', withheld: true });
    home.upstream.script({ 'GET /jobs/7': [done] });
    await home.clock.advanceUntil(async () => (await row(home, second)).effects === 'SETTLED' && !!(await home.outcome(first)));
    expect(await row(home, second)).toMatchObject({ finding: 'succeeded' });
    expect(await home.outcome(first)).toBe('succeeded');
  });

  test('and then loses the job leaves both in doubt, whatever shows up under its id again', async () => {
    const home = await inHouse(SERVICE);
    const { first, second } = await two(home);
    home.upstream.script({ 'GET /jobs/7': [missing] });
    await home.clock.advanceUntil(async () => (await home.outcome(first)) !== undefined);
    await home.clock.advanceUntil(async () => (await home.outcome(second)) !== undefined);
    home.upstream.script({ 'GET /jobs/7': [done] });
    await home.clock.advance(60_000);
    for (const id of [first, second])
      expect(await row(home, id)).toMatchObject({ receipt: { outcome: 'unknown' }, effects: 'ESCALATED', contested: true });
  });

  test('gives three calls one job, and the history of the first does not grow with each', async () => {
    const home = await inHouse(SERVICE);
    const ids = [await home.begun(), await home.begun(), await home.begun(), await home.begun()];
    const told = (await home.ledger.history(ids[0] ?? '')).filter(({ event }) => event.type === 'reference_shared');
    expect(told).toHaveLength(1);
    for (const id of ids) expect((await row(home, id)).shared).toBeDefined();
  });
});

describe('a service that answers another call with the same job', () => {
  test('is followed, and no result is shown without saying that it may be the answer to the other call', async () => {
    const home = await inHouse(SERVICE);
    const { first, second } = await two(home, { name: 'x' }, { name: 'y' });
    home.upstream.script({ 'GET /jobs/7': [done] });
    await home.clock.advanceUntil(async () => !!(await home.outcome(first)) && !!(await home.outcome(second)));
    for (const id of [first, second]) {
      const ended = await row(home, id);
      expect(ended.receipt).toMatchObject({ outcome: 'succeeded', matched: { shared: { alike: false } } });
      const picture = present({ operation: ended, payload: { mediaType: 'application/json', encoding: 'text', body: '{}' } });
      expect(JSON.stringify(picture)).toContain('may be the answer to that one');
    }
  });

  test('after the first one’s job was gone has given its id again: the first is unknown, the second goes its way', async () => {
    const home = await inHouse(SERVICE, { tool: jobTool(DESCRIPTION, { consistencyGraceMs: 0 }) });
    const first = await home.begun({ name: 'x' });
    home.upstream.script({ 'GET /jobs/7': [missing] });
    await home.clock.advanceUntil(async () => (await home.life(first)) === 'NEEDS_RECONCILIATION');
    home.upstream.script({ 'GET /jobs/7': [running] });
    const second = await home.begun({ name: 'y' });
    home.upstream.script({ 'GET /jobs/7': [done] });
    await home.clock.advanceUntil(async () => !!(await home.outcome(first)) && !!(await home.outcome(second)));
    const lost = await row(home, first);
    expect(lost).toMatchObject({ receipt: { outcome: 'unknown' }, contested: true });
    expect(lost.receipt?.reason).toMatch(/given its id \(7\) to another call/);
    expect(await row(home, second)).toMatchObject({ receipt: { outcome: 'succeeded' } });
    expect((await row(home, second)).shared).toBeUndefined();
    await home.clock.advance(TIMING.reconcileWindowMs);
    expect((await row(home, first)).effects).toBe('ESCALATED');
  });
});

describe('two jobs that only look alike', () => {
  test('share nothing: an id counts where it is asked for', async () => {
    const service = {
      'POST /jobs': (request: HttpRequest) => {
        const kind = String(request.body).includes('"a"') ? 'a' : 'b';
        return { status: 202, headers: { location: `/${kind}/7` }, json: { id: '7' } };
      },
      'GET /a/7': [running],
      'GET /b/7': [running],
    };
    const home = await inHouse(service, { tool: jobTool({ handle: { id: '$response.body#/id' }, state: { at: '/status' } }) });
    const { first, second } = await two(home, { name: 'a' }, { name: 'b' });
    for (const id of [first, second]) {
      expect(await row(home, id)).toMatchObject({ life: 'WORKING', reference: { id: '7' } });
      expect((await row(home, id)).shared).toBeUndefined();
    }
  });

  test('share nothing when the first one is over', async () => {
    const home = await inHouse({ ...SERVICE, 'GET /jobs/7': [done] });
    const first = await home.begun();
    await home.clock.advanceUntil(async () => (await home.outcome(first)) !== undefined);
    const second = await home.begun();
    expect((await row(home, second)).shared).toBeUndefined();
  });
});

describe('a kill', () => {
  const WRITES = Array.from({ length: 12 }, (_, index) => index + 1);
  const keyed = jobTool({ ...DESCRIPTION, submissionKey: { header: 'Idempotency-Key' } });

  test.each(WRITES)('at write %i, while two calls are given one job, leaves nobody who does not know', async (write) => {
    for (const side of ['before', 'after'] as const) {
      const home = await inHouse(SERVICE, { tool: keyed, dies: (count) => (count === write ? side : undefined) });
      void home.start();
      void home.start();
      await home.clock.advance(1_000);
      expect(home.alive()).toBe(false);
      await home.crash();
      await home.clock.advance(5_000);
      const { items } = await home.ledger.list({}, { limit: 10 });
      const following = items.filter(({ reference }) => reference !== undefined);
      if (following.length === 2) for (const { shared } of following) expect(shared, side).toBeDefined();
      else expect(following.length, side).toBeLessThanOrEqual(1);
    }
  });
});
