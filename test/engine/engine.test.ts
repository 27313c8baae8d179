import { describe, expect, test } from 'vitest';
import { ANSWERS, type House, houses, jobTool, type Script, type Scripted, TIMING } from './kit.ts';

const inHouse = houses();
const { accepted, running, done } = ANSWERS;

const JOB = { 'POST /jobs': [accepted], 'GET /jobs/7': [running, running, done] } as const;

describe('an operation', () => {
  test('is submitted once, polled to its end, and accepted with its result', async () => {
    const { clock, engine, upstream, begun, outcome } = await inHouse(JOB);
    const id = await begun();
    await clock.advanceUntil(async () => (await outcome(id)) !== undefined);
    const view = await engine.read(id, 'local');
    expect(view?.operation.receipt).toMatchObject({ outcome: 'succeeded', by: 'upstream' });
    expect(view?.payload?.body).toBe('{"n":1}');
    expect(upstream.count('POST /jobs')).toBe(1);
    expect(upstream.count('GET /jobs/7')).toBe(3);
  });

  test('is durable before its submit leaves (rule 1)', async () => {
    const seen: unknown[] = [];
    const home: House = await inHouse({
      'POST /jobs': async () => {
        const page = await home.ledger.list({}, { limit: 10 });
        seen.push(page.items.map(({ life, attempt }) => ({ life, attempt })));
        return accepted;
      },
      'GET /jobs/7': [running],
    });
    await home.begun();
    expect(seen).toEqual([[{ life: 'SUBMITTING', attempt: 1 }]]);
  });

  test('that is refused at once ends as failed, with the upstream’s own words', async () => {
    const { start } = await inHouse({ 'POST /jobs': [{ status: 422, json: { detail: 'size must be <= 10' } }] });
    const started = await start();
    expect(started).toMatchObject({
      kind: 'operation',
      view: {
        operation: { life: 'ACCEPTED', receipt: { outcome: 'failed' } },
        payload: { body: '{"detail":"size must be <= 10"}' },
      },
    });
  });

  test('whose arguments miss the schema is not created', async () => {
    const { engine, tool, upstream, ledger } = await inHouse(JOB);
    const started = await engine.start({ tool, arguments: {}, principal: 'local', door: 'none' });
    expect(started).toEqual({ kind: 'invalid', faults: [{ pointer: '/body', message: 'is required' }] });
    expect(upstream.requests).toEqual([]);
    expect((await ledger.list({}, { limit: 1 })).items).toEqual([]);
  });

  test('holds a large result outside the event, and gives it back whole', async () => {
    const big = 'x'.repeat(50_000);
    const { clock, engine, begun, outcome, ledger } = await inHouse({
      'POST /jobs': [accepted],
      'GET /jobs/7': [{ status: 200, json: { status: 'succeeded', result: { big } } }],
    });
    const id = await begun();
    await clock.advanceUntil(async () => (await outcome(id)) !== undefined);
    const view = await engine.read(id, 'local');
    expect(view?.payload?.body).toBe(JSON.stringify({ big }));
    expect(view?.operation.receipt?.result?.inline).toBeUndefined();
    expect(JSON.stringify(await ledger.history(id))).not.toContain(big);
  });

  test('that another principal started does not exist', async () => {
    const { engine, begun } = await inHouse(JOB);
    const id = await begun();
    expect(await engine.read(id, 'somebody')).toBeUndefined();
    expect(await engine.cancel(id, 'somebody', { sticky: true })).toBeUndefined();
    expect(await engine.wait(id, 'somebody', { until: 'end', timeoutMs: 0 })).toBeUndefined();
  });

  test('leaves no event for a poll that shows nothing new', async () => {
    const { clock, begun, upstream, ledger } = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running] });
    const id = await begun();
    await clock.advance(60_000);
    expect(upstream.count('GET /jobs/7')).toBeGreaterThan(5);
    expect((await ledger.history(id)).map(({ event }) => event.type)).toEqual(['created', 'submit_started', 'submit_accepted']);
  });

  test('that runs past its wait budget is looked at once more, then ends as unknown, never as failed', async () => {
    const home = await inHouse(
      { 'POST /jobs': [accepted], 'GET /jobs/7': [running] },
      { tool: jobTool(undefined, { waitBudgetMs: 20_000, reconcileWindowMs: 5_000 }) },
    );
    const id = await home.begun();
    await home.clock.advance(60_000);
    const operation = await home.ledger.get(id);
    expect(operation?.receipt).toMatchObject({ outcome: 'unknown', by: 'deadline' });
    expect(operation?.receipt?.reason).toBe('The job was still running when the time to wait for it was over.');
    expect(operation?.effects).toBe('REQUIRED');
  });

  test('whose status could not be read any more at the end of its wait is not said to have been running then', async () => {
    const home = await inHouse(
      { 'POST /jobs': [accepted], 'GET /jobs/7': [running, { status: 403 }] },
      { tool: jobTool(undefined, { waitBudgetMs: 20_000, reconcileWindowMs: 5_000 }) },
    );
    const id = await home.begun();
    await home.clock.advance(60_000);
    expect((await home.ledger.get(id))?.receipt?.reason).toBe(
      'The time to wait for the job was over, and its status could not be read when it was last asked for: the upstream answered 403 when asked for the status.',
    );
  });

  test('whose status could not be read for a while, and then could, is said to have been running', async () => {
    const home = await inHouse(
      { 'POST /jobs': [accepted], 'GET /jobs/7': [{ status: 403 }, running] },
      { tool: jobTool(undefined, { waitBudgetMs: 20_000, reconcileWindowMs: 5_000 }) },
    );
    const id = await home.begun();
    await home.clock.advance(60_000);
    expect((await home.ledger.get(id))?.receipt?.reason).toContain('was still running');
  });
});

