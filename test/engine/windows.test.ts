// What is unknown does not stay so for ever: windows, effects, retention, and what becomes of a job after our ending.

import { describe, expect, test } from 'vitest';
import { dueWork } from '../../src/core/machine.ts';
import { workWithinReach } from '../../src/engine/sweep.ts';
import { ANSWERS, DESCRIPTION, houses, jobTool, TIMING } from './kit.ts';

const inHouse = houses();
const { lost, accepted, running, done, missing } = ANSWERS;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KEYED = { ...DESCRIPTION, submissionKey: { header: 'Idempotency-Key' } };

describe('doubt', () => {
  test('about a submit that can be repeated ends within its window, however often the repeat is lost', async () => {
    const home = await inHouse({ 'POST /jobs': [lost] }, { tool: jobTool(KEYED) });
    const id = await home.begun();
    await home.clock.advance(TIMING.reconcileWindowMs + 5_000);
    expect(await home.ledger.get(id)).toMatchObject({ receipt: { outcome: 'unknown' }, effects: 'REQUIRED' });
    expect(home.upstream.count('POST /jobs')).toBeLessThanOrEqual(5);
  });

  test('that nothing can settle is told to the caller at once', async () => {
    const home = await inHouse({ 'POST /jobs': [lost] });
    const startedAt = home.clock.now();
    const id = await home.begun();
    const receipt = await home.ledger.receipt(id);
    expect(receipt).toMatchObject({ outcome: 'unknown', by: 'deadline' });
    expect((receipt?.at ?? 0) - startedAt).toBeLessThan(1_000);
  });

  test('about a job that vanished ends within its window, counted from when it vanished', async () => {
    const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running, missing] });
    const id = await home.begun();
    await home.clock.advanceUntil(async () => (await home.life(id)) === 'NEEDS_RECONCILIATION');
    const since = (await home.ledger.get(id))?.troubleSince ?? 0;
    await home.clock.advance(TIMING.reconcileWindowMs + 1_000);
    const receipt = await home.ledger.receipt(id);
    expect(receipt).toMatchObject({ outcome: 'unknown', reason: expect.stringMatching(/no longer known/) });
    expect((receipt?.at ?? 0) - since).toBeLessThanOrEqual(TIMING.reconcileWindowMs + 500);
  });

  test('about a job that comes back within the window is over', async () => {
    const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running, missing] });
    const id = await home.begun();
    await home.clock.advanceUntil(async () => (await home.life(id)) === 'NEEDS_RECONCILIATION');
    home.upstream.script({ 'GET /jobs/7': [running, done] });
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect(await home.ledger.get(id)).toMatchObject({ receipt: { outcome: 'succeeded' }, effects: 'NONE' });
  });

  test('outlives a crash, and its window with it', async () => {
    const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running, missing] });
    const id = await home.begun();
    await home.clock.advanceUntil(async () => (await home.life(id)) === 'NEEDS_RECONCILIATION');
    const before = (await home.ledger.get(id))?.windowUntil;
    await home.crash();
    expect((await home.ledger.get(id))?.windowUntil).toBe(before);
    await home.clock.advance(TIMING.reconcileWindowMs + 1_000);
    expect(await home.outcome(id)).toBe('unknown');
  });
});

describe('effects', () => {
  const long = { effectsWindowMs: HOUR_MS, waitBudgetMs: 20_000, reconcileWindowMs: 5_000 };

  test('are followed for their window, and then handed to an operator, with nothing more to do', async () => {
    const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running] }, { tool: jobTool(undefined, long) });
    const id = await home.begun();
    await home.clock.advance(60_000);
    expect(await home.ledger.get(id)).toMatchObject({ receipt: { outcome: 'unknown' }, effects: 'REQUIRED' });
    const polls = home.upstream.count('GET /jobs/7');
    await home.clock.advance(60_000);
    expect(home.upstream.count('GET /jobs/7')).toBeGreaterThan(polls);
    const until = (await home.ledger.get(id))?.effectsUntil ?? 0;
    const endedAt = (await home.ledger.receipt(id))?.at ?? 0;
    expect(until - endedAt).toBe(HOUR_MS);
    await home.clock.advance(HOUR_MS);
    expect(await home.ledger.get(id)).toMatchObject({ effects: 'ESCALATED' });
    expect(await home.ledger.work(id)).toEqual([]);
  });

  test('that are followed and end are settled with how the job ended; the outcome stands', async () => {
    const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running] }, { tool: jobTool(undefined, long) });
    const id = await home.begun();
    await home.clock.advance(60_000);
    home.upstream.script({ 'GET /jobs/7': [done] });
    await home.clock.advance(60_000);
    expect(await home.ledger.get(id)).toMatchObject({
      receipt: { outcome: 'unknown' },
      effects: 'SETTLED',
      finding: 'succeeded',
    });
    expect((await home.ledger.outbox(0, 10)).map(({ receipt }) => receipt.outcome)).toEqual(['unknown']);
  });

  test('whose job vanishes go to an operator at once', async () => {
    const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running] }, { tool: jobTool(undefined, long) });
    const id = await home.begun();
    await home.engine.cancel(id, 'local', { sticky: true });
    home.upstream.script({ 'GET /jobs/7': [missing] });
    await home.clock.advance(30_000);
    expect(await home.ledger.get(id)).toMatchObject({ receipt: { outcome: 'cancelled' }, effects: 'ESCALATED' });
  });
});

