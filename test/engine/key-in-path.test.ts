// A job whose id is ours to choose, and whose submit was lost: on the real engine and virtual time.

import { describe, expect, test } from 'vitest';
import type { JobDescription } from '../../src/core/description.ts';
import { ANSWERS, houses, jobTool, keyed, type Scripted, TIMING } from './kit.ts';

const inHouse = houses();
const { lost, running, done, missing } = ANSWERS;
const created: Scripted = { status: 201 };

const DESCRIPTION: JobDescription = {
  submissionKey: { path: 'jobId' },
  status: { url: '/jobs/{id}' },
  state: { at: '/status' },
  result: { at: '/result' },
};

/** A service at which clients choose the ids, by what it answers to each submit and to each look. */
async function service(
  submits: readonly Scripted[],
  looks: readonly Scripted[],
  { method = 'PUT', ...more }: JobDescription & { readonly method?: string } = {},
) {
  const tool = jobTool({ ...DESCRIPTION, ...more }, {}, keyed(method));
  const home = await inHouse({ [`${method} *`]: submits, 'GET *': looks }, { tool });
  const id = await home.begun();
  const key = (await home.ledger.get(id))?.submissionKey;
  return {
    ...home,
    id,
    address: `http://reports.test/jobs/${key}`,
    submits: () => home.upstream.requests.filter((request) => request.method === method),
    looks: () => home.upstream.requests.filter((request) => request.method === 'GET'),
    ended: () => home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined, { stepMs: 500 }),
  };
}

describe('a job under an id of ours', () => {
  test('has one address, by which it is put and looked at', async () => {
    const home = await service([created], [running, done]);
    await home.ended();
    expect(await home.ledger.get(home.id)).toMatchObject({
      reference: { id: home.address.split('/').at(-1), statusUrl: home.address },
      receipt: { outcome: 'succeeded' },
      arguments: { body: { name: 'x' } },
    });
    expect(new Set(home.upstream.requests.map(({ url }) => url))).toEqual(new Set([home.address]));
  });

  test('that is not there after a lost answer is put again, byte for byte', async () => {
    const home = await service([lost, created], [missing, missing, done]);
    await home.ended();
    expect(await home.outcome(home.id)).toBe('succeeded');
    const [first, second, ...more] = home.submits();
    expect(more).toEqual([]);
    expect(second).toEqual(first);
    expect(second?.url).toBe(home.address);
  });

  test('is found at its address where the service refuses a second one of the same id', async () => {
    const conflict: Scripted = { status: 409, json: { message: 'it exists already' } };
    const home = await service([lost, conflict], [missing, running, done], { method: 'POST' });
    await home.ended();
    expect(await home.outcome(home.id)).toBe('succeeded');
    expect(home.submits().length).toBeLessThanOrEqual(2);
    expect((await home.ledger.history(home.id)).map(({ event }) => event.type)).toContain('lookup_found');
  });

  test('is never put twice where that would make two, and is found', async () => {
    const submissionKey = { path: 'jobId', deduplicates: false };
    const home = await service([lost, created], [missing, running, done], { submissionKey });
    await home.ended();
    expect(await home.outcome(home.id)).toBe('succeeded');
    expect(home.submits()).toHaveLength(1);
  });

  test.each([
    [true, 2, 'succeeded'],
    [false, 1, 'unknown'],
  ])('whose absence is a proof (%s) is put %d times, and only after the horizon', async (authoritative, times, outcome) => {
    const submissionKey = { path: 'jobId', deduplicates: false };
    const shown = (): Scripted => (home !== undefined && home.submits().length > 1 ? done : missing);
    let home: Awaited<ReturnType<typeof service>> | undefined;
    home = await service([lost, created], [], { submissionKey, lookup: { authoritative } });
    home.upstream.script({ 'GET *': shown });
    const horizonMs = TIMING.submitLeaseMs + TIMING.submitTimeoutMs + TIMING.consistencyGraceMs;
    await home.clock.advance(horizonMs - 1_000);
    expect(home.submits()).toHaveLength(1);
    await home.ended();
    expect(await home.outcome(home.id)).toBe(outcome);
    expect(home.submits()).toHaveLength(times);
  });
});
