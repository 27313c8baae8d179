import { describe, expect, test } from 'vitest';
import { collection, object, STATES, signOf, text, words } from '../kit.ts';

const sign = (thing: object) => signOf('schema-identity', 'makeThing', collection(thing));

describe('an answer that is what a GET shows', () => {
  test.each([
    ['a state that begins, goes on and ends', object({ id: text, status: STATES }), 70],
    [
      'the same inside an envelope',
      object({ data: object({ id: text, attributes: object({ name: text, status: STATES }) }) }),
      70,
    ],
    [
      'a state with a prefix',
      object({ id: text, state: words('JOB_STATE_PENDING', 'JOB_STATE_SUCCEEDED', 'JOB_STATE_FAILED') }),
      70,
    ],
    ['words of two kinds', object({ id: text, status: words('pending', 'succeeded') }), 50],
    [
      'words in a description',
      object({ id: text, status: { type: 'string', description: 'One of `pending`, `succeeded` and `failed`.' } }),
      55,
    ],
    ['a status, and how it ended', object({ id: text, status: text, conclusion: text }), 55],
    ['a flag', object({ id: text, is_running: { type: 'boolean' } }), 50],
    ['a state of any words', object({ id: text, state: text }), 35],
  ])('is a sign by %s', async (_what, thing, score) => {
    expect(await sign(thing)).toMatchObject({ score });
  });

  test.each([
    ['no state', object({ id: text, title: text })],
    ['a state that never ends', object({ id: text, status: words('active', 'archived') })],
    ['an HTTP status', object({ id: text, status: { type: 'integer' } })],
  ])('is none by %s', async (_what, thing) => {
    expect(await sign(thing)).toBeUndefined();
  });

  test('points to the state in the document', async () => {
    expect(await sign(object({ id: text, status: STATES }))).toMatchObject({
      pointer: '/paths/~1things~1{thing_id}/get/responses/200/content/application~1json/schema/properties/status',
    });
  });
});
