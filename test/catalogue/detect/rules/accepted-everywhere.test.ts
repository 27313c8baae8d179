import { expect, test } from 'vitest';
import { answer, post, RECEIPT, signOf } from '../kit.ts';

const document = (count: number, code: number) =>
  Object.fromEntries([
    ['/widgets', post({ 202: answer(RECEIPT) })],
    ...Array.from({ length: count }, (_none, at) => [`/others${at}`, { post: { responses: { [code]: answer() } } }]),
  ]);

test('202 says nothing where most operations declare it', async () => {
  expect(await signOf('accepted-everywhere', 'submit', document(9, 202))).toMatchObject({ score: -40 });
});

test('202 says something where few do, or where there are too few to tell', async () => {
  expect(await signOf('accepted-everywhere', 'submit', document(9, 200))).toBeUndefined();
  expect(await signOf('accepted-everywhere', 'submit', document(2, 202))).toBeUndefined();
});
