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
