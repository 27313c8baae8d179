import { expect, test } from 'vitest';
import { answer, collection, object, STATES, signOf, text } from '../kit.ts';

const thing = object({ id: text, status: STATES });

test('a result apart from the status is a sign', async () => {
  const paths = collection(
    thing,
    {},
    { '/things/{id}/results': { get: { operationId: 'getResults', responses: { 200: answer() } } } },
  );
  expect(await signOf('result', 'makeThing', paths)).toMatchObject({ score: 10 });
});

test('a result inside the status is none', async () => {
  expect(await signOf('result', 'makeThing', collection(thing))).toBeUndefined();
});
