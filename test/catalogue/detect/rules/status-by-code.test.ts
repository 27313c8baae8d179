import { expect, test } from 'vitest';
import { answer, findingOf, object, post, RECEIPT, signOf } from '../kit.ts';

const paths = (responses: object) => ({
  '/statements': post({ 202: answer(RECEIPT) }),
  '/statements/{id}': { get: { operationId: 'look', responses } },
});

test('a status that is answered 202 until it is done is a sign, and needs no word', async () => {
  const both = paths({ 200: answer(object({ rows: {} })), 202: answer(RECEIPT) });
  expect(await signOf('status-by-code', 'submit', both)).toMatchObject({ score: 60 });
  expect(await findingOf('submit', both)).toMatchObject({
    verdict: 'asynchronous',
    description: { status: { operation: 'look' } },
  });
  expect((await findingOf('submit', both)).lacks).toBeUndefined();
});

test('a status that is only ever answered 200 is none', async () => {
  expect(await signOf('status-by-code', 'submit', paths({ 200: answer(object({ rows: {} })) }))).toBeUndefined();
});
