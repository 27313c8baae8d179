import { expect, test } from 'vitest';
import { answer, collection, object, STATES, signOf, text } from '../kit.ts';

const thing = object({ id: text, status: STATES });

test('an operation that cancels it is a sign', async () => {
  const paths = collection(
    thing,
    {},
    { '/things/{id}/cancel': { post: { operationId: 'cancelThing', responses: { 200: answer() } } } },
  );
  expect(await signOf('cancel', 'makeThing', paths)).toMatchObject({ score: 20 });
});

test('without one there is none', async () => {
  expect(await signOf('cancel', 'makeThing', collection(thing))).toBeUndefined();
});
