// What an operator, a caller or a service gets wrong: each is answered clearly, nothing is sent twice, nothing is lost.

import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../demo/gateway.ts';
import { type JobService, startJobs } from '../fixtures/jobs.ts';
import { closing, folder, type GatewayUnderTest, projectFile, serve, until } from './gateway.ts';
import { modern, session, textOf, type Wire } from './wire.ts';

const { keep, closeAll } = closing();
afterAll(closeAll);

const DOCUMENT = projectFile('test/fixtures/jobs.openapi.yaml');
const upstreamAt = (url: string) => `
  jobs:
    document: ${DOCUMENT}
    baseUrl: ${url}
`;

let jobs: JobService;
let gateway: GatewayUnderTest;
let wire: Wire;

beforeAll(async () => {
  jobs = keep(await startJobs(), (it) => it.close());
  gateway = keep(await serve(upstreamAt(jobs.url)), (it) => it.dispose());
  wire = modern(gateway.url);
});
beforeEach(() => jobs.reset());

/** Why the gateway would not start on this. */
async function refusal(upstreams: string, settings = ''): Promise<string> {
  const gateway = await serve(upstreams, { settings }).catch((error: Error) => error.message);
  if (typeof gateway === 'string') return gateway;
  await gateway.dispose();
  throw new Error('the gateway started');
}

/** A task's state once it is no longer working. */
const ended = (taskId: unknown) =>
  until(`the end of ${taskId}`, async () => {
    const { result } = await wire.rpc('tasks/get', { taskId });
    return typeof result['status'] === 'string' && result['status'] !== 'working' && result;
  });

/** How many polls of an operation could not be read, as the gateway logged them. */
const pollsFailed = (operation: unknown): number =>
  gateway.log.filter((line) => line['message'] === 'status could not be read' && line['operation'] === operation).length;

describe('a configuration that is wrong', { timeout: 60_000 }, () => {
  test('is refused with every fault, its line and the mend', async () => {
    const said = await refusal(
      `
  jobs:
    document: ${DOCUMENT}
    baseUrl: ftp://jobs.internal
    credentials: { Key: { env: LONGSHORE_E2E_NOT_SET } }
`,
      'retention: soon\ncolour: blue',
    );
    expect(said).toContain('ended (1) before it was ready');
    expect(said).toMatch(/longshore\.yaml:\d+:\d+ .*retention/);
    expect(said).toMatch(/longshore\.yaml:\d+:\d+ .*colour/);
    expect(said).toMatch(/longshore\.yaml:\d+:\d+ .*baseUrl/);
  });

  test('names the environment variable that is missing', async () => {
    const said = await refusal(`${upstreamAt('http://127.0.0.1:9')}    credentials: { Key: { env: LONGSHORE_E2E_NOT_SET } }\n`);
    expect(said).toMatch(/longshore\.yaml:\d+.*LONGSHORE_E2E_NOT_SET/);
  });

  test('names the document that is missing', async () => {
    expect(await refusal('  jobs: { document: ./nowhere.yaml }\n')).toMatch(/nowhere\.yaml/);
  });
});

describe('a document that is broken', { timeout: 60_000 }, () => {
  const document = async (text: string): Promise<string> => {
    const { path, remove } = await folder();
    keep(path, remove);
    await writeFile(`${path}/broken.yaml`, text);
    return refusal(`  jobs: { document: ${path}/broken.yaml, baseUrl: 'http://127.0.0.1:9' }\n`);
  };

  test('as YAML is refused with its line', async () => {
    expect(await document('openapi: 3.1.0\ninfo: { title: A, version: "1"\npaths: {}\n')).toMatch(/broken\.yaml:\d+/);
  });

  test('as OpenAPI is refused', async () => {
    expect(await document('title: a shopping list\nitems: [milk]\n')).toMatch(/broken\.yaml/);
  });
});

describe('arguments that miss the schema', { timeout: 60_000 }, () => {
  test('are refused by name under every contract, and nothing is sent', async () => {
    const legacy = await session(gateway.url);
    const wrong = { name: 'create_job', arguments: { name: '', colour: 'blue' } };
    const answers = [
      await wire.rpc('tools/call', wrong),
      await modern(gateway.url, { tasks: false }).rpc('tools/call', wrong),
      await legacy.rpc('tools/call', { ...wrong, task: { ttl: 60_000 } }),
      await (await session(gateway.url, {})).rpc('tools/call', wrong),
    ];
    for (const { result, error } of answers) {
      const said = error?.message ?? textOf(result);
      expect(said).toContain('name');
      expect(said).toContain('colour');
      expect(error !== undefined || result['isError']).toBe(true);
    }
    expect(jobs.submits).toHaveLength(0);
  });

  test('a tool that does not exist is named', async () => {
    const { error } = await wire.rpc('tools/call', { name: 'create_jobs', arguments: {} });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('create_jobs') });
  });
});

describe('a task id that names nothing', { timeout: 60_000 }, () => {
  test('is refused in one wording, whatever it looks like', async () => {
    const legacy = await session(gateway.url);
    const messages = new Set<string>();
    for (const taskId of ['op_00000000000000000000000000', 'nonsense', '']) {
      for (const method of ['tasks/get', 'tasks/cancel']) {
        for (const door of [wire, legacy]) {
          const { error } = await door.rpc(method, { taskId });
          expect(error, `${method} ${taskId}`).toMatchObject({ code: -32602 });
          messages.add(error?.message ?? '');
        }
      }
    }
    expect([...messages]).toHaveLength(1);
  });
});