describe('a submit', () => {
  const lost: Scripted = { fails: 'reset', mayHaveBeenSent: true };

  test('whose answer is lost is never sent again where the upstream does not deduplicate (rule 2)', async () => {
    const { clock, begun, upstream, ledger } = await inHouse({ 'POST /jobs': [lost, accepted] });
    const id = await begun();
    await clock.advance(3_600_000);
    expect(upstream.count('POST /jobs')).toBe(1);
    expect((await ledger.get(id))?.receipt).toMatchObject({ outcome: 'unknown' });
  });

  test('whose answer is lost is sent again, byte for byte, where the upstream deduplicates by key', async () => {
    const tool = jobTool({
      handle: { id: '$response.body#/id' },
      status: { url: '/jobs/{id}' },
      state: { at: '/status' },
      result: { at: '/result' },
      submissionKey: { header: 'Idempotency-Key' },
    });
    const { clock, begun, upstream, outcome } = await inHouse(
      { 'POST /jobs': [lost, accepted], 'GET /jobs/7': [done] },
      { tool },
    );
    const id = await begun();
    await clock.advanceUntil(async () => (await outcome(id)) !== undefined);
    expect(await outcome(id)).toBe('succeeded');
    const [first, second, ...more] = upstream.requests.filter(({ method }) => method === 'POST');
    expect(more).toEqual([]);
    expect(second).toEqual(first);
    expect(first?.headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('that never left is tried again, and says why meanwhile', async () => {
    const refused: Scripted = { fails: 'unreachable', mayHaveBeenSent: false };
    const { clock, start, upstream, outcome } = await inHouse({
      'POST /jobs': [refused, refused, accepted],
      'GET /jobs/7': [done],
    });
    const started = await start();
    if (started.kind !== 'operation') throw new Error(started.kind);
    expect(started.view.operation).toMatchObject({ life: 'QUEUED' });
    const { id } = started.view.operation;
    await clock.advanceUntil(async () => (await outcome(id)) !== undefined);
    expect(await outcome(id)).toBe('succeeded');
    expect(upstream.count('POST /jobs')).toBe(3);
  });

  test('that can never leave ends as failed, and nothing exists upstream', async () => {
    const { clock, begun, ledger } = await inHouse({ 'POST /jobs': [{ fails: 'unreachable', mayHaveBeenSent: false }] });
    const id = await begun();
    await clock.advance(120_000);
    expect(await ledger.get(id)).toMatchObject({ mayExist: false, effects: 'NONE', receipt: { outcome: 'failed' } });
  });

  test('that hangs past its timeout is doubt, not failure', async () => {
    const { clock, begun, life, ledger, upstream } = await inHouse({ 'POST /jobs': [{ hang: true }] });
    const id = await begun();
    expect(await life(id)).toBe('SUBMITTING');
    await clock.advance(20_000);
    expect((await ledger.get(id))?.receipt).toMatchObject({ outcome: 'unknown' });
    expect(upstream.count('POST /jobs')).toBe(1);
  });

  test('waits in QUEUED while the upstream has no room, and then goes', async () => {
    const answers: ((scripted: Scripted) => void)[] = [];
    const slow: Script = () => new Promise((resolve) => answers.push(resolve));
    const { clock, begun, life } = await inHouse({ 'POST /jobs': slow, 'GET /jobs/7': [running] }, { submitsMax: 1 });
    const first = await begun();
    const second = await begun();
    expect([await life(first), await life(second)]).toEqual(['SUBMITTING', 'QUEUED']);
    answers.shift()?.(accepted);
    await clock.advance(1_000);
    expect([await life(first), await life(second)]).toEqual(['WORKING', 'SUBMITTING']);
    answers.shift()?.(accepted);
    await clock.advance(100);
  });

  test('that comes while others wait does not go before them, though a place is free at that moment', async () => {
    const answers: (() => void)[] = [];
    const slow: Script = (_request, count) =>
      new Promise((resolve) => answers.push(() => resolve({ status: 202, json: { id: String(count) } })));
    const { clock, start, upstream } = await inHouse({ 'POST /jobs': slow }, { submitsMax: 1 });
    for (const n of [1, 2, 3]) await start({ n });
    // The place is given back, and taken in the same moment, before the worker has looked.
    answers.shift()?.();
    const fourth = start({ n: 4 });
    for (let turns = 0; turns < 4; turns++) {
      await clock.advance(1_000);
      answers.shift()?.();
    }
    await fourth;
    const sent = upstream.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(String(body)).n);
    expect(sent).toEqual([1, 2, 3, 4]);
  });

  test('that was told to wait by the service holds up nobody else', async () => {
    const busy = { status: 429, headers: { 'retry-after': '30' } };
    const { clock, begun, life } = await inHouse({ 'POST /jobs': [busy, accepted], 'GET /jobs/7': [running] });
    const first = await begun({ n: 1 });
    expect(await life(first)).toBe('QUEUED');
    const second = await begun({ n: 2 });
    expect(await life(second)).toBe('WORKING');
    await clock.advance(60_000);
    expect(await life(first)).toBe('WORKING');
  });
});

describe('a caller’s key', () => {
  test('names one operation: the same call is answered with it, other arguments are refused (rule 3)', async () => {
    const { start, upstream } = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running] });
    const first = await start({ size: 1, name: 'x' }, { callerKey: 'k1' });
    const again = await start({ name: 'x', size: 1 }, { callerKey: 'k1' });
    const other = await start({ size: 2 }, { callerKey: 'k1' });
    if (first.kind !== 'operation') throw new Error(first.kind);
    expect(again).toMatchObject({ kind: 'operation', existing: true, view: { operation: { id: first.view.operation.id } } });
    expect(other).toEqual({ kind: 'conflict', earlier: first.view.operation.id });
    expect(upstream.count('POST /jobs')).toBe(1);
  });
});

