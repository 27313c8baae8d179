// Gates before the real engine, ledger and adapter, on virtual time.

import { afterEach, describe, expect, test, vi } from 'vitest';
import type { JobDescription } from '../../src/core/description.ts';
import type { Gate, GateChange } from '../../src/core/gates.ts';
import type { GateDesk } from '../../src/engine/engine.ts';
import { LongshoreError } from '../../src/errors.ts';
import { ANSWERS, DESCRIPTION, type House, house, jobTool, type Script, type Scripted } from './kit.ts';

const accepted: Script = (_request, count) => ({ status: 202, json: { id: `j${count}`, status: 'queued' } });
const running: readonly Scripted[] = [{ status: 200, json: { status: 'running' } }];
const done: readonly Scripted[] = [{ status: 200, json: { status: 'succeeded', result: { n: 1 } } }];

let home: House | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

async function setting(scripts: Parameters<typeof house>[0] = {}, options: Parameters<typeof house>[1] = {}) {
  home = await house(
    { 'POST /jobs': accepted, 'GET /jobs/j1': running, 'GET /jobs/j2': running, 'GET /jobs/j3': running, ...scripts },
    { gates: {}, ...options },
  );
  return home;
}

const desk = ({ engine }: House): GateDesk => {
  if (engine.gates === undefined) throw new Error('the house has no gates');
  return engine.gates;
};

const PLACE = { adapter: 'http-202@1', contract: '2026-07-28' } as const;
const change = (changes: Partial<GateChange> = {}): GateChange => ({
  ...PLACE,
  mode: 'drain',
  reason: 'the contract changed',
  actor: 'ada',
  ...changes,
});

const judged = (it: House, body: object, mode: 'task' | 'inline' = 'task') =>
  desk(it).judge(
    { tool: it.tool, arguments: { body } as never, principal: 'local' },
    mode === 'task' ? ['2026-07-28'] : ['none'],
  );

describe('a drained gate', () => {
  test('starts nothing new, and says which gate, why and since when', async () => {
    const it = await setting();
    const gate = await desk(it).change(change());
    expect(gate).toMatchObject({ epoch: 2, actor: 'ada', since: it.clock.now() });
    expect(await it.start()).toEqual({ kind: 'gated', gate });
    expect(it.upstream.requests).toHaveLength(0);
    expect((await it.ledger.list({}, { limit: 10 })).items).toHaveLength(0);
  });

  test('lets what was started be read, polled, cancelled and ended, under the epoch it began at', async () => {
    const it = await setting({ 'POST /jobs/j2/cancel': [{ status: 202, json: {} }] });
    const [first, second] = [await it.begun({ name: 'a' }), await it.begun({ name: 'b' })];
    await desk(it).change(change());
    expect(await it.engine.read(first, 'local')).toBeDefined();
    expect((await it.engine.cancel(second, 'local', { sticky: false }))?.kind).toBe('recorded');
    it.upstream.script({ 'GET /jobs/j1': done, 'GET /jobs/j2': [{ status: 200, json: { status: 'cancelled' } }] });
    await it.clock.advance(30_000);
    expect([await it.outcome(first), await it.outcome(second)]).toEqual(['succeeded', 'cancelled']);
    expect((await it.ledger.receipt(first))?.matched.epoch).toBe(1);
    expect((await desk(it).list()).find(({ contract }) => contract === '2026-07-28')).toMatchObject({ mode: 'drain', live: 0 });
  });

  test('gives a repeat with its caller’s key the operation that it names', async () => {
    const it = await setting();
    const first = await it.start({ name: 'a' }, { callerKey: 'k' });
    await desk(it).change(change());
    const again = await it.start({ name: 'a' }, { callerKey: 'k' });
    expect(again).toMatchObject({ kind: 'operation', existing: true });
    expect(again.kind === 'operation' && first.kind === 'operation' && again.view.operation.id).toBe(
      first.kind === 'operation' && first.view.operation.id,
    );
    expect(await it.start({ name: 'b' }, { callerKey: 'other' })).toMatchObject({ kind: 'gated' });
    expect(it.upstream.count('POST /jobs')).toBe(1);
  });

  test('stops nobody who comes through another contract', async () => {
    const it = await setting();
    await desk(it).change(change());
    expect(await it.start({ name: 'a' }, { door: '2025-11-25' })).toMatchObject({ kind: 'operation' });
    expect(await it.start({ name: 'b' }, { door: 'none' })).toMatchObject({ kind: 'operation' });
  });

  test('is still drained in the next process, and opens again', async () => {
    const it = await setting();
    await desk(it).change(change());
    await it.crash();
    expect(await it.start()).toMatchObject({ kind: 'gated', gate: { reason: 'the contract changed' } });
    await desk(it).change(change({ mode: 'open', reason: 'read and understood' }));
    expect(await it.start()).toMatchObject({ kind: 'operation', view: { operation: { epoch: 3 } } });
    expect((await desk(it).history({ limit: 10 })).map(({ mode, actor }: Gate) => `${mode} ${actor}`)).toEqual([
      'open ada',
      'drain ada',
    ]);
  });
});

