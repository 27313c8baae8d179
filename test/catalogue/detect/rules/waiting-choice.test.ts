import { describe, expect, test } from 'vitest';
import { answer, findingOf, json, object, post, RECEIPT, signOf, text } from '../kit.ts';

const flag = { type: 'boolean' };
const query = (name: string, schema: object = flag) => ({ parameters: [{ in: 'query', name, schema }] });
const bodyOf = (properties: object) => ({ requestBody: { content: json(object(properties)) } });
const sign = (more: object, schema: object | undefined = RECEIPT) =>
  signOf('waiting-choice', 'submit', { '/statements': post({ 200: answer(schema) }, more) });

describe('a choice whether to wait', () => {
  test.each([
    ['async in the query', query('async')],
    ['wait_for_completion', query('wait_for_completion')],
    ['a time to wait', query('wait_timeout', text)],
    ['background in the body', bodyOf({ background: flag })],
    ['Prefer', { parameters: [{ in: 'header', name: 'Prefer', schema: text, description: 'respond-async' }] }],
  ])('is a sign: %s', async (_what, more) => {
    expect(await sign(more)).toMatchObject({ score: 60 });
  });

  test.each([
    ['a background that is a colour', bodyOf({ background: text })],
    [
      'a Prefer about what is returned',
      { parameters: [{ in: 'header', name: 'Prefer', schema: text, description: 'return=minimal' }] },
    ],
    ['any other flag', query('verbose')],
  ])('is not %s', async (_what, more) => {
    expect(await sign(more)).toBeUndefined();
  });

  test('says less where there is nothing to ask after', async () => {
    expect(await sign(query('async'), object({ ok: flag }))).toMatchObject({ score: 30 });
  });

  test('is made for the caller, and makes the call optional', async () => {
    const paths = {
      '/statements': post({ 200: answer(RECEIPT), 202: answer(RECEIPT) }, query('async')),
      '/statements/{id}': {
        get: { operationId: 'look', responses: { 200: answer(object({ rows: {} })), 202: answer(RECEIPT) } },
      },
    };
    expect(await findingOf('submit', paths)).toMatchObject({
      description: { submit: { query: { async: 'true' } }, status: { operation: 'look' } },
      taskSupport: 'optional',
      why: 'it answers at once or later, as async in the query says',
    });
  });
});
