// A success whose result is not there, where one is required: on the real engine and virtual time.

import { expect, test } from 'vitest';
import { ANSWERS, DESCRIPTION, houses, jobTool, type Scripted } from './kit.ts';

const inHouse = houses();
const tool = jobTool({ ...DESCRIPTION, result: { at: '/result', required: true } });
const empty: Scripted = { status: 200, json: { status: 'succeeded', result: null, data_removed: true } };

async function ended(...looks: readonly Scripted[]) {
  const house = await inHouse({ 'POST /jobs': [ANSWERS.accepted], 'GET /jobs/7': looks }, { tool });
  const id = await house.begun();
  await house.clock.advanceUntil(async () => (await house.outcome(id)) !== undefined, { stepMs: 1_000 });
  return house.engine.read(id, 'local');
}

test('a success without its result is no success: nobody can say, and the reason is told', async () => {
  const view = await ended(empty);
  expect(view?.operation.receipt).toMatchObject({
    outcome: 'unknown',
    reason: expect.stringContaining('the upstream gave no result at /result'),
  });
  expect(view?.payload).toBeUndefined();
});

test('a result that is written only after the end was shown is taken then', async () => {
  const view = await ended(empty, empty, ANSWERS.done);
  expect(view?.operation.receipt?.outcome).toBe('succeeded');
  expect(view?.payload?.body).toBe('{"n":1}');
});