describe('a poll', () => {
  test.each<[string, Scripted]>([
    ['500', { status: 500 }],
    ['429', { status: 429, headers: { 'retry-after': '1' } }],
    ['HTML of a proxy', { status: 200, headers: { 'content-type': 'text/html' }, text: '<h1>hello</h1>' }],
    ['truncated JSON', { status: 200, headers: { 'content-type': 'application/json' }, text: '{"status":"succ' }],
    ['a reset', { fails: 'reset', mayHaveBeenSent: true }],
    ['no connection', { fails: 'unreachable', mayHaveBeenSent: false }],
  ])('answered with %s decides nothing', async (_what, trouble) => {
    const { clock, begun, outcome, upstream } = await inHouse({
      'POST /jobs': [accepted],
      'GET /jobs/7': [running, trouble, trouble, done],
    });
    const id = await begun();
    await clock.advanceUntil(async () => (await outcome(id)) !== undefined);
    expect(await outcome(id)).toBe('succeeded');
    expect(upstream.count('GET /jobs/7')).toBe(4);
  });

  test('answered with 404 inside the grace is repeated; after it the job counts as vanished, and the outcome as unknown', async () => {
    const missing: Scripted = { status: 404, json: { error: 'not found' } };
    const early = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [missing, missing, running, done] });
    const one = await early.begun();
    await early.clock.advanceUntil(async () => (await early.outcome(one)) !== undefined);
    expect(await early.outcome(one)).toBe('succeeded');

    const gone = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running, missing] });
    const two = await gone.begun();
    await gone.clock.advanceUntil(async () => (await gone.life(two)) === 'NEEDS_RECONCILIATION');
    await gone.clock.advanceUntil(async () => (await gone.outcome(two)) !== undefined);
    expect((await gone.ledger.get(two))?.receipt).toMatchObject({
      outcome: 'unknown',
      reason: expect.stringMatching(/no longer known/),
    });
  });

  test('that began inside the grace is inside it, however slow its 404 was', async () => {
    const missing: Scripted = { status: 404, json: { error: 'not found' } };
    const home: House = await inHouse({
      'POST /jobs': [accepted],
      'GET /jobs/7': async (_request, count) => {
        if (count === 2) await home.clock.sleep(TIMING.consistencyGraceMs + 2_000);
        return count <= 2 ? missing : done;
      },
    });
    const id = await home.begun();
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect((await home.ledger.history(id)).map(({ event }) => event.type)).not.toContain('seen_missing');
    expect(await home.outcome(id)).toBe('succeeded');
  });

  test('is never caused by a reader', async () => {
    const { clock, engine, begun, upstream } = await inHouse({
      'POST /jobs': [{ ...accepted, headers: { 'retry-after': '10' } } as Scripted],
      'GET /jobs/7': [running],
    });
    const id = await begun();
    for (let reads = 0; reads < 50; reads++) await engine.read(id, 'local');
    await clock.advance(9_000);
    expect(upstream.count('GET /jobs/7')).toBe(0);
  });
});

