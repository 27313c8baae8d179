import { describe, expect, test } from 'vitest';
import { answer, collection, findingOf, json, object, post, STATES, signOf, text } from '../kit.ts';

const sign = (more: object) => signOf('callback', 'submit', { '/listen': post({ 200: answer() }, more) });
const bodyOf = (name: string) => ({ requestBody: { content: json(object({ [name]: text })) } });

describe('being called back', () => {
  test.each([
    ['a callback object', { callbacks: { done: { '{$request.body#/url}': { post: { responses: {} } } } } }],
    ['a parameter', { parameters: [{ in: 'query', name: 'callback', schema: text }] }],
    ['webhook_url in the body', bodyOf('webhook_url')],
    ['StatusCallback in the body', bodyOf('StatusCallback')],
  ])('is a sign: %s', async (_what, more) => {
    expect(await sign(more)).toMatchObject({ score: 40 });
  });

  test('is not any address', async () => {
    expect(await sign(bodyOf('audio_url'))).toBeUndefined();
  });

  test('is not a callback that is taken by what only reads', async () => {
    const parameters = [{ in: 'query', name: 'callback', schema: text }];
    const paths = {
      '/listen': post({ 200: answer() }, { parameters }),
      '/lists': { get: { operationId: 'list', parameters, responses: { 200: answer() } } },
    };
    expect(await signOf('callback', 'submit', paths)).toBeUndefined();
  });

  test('adds less where there is a status to ask', async () => {
    const thing = object({ id: text, status: STATES });
    expect(await signOf('callback', 'makeThing', collection(thing, bodyOf('webhook')))).toMatchObject({ score: 25 });
  });

  test('alone is not followed', async () => {
    expect((await findingOf('submit', { '/listen': post({ 200: answer() }, bodyOf('webhook')) })).lacks).toBe(
      'its end is told by a callback only, which is not followed without a status',
    );
  });
});