describe('a service that is down', { timeout: 60_000 }, () => {
  test('fails a synchronous call with a sentence, and gets a job once it is up', async () => {
    const port = await freePort();
    const other = keep(await serve(upstreamAt(`http://127.0.0.1:${port}`)), (it) => it.dispose());
    const call = modern(other.url);
    const { result: pong } = await call.rpc('tools/call', { name: 'ping', arguments: {} });
    expect(pong['isError']).toBe(true);
    expect(textOf(pong)).toMatch(/reach|connect/i);

    const { result } = await call.rpc('tools/call', { name: 'create_order', arguments: { name: 'Ada' } });
    const { taskId } = result;
    expect(taskId).toMatch(/^op_/);
    const waiting = await call.rpc('tasks/get', { taskId });
    expect(waiting.result).toMatchObject({ status: 'working', statusMessage: expect.stringMatching(/waiting to be sent/i) });
    const late = keep(await startJobs(port), (it) => it.close());
    late.release();
    const task = await until('the end of the job', async () => {
      const answer = await call.rpc('tasks/get', { taskId });
      return answer.result['status'] === 'completed' && answer.result;
    });
    expect(textOf(task['result'])).toContain('Hello, Ada!');
    expect(late.submits).toHaveLength(1);
  });
});

describe('a service that does not answer a submit', { timeout: 60_000 }, () => {
  test('and knows no keys: the outcome is unknown, and it is not asked again', async () => {
    jobs.manner.submit = 'hangs';
    const { result } = await wire.rpc('tools/call', { name: 'create_order', arguments: { name: 'Ada' } });
    const task = result['resultType'] === 'task' ? await ended(result['taskId']) : { status: 'completed', result };
    expect(task['result']).toMatchObject({ isError: true, structuredContent: { outcome: 'unknown', safeToRepeat: false } });
    expect(textOf(task['result'])).toMatch(/outcome unknown/i);
    expect(jobs.submits).toHaveLength(1);
  });

  test('and knows keys: it is asked again with the same key, and one job comes of it', async () => {
    jobs.manner.submit = 'hangs';
    const call = wire.rpc('tools/call', { name: 'create_job', arguments: { name: 'Ada' } });
    await until('the submit arrives', () => jobs.hanging() === 1);
    jobs.manner.submit = 'answers';
    jobs.release();
    const { result } = await call;
    const task = result['resultType'] === 'task' ? await ended(result['taskId']) : { status: 'completed', result };
    expect(textOf(task['result'])).toContain('Hello, Ada!');
    expect(jobs.namesCreated()).toEqual(['Ada']);
    expect(new Set(jobs.submits.map(({ key }) => key)).size).toBe(1);
    expect(jobs.submits.length).toBeGreaterThan(1);
  });
});

describe('a service that answers with a web page', { timeout: 60_000 }, () => {
  test('to a poll: the job goes on, and ends when the service is itself again', async () => {
    jobs.manner.poll = 'html';
    const { result } = await wire.rpc('tools/call', { name: 'create_job', arguments: { name: 'Ada' } });
    const { taskId } = result;
    await until(
      'a poll is not readable',
      () => gateway.log.filter((line) => line['message'] === 'status could not be read').length >= 2,
    );
    expect((await wire.rpc('tasks/get', { taskId })).result['status']).toBe('working');
    jobs.manner.poll = 'answers';
    jobs.release();
    expect(textOf((await ended(taskId))['result'])).toContain('Hello, Ada!');
    expect(jobs.submits).toHaveLength(1);
  });

  test('to a submit without a key: never a success, and not sent again', async () => {
    jobs.manner.submit = 'html';
    const { result } = await wire.rpc('tools/call', { name: 'create_order', arguments: { name: 'Ada' } });
    const task = result['resultType'] === 'task' ? await ended(result['taskId']) : { status: 'completed', result };
    expect(task['result']).toMatchObject({ isError: true });
    expect(jobs.submits).toHaveLength(1);
  });

  test('to a synchronous call: a tool error that says so', async () => {
    jobs.manner.poll = 'html';
    const { result } = await wire.rpc('tools/call', { name: 'ping', arguments: {} });
    expect(result['isError']).toBe(true);
  });
});

describe('a service that breaks', { timeout: 60_000 }, () => {
  test('while it is polled: the job goes on', async () => {
    jobs.manner.poll = 'breaks';
    const { result } = await wire.rpc('tools/call', { name: 'create_job', arguments: { name: 'Ada' } });
    await until('a poll fails', () => pollsFailed(result['taskId']) >= 1);
    jobs.manner.poll = 'answers';
    jobs.release();
    expect(textOf((await ended(result['taskId']))['result'])).toContain('Hello, Ada!');
  });

  test('a synchronous call is told what it said', async () => {
    jobs.manner.poll = 'breaks';
    const { result } = await wire.rpc('tools/call', { name: 'ping', arguments: {} });
    expect(result['isError']).toBe(true);
    expect(textOf(result)).toContain('out of cheese');
  });
});