describe('a result', () => {
  const elsewhere = jobTool({
    handle: { id: '$response.body#/id' },
    status: { url: '/jobs/{id}' },
    state: { at: '/status' },
    result: { url: '/jobs/{id}/result' },
  });

  test('that is elsewhere is fetched once the job has ended, again when it could not be read, and held before acceptance', async () => {
    const { clock, begun, outcome, engine, upstream } = await inHouse(
      {
        'POST /jobs': [accepted],
        'GET /jobs/7': [running, done],
        'GET /jobs/7/result': [
          { status: 503 },
          { status: 200, headers: { 'content-type': 'application/json' }, text: '{"to' },
          { status: 200, headers: { 'content-type': 'text/html' }, text: '<h1>Please sign in</h1>' },
          { status: 200, json: { total: 3 } },
        ],
      },
      { tool: elsewhere },
    );
    const id = await begun();
    await clock.advanceUntil(async () => (await outcome(id)) !== undefined);
    expect((await engine.read(id, 'local'))?.payload?.body).toBe('{"total":3}');
    expect(upstream.count('GET /jobs/7/result')).toBe(4);
  });

  test.each([400, 404, 409, 424, 425])('that answers %i right after the end is asked for again', async (status) => {
    const { clock, begun, outcome, engine } = await inHouse(
      {
        'POST /jobs': [accepted],
        'GET /jobs/7': [done],
        'GET /jobs/7/result': [{ status }, { status, json: {} }, { status: 200, json: [1] }],
      },
      { tool: elsewhere },
    );
    const id = await begun();
    await clock.advanceUntil(async () => (await outcome(id)) !== undefined);
    expect((await engine.read(id, 'local'))?.payload?.body).toBe('[1]');
  });

  const named = jobTool({
    handle: { id: '$response.body#/id' },
    status: { url: '/jobs/{id}' },
    state: { at: '/status' },
    result: { urlAt: '/url' },
  });
  const at = (url: string): Scripted => ({ status: 200, json: { status: 'succeeded', url } });

  test.each([400, 401, 403, 410])(
    'at a URL that has run out (%i) is fetched at the fresh one that the status names',
    async (status) => {
      const { clock, begun, outcome, engine, upstream } = await inHouse(
        {
          'POST /jobs': [accepted],
          'GET /jobs/7': [at('/files/old'), at('/files/new')],
          'GET /files/old': [{ status }],
          'GET /files/new': [{ status: 200, json: [1] }],
        },
        { tool: named },
      );
      const id = await begun();
      await clock.advanceUntil(async () => (await outcome(id)) !== undefined);
      expect((await engine.read(id, 'local'))?.payload?.body).toBe('[1]');
      expect(upstream.count('GET /files/old')).toBe(1);
      expect(upstream.count('GET /jobs/7')).toBe(2);
    },
  );

  test('at a URL that stays refused is unknown; the status is asked once for each try', async () => {
    const { clock, begun, outcome, upstream } = await inHouse(
      { 'POST /jobs': [accepted], 'GET /jobs/7': [at('/files/old')], 'GET /files/old': [{ status: 403 }] },
      { tool: named },
    );
    const id = await begun();
    await clock.advanceUntil(async () => (await outcome(id)) !== undefined, { stepMs: 1_000 });
    expect(await outcome(id)).toBe('unknown');
    expect(upstream.count('GET /files/old')).toBeLessThan(20);
    expect(upstream.count('GET /jobs/7')).toBeLessThan(60);
  });

  test('whose fresh URL is of another job, or whose status now says otherwise, is not taken from there', async () => {
    const { clock, begun, outcome, engine } = await inHouse(
      {
        'POST /jobs': [accepted],
        'GET /jobs/7': [at('/files/old'), { status: 200, json: { status: 'failed', url: '/files/new' } }, at('/files/old')],
        'GET /files/old': [{ status: 403 }, { status: 200, json: ['old'] }],
        'GET /files/new': [{ status: 200, json: ['new'] }],
      },
      { tool: named },
    );
    const id = await begun();
    await clock.advanceUntil(async () => (await outcome(id)) !== undefined, { stepMs: 1_000 });
    expect((await engine.read(id, 'local'))?.payload?.body).toBe('["old"]');
  });

  test('that is partial is accepted as that: the receipt says so, and so does what is read', async () => {
    const { clock, begun, outcome, engine, ledger } = await inHouse(
      {
        'POST /jobs': [accepted],
        'GET /jobs/7': [running, { status: 200, json: { status: 'expired', url: '/files/1' } }],
        'GET /files/1': [{ status: 503 }, { status: 200, json: [1] }],
      },
      {
        tool: jobTool({
          handle: { id: '$response.body#/id' },
          status: { url: '/jobs/{id}' },
          state: { at: '/status' },
          result: { urlAt: '/url', partial: ['expired'] },
        }),
      },
    );
    const id = await begun();
    await clock.advanceUntil(async () => (await outcome(id)) !== undefined);
    expect((await ledger.get(id))?.receipt).toMatchObject({
      outcome: 'succeeded',
      reason: 'The upstream says that the job succeeded, and that its result is partial.',
      result: { partial: true },
    });
    expect((await engine.read(id, 'local'))?.payload).toMatchObject({ body: '[1]', partial: true });
  });

  test('that stays a page of HTML is unknown and says so, and never that page', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, text: '<h1>Please sign in</h1>' };
    const { clock, begun, outcome, engine, upstream } = await inHouse(
      { 'POST /jobs': [accepted], 'GET /jobs/7': [done], 'GET /jobs/7/result': [page] },
      { tool: elsewhere },
    );
    const id = await begun();
    await clock.advanceUntil(async () => (await outcome(id)) !== undefined, { stepMs: 1_000 });
    const view = await engine.read(id, 'local');
    expect(view?.operation.receipt).toMatchObject({ outcome: 'unknown', reason: expect.stringContaining('text/html') });
    expect(view?.payload).toBeUndefined();
    expect(upstream.count('GET /jobs/7/result')).toBeGreaterThan(2);
  });

  test('that can’t be had is unknown, never success', async () => {
    const { clock, begun, outcome, ledger } = await inHouse(
      { 'POST /jobs': [accepted], 'GET /jobs/7': [done], 'GET /jobs/7/result': [{ status: 500 }] },
      { tool: elsewhere },
    );
    const id = await begun();
    await clock.advanceUntil(async () => (await outcome(id)) !== undefined, { stepMs: 1_000 });
    expect(await ledger.get(id)).toMatchObject({ receipt: { outcome: 'unknown' }, effects: 'SETTLED' });
  });
});

