// Documents as published by others, which are not part of this repository: LONGSHORE_SHARED names the folder that has them.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { connectExtTasks, connectSdkV1 } from '../../demo/clients.ts';
import { systemClock } from '../../src/clock.ts';
import { SPEECH_TOKEN, startSpeech } from '../fixtures/speech.ts';
import { startTes, TES_TOKEN } from '../fixtures/tes.ts';
import { closing, projectFile, serve, until } from './gateway.ts';
import { modern, toolNames } from './wire.ts';

const SHARED = resolve(process.env['LONGSHORE_SHARED'] ?? projectFile('../shared'), 'specs');
const TES = `${SHARED}/ga4gh-tes.yaml`;
const SPEECH = `${SHARED}/google-speech.v2beta1.oas3.json`;

const { keep, closeAll } = closing();
afterAll(closeAll);

/** Made when first needed, and shared. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

for (const document of [TES, SPEECH].filter((path) => !existsSync(path))) {
  console.warn(`skipped: there is no ${document}; LONGSHORE_SHARED names the folder above specs/`);
}
/** Runs where the document is. */
const testWith = (document: string) => test.skipIf(!existsSync(document));

describe('the Task Execution Service of GA4GH', () => {
  const setting = once(async () => {
    const tes = keep(await startTes({ clock: systemClock, durationMs: 800 }), (it) => it.close());
    const upstreams = `
  tes:
    document: ${TES}
    overlays: [${projectFile('specs/overlays/ga4gh-tes.overlay.yaml')}]
    baseUrl: ${tes.url}/ga4gh/tes/v1
    credentials: { BearerAuth: { env: TES_TOKEN } }
    defaults: { pace: { interval: 200ms, min: 100ms } }
`;
    const gateway = keep(await serve(upstreams, { env: { TES_TOKEN } }), (it) => it.dispose());
    return { tes, gateway };
  });

  testWith(TES)('a task runs through its states to COMPLETE, and the result is its full view', async () => {
    const { tes, gateway } = await setting();
    const before = tes.jobsCreated();
    const client = keep(await connectExtTasks(gateway.url, '2026-07-28'), (it) => it.close());
    const answer = await client.callTool('create_task', { executors: [{ image: 'ubuntu:24.04', command: ['true'] }] });
    expect(answer.isError, answer.text).toBe(false);
    expect(JSON.parse(answer.text)).toMatchObject({
      id: 'job-0000001',
      state: 'COMPLETE',
      logs: [{ logs: [{ exit_code: 0 }] }],
    });
    expect(tes.jobsCreated() - before).toBe(1);
    expect(gateway.process().output()).not.toContain(TES_TOKEN);
  });

  testWith(TES)('an executor that fails is a failure, not a success', async () => {
    const { gateway } = await setting();
    const client = keep(await connectSdkV1(gateway.url), (it) => it.close());
    const answer = await client.callTool('create_task', { executors: [{ image: 'ubuntu:24.04', command: ['false'] }] });
    expect(answer.isError).toBe(true);
  });

  testWith(TES)('a cancel goes through CANCELING to cancelled', async () => {
    const { gateway } = await setting();
    const wire = modern(gateway.url);
    const { result } = await wire.rpc('tools/call', {
      name: 'create_task',
      arguments: { executors: [{ image: 'ubuntu:24.04', command: ['sleep', '60'] }] },
    });
    const taskId = result['taskId'];
    await until('the job runs', () =>
      gateway.log.some((line) => line['event'] === 'submit_accepted' && line['operation'] === taskId),
    );
    expect((await wire.rpc('tasks/cancel', { taskId })).error).toBeUndefined();
    await until(
      'the task is cancelled',
      async () => (await wire.rpc('tasks/get', { taskId })).result['status'] === 'cancelled',
    );
  });

  testWith(TES)('the operations that only serve a task are no tools', async () => {
    const { gateway } = await setting();
    const names = await toolNames(modern(gateway.url));
    expect(names.sort()).toEqual(['create_task', 'list_tasks']);
  });
});

describe('Speech-to-Text of Google', () => {
  const setting = once(async () => {
    const speech = keep(await startSpeech({ clock: systemClock, durationMs: 600 }), (it) => it.close());
    const upstreams = `
  speech:
    document: ${SPEECH}
    overlays: [${projectFile('specs/overlays/google-speech.overlay.yaml')}]
    baseUrl: ${speech.url}
    credentials: { Oauth2c: { env: SPEECH_TOKEN } }
    defaults: { pace: { interval: 200ms, min: 100ms } }
`;
    const gateway = keep(await serve(upstreams, { env: { SPEECH_TOKEN } }), (it) => it.dispose());
    const tool = (await toolNames(modern(gateway.url))).find((name) => name.includes('recognize')) ?? '';
    return { speech, gateway, tool };
  });

  testWith(SPEECH)('an operation whose name has slashes is followed to its response', async () => {
    const { speech, gateway, tool } = await setting();
    const before = speech.jobsCreated();
    const client = keep(await connectExtTasks(gateway.url, '2025-11-25'), (it) => it.close());
    const answer = await client.callTool(tool, {
      config: { languageCode: 'en-US' },
      audio: { uri: 'gs://bucket/bridge.flac' },
    });
    expect(answer.isError, answer.text).toBe(false);
    expect(answer.text).toContain('how old is the Brooklyn Bridge');
    expect(speech.jobsCreated() - before).toBe(1);
    expect(gateway.process().output()).not.toContain(SPEECH_TOKEN);
  });

  testWith(SPEECH)('an error in an answer of 200 is a failure', async () => {
    const { gateway, tool } = await setting();
    const client = keep(await connectExtTasks(gateway.url, '2026-07-28'), (it) => it.close());
    const answer = await client.callTool(tool, {
      config: { languageCode: 'en-US' },
      audio: { uri: 'gs://bucket/night.silent' },
    });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('The audio has no speech.') });
  });
});
