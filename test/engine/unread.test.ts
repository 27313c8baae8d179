// What is remembered of looks that could not be read: the last of each operation, and of no more operations than there is room for.

import { expect, test } from 'vitest';
import type { OperationId } from '../../src/core/ids.ts';
import { Unread } from '../../src/engine/unread.ts';

const id = (number: number) => `op_${number}` as OperationId;

test('a look that could be read forgets why an earlier one could not', () => {
  const unread = new Unread();
  unread.note(id(1), 'answered 503');
  unread.note(id(1), 'answered 403');
  expect(unread.of(id(1))).toBe('answered 403');
  unread.note(id(1), undefined);
  expect(unread.of(id(1))).toBeUndefined();
});

test('the oldest go first once there are more than can be kept', () => {
  const unread = new Unread();
  for (let number = 0; number < 10_000; number++) unread.note(id(number), 'answered 403');
  unread.note(id(0), 'answered 403');
  unread.note(id(10_000), 'answered 403');
  expect([id(0), id(1), id(2), id(10_000)].map((one) => unread.of(one) !== undefined)).toEqual([true, false, true, true]);
});
