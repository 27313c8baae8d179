import { expect, test } from 'vitest';
import { answer, collection, json, object, STATES, signOf, text } from '../kit.ts';

const thing = object({ id: text, status: STATES });
const body = (schema: object) => ({ requestBody: { content: json(schema) } });

test('a state that the caller says is a record', async () => {
  const paths = collection(thing, body(object({ status: STATES })));
  expect(await signOf('set-by-caller', 'makeThing', paths)).toMatchObject({ score: -100 });
});

test('a state that callers change later is one, too', async () => {
  const paths = collection(
    thing,
    {},
    {
      '/things/{id}': {
        get: { operationId: 'getThing', responses: { 200: answer(thing) } },
        patch: {
          operationId: 'changeThing',
          responses: { 200: answer(thing) },
          ...body(object({ status: STATES, note: text })),
        },
      },
    },
  );
  expect(await signOf('set-by-caller', 'makeThing', paths)).toMatchObject({ score: -40 });
});

test('a state that can only be read, or stands there because the whole job does, is none', async () => {
  expect(
    await signOf('set-by-caller', 'makeThing', collection(thing, body(object({ status: { ...STATES, readOnly: true } })))),
  ).toBeUndefined();
  expect(await signOf('set-by-caller', 'makeThing', collection(thing, body(thing)))).toBeUndefined();
});
