// What operators do about operations in doubt, on the real engine and virtual time.

import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../src/engine/engine.ts';
import { ANSWERS, type House, houses, jobTool, ORIGIN, type Scripted, TIMING } from './kit.ts';

const inHouse = houses();
const { lost, accepted, running, done, missing } = ANSWERS;

const word = { actor: 'ada', reason: 'seen in billing admin' };

/** Lost, and nothing can find out: ended as unknown at once, with effects open. */
async function lostForGood(more: Readonly<Record<string, Scripted[]>> = {}) {
  const home = await inHouse({ 'POST /jobs': [lost], ...more });
  const id = await home.begun();
  expect(await home.outcome(id)).toBe('unknown');
  return { home, id };
}

/** Accepted, then vanished: NEEDS_RECONCILIATION for its window. */
async function vanished() {
  const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running, missing] });
  const id = await home.begun();
  await home.clock.advanceUntil(async () => (await home.life(id)) === 'NEEDS_RECONCILIATION');
  return { home, id };
}

/** Lost, while a repeat may still settle it: SUBMISSION_UNKNOWN. */
async function doubtful() {
  const tool = jobTool({
    handle: { id: '$response.body#/id' },
    status: { url: '/jobs/{id}' },
    state: { at: '/status' },
    result: { at: '/result' },
    submissionKey: { header: 'Idempotency-Key' },
  });
  const home = await inHouse({ 'POST /jobs': [lost] }, { tool });
  const id = await home.begun();
  expect(await home.life(id)).toBe('SUBMISSION_UNKNOWN');
  return { home, id };
}

describe('an operation in doubt', () => {
  test('for which an operator has found the job is followed to its end', async () => {
    const { home, id } = await doubtful();
    home.upstream.script({ 'GET /jobs/exp_8813': [running, done] });
    const settled = await home.engine.settle(id, { ...word, verdict: { kind: 'found', job: 'exp_8813' } });
    expect(settled).toMatchObject({
      kind: 'settled',
      view: { operation: { life: 'WORKING', reference: { id: 'exp_8813', statusUrl: `${ORIGIN}/jobs/exp_8813` } } },
    });
    const sent = home.upstream.count('POST /jobs');
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(home.upstream.count('POST /jobs')).toBe(sent);
  });

  test('keeps who said so, why, and as what evidence', async () => {
    const { home, id } = await doubtful();
    await home.engine.settle(id, { ...word, verdict: { kind: 'never' } });
    const said = (await home.ledger.history(id)).at(-1);
    expect(said).toMatchObject({
      disposition: 'applied',
      event: {
        type: 'operator_never',
        actor: 'ada',
        message: 'seen in billing admin',
        evidenceId: expect.stringMatching(/^ev_/),
      },
    });
    const receipt = await home.ledger.receipt(id);
    expect(receipt).toMatchObject({ outcome: 'failed', by: 'operator', evidence: [said?.event.evidenceId] });
    expect(receipt?.reason).toBe('An operator (ada) found that the job was never created: seen in billing admin.');
  });

  test('that was never created is ended and never submitted again', async () => {
    const { home, id } = await doubtful();
    const sent = home.upstream.count('POST /jobs');
    await home.engine.settle(id, { ...word, verdict: { kind: 'never' } });
    await home.clock.advance(600_000);
    expect(await home.ledger.get(id)).toMatchObject({ mayExist: false, effects: 'NONE', receipt: { outcome: 'failed' } });
    expect(home.upstream.count('POST /jobs')).toBe(sent);
  });

  test('whose result an operator hands in is accepted with it', async () => {
    const { home, id } = await vanished();
    const result = { mediaType: 'application/json', encoding: 'text', body: '{"n":1}' } as const;
    const settled = await home.engine.settle(id, { ...word, verdict: { kind: 'result', ending: 'succeeded', result } });
    expect(settled).toMatchObject({
      kind: 'settled',
      view: { payload: { body: '{"n":1}' }, operation: { receipt: { outcome: 'succeeded', by: 'operator' } } },
    });
  });

  test('that is given up ends as unknown, and stays open until somebody knows', async () => {
    const { home, id } = await vanished();
    await home.engine.settle(id, { ...word, verdict: { kind: 'give_up' } });
    expect(await home.ledger.get(id)).toMatchObject({ effects: 'REQUIRED', receipt: { outcome: 'unknown', by: 'operator' } });
    await home.engine.settle(id, { ...word, verdict: { kind: 'effects', finding: 'stopped by hand' } });
    expect(await home.ledger.get(id)).toMatchObject({ effects: 'SETTLED', finding: 'stopped by hand' });
  });
});

