import { expect, test } from 'vitest';
import { answer, collection, json, object, STATES, signOf, text } from '../kit.ts';

const thing = object({ id: text, status: STATES });
const change = (more: object = {}) => ({
  operationId: 'changeThing',
  responses: { 200: answer(thing) },
  requestBody: { content: json(object({ title: text })) },
  ...more,
});
const at = (method: string, operation: object) =>
  collection(
    thing,
    {},
    { '/things/{id}': { get: { operationId: 'getThing', responses: { 200: answer(thing) } }, [method]: operation } },
  );

test.each(['put', 'patch', 'post'])('what can be changed by %s is kept', async (method) => {
  expect(await signOf('editable', 'makeThing', at(method, change()))).toMatchObject({ score: -30 });
});

test('a cancel is no change', async () => {
  expect(await signOf('editable', 'makeThing', at('post', change({ operationId: 'cancelThing' })))).toBeUndefined();
});