describe('a call that was judged before its gate moved', () => {
  test('that another process opened lets calls in again', async () => {
    const it = await setting();
    await desk(it).change(change());
    expect(await it.start({ name: 'a' })).toMatchObject({ kind: 'gated' });
    await it.ledger.changeGate({ ...change({ mode: 'open', reason: 'mended' }), at: it.clock.now() });
    expect(await it.start({ name: 'a' })).toMatchObject({ kind: 'operation' });
  });

  test('that another process drained stays so when this one opens a narrower one', async () => {
    const it = await setting();
    await it.begun({ name: 'a' });
    // As another process would: behind this one's back.
    const drained = await it.ledger.changeGate({ ...change(), at: it.clock.now() });
    await desk(it).change(change({ upstream: it.tool.upstream, mode: 'open', reason: 'mended' }));
    expect(await it.start({ name: 'b' })).toEqual({ kind: 'gated', gate: drained });
    expect(desk(it).current()).toHaveLength(2);
  });

  test('creates nothing, and is to be judged again', async () => {
    const it = await setting();
    const ruling = await judged(it, { name: 'a' });
    expect(ruling).toMatchObject({ mode: 'open' });
    // As another process would: behind this one's back.
    await it.ledger.changeGate({ ...change(), at: it.clock.now() });
    expect(await it.start({ name: 'a' }, { ruling })).toEqual({ kind: 'gated' });
    expect(await judged(it, { name: 'a' })).toMatchObject({ mode: 'drain' });
    expect(it.upstream.requests).toHaveLength(0);
  });
});

describe('a change of a gate', () => {
  test.each([
    ['an adapter', { adapter: 'http-203@1' }, /there is no adapter http-203@1: there is http-202@1/],
    ['a contract', { contract: '2099-01-01' as never }, /there is no contract 2099-01-01/],
    ['an upstream', { upstream: 'bilding' }, /there is no upstream bilding: there is reports/],
    ['a tool', { tool: 'start_jobs' }, /there is no job start_jobs/],
    ['a share', { mode: 'canary' as const }, /needs a share/],
  ])('is refused where %s is mistyped, and nothing is written', async (_what, changes, message) => {
    const it = await setting();
    await expect(desk(it).change(change(changes))).rejects.toThrow(message);
    expect(await it.ledger.gateHistory({ limit: 10 })).toEqual([]);
  });

  test('is heard of when it is durable', async () => {
    const it = await setting();
    const heard: string[] = [];
    const stop = desk(it).subscribe(() =>
      heard.push(
        desk(it)
          .current()
          .map(({ mode }) => mode)
          .join(),
      ),
    );
    await desk(it).change(change());
    stop();
    await desk(it).change(change({ mode: 'open' }));
    expect(heard).toEqual(['drain']);
  });
});

describe('a canary', () => {
  test('judges the same call the same way, in the next process too', async () => {
    const it = await setting();
    await desk(it).change(change({ mode: 'canary', share: 0.5 }));
    const names = Array.from({ length: 40 }, (_, n) => ({ name: `order-${n}` }));
    const modes = async () => Promise.all(names.map(async (body) => (await judged(it, body)).mode));
    const before = await modes();
    expect(new Set(before)).toEqual(new Set(['open', 'aside']));
    expect(await modes()).toEqual(before);
    await it.crash();
    expect(await modes()).toEqual(before);
  });
});

