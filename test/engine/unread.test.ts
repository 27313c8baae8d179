// What is remembered of looks that could not be read, of no more operations than there is room for, and who is told.

import { expect, test } from 'vitest';
import type { OperationId } from '../../src/core/ids.ts';
import { Unread } from '../../src/engine/unread.ts';
import { ANSWERS, houses } from './kit.ts';

const inHouse = houses();
const { accepted, running, done } = ANSWERS;

const id = (number: number) => `op_${number}` as OperationId;

test('a look that could be read forgets why an earlier one could not', () => {
  const unread = new Unread();
  unread.note(id(1), 'answered 503', 1_000);
  unread.note(id(1), 'answered 403', 2_000);
  expect(unread.of(id(1))).toEqual({ count: 2, since: 1_000, why: 'answered 403' });
  unread.note(id(1), undefined, 3_000);
  expect(unread.of(id(1))).toBeUndefined();
});

test('the oldest go first once there are more than can be kept', () => {
  const unread = new Unread();
  for (let number = 0; number < 10_000; number++) unread.note(id(number), 'answered 403', number);
  unread.note(id(0), 'answered 403', 10_000);
  unread.note(id(10_000), 'answered 403', 10_001);
  expect([id(0), id(1), id(2), id(10_000)].map((one) => unread.of(one) !== undefined)).toEqual([true, false, true, true]);
});

test('whoever looks into an operation is told of the looks that could not be read, until one can', async () => {
  const denied = { status: 403, json: { error: { message: 'no access' } } };
  const home = await inHouse({ 'POST /jobs': [accepted], 'GET /jobs/7': [running, denied, denied, denied, running, done] });
  const id = await home.begun();
  await home.clock.advanceUntil(() => home.upstream.count('GET /jobs/7') === 1);
  expect((await home.engine.inspect(id))?.unread).toBeUndefined();
  await home.clock.advanceUntil(() => home.upstream.count('GET /jobs/7') === 2);
  const since = (await home.engine.inspect(id))?.unread?.since;
  await home.clock.advanceUntil(() => home.upstream.count('GET /jobs/7') === 4);
  expect((await home.engine.inspect(id))?.unread).toEqual({ count: 3, since, why: expect.stringContaining('403') });
  await home.clock.advanceUntil(() => home.upstream.count('GET /jobs/7') === 5);
  expect((await home.engine.inspect(id))?.unread).toBeUndefined();
  await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
  expect(await home.outcome(id)).toBe('succeeded');
});
