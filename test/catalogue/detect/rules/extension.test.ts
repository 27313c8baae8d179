import { expect, test } from 'vitest';
import { answer, findingOf, post, signOf } from '../kit.ts';

test('an extension that says long-running is believed, whatever the operation is called', async () => {
  const paths = {
    '/machines/{id}/stop': post({ 200: answer() }, { operationId: 'stopMachine', 'x-ms-long-running-operation': true }),
  };
  expect(await signOf('extension', 'stopMachine', paths)).toMatchObject({
    score: 100,
    pointer: '/paths/~1machines~1{id}~1stop/post/x-ms-long-running-operation',
  });
});

test('an extension that says otherwise is no sign', async () => {
  const paths = { '/machines': post({ 200: answer() }, { 'x-ms-long-running-operation': false }) };
  expect(await signOf('extension', 'submit', paths)).toBeUndefined();
});

test('options that name the monitor’s header make it a description', async () => {
  const paths = {
    '/machines': post(
      { 202: answer() },
      {
        'x-ms-long-running-operation': true,
        'x-ms-long-running-operation-options': { 'final-state-via': 'azure-async-operation' },
      },
    ),
  };
  const { description, lacks } = await findingOf('submit', paths);
  expect(description).toMatchObject({
    handle: { headers: ['operation-location', 'azure-asyncoperation'] },
    state: { at: '/status' },
  });
  expect(lacks).toBeUndefined();
});

test.each<[string, 'put' | 'post', object | undefined, object | undefined]>([
  ['of a PUT is at its own address', 'put', undefined, { self: true }],
  ['of a POST is not', 'post', undefined, undefined],
  ['is where the options say: the original', 'post', { 'final-state-via': 'original-uri' }, { self: true }],
  ['is where the options say: a header', 'put', { 'final-state-via': 'location' }, undefined],
])('the final state %s', async (_what, method, options, result) => {
  const { post: operation } = post(
    { 202: answer() },
    {
      operationId: 'submit',
      'x-ms-long-running-operation': true,
      ...(options && { 'x-ms-long-running-operation-options': options }),
    },
  ) as { readonly post: object };
  const { description } = await findingOf('submit', { '/machines': { [method]: operation } });
  expect(description.result).toEqual(result);
});
