import { expect, test } from 'vitest';
import { answer, object, post, signOf, text } from '../kit.ts';

const sign = (schema: object) => signOf('status-url', 'submit', { '/builds': post({ 200: answer(schema) }) });

test.each(['status_url', 'statusUrl', 'run_url', 'polling_url'])('%s in the answer is a sign', async (name) => {
  expect(await sign(object({ [name]: text }))).toMatchObject({ score: 45, says: `the answer holds a status URL at /${name}` });
});

test('any other URL is none', async () => {
  expect(await sign(object({ avatar_url: text, url: text }))).toBeUndefined();
});
