// Looking up a submit whose answer was lost, by the key that the job carries: on the real engine and virtual time.

import { describe, expect, test } from 'vitest';
import type { JobDescription } from '../../src/core/description.ts';
import { ANSWERS, DESCRIPTION, type House, houses, jobTool, type Scripted, TIMING } from './kit.ts';

const inHouse = houses();
const { lost, accepted, running, done } = ANSWERS;

const absent: Scripted = { status: 200, json: { jobs: [] } };

/** Jobs carry the key and show it in a list; sending it twice would make two. */
const CARRIES: JobDescription = {
  ...DESCRIPTION,
  submissionKey: { body: '/tag', deduplicates: false },
  lookup: { url: '/jobs', list: '/jobs', match: { at: '/tag' }, authoritative: true },
};

/** A job that carries the key of the first submit. */
function ours({ upstream }: House, id: string) {
  const sent = upstream.requests.find(({ method }) => method === 'POST');
  const { tag } = JSON.parse(String(sent?.body)) as { tag: string };
  return { id, tag };
}

const withOurs = (home: House): Scripted => ({ status: 200, json: { jobs: [{ id: 'other', tag: 'x' }, ours(home, '7')] } });

/** When, counted from the start, "not there" first proves anything. */
const HORIZON_MS = TIMING.submitLeaseMs + TIMING.submitTimeoutMs + TIMING.consistencyGraceMs;

