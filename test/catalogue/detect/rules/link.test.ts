import { describe, expect, test } from 'vitest';
import { answer, object, RECEIPT, STATES, signOf, text } from '../kit.ts';

const sign = (link: object, status: object = object({ state: STATES })) =>
  signOf('link', 'submit', {
    '/exports': { post: { operationId: 'submit', responses: { 201: answer(RECEIPT, { links: { Follow: link } }) } } },
    '/elsewhere/{id}': { get: { operationId: 'look', responses: { 200: answer(status) } } },
  });

describe('a link', () => {
  test('to what shows a state is a sign, by id and by reference', async () => {
    const parameters = { id: '$response.body#/id' };
    expect(await sign({ operationId: 'look', parameters })).toMatchObject({ score: 90 });
    expect(await sign({ operationRef: '#/paths/~1elsewhere~1{id}/get', parameters })).toMatchObject({ score: 90 });
  });

  test.each([
    ['that takes what the answer does not have', { operationId: 'look', parameters: { id: '$response.body#/job/id' } }],
    ['to an operation that does not exist', { operationId: 'loook', parameters: { id: '$response.body#/id' } }],
    ['that takes nothing', { operationId: 'look' }],
  ])('%s is none', async (_what, link) => {
    expect(await sign(link)).toBeUndefined();
  });

  test('to what shows no state is none', async () => {
    const link = { operationId: 'look', parameters: { id: '$response.body#/id' } };
    expect(await sign(link, object({ title: text }))).toBeUndefined();
  });
});
