// One call, one operation: the caller's key, and calls that are the same by their arguments.

import { describe, expect, test } from 'vitest';
import { ANSWERS, DESCRIPTION, type House, houses, jobTool, type Scripted } from './kit.ts';

const inHouse = houses();
const { lost, accepted, running, done } = ANSWERS;

const WINDOW_MS = 600_000;
const JOBS = { 'POST /jobs': [accepted], 'GET /jobs/7': [running] } as const;

/** A tool whose calls are the same for ten minutes if their arguments are. */
const deduplicating = () => ({ tool: jobTool({ ...DESCRIPTION, deduplicateMs: WINDOW_MS }, { waitBudgetMs: 86_400_000 }) });

async function idOf(started: ReturnType<House['start']>): Promise<string> {
  const made = await started;
  if (made.kind !== 'operation') throw new Error(made.kind);
  return made.view.operation.id;
}

describe('the same call, on a tool that is described so', () => {
  test('gives the same operation within the window, whatever the order of its arguments', async () => {
    const home = await inHouse(JOBS, deduplicating());
    const first = await idOf(home.start({ size: 1, name: 'x' }));
    await home.clock.advance(WINDOW_MS - 10_000);
    const again = await home.start({ name: 'x', size: 1 });
    expect(again).toMatchObject({ kind: 'operation', existing: true, view: { operation: { id: first } } });
    expect(home.upstream.count('POST /jobs')).toBe(1);
  });

  test('gives another operation after the window, and then that one', async () => {
    const home = await inHouse(JOBS, deduplicating());
    const first = await idOf(home.start());
    await home.clock.advance(WINDOW_MS);
    const second = await idOf(home.start());
    expect(second).not.toBe(first);
    expect(await idOf(home.start())).toBe(second);
    expect(home.upstream.count('POST /jobs')).toBe(2);
  });

  test('made twice at once makes one operation and one job', async () => {
    const home = await inHouse(JOBS, deduplicating());
    const ids = await Promise.all([1, 2, 3, 4].map(() => idOf(home.start())));
    expect(new Set(ids).size).toBe(1);
    expect(home.upstream.count('POST /jobs')).toBe(1);
  });

  test('made twice at once when the window is just over makes one more', async () => {
    const home = await inHouse(JOBS, deduplicating());
    const first = await idOf(home.start());
    await home.clock.advance(WINDOW_MS);
    const ids = await Promise.all([1, 2, 3, 4].map(() => idOf(home.start())));
    expect(new Set(ids).size).toBe(1);
    expect(ids).not.toContain(first);
    expect(home.upstream.count('POST /jobs')).toBe(2);
  });

  test('is another call with other arguments, by another principal, or under a key of its own', async () => {
    const home = await inHouse(JOBS, deduplicating());
    const ids = [
      await idOf(home.start({ name: 'x' })),
      await idOf(home.start({ name: 'y' })),
      await idOf(home.start({ name: 'x' }, { principal: 'somebody' })),
      await idOf(home.start({ name: 'x' }, { callerKey: 'mine' })),
    ];
    expect(new Set(ids).size).toBe(4);
  });

  test.each<[string, Scripted, boolean]>([
    ['failed', { status: 422, json: { detail: 'no' } }, false],
    ['may have been started', lost, true],
    ['succeeded', { status: 200, json: { id: '7', status: 'succeeded', result: 1 } }, true],
  ])('as one that %s gives that one: %3$s', async (_what, answer, isSame) => {
    const home = await inHouse({ 'POST /jobs': [answer], 'GET /jobs/7': [done] }, deduplicating());
    const first = await idOf(home.start());
    await home.clock.advance(5_000);
    expect(await home.outcome(first)).toBeDefined();
    expect((await idOf(home.start())) === first).toBe(isSame);
  });

  test('is what it is, over a crash', async () => {
    const home = await inHouse(JOBS, deduplicating());
    const first = await idOf(home.start());
    await home.crash();
    expect(await idOf(home.start())).toBe(first);
    expect(home.upstream.count('POST /jobs')).toBe(1);
  });
});

describe('a caller’s key', () => {
  test('raced by two callers names one operation; the one with other arguments is told which', async () => {
    const home = await inHouse(JOBS);
    const outcomes = await Promise.all([
      home.start({ size: 1 }, { callerKey: 'k' }),
      home.start({ size: 2 }, { callerKey: 'k' }),
      home.start({ size: 1 }, { callerKey: 'k' }),
    ]);
    const ids = new Set(
      outcomes.map((one) => (one.kind === 'operation' ? one.view.operation.id : 'earlier' in one ? one.earlier : '')),
    );
    expect(ids.size).toBe(1);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['conflict', 'operation', 'operation']);
    expect(home.upstream.count('POST /jobs')).toBe(1);
  });

  test('outlives the window of the arguments', async () => {
    const home = await inHouse(JOBS, deduplicating());
    const first = await idOf(home.start({ name: 'x' }, { callerKey: 'k' }));
    await home.clock.advance(WINDOW_MS * 3);
    expect(await idOf(home.start({ name: 'x' }, { callerKey: 'k' }))).toBe(first);
  });

  test('that looks like ours is refused, and nothing is started', async () => {
    const { engine, tool, upstream } = await inHouse(JOBS);
    const call = {
      tool,
      arguments: { body: {} },
      principal: 'local',
      door: 'none',
      callerKey: 'longshore:arguments:x',
    } as const;
    await expect(engine.start(call)).rejects.toMatchObject({ code: 'ARGUMENTS_INVALID' });
    expect(upstream.requests).toEqual([]);
  });
});
