import { describe, expect, test } from 'vitest';
import { answer, object, post, STATES, signOf, text } from '../kit.ts';

const headers = (name: string) => ({ headers: { [name]: { schema: text } } });
const sign = (responses: object, more: object = {}, others: object = {}) =>
  signOf('handle-header', 'submit', { '/exports': post(responses, more), ...others });

describe('a header that holds a URL', () => {
  test.each(['Location', 'Content-Location', 'Operation-Location', 'Azure-AsyncOperation'])(
    'beside 202 is a sign: %s',
    async (name) => {
      expect(await sign({ 202: answer(undefined, headers(name)) })).toMatchObject({ score: 80 });
    },
  );

  test('beside 201 is how every creation is answered', async () => {
    expect(await sign({ 201: answer(undefined, headers('Location')) })).toMatchObject({ score: 30 });
  });

  test('beside 201 is a sign where the job shows a state, or the caller may ask for it', async () => {
    const created = { 201: answer(undefined, headers('Location')) };
    const status = {
      '/exports/{id}': { get: { operationId: 'look', responses: { 200: answer(object({ status: STATES })) } } },
    };
    expect(await sign(created, {}, status)).toMatchObject({ score: 80 });
    expect(await sign(created, { parameters: [{ in: 'header', name: 'Prefer', schema: text }] })).toMatchObject({ score: 80 });
  });

  test('beside 200 is none', async () => {
    expect(await sign({ 200: answer(undefined, headers('Location')) })).toBeUndefined();
  });
});
