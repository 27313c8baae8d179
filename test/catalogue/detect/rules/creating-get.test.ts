import { expect, test } from 'vitest';
import { answer, object, signOf, text } from '../kit.ts';

const get = (code: number) => ({
  '/report/generate': { get: { operationId: 'generateReport', responses: { [code]: answer(object({ report_url: text })) } } },
});

test('a GET that is answered 201 is a sign', async () => {
  expect(await signOf('creating-get', 'generateReport', get(201))).toMatchObject({ score: 30 });
});

test('a GET that is answered 200 is none', async () => {
  expect(await signOf('creating-get', 'generateReport', get(200))).toBeUndefined();
});