describe('in shadow', () => {
  test('the caller gets the upstream’s own answer, and the operation is followed beside it to its end', async () => {
    const it = await setting();
    await desk(it).change(change({ mode: 'shadow' }));
    const ruling = await judged(it, { name: 'a' });
    expect(ruling.mode).toBe('shadow');
    const started = await it.start({ name: 'a' }, { ruling });
    expect(started).toMatchObject({ kind: 'operation', answer: { kind: 'answered', status: 202 } });
    it.upstream.script({ 'GET /jobs/j1': done });
    await it.clock.advance(30_000);
    expect(await desk(it).shadows(10)).toEqual([
      expect.objectContaining({ status: 202, excerpt: '{"id":"j1","status":"queued"}', outcome: 'succeeded', epoch: 2 }),
    ]);
  });

  test('an answer that can’t be kept beside the operation is no refusal: the job is on its way', async () => {
    const it = await setting();
    await desk(it).change(change({ mode: 'shadow' }));
    vi.spyOn(it.ledger, 'keepShadow').mockRejectedValue(new LongshoreError('LEDGER_UNAVAILABLE', 'The disk is full.'));
    const started = await it.start({ name: 'a' }, { ruling: await judged(it, { name: 'a' }) });
    expect(started).toMatchObject({ kind: 'operation', answer: { kind: 'answered', status: 202 } });
  });

  test('an upstream’s no is the caller’s, word for word', async () => {
    const it = await setting({ 'POST /jobs': [{ status: 422, json: { message: 'no such scene' } }] });
    await desk(it).change(change({ mode: 'shadow' }));
    const started = await it.start({ name: 'a' }, { ruling: await judged(it, { name: 'a' }) });
    expect(started).toMatchObject({ answer: { kind: 'failed', status: 422, message: 'reports answered 422: no such scene' } });
  });
});

describe('at a start', () => {
  const standing = async (it: House, contract: string) =>
    (await desk(it).list()).find((gate) => gate.contract === contract && !gate.tool);

  test('a contract whose pin differs is drained, for every adapter, and opened when it no longer differs', async () => {
    const mistrusted: { contract: '2025-11-25'; reason: string }[] = [
      { contract: '2025-11-25', reason: 'contract pin differs in Task' },
    ];
    const it = await setting({}, { gates: { mistrusted } });
    expect(await standing(it, '2025-11-25')).toMatchObject({
      mode: 'drain',
      reason: 'contract pin differs in Task',
      actor: 'longshore',
    });
    expect(await it.start({ name: 'a' }, { door: '2025-11-25' })).toMatchObject({ kind: 'gated' });
    expect(await it.start({ name: 'a' })).toMatchObject({ kind: 'operation' });
    mistrusted.pop();
    await it.crash();
    expect(await standing(it, '2025-11-25')).toMatchObject({
      mode: 'open',
      reason: 'no longer so: contract pin differs in Task',
    });
  });

  test('what a person opened stays open, until the cause is another', async () => {
    const mistrusted = [{ contract: '2025-11-25' as const, reason: 'differs in Task' }];
    const it = await setting({}, { gates: { mistrusted } });
    await desk(it).change(change({ contract: '2025-11-25', mode: 'open', reason: 'read it: harmless' }));
    await it.crash();
    expect(await standing(it, '2025-11-25')).toMatchObject({ mode: 'open', actor: 'ada' });
    mistrusted[0] = { contract: '2025-11-25', reason: 'differs in Tool' };
    await it.crash();
    expect(await standing(it, '2025-11-25')).toMatchObject({ mode: 'drain', reason: 'differs in Tool' });
  });

  test('an adapter that is not qualified for a contract is drained there', async () => {
    const third = '2027-03-31';
    const it = await setting({}, { gates: { contracts: ['2026-07-28', third] } });
    expect(await standing(it, third)).toMatchObject({ mode: 'drain', reason: 'http-202@1 is not qualified for 2027-03-31' });
    expect(await standing(it, '2026-07-28')).toMatchObject({ mode: 'open' });
  });

  test('the configuration wins over what was said before, and what it no longer says is opened', async () => {
    const configured: { adapter: string; contract: '2026-07-28'; mode: 'drain'; reason: string }[] = [];
    const it = await setting({}, { gates: { configured } });
    configured.push({ ...PLACE, mode: 'drain', reason: 'by configuration' });
    await it.crash();
    expect(await standing(it, '2026-07-28')).toMatchObject({ mode: 'drain', actor: 'configuration' });
    await desk(it).change(change({ mode: 'open' }));
    await it.crash();
    expect(await standing(it, '2026-07-28')).toMatchObject({ mode: 'drain', actor: 'configuration' });
    const before = (await desk(it).history({ limit: 10 })).length;
    await it.crash();
    expect(await desk(it).history({ limit: 10 })).toHaveLength(before);
    configured.pop();
    await it.crash();
    expect(await standing(it, '2026-07-28')).toMatchObject({ mode: 'open', reason: 'no longer in the configuration' });
  });
});