describe('an operation that ended as unknown', () => {
  test('is followed once an operator points at the job: how it ended is found out, and the outcome stands', async () => {
    const { home, id } = await lostForGood({ 'GET /jobs/exp_8813': [running, done] });
    await home.clock.advance(TIMING.effectsWindowMs + 60_000);
    expect((await home.ledger.get(id))?.effects).toBe('ESCALATED');
    const settled = await home.engine.settle(id, { ...word, verdict: { kind: 'found', job: 'exp_8813' } });
    expect(settled).toMatchObject({ kind: 'settled', view: { operation: { effects: 'REQUIRED' } } });
    await home.clock.advance(120_000);
    expect(await home.ledger.get(id)).toMatchObject({
      effects: 'SETTLED',
      finding: 'succeeded',
      receipt: { outcome: 'unknown' },
    });
    expect(home.upstream.count('POST /jobs')).toBe(1);
  });

  test.each<[Verdict, string]>([
    [{ kind: 'never' }, 'never created'],
    [{ kind: 'result', ending: 'failed' }, 'failed'],
    [{ kind: 'give_up' }, 'given up'],
    [{ kind: 'effects', finding: 'refunded' }, 'refunded'],
  ])('is settled by %j', async (verdict, finding) => {
    const { home, id } = await lostForGood();
    expect(await home.engine.settle(id, { ...word, verdict })).toMatchObject({ kind: 'settled' });
    expect(await home.ledger.get(id)).toMatchObject({ effects: 'SETTLED', finding, receipt: { outcome: 'unknown' } });
    expect(await home.ledger.work(id)).toEqual([]);
  });

  test('is settled once', async () => {
    const { home, id } = await lostForGood();
    const verdicts = ['never created', 'refunded'].map((finding) =>
      home.engine.settle(id, { ...word, verdict: { kind: 'effects', finding } }),
    );
    expect((await Promise.all(verdicts)).map((settled) => settled?.kind).sort()).toEqual(['refused', 'settled']);
    expect((await home.ledger.history(id)).filter(({ event }) => event.type === 'operator_settles')).toHaveLength(1);
  });
});

describe('a verdict that does not apply', () => {
  test.each<[Verdict, RegExp]>([
    [{ kind: 'never' }, /WORKING: the upstream has it as 7 .*cancel it, or wait/],
    [{ kind: 'found', job: '8' }, /WORKING/],
    [{ kind: 'effects', finding: 'x' }, /WORKING/],
  ])('%j, to an operation that goes on, is refused with its state, and leaves no trace', async (verdict, why) => {
    const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running] });
    const id = await home.begun();
    const before = await home.ledger.get(id);
    expect(await home.engine.settle(id, { ...word, verdict })).toMatchObject({
      kind: 'refused',
      why: expect.stringMatching(why),
    });
    expect(await home.ledger.get(id)).toEqual(before);
  });

  test.each<[Verdict, RegExp]>([
    [{ kind: 'never' }, /has named a job, 7/],
    [{ kind: 'found', job: '8' }, /already named its job 7, and 8 is another/],
    [{ kind: 'effects', finding: 'x' }, /NEEDS_RECONCILIATION and has not ended/],
    [{ kind: 'found', job: 'https://evil.example/jobs/7' }, /evil\.example is not allowed/],
    [{ kind: 'found', job: '..' }, /can't be followed/],
  ])('%j, to one whose job vanished, is refused with the way on', async (verdict, why) => {
    const { home, id } = await vanished();
    expect(await home.engine.settle(id, { ...word, verdict })).toMatchObject({
      kind: 'refused',
      why: expect.stringMatching(why),
    });
  });

  test('to an operation that ended well is refused', async () => {
    const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [done] });
    const id = await home.begun();
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect(await home.engine.settle(id, { ...word, verdict: { kind: 'give_up' } })).toMatchObject({
      kind: 'refused',
      why: `${id} can't be settled so: it has ended as succeeded, and nothing about it is open (effects NONE).`,
    });
  });

  test('to no operation is answered with nothing', async () => {
    const home = await inHouse({});
    expect(await home.engine.settle('op_nobody', { ...word, verdict: { kind: 'give_up' } })).toBeUndefined();
    expect(await home.engine.cancelByOperator('op_nobody', word)).toBeUndefined();
    expect(await home.engine.trace('rc_nobody')).toBeUndefined();
  });

  test('a result for an unknown ending is refused: what the caller was told stands', async () => {
    const { home, id } = await lostForGood();
    const result = { mediaType: 'application/json', encoding: 'text', body: '{}' } as const;
    const settled = await home.engine.settle(id, { ...word, verdict: { kind: 'result', ending: 'succeeded', result } });
    expect(settled).toMatchObject({ kind: 'refused', why: expect.stringMatching(/ended as unknown, which stands/) });
  });
});

