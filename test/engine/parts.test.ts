// Results in several parts, through the real engine: kept as they came, and never in half.

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/core/json.ts';
import { partsIn } from '../../src/core/payload-parts.ts';
import { ANSWERS, DESCRIPTION, houses, jobTool, type Scripted } from './kit.ts';

const inHouse = houses();
const tool = jobTool({ ...DESCRIPTION, result: { url: '/jobs/{id}/result' } });
const WHOLE = '--b\r\nContent-Type: application/json\r\n\r\n{"n":1.10}\r\n--b\r\nContent-ID: <x>\r\n\r\nhello\r\n--b--\r\n';
const answer = (text: string): Scripted => ({ status: 200, headers: { 'content-type': 'multipart/mixed; boundary=b' }, text });

async function fetched(...results: readonly Scripted[]) {
  const house = await inHouse(
    { 'POST /jobs': [ANSWERS.accepted], 'GET /jobs/7': [ANSWERS.done], 'GET /jobs/7/result': results },
    { tool },
  );
  const id = await house.begun();
  await house.clock.advanceUntil(async () => (await house.outcome(id)) !== undefined, { stepMs: 1_000 });
  return { ...house, view: await house.engine.read(id, 'local') };
}

describe('a result in several parts', () => {
  test('is kept as it came: its digest proves every byte, and what is between the parts', async () => {
    const { view } = await fetched(answer(WHOLE));
    const kept = {
      mediaType: 'multipart/mixed',
      encoding: 'base64',
      body: Buffer.from(WHOLE).toString('base64'),
      boundary: 'b',
    } as const;
    expect(view?.payload).toEqual(kept);
    const digest = `sha256:${createHash('sha256').update(canonicalJson(kept)).digest('hex')}`;
    expect(view?.operation.receipt).toMatchObject({ outcome: 'succeeded', matched: { resultDigest: digest } });
    expect(partsIn(kept)).toMatchObject({
      count: 2,
      parts: [
        { payload: { mediaType: 'application/json', body: '{"n":1.10}' } },
        { name: 'x', payload: { mediaType: 'text/plain', body: 'hello' } },
      ],
    });
  });

  test.each([
    ['is cut', WHOLE.slice(0, -6)],
    ['is broken', WHOLE.replace('Content-ID: <x>', 'Content-ID')],
    ['is not there', ''],
  ])('that %s is fetched again', async (_how, half) => {
    const { view, upstream } = await fetched(answer(half), answer(half), answer(WHOLE));
    expect(view?.operation.receipt?.outcome).toBe('succeeded');
    expect(upstream.count('GET /jobs/7/result')).toBe(3);
    expect(Buffer.from(view?.payload?.body ?? '', 'base64').toString()).toBe(WHOLE);
  });

  test('that is always cut ends as unknown, and nothing of it is shown', async () => {
    const { view } = await fetched(answer(WHOLE.slice(0, -6)));
    expect(view?.operation.receipt).toMatchObject({ outcome: 'unknown', reason: expect.stringContaining('cut in part 2') });
    expect(view?.payload).toBeUndefined();
  });
});
