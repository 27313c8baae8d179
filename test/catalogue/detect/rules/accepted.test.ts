import { expect, test } from 'vitest';
import { answer, object, post, RECEIPT, signOf, text } from '../kit.ts';

const sign = (responses: object) => signOf('accepted', 'submit', { '/imports': post(responses) });

test.each([
  ['an id', RECEIPT, 45],
  ['the id of something', object({ run_id: text }), 45],
  ['a URL', object({ url: text }), 45],
  ['an id inside an envelope', object({ data: RECEIPT }), 45],
  ['a message', object({ message: text }), 15],
  ['nothing', undefined, 15],
])('202 with %s', async (_what, schema, score) => {
  expect(await sign({ 202: answer(schema) })).toMatchObject({ score });
});

test('200 is no sign', async () => {
  expect(await sign({ 200: answer(RECEIPT) })).toBeUndefined();
});
