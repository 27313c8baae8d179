import { describe, expect, test } from 'vitest';
import { answer, object, post, signOf, text } from '../kit.ts';

const sign = (schema: object, path = '/reports', id = 'submit') =>
  signOf('long-running-operation', id, { [path]: post({ 200: answer(schema) }, { operationId: id }) });
const done = { type: 'boolean' };

describe('a long-running operation', () => {
  test('is known by its members', async () => {
    expect(await sign(object({ name: text, done, error: {}, response: {} }))).toMatchObject({ score: 100 });
    expect(await sign({ allOf: [object({ name: text, done, response: {} })] })).toMatchObject({ score: 100 });
  });

  test.each([
    ['without an end', object({ name: text, error: {} })],
    ['whose end is a time', object({ name: text, done: text, error: {} })],
    ['without a name', object({ done, error: {}, response: {} })],
    ['without an outcome', object({ name: text, done })],
  ])('is not what is %s', async (_what, schema) => {
    expect(await sign(schema)).toBeUndefined();
  });

  test('that is read, waited for or cancelled starts none', async () => {
    const schema = object({ name: text, done, error: {}, response: {} });
    expect(await sign(schema, '/v1/operations/{name}:wait', 'waitOperation')).toBeUndefined();
    expect(await sign(schema, '/v1/operations/{name}:cancel', 'cancelOperation')).toBeUndefined();
  });
});