describe('a submit whose answer is lost', () => {
  test('is found by its key, followed, and never sent again', async () => {
    const home: House = await inHouse(
      { 'POST /jobs': [lost], 'GET /jobs': () => withOurs(home), 'GET /jobs/7': [running, done] },
      { tool: jobTool(CARRIES) },
    );
    const id = await home.begun();
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect(await home.ledger.get(id)).toMatchObject({ reference: { id: '7' }, receipt: { outcome: 'succeeded' } });
    expect(home.upstream.count('POST /jobs')).toBe(1);
    expect((await home.ledger.history(id)).map(({ event }) => event.type)).toContain('lookup_found');
  });

  test('that the upstream shows only later is found then', async () => {
    const home: House = await inHouse(
      {
        'POST /jobs': [lost],
        'GET /jobs': (_request, count) => (count < 4 ? absent : withOurs(home)),
        'GET /jobs/7': [done],
      },
      { tool: jobTool(CARRIES) },
    );
    const id = await home.begun();
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(home.upstream.count('POST /jobs')).toBe(1);
  });

  test.each([
    { name: 'in seconds', headers: { 'retry-after': '20' }, description: CARRIES },
    {
      name: 'where a description says',
      headers: { 'x-wait': '20' },
      description: { ...CARRIES, pace: { after: { header: 'X-Wait' } } },
    },
  ])('is asked for again when a busy upstream wants it, $name', async ({ headers, description }) => {
    const busy: Scripted = { status: 503, headers, json: {} };
    const home: House = await inHouse(
      { 'POST /jobs': [lost], 'GET /jobs': (_request, count) => (count === 1 ? busy : withOurs(home)), 'GET /jobs/7': [done] },
      { tool: jobTool(description) },
    );
    const id = await home.begun();
    await home.clock.advanceUntil(() => home.upstream.count('GET /jobs') === 1);
    await home.clock.advance(19_000);
    expect(home.upstream.count('GET /jobs')).toBe(1);
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(home.upstream.count('GET /jobs')).toBe(2);
  });

  test('is not looked up before a busy upstream wants it, not even at the moment of proof', async () => {
    const busy: Scripted = { status: 503, headers: { 'retry-after': '20' }, json: {} };
    let isBusy = false;
    const home: House = await inHouse(
      { 'POST /jobs': [lost, accepted], 'GET /jobs': () => (isBusy ? busy : absent), 'GET /jobs/7': [done] },
      { tool: jobTool(CARRIES) },
    );
    const id = await home.begun();
    await home.clock.advance(HORIZON_MS - 8_000);
    isBusy = true;
    const before = home.upstream.count('GET /jobs');
    await home.clock.advanceUntil(() => home.upstream.count('GET /jobs') > before);
    const asked = home.upstream.count('GET /jobs');
    isBusy = false;
    await home.clock.advance(19_000);
    expect(home.upstream.count('GET /jobs')).toBe(asked);
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect(await home.outcome(id)).toBe('succeeded');
  });

  test('is proved never to have been created only after the horizon, and is then sent once more, byte for byte', async () => {
    const home = await inHouse(
      { 'POST /jobs': [lost, accepted], 'GET /jobs': [absent], 'GET /jobs/7': [done] },
      { tool: jobTool(CARRIES) },
    );
    const startedAt = home.clock.now();
    const id = await home.begun();
    await home.clock.advance(HORIZON_MS - 1_000);
    expect(home.upstream.count('POST /jobs')).toBe(1);
    expect(home.upstream.count('GET /jobs')).toBeGreaterThan(1);
    expect(await home.life(id)).toBe('SUBMISSION_UNKNOWN');
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    expect(await home.outcome(id)).toBe('succeeded');
    const [first, second, ...more] = home.upstream.requests.filter(({ method }) => method === 'POST');
    expect(more).toEqual([]);
    expect(second).toEqual(first);
    const proofs = (await home.ledger.history(id)).filter(({ event }) => event.type === 'lookup_absent' && event.proof);
    expect(proofs).toHaveLength(1);
    expect(proofs[0]?.event.at).toBeGreaterThan(startedAt + HORIZON_MS);
  });

  test('and that was cancelled meanwhile ends as cancelled by the proof, and is not sent again', async () => {
    const home = await inHouse({ 'POST /jobs': [lost, accepted], 'GET /jobs': [absent] }, { tool: jobTool(CARRIES) });
    const id = await home.begun();
    await home.engine.cancel(id, 'local', { sticky: false });
    await home.clock.advance(HORIZON_MS + 15_000);
    expect(await home.ledger.get(id)).toMatchObject({ life: 'CANCELLED_ACCEPTED', effects: 'NONE', mayExist: false });
    expect(home.upstream.count('POST /jobs')).toBe(1);
  });

  test.each<[string, (home: House) => Scripted, boolean]>([
    ['two jobs carry the key', (home) => ({ status: 200, json: { jobs: [ours(home, '7'), ours(home, '8')] } }), true],
    ['the list goes on', () => ({ status: 200, json: { jobs: [], next: '/jobs?page=2' } }), true],
    ['the list can’t be read', () => ({ status: 500 }), true],
    ['absence proves nothing', () => absent, false],
  ])('ends as unknown when its window is over, where %s', async (_why, answer, authoritative) => {
    const lookup = { url: '/jobs', list: '/jobs', match: { at: '/tag' }, authoritative };
    const home: House = await inHouse(
      { 'POST /jobs': [lost, accepted], 'GET /jobs': () => answer(home) },
      { tool: jobTool({ ...CARRIES, lookup }) },
    );
    const id = await home.begun();
    await home.clock.advance(TIMING.reconcileWindowMs - 5_000);
    expect(await home.life(id)).toBe('SUBMISSION_UNKNOWN');
    await home.clock.advance(10_000);
    expect(await home.ledger.get(id)).toMatchObject({ receipt: { outcome: 'unknown', by: 'deadline' }, effects: 'REQUIRED' });
    expect(home.upstream.count('POST /jobs')).toBe(1);
  });

  test('goes on being looked for after an unknown end: a job that turns up is followed, and its end settles the effects', async () => {
    const home: House = await inHouse(
      { 'POST /jobs': [lost], 'GET /jobs': [{ status: 500 }], 'GET /jobs/7': [done] },
      { tool: jobTool(CARRIES) },
    );
    const id = await home.begun();
    await home.clock.advance(TIMING.reconcileWindowMs + 5_000);
    expect(await home.outcome(id)).toBe('unknown');
    home.upstream.script({ 'GET /jobs': () => withOurs(home) });
    await home.clock.advance(120_000);
    expect(await home.ledger.get(id)).toMatchObject({
      receipt: { outcome: 'unknown' },
      reference: { id: '7' },
      effects: 'SETTLED',
      finding: 'succeeded',
    });
  });
});