describe('a cancel', () => {
  const scripts = {
    'POST /jobs': [accepted],
    'GET /jobs/7': [running],
    'POST /jobs/7/cancel': [{ status: 202, json: {} }],
  } as const;

  test('that is sticky ends the operation before it is answered, and the upstream is still asked to stop', async () => {
    const { clock, engine, begun, upstream, ledger } = await inHouse(scripts);
    const id = await begun();
    const cancelled = await engine.cancel(id, 'local', { sticky: true });
    expect(cancelled).toMatchObject({ kind: 'recorded', view: { operation: { life: 'CANCELLED_ACCEPTED' } } });
    await clock.advance(2_000);
    expect(upstream.count('POST /jobs/7/cancel')).toBe(1);
    upstream.script({ 'GET /jobs/7': [done] });
    await clock.advance(30_000);
    // The late completion is a finding, never a success (rule 6).
    expect(await ledger.get(id)).toMatchObject({
      life: 'CANCELLED_ACCEPTED',
      receipt: { outcome: 'cancelled' },
      effects: 'SETTLED',
    });
  });

  test('that is cooperative leaves the ending to the upstream', async () => {
    const { clock, engine, begun, upstream, outcome } = await inHouse(scripts);
    const id = await begun();
    await engine.cancel(id, 'local', { sticky: false });
    await engine.cancel(id, 'local', { sticky: false });
    await clock.advance(2_000);
    expect(await outcome(id)).toBeUndefined();
    expect(upstream.count('POST /jobs/7/cancel')).toBe(1);
    upstream.script({ 'GET /jobs/7': [{ status: 200, json: { status: 'cancelled' } }] });
    await clock.advance(20_000);
    expect(await outcome(id)).toBe('cancelled');
  });

  test.each([true, false])('that the upstream refuses is followed by a look within a second (sticky: %s)', async (sticky) => {
    const slow = jobTool();
    const tool = { ...slow, descriptor: { ...slow.descriptor, pace: { ...slow.descriptor.pace, intervalMs: 10_000 } } };
    const { clock, engine, begun, upstream, ledger } = await inHouse(
      { ...scripts, 'POST /jobs/7/cancel': [{ status: 409 }] },
      { tool },
    );
    const id = await begun();
    upstream.script({ 'GET /jobs/7': [done] });
    await engine.cancel(id, 'local', { sticky });
    await clock.advance(1_000);
    expect(upstream.count('GET /jobs/7')).toBe(1);
    expect(await ledger.get(id)).toMatchObject(
      sticky
        ? {
            life: 'CANCELLED_ACCEPTED',
            cancellation: 'REFUSED',
            effects: 'SETTLED',
            finding: expect.stringContaining('succeeded'),
          }
        : { life: 'ACCEPTED', receipt: { outcome: 'succeeded' } },
    );
  });

  test('of an ended operation records nothing', async () => {
    const { clock, engine, begun, outcome, ledger } = await inHouse({ ...scripts, 'GET /jobs/7': [done] });
    const id = await begun();
    await clock.advanceUntil(async () => (await outcome(id)) !== undefined);
    const before = await ledger.get(id);
    expect(await engine.cancel(id, 'local', { sticky: true })).toMatchObject({ kind: 'ended' });
    expect(await ledger.get(id)).toEqual(before);
  });

  test('before the submit has left ends the operation, and nothing is ever sent', async () => {
    const { clock, engine, begun, upstream, ledger } = await inHouse(scripts, { submitsMax: 0 });
    const id = await begun();
    await engine.cancel(id, 'local', { sticky: false });
    await clock.advance(60_000);
    expect(upstream.requests).toEqual([]);
    expect(await ledger.get(id)).toMatchObject({ life: 'CANCELLED_ACCEPTED', effects: 'NONE' });
  });
});

