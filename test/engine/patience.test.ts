// A store that is full or down: what services have answered meanwhile is kept, and written when it can be.

import { describe, expect, test } from 'vitest';
import { silentLog } from '../../src/core/log.ts';
import { createPatience } from '../../src/engine/patience.ts';
import { LongshoreError } from '../../src/errors.ts';
import { settle, VirtualClock } from '../support/virtual-clock.ts';
import { ANSWERS, houses } from './kit.ts';

const inHouse = houses();
const { accepted, running, done } = ANSWERS;
const FULL = new LongshoreError('LEDGER_UNAVAILABLE', 'The disk is full.');

describe('an answer that the store would not take', () => {
  /** The store goes down while the answer to this request is on its way. */
  async function downAt(route: 'POST /jobs' | 'GET /jobs/7') {
    let isDown = false;
    const home = await inHouse(
      {
        'POST /jobs': () => {
          isDown ||= route === 'POST /jobs';
          return accepted;
        },
        'GET /jobs/7': (_request, count) => {
          isDown ||= route === 'GET /jobs/7' && count === 2;
          return count < 3 ? running : done;
        },
      },
      { storeIsDown: () => isDown },
    );
    const id = await home.begun();
    return { home, id, mend: () => (isDown = false) };
  }

  test('to a submit is written when it does: the job is followed, and sent once', async () => {
    const { home, id, mend } = await downAt('POST /jobs');
    await home.clock.advance(60_000);
    expect(await home.life(id)).toBe('SUBMITTING');
    mend();
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(home.upstream.count('POST /jobs')).toBe(1);
  });

  test('makes the gateway not ready, with the reason, until it is written', async () => {
    const { home, mend } = await downAt('POST /jobs');
    expect(await home.engine.ready()).toEqual({ ok: false, why: 'The disk is full.' });
    mend();
    // Room for a ping is not room for everything: what waits has to be written first.
    expect(await home.engine.ready()).toEqual({
      ok: false,
      why: '1 answer of a service waits to be written: The disk is full.',
    });
    await home.clock.advance(5_000);
    expect(await home.engine.ready()).toEqual({ ok: true });
  });

  test('to a look does not stop the job from being followed soon after', async () => {
    const { home, id, mend } = await downAt('GET /jobs/7');
    await home.clock.advance(20_000);
    mend();
    await home.clock.advance(15_000);
    expect(await home.outcome(id)).toBe('succeeded');
  });

  test('is given up when the gateway has to go, within its time to drain', async () => {
    const { home, id } = await downAt('POST /jobs');
    const drained = home.engine.drain(2_000).then(() => 'drained');
    await home.clock.advance(2_500);
    expect(await drained).toBe('drained');
    expect(await home.life(id)).toBe('SUBMITTING');
  });

  test('does not keep a caller waiting: a cancel fails at once', async () => {
    const { home, id } = await downAt('POST /jobs');
    await expect(home.engine.cancel(id, 'local', { sticky: false })).rejects.toThrow('The disk is full.');
  });
});

describe('patience', () => {
  function patient() {
    const clock = new VirtualClock();
    const stop = new AbortController();
    return { clock, stop, patience: createPatience(clock, silentLog, stop.signal) };
  }

  test('has an end: five minutes', async () => {
    const { clock, patience } = patient();
    let tries = 0;
    const given = patience
      .through(() => {
        tries += 1;
        return Promise.reject(FULL);
      })
      .catch((error: unknown) => error);
    await clock.advance(299_000);
    expect(patience.trouble()).toBeDefined();
    await clock.advance(10_000);
    expect(await given).toBe(FULL);
    expect(patience.trouble()).toBeUndefined();
    // 0.1, 0.2, 0.4 … seconds apart, and at most five.
    expect(tries).toBeLessThan(80);
  });

  test('is had with so many answers at once, and no more', async () => {
    const { clock, patience } = patient();
    let isDown = true;
    const write = () => (isDown ? Promise.reject(FULL) : Promise.resolve('written'));
    const held = Promise.all(Array.from({ length: 256 }, () => patience.through(write)));
    await settle();
    await expect(patience.through(write)).rejects.toBe(FULL);
    isDown = false;
    await clock.advance(5_000);
    expect(new Set(await held)).toEqual(new Set(['written']));
  });

  test('is not had with a mistake of ours', async () => {
    const bug = new Error('no such column');
    await expect(patient().patience.through(() => Promise.reject(bug))).rejects.toBe(bug);
  });
});