describe('a cancel by an operator', () => {
  test('is cooperative, whoever the operation belongs to, and says who and why', async () => {
    const home = await inHouse({
      'POST /jobs': [accepted],
      'GET /jobs/7': [running],
      'POST /jobs/7/cancel': [{ status: 202, json: {} }],
    });
    const id = await home.begun();
    expect(await home.engine.cancelByOperator(id, word)).toMatchObject({ kind: 'recorded' });
    await home.clock.advance(2_000);
    expect(await home.outcome(id)).toBeUndefined();
    expect(home.upstream.count('POST /jobs/7/cancel')).toBe(1);
    const cancel = (await home.ledger.history(id)).find(({ event }) => event.type === 'cancel');
    expect(cancel?.event).toMatchObject({ by: 'operator', actor: 'ada', message: word.reason, sticky: false });
  });

  test('of what was not sent yet ends it, by an operator', async () => {
    const home = await inHouse({ 'POST /jobs': [accepted] }, { submitsMax: 0 });
    const id = await home.begun();
    await home.engine.cancelByOperator(id, word);
    expect(await home.ledger.receipt(id)).toMatchObject({
      outcome: 'cancelled',
      by: 'operator',
      reason: 'Cancelled by an operator; no job exists.',
    });
    expect(await home.engine.cancelByOperator(id, word)).toMatchObject({ kind: 'ended' });
  });
});

describe('a trace', () => {
  test('leads from a receipt to the observations that allowed it, and reads everything again', async () => {
    const home = await inHouse({
      'POST /jobs': [accepted],
      'GET /jobs/7': [{ status: 200, json: { status: 'succeeded', result: 'x'.repeat(5_000) } }],
    });
    const id = await home.begun();
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    const receipt = await home.ledger.receipt(id);
    const trace = await home.engine.trace(receipt?.id ?? '');
    expect(trace).toMatchObject({
      receipt,
      ending: { event: { type: 'accept' } },
      evidence: [{ event: { type: 'seen_ended' } }],
    });
    expect(trace?.checks.filter(({ holds }) => !holds)).toEqual([]);
    expect(trace?.checks.length).toBeGreaterThanOrEqual(6);
  });

  test('notices a result that is not there any more', async () => {
    const home = await inHouse({
      'POST /jobs': [accepted],
      'GET /jobs/7': [{ status: 200, json: { status: 'succeeded', result: 'x'.repeat(5_000) } }],
    });
    const id = await home.begun();
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    const receipt = await home.ledger.receipt(id);
    await home.ledger.blobs.delete([receipt?.result?.digest ?? '']);
    const trace = await home.engine.trace(receipt?.id ?? '');
    const broken = trace?.checks.filter(({ holds }) => !holds).map(({ what }) => what);
    expect(broken).toEqual(['the stored result has the digest that the receipt names']);
  });

  test.each<[string, () => Promise<{ home: House; id: string }>, string]>([
    ['an unknown ending to the deadline', lostForGood, 'window_over'],
    [
      'a cancel to the cancel',
      async () => {
        const { home, id } = await vanished();
        await home.engine.cancel(id, 'local', { sticky: true });
        return { home, id };
      },
      'cancel',
    ],
  ])('leads from %s', async (_what, end, type) => {
    const { home, id } = await end();
    const receipt = await home.ledger.receipt(id);
    expect(await home.engine.trace(receipt?.id ?? '')).toMatchObject({ ending: { event: { type } }, evidence: [] });
  });
});
