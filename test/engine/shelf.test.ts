import { expect, test } from 'vitest';
import type { Payload } from '../../src/core/outcome.ts';
import { ANSWERS, houses } from './kit.ts';

const inHouse = houses();
const photo: Payload = { mediaType: 'image/png', encoding: 'base64', body: 'A'.repeat(40_000) };
const DAY_MS = 24 * 3_600_000;

test('what is kept is read by its caller alone, also by the next process, and goes after a day', async () => {
  const house = await inHouse({ 'POST /jobs': [ANSWERS.accepted] });
  const name = await house.engine.shelf.keep(photo, 'ada');
  expect(await house.engine.shelf.keep(photo, 'ada')).toBe(name);
  expect(await house.engine.shelf.keep(photo, 'bob')).not.toBe(name);
  await house.crash();
  expect(await house.engine.shelf.read(name, 'ada')).toEqual(photo);
  for (const other of ['bob', '']) expect(await house.engine.shelf.read(name, other)).toBeUndefined();
  await house.clock.advance(DAY_MS + 3_600_000);
  await house.ledger.expire(house.clock.now(), 100);
  expect(await house.engine.shelf.read(name, 'ada')).toBeUndefined();
});

test('a result of a job, and what is no name, are not found there', async () => {
  const house = await inHouse({});
  await house.ledger.blobs.put(`sha256:${'a'.repeat(64)}`, JSON.stringify(photo));
  for (const name of ['a'.repeat(64), 'b'.repeat(64), '', '../x', 'sha256:x']) {
    expect(await house.engine.shelf.read(name, 'local')).toBeUndefined();
  }
});
