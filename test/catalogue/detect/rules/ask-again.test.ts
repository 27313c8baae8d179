import { describe, expect, test } from 'vitest';
import { answer, findingOf, findingsOf, object, post, RECEIPT } from '../kit.ts';

const rows = answer(object({ rows: {} }));
const stats = (responses: object) => ({ '/stats/{id}': { get: { operationId: 'getStats', responses } } });

describe('a GET that is answered 202', () => {
  test('until there is something is asked again', async () => {
    const finding = await findingOf('getStats', stats({ 200: rows, 202: answer() }));
    expect(finding).toMatchObject({ verdict: 'asynchronous', description: { status: { method: 'GET', url: '/stats/{id}' } } });
    expect(finding.evidence[0]).toMatchObject({ rule: 'ask-again', score: 70 });
    expect(finding.lacks).toBeUndefined();
  });

  test('and never anything else is not', async () => {
    expect((await findingOf('getStats', stats({ 202: answer() }))).verdict).toBe('synchronous');
  });

  test('as the status of something else starts nothing', async () => {
    const found = await findingsOf({
      '/reports': post({ 202: answer(RECEIPT) }),
      '/reports/{id}': { get: { operationId: 'look', responses: { 200: rows, 202: answer() } } },
    });
    expect(found.get('submit')?.verdict).toBe('asynchronous');
    expect(found.get('look')).toMatchObject({
      verdict: 'synchronous',
      serves: [expect.objectContaining({ operationId: 'submit' })],
    });
  });
});
