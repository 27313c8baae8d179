// Looks that the service holds until there is news: on the real engine and virtual time.

import { describe, expect, test } from 'vitest';
import type { JobDescription } from '../../src/core/description.ts';
import { ANSWERS, DESCRIPTION, type House, houses, jobTool, type Script, type Scripted, TIMING } from './kit.ts';

const inHouse = houses();
const { accepted, running, done } = ANSWERS;
const HOLD_MS = 20_000;
const WAITS: JobDescription = {
  ...DESCRIPTION,
  status: { url: '/jobs/{id}', wait: { forMs: HOLD_MS, url: '{statusUrl}/wait', method: 'POST' } },
};
const WAIT = 'POST /jobs/7/wait';
const LOOK = 'GET /jobs/7';

/** Holds its answer for so long. */
const after =
  (home: () => House, ms: number, answers: readonly Scripted[]): Script =>
  async (_request, count) => {
    await home().clock.sleep(ms);
    return answers[Math.min(count, answers.length) - 1] as Scripted;
  };
const ended = (home: House, id: string, atMostMs?: number) =>
  home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined, atMostMs === undefined ? {} : { atMostMs });

async function waiting(ms: number, answers: readonly Scripted[]): Promise<House> {
  const home: House = await inHouse(
    { 'POST /jobs': [accepted], [WAIT]: after(() => home, ms, answers), [LOOK]: [running, done] },
    { tool: jobTool(WAITS) },
  );
  return home;
}

describe('a long poll', () => {
  test('may be held for longer than any other read, and brings the end', async () => {
    const home = await waiting(TIMING.readTimeoutMs + 5_000, [done]);
    const id = await home.begun();
    await ended(home, id);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(home.upstream.count(WAIT)).toBe(1);
    expect(home.upstream.count(LOOK)).toBe(0);
  });

  test('that ends without news is followed by the next one soon, and is no failure', async () => {
    const home = await waiting(HOLD_MS, [running, running, running, done]);
    const id = await home.begun();
    await ended(home, id);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(home.upstream.count(WAIT)).toBe(4);
    // The first look, four holds, and hardly anything between them although the job is old.
    expect(home.clock.monotonic()).toBeLessThan(4 * HOLD_MS + 4_000);
  });

  test('that the service does not hold is paced like any look', async () => {
    const home = await waiting(0, [running]);
    await home.begun();
    await home.clock.advance(10_000);
    expect(home.upstream.count(WAIT)).toBeLessThan(14);
  });

  test.each<[string, Scripted]>([
    ['is not there', { status: 404 }],
    ['is not supported', { status: 405 }],
    ['times out at a gateway', { status: 504 }],
    ['is lost', { fails: 'reset', mayHaveBeenSent: true }],
    ['can’t be read', { status: 200, text: '<html>', headers: { 'content-type': 'text/html' } }],
  ])('that %s says nothing of the job: a plain look follows at once', async (_what, answer) => {
    const home = await waiting(0, [answer]);
    const id = await home.begun();
    await ended(home, id, 10_000);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(home.upstream.count(LOOK)).toBe(2);
    expect((await home.ledger.history(id)).map(({ event }) => event.type)).not.toContain('seen_not_visible');
  });

  test('that a service in trouble answers is followed by a plain look when that asks for it', async () => {
    const home = await waiting(0, [{ status: 503, headers: { 'retry-after': '15' } }]);
    await home.begun();
    await home.clock.advance(15_000);
    expect(home.upstream.count(WAIT)).toBe(1);
    expect(home.upstream.count(LOOK)).toBe(0);
    await home.clock.advance(10_000);
    expect(home.upstream.count(LOOK)).toBe(1);
  });

  test('that came to nothing has used its turn: the plain look takes one of its own', async () => {
    const home = await waiting(0, [{ status: 405 }]);
    const id = await home.begun();
    await ended(home, id, 10_000);
    expect(home.pollsBegun()).toBe(home.upstream.count(WAIT) + home.upstream.count(LOOK));
  });

  test('that gets no answer at all ends with its hold and the time-out, and a plain look follows', async () => {
    const home = await waiting(0, [{ hang: true }]);
    await home.begun();
    await home.clock.advance(HOLD_MS + TIMING.readTimeoutMs - 1_000);
    expect(home.upstream.count(LOOK)).toBe(0);
    await home.clock.advance(3_000);
    expect(home.upstream.count(LOOK)).toBe(1);
  });

  test('never takes the last place: then there is a plain look', async () => {
    const home = await inHouse(
      { 'POST /jobs': [accepted], [WAIT]: [running], [LOOK]: [running, done] },
      { tool: jobTool(WAITS), pollsMax: 1 },
    );
    const id = await home.begun();
    await ended(home, id);
    expect(home.upstream.count(WAIT)).toBe(0);
    expect(await home.outcome(id)).toBe('succeeded');
  });

  test('is let go of when the gateway stops', async () => {
    const home = await waiting(0, [{ hang: true }]);
    const id = await home.begun();
    await home.clock.advance(2_000);
    expect(home.upstream.count(WAIT)).toBe(1);
    await home.engine.drain(5_000);
    expect(await home.life(id)).toBe('WORKING');
    // Whoever goes on with the file looks at once.
    expect(await home.ledger.work(id)).toContainEqual({ kind: 'poll', dueAt: home.clock.now() });
  });
});
