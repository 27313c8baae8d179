import { expect, test } from 'vitest';
import { answer, post, signOf } from '../kit.ts';

const sign = (path: string, more: object) =>
  signOf('wording', String((more as { operationId: string }).operationId), { [path]: post({ 200: answer() }, more) });

test.each([
  ['/exports', { operationId: 'create' }, 15],
  ['/things', { operationId: 'startThing' }, 10],
  ['/things', { operationId: 'create', summary: 'Starts a thing' }, 10],
  ['/things', { operationId: 'makeThingAsync' }, 10],
  ['/jobs', { operationId: 'submitJob' }, 25],
])('%s %o is worded as a job', async (path, more, score) => {
  expect(await sign(path, more)).toMatchObject({ score });
});

test('other words are no sign', async () => {
  expect(await sign('/customers', { operationId: 'createCustomer', summary: 'Creates a customer' })).toBeUndefined();
});
