import { expect, test } from 'vitest';
import { answer, object, post, RECEIPT, signOf, text } from '../kit.ts';

const sign = (schema: object) => signOf('receipt', 'submit', { '/listen': post({ 200: answer(schema) }) });
const result = object({ words: { type: 'array' }, duration: text, model: text });

test('an answer that is the result or only an id is a sign', async () => {
  expect(await sign({ oneOf: [result, object({ request_id: text })] })).toMatchObject({ score: 30 });
});

test('variants of results, or of receipts, are none', async () => {
  expect(await sign({ oneOf: [result, object({ a: text, b: text, c: text })] })).toBeUndefined();
  expect(await sign({ oneOf: [RECEIPT, object({ uuid: text })] })).toBeUndefined();
});