describe('a waiter', () => {
  test('is woken by the ending, without polling anything', async () => {
    const { clock, engine, begun } = await inHouse(JOB);
    const id = await begun();
    const waiting = engine.wait(id, 'local', { until: 'end', timeoutMs: 600_000 });
    await clock.advance(10_000);
    expect((await waiting)?.operation.receipt?.outcome).toBe('succeeded');
  });

  test('gets what there is when its time is over or it is aborted', async () => {
    const { clock, engine, begun } = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running] });
    const id = await begun();
    const late = engine.wait(id, 'local', { until: 'end', timeoutMs: 5_000 });
    const abort = new AbortController();
    const left = engine.wait(id, 'local', { until: 'end', timeoutMs: 600_000, signal: abort.signal });
    await clock.advance(5_000);
    expect((await late)?.operation.life).toBe('WORKING');
    abort.abort();
    expect((await left)?.operation.life).toBe('WORKING');
  });
});

const keyed = jobTool({
  handle: { id: '$response.body#/id' },
  status: { url: '/jobs/{id}' },
  state: { at: '/status' },
  result: { at: '/result' },
  submissionKey: { header: 'Idempotency-Key' },
});

describe('a restart', () => {
  test('finishes what was running, and submits nothing twice (rule 10)', async () => {
    const home = await inHouse(JOB);
    const id = await home.begun();
    await home.crash();
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(home.upstream.count('POST /jobs')).toBe(1);
  });

  test('derives lost due work anew', async () => {
    const home = await inHouse(JOB);
    const id = await home.begun();
    const operation = await home.ledger.get(id);
    expect(operation?.life).toBe('WORKING');
    await home.ledger.regenerate(() => []);
    expect(await home.ledger.work(id)).toEqual([]);
    await home.crash();
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect(await home.outcome(id)).toBe('succeeded');
  });

  test('with a submit on the wire is doubt at once, since its sender is gone, and sent again only by its key', async () => {
    const home = await inHouse({ 'POST /jobs': [{ hang: true }, accepted], 'GET /jobs/7': [done] }, { tool: keyed });
    const id = await home.begun();
    await home.crash();
    expect(await home.life(id)).toBe('SUBMISSION_UNKNOWN');
    await home.clock.advance(5_000);
    expect(await home.outcome(id)).toBe('succeeded');
    const [first, second] = home.upstream.requests.filter(({ method }) => method === 'POST');
    expect(second).toEqual(first);
  });

  test('with a submit on the wire and no key ends as unknown, and nothing is sent again', async () => {
    const home = await inHouse({ 'POST /jobs': [{ hang: true }] });
    const id = await home.begun();
    expect(await home.life(id)).toBe('SUBMITTING');
    await home.crash();
    await home.clock.advance(120_000);
    expect(await home.outcome(id)).toBe('unknown');
    expect(home.upstream.count('POST /jobs')).toBe(1);
  });
});