describe('an upstream outside its protocol', () => {
  const page: Scripted = { status: 200, text: '<html>Please sign in</html>', headers: { 'content-type': 'text/html' } };
  /** Jobs carry their key and show it in a list. */
  const LOOKED_UP: JobDescription = {
    ...DESCRIPTION,
    submissionKey: { body: '/tag', deduplicates: false },
    lookup: { url: '/jobs', list: '/jobs', match: { at: '/tag' } },
  };
  const drained = (it: House) =>
    desk(it)
      .current()
      .filter(({ mode }) => mode === 'drain');

  test('closes the gates of its tool, for every contract, and not those of others', async () => {
    const it = await setting({ 'GET /jobs/j1': [page], 'GET /jobs/j2': [page], 'GET /jobs/j3': [page] });
    for (const name of ['a', 'b', 'c']) await it.begun({ name });
    await it.clock.advance(20_000);
    expect(
      drained(it)
        .map(({ contract, tool, upstream }) => [contract, tool, upstream])
        .sort(),
    ).toEqual([
      ['2025-11-25', 'start_job', 'reports'],
      ['2026-07-28', 'start_job', 'reports'],
      ['none', 'start_job', 'reports'],
    ]);
    expect(drained(it)[0]?.reason).toMatch(/^answers outside its protocol, 4 times in a row; the last: /);
    expect(await it.start({ name: 'd' })).toMatchObject({ kind: 'gated' });
    // Old work goes on, and ends when the upstream comes to its senses; the gate waits for a person, over a restart too.
    it.upstream.script({ 'GET /jobs/j1': done, 'GET /jobs/j2': done, 'GET /jobs/j3': done });
    await it.clock.advance(60_000);
    expect((await it.ledger.list({}, { limit: 10 })).items.map(({ receipt }) => receipt?.outcome)).toEqual([
      'succeeded',
      'succeeded',
      'succeeded',
    ]);
    await it.crash();
    expect(drained(it)).toHaveLength(3);
  });

  test('is seen by its results as well: a status that can be read does not make up for them', async () => {
    const ended: readonly Scripted[] = [{ status: 200, json: { status: 'succeeded' } }];
    const odd: Scripted = { status: 200, text: '{"half', headers: { 'content-type': 'application/json' } };
    const it = await setting(
      Object.fromEntries(
        [1, 2, 3].flatMap((n) => [
          [`GET /jobs/j${n}`, ended],
          [`GET /jobs/j${n}/result`, [odd]],
        ]),
      ),
      { tool: jobTool({ ...DESCRIPTION, result: { url: '/jobs/{id}/result' } }) },
    );
    for (const name of ['a', 'b', 'c']) await it.begun({ name });
    await it.clock.advance(60_000);
    expect(drained(it)[0]?.reason).toMatch(/^answers outside its protocol, 4 times in a row; the last: .*/);
    expect(it.upstream.count('GET /jobs/j1/result')).toBeGreaterThan(1);
  });

  test('is seen by its lookups', async () => {
    const it = await setting({ 'POST /jobs': [ANSWERS.lost], 'GET /jobs': [page] }, { tool: jobTool(LOOKED_UP) });
    for (const name of ['a', 'b', 'c']) await it.begun({ name });
    await it.clock.advance(60_000);
    expect(drained(it)[0]?.reason).toContain('when asked for our key');
  });

  test('is not one whose lookups prove nothing', async () => {
    const none: Scripted = { status: 200, json: { jobs: [] } };
    const it = await setting({ 'POST /jobs': [ANSWERS.lost], 'GET /jobs': [none] }, { tool: jobTool(LOOKED_UP) });
    for (const name of ['a', 'b', 'c']) await it.begun({ name });
    await it.clock.advance(60_000);
    expect(drained(it)).toEqual([]);
    expect(it.upstream.count('GET /jobs')).toBeGreaterThan(4);
  });

  test('is not one that fails by its own word: an outage closes nothing', async () => {
    const down: Scripted = { status: 503, text: 'down' };
    const it = await setting({ 'GET /jobs/j1': [down], 'GET /jobs/j2': [down], 'GET /jobs/j3': [down] });
    for (const name of ['a', 'b', 'c']) await it.begun({ name });
    await it.clock.advance(60_000);
    expect(drained(it)).toEqual([]);
  });

  test('is not one job that goes wrong alone', async () => {
    const it = await setting({ 'GET /jobs/j1': [page] });
    await it.begun({ name: 'a' });
    await it.clock.advance(120_000);
    expect(drained(it)).toEqual([]);
  });
});
