// Canary and shadow on the real process, as an operator works them: by the command line, over a kill -9.

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type JobService, startJobs } from '../fixtures/jobs.ts';
import { closing, folder, type GatewayUnderTest, projectFile, serve, until } from './gateway.ts';
import { modern, operationOf, session, textOf } from './wire.ts';

const { keep, closeAll } = closing();
const TOKEN = 'a-token-for-operators-in-tests';
const GATE = 'http-202@1';
const NAMES = Array.from({ length: 24 }, (_, n) => `n-${n}`);
let jobs: JobService;
let gateway: GatewayUnderTest;
let config: string;

beforeAll(async () => {
  jobs = keep(await startJobs(), (it) => it.close());
  const upstreams = `\n  jobs:\n    document: ${projectFile('test/fixtures/jobs.openapi.yaml')}\n    baseUrl: ${jobs.url}\n`;
  const settings = 'limits: { inlineWait: 0s }\nadmin: { token: { env: ADMIN } }';
  gateway = keep(await serve(upstreams, { settings, env: { ADMIN: TOKEN } }), (it) => it.dispose());
  const place = keep(await folder(), (it) => it.remove());
  config = join(place.path, 'longshore.yaml');
  await writeFile(config, `admin: { token: { env: ADMIN } }\nupstreams:${upstreams}`);
}, 60_000);
beforeEach(() => jobs.reset());
afterAll(closeAll);

/** As an operator types it. */
async function longshore(...words: readonly string[]): Promise<string> {
  const args = [projectFile('src/main.ts'), ...words, '--config', config, '--url', gateway.base];
  const env = { ...process.env, ADMIN: TOKEN, USER: 'ada' };
  return (await promisify(execFile)(process.execPath, args, { env })).stdout;
}
const set = (contract: string, ...mode: readonly string[]) =>
  longshore('gates', 'set', GATE, contract, ...mode, '--reason', 'trying it');

/** As a program asks. */
async function admin(path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${gateway.base}/admin/v1${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
  return (await response.json()) as Record<string, unknown>;
}
const trackedAs = (word: string) =>
  until(`the shadow is ${word}`, async () => JSON.stringify((await admin('/gates/shadows'))['items']).includes(`"${word}"`));

/** Which of the calls are made tasks under 2026-07-28; the others are answered with a handle. */
async function tasksOf(names: readonly string[]): Promise<string[]> {
  const wire = modern(gateway.url);
  const made = names.map(async (name) => {
    const { result } = await wire.rpc('tools/call', { name: 'create_job', arguments: { name } });
    if (result['resultType'] === 'task') return [name];
    expect(operationOf(result)).toMatch(/^op_/);
    return [];
  });
  return (await Promise.all(made)).flat();
}

/** The same under 2025-11-25, where the others are told to call without a task. */
async function tasksOfSession(names: readonly string[]): Promise<string[]> {
  const wire = await session(gateway.url);
  const made = names.map(async (name) => {
    const { result, error } = await wire.rpc('tools/call', { name: 'create_job', arguments: { name }, task: {} });
    if (result['task'] !== undefined) return [name];
    expect(error).toMatchObject({ code: -32601, message: expect.stringContaining('call it again without params.task') });
    return [];
  });
  return (await Promise.all(made)).flat();
}

describe('a canary', { timeout: 90_000 }, () => {
  test('judges the same call the same way: again, after a kill, and through either contract; a larger share admits more', async () => {
    await set('2026-07-28', 'canary', '--share', '0.5');
    const first = await tasksOf(NAMES);
    // A half of two dozen, which is never exactly a half: what a name comes to depends on the name alone.
    expect(first.length).toBeGreaterThan(5);
    expect(first.length).toBeLessThan(19);
    expect(await tasksOf(NAMES)).toEqual(first);
    await gateway.kill9();
    await gateway.start();
    expect(await tasksOf(NAMES)).toEqual(first);
    await set('2025-11-25', 'canary', '--share', '0.5');
    expect(await tasksOfSession(NAMES)).toEqual(first);
    await set('2026-07-28', 'canary', '--share', '0.8');
    const more = await tasksOf(NAMES);
    expect(more.length).toBeGreaterThan(first.length);
    expect(first.filter((name) => !more.includes(name))).toEqual([]);
    for (const contract of ['2025-11-25', '2026-07-28']) await set(contract, 'open');
    expect(await tasksOf(NAMES.slice(0, 4))).toEqual(NAMES.slice(0, 4));
  });
});

describe('a shadow', { timeout: 90_000 }, () => {
  test('gives the caller what the service said, and shows the operator what came of it, also after a kill', async () => {
    await set('2026-07-28', 'shadow');
    const { result } = await modern(gateway.url).rpc('tools/call', { name: 'create_job', arguments: { name: 'Ada' } });
    expect(result).toMatchObject({ resultType: 'complete' });
    expect(JSON.parse(textOf(result))).toEqual({ id: 'j-1', status: 'running' });
    await trackedAs('WORKING');
    const shown = await longshore('gates', 'shadows');
    expect(shown).toMatch(/op_\w+ {2}create_job\n {2}the caller got {3}HTTP 202 {2}\{"id":"j-1","status":"running"\}\n/);
    expect(shown).toMatch(/\n1 answered in shadow: 1 working\.\n$/);

    await gateway.kill9();
    await gateway.start();
    jobs.release();
    await trackedAs('succeeded');
    expect(await longshore('gates', 'shadows')).toContain('\n1 answered in shadow: 1 succeeded.\n');
    const items = (await admin('/gates/shadows'))['items'] as readonly { readonly operation: string }[];
    expect(items).toMatchObject([
      {
        tool: 'create_job',
        contract: '2026-07-28',
        answered: { status: 202, excerpt: '{"id":"j-1","status":"running"}' },
        tracked: { life: 'ACCEPTED', outcome: 'succeeded' },
      },
    ]);
    // The same over the admin API, where the one operation shows both sides.
    expect(await admin(`/operations/${items[0]?.operation}`)).toMatchObject({
      state: 'succeeded',
      shadow: { status: 202, excerpt: '{"id":"j-1","status":"running"}' },
      receipt: { outcome: 'succeeded' },
    });
    expect(jobs.submits).toHaveLength(1);
  });
});
