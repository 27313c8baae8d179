import { describe, expect, test } from 'vitest';
import { answer, object, post, RECEIPT, STATES, signOf, text } from '../kit.ts';

const status = (schema: object = object({ status: STATES })) => ({
  get: { operationId: 'look', responses: { 200: answer(schema) } },
});
const sign = (paths: object) => signOf('status-resource', 'submit', paths);

describe('a status elsewhere', () => {
  test('is a sign where it shows the item of what was made', async () => {
    expect(await sign({ '/tasks': post({ 200: answer(RECEIPT) }), '/tasks/{id}': status() })).toMatchObject({ score: 60 });
  });

  test('is a sign beside what is done, if that is accepted', async () => {
    const paths = (code: number) => ({
      '/disks/{id}/wipe': { post: { operationId: 'submit', responses: { [code]: answer() } } },
      '/disks/{id}/status': status(object({ completed_at: text })),
    });
    expect(await sign(paths(202))).toMatchObject({ score: 60 });
    expect(await sign(paths(200))).toBeUndefined();
  });

  test('is none for an item without a state', async () => {
    expect(
      await sign({ '/tags': post({ 200: answer(RECEIPT) }), '/tags/{id}': status(object({ name: text })) }),
    ).toBeUndefined();
  });
});