describe('retention', () => {
  const settings = { retentionMs: 60_000 };

  test('keeps what is followed, and what an operator was asked about for as long again', async () => {
    const tool = jobTool(undefined, { effectsWindowMs: 600_000, waitBudgetMs: 20_000, reconcileWindowMs: 5_000 });
    const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running] }, { tool, settings });
    const id = await home.begun();
    await home.clock.advance(600_000);
    expect(await home.ledger.get(id)).toMatchObject({ effects: 'REQUIRED' });
    await home.clock.advance(60_000);
    expect(await home.ledger.get(id)).toMatchObject({ effects: 'ESCALATED' });
    await home.clock.advance(180_000);
    expect(await home.ledger.get(id)).toBeUndefined();
  });

  test('never takes a live operation, however short a ttl its caller asked for', async () => {
    const tool = jobTool(undefined, { waitBudgetMs: DAY_MS });
    const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running] }, { tool, settings });
    const started = home.engine.start({ tool, arguments: { body: {} }, principal: 'local', door: '2025-11-25', ttlMs: 1 });
    await home.clock.advance(3_600_000);
    const made = await started;
    if (made.kind !== 'operation') throw new Error(made.kind);
    const { id } = made.view.operation;
    expect(await home.life(id)).toBe('WORKING');
    home.upstream.script({ 'GET /jobs/7': [done] });
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    await home.clock.advance(30_000);
    expect(await home.outcome(id)).toBe('succeeded');
    await home.clock.advance(180_000);
    expect(await home.ledger.get(id)).toBeUndefined();
  });
});

describe('a clock that is set back', () => {
  const HOURS_MS = 5 * HOUR_MS;

  test('makes looks late by minutes, and not by as much', async () => {
    const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running] });
    const id = await home.begun();
    await home.clock.advance(5_000);
    const looks = home.upstream.count('GET /jobs/7');
    home.clock.set(-HOURS_MS);
    home.upstream.script({ 'GET /jobs/7': [done] });
    await home.clock.advance(3 * 60_000);
    expect(home.upstream.count('GET /jobs/7')).toBeGreaterThan(looks);
    expect(await home.outcome(id)).toBe('succeeded');
  });

  test('does not have the job looked at more often than a young one, over a restart too', async () => {
    const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running] });
    await home.begun();
    await home.clock.advance(5_000);
    home.clock.set(-HOURS_MS);
    await home.clock.advance(3 * 60_000);
    await home.crash();
    const before = home.upstream.count('GET /jobs/7');
    await home.clock.advance(5 * 60_000);
    const looks = home.upstream.count('GET /jobs/7') - before;
    expect(looks).toBeGreaterThanOrEqual(10);
    // Its age is unknown now, so that it is looked at as a young job is: every second.
    expect(looks).toBeLessThanOrEqual((5 * 60) / 0.8);
  });

  test('ends nothing before its time: deadlines are late by as much', async () => {
    const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running] });
    const id = await home.begun();
    home.clock.set(-HOURS_MS);
    await home.clock.advance(TIMING.waitBudgetMs + TIMING.reconcileWindowMs + 60_000);
    expect(await home.life(id)).toBe('WORKING');
  });

  test('changes nothing that is due when it should be', async () => {
    const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running] });
    const id = await home.begun();
    await home.clock.advance(2_000);
    const row = await home.ledger.get(id);
    if (row === undefined) throw new Error('gone');
    const { descriptor } = home.tool;
    expect(workWithinReach(row, descriptor, home.clock.now())).toEqual(dueWork(row, descriptor.traits));
  });
});
