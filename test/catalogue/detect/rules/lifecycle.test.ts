import { expect, test } from 'vitest';
import { answer, object, STATES, signOf, text } from '../kit.ts';

const thing = object({ id: text, status: STATES });
const paths = (name: string) => ({
  [`/${name}`]: { post: { operationId: 'make', responses: { 200: answer(thing) } } },
  [`/${name}/{id}`]: { get: { operationId: 'look', responses: { 200: answer(thing) } } },
});

test.each(['payments', 'payment_intents', 'orders', 'statuses'])('%s have states without being jobs', async (name) => {
  expect(await signOf('lifecycle', 'make', paths(name))).toMatchObject({ score: -30 });
});

test.each(['renders', 'payment_runs', 'order-exports'])('%s are jobs', async (name) => {
  expect(await signOf('lifecycle', 'make', paths(name))).toBeUndefined();
});