describe('a kill', () => {
  const tool = jobTool({
    handle: { id: '$response.body#/id' },
    status: { url: '/jobs/{id}' },
    state: { at: '/status' },
    result: { url: '/jobs/{id}/result' },
  });
  const points = Array.from({ length: 24 }, (_, index) => index + 1).flatMap((write) => [
    [write, 'before'] as const,
    [write, 'after'] as const,
  ]);

  test.each(points)(
    'at write %i, %s it is durable, loses nothing that was answered, ends nothing twice and submits nothing twice',
    async (write, when) => {
      const home = await inHouse(
        {
          'POST /jobs': [accepted],
          'GET /jobs/7': [running, done],
          'GET /jobs/7/result': [{ status: 503 }, { status: 200, json: { big: 'y'.repeat(5_000) } }],
        },
        { tool, dies: (count) => (count === write ? when : undefined) },
      );
      const answered: string[] = [];
      void home.engine
        .start({ tool, arguments: { body: {} }, principal: 'local', door: '2025-11-25' })
        .then((started) => started.kind === 'operation' && answered.push(started.view.operation.id));
      for (let steps = 0; home.alive() && steps < 60; steps++) await home.clock.advance(1_000);
      await home.crash();
      await home.clock.advance(180_000);

      const { items } = await home.ledger.list({}, { limit: 10 });
      expect(items.length).toBeLessThanOrEqual(1);
      for (const id of answered) expect(items.map((item) => item.id)).toContain(id);
      expect(home.upstream.count('POST /jobs')).toBeLessThanOrEqual(1);
      for (const operation of items) {
        const outcome = operation.receipt?.outcome;
        // The only honest endings: the result, or doubt where the kill hit while the submit was on the wire.
        expect(['succeeded', 'unknown']).toContain(outcome);
        if (outcome === 'unknown') expect(operation.reference).toBeUndefined();
        expect((await home.ledger.outbox(0, 10)).map(({ receipt }) => receipt.operationId)).toEqual([operation.id]);
        const history = await home.ledger.history(operation.id);
        expect(history.filter(({ event }) => event.type === 'submit_started')).toHaveLength(
          home.upstream.count('POST /jobs') === 0 ? operation.attempt : 1,
        );
      }
    },
  );
});

describe('retention', () => {
  test('removes ended operations when their time is over, and never a live one', async () => {
    const { clock, begun, ledger, outcome } = await inHouse(
      { 'POST /jobs': [accepted, { status: 202, json: { id: '8' } }], 'GET /jobs/7': [done], 'GET /jobs/8': [running] },
      { settings: { retentionMs: 60_000 }, tool: jobTool(undefined, { waitBudgetMs: 86_400_000 }) },
    );
    const ended = await begun();
    const live = await begun({ name: 'y' });
    await clock.advanceUntil(async () => (await outcome(ended)) !== undefined);
    await clock.advance(180_000);
    expect(await ledger.get(ended)).toBeUndefined();
    expect((await ledger.get(live))?.life).toBe('WORKING');
  });
});
