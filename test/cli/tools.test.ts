// `longshore tools` as commander runs it, over a real admin API in front of the real engine on virtual time.

import { describe, expect, test } from 'vitest';
import { registerTools } from '../../src/cli/tools.ts';
import { SAMPLE_MIN } from '../../src/core/durations.ts';
import { jobTool, type Script } from '../engine/kit.ts';
import { type Desk, desk } from '../http/admin-kit.ts';
import { runnerOf } from './admin-kit.ts';

const longshore = runnerOf('tools', registerTools);
const accepted: Script = (_request, count) => ({ status: 202, json: { id: `j${count}`, status: 'queued' } });
const running = { status: 200, json: { status: 'running' } };
const done = { status: 200, json: { status: 'succeeded', result: { n: 1 } } };
const slow = [...Array.from({ length: 30 }, () => running), done];
const looks = Object.fromEntries(Array.from({ length: SAMPLE_MIN }, (_, n) => [`GET /jobs/j${n + 1}`, slow]));

async function measured(): Promise<Desk> {
  const at = await desk({ 'POST /jobs': accepted, ...looks }, { durations: true, tool: { ...jobTool(), measured: true } });
  for (let n = 0; n < SAMPLE_MIN; n += 1) await at.home.begun({ n });
  await at.home.clock.advance(300_000);
  return at;
}

describe('longshore tools', () => {
  test('lists what every job says about Tasks, how long its jobs took, and why', async () => {
    const { origin } = await measured();
    const { code, stdout } = await longshore(origin, ['list']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^start_job {3}required {4}moves {3}30 jobs: [\d.]+ s in the middle, 19 of 20 under [\d.]+ s\n {2}its last 30 jobs .*; described\n$/,
    );
  });

  test('moves says when, from where to where, and by what, newest first', async () => {
    const { origin } = await measured();
    const { stdout } = await longshore(origin, ['moves']);
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\d [\d:]{8} UTC {3}start_job {3}optional → required {3}30 jobs: .* {3}position 1\n$/);
    const { items } = JSON.parse((await longshore(origin, ['moves', '--json'])).stdout);
    expect(items).toMatchObject([{ tool: 'start_job', from: 'optional', to: 'required', measured: { jobs: SAMPLE_MIN } }]);
    expect((await longshore(origin, ['moves', '--before', '1'])).stdout).toBe('No tool was ever moved.\n');
  });

  test('says of a tool that was described that it stays, and of one without enough jobs that it will move', async () => {
    const described = await desk({}, { durations: true });
    expect((await longshore(described.origin, ['list'])).stdout).toMatch(/^start_job {3}optional {4}stays\n/);
    const young = await desk({}, { durations: true, tool: { ...jobTool(), measured: true } });
    expect((await longshore(young.origin, ['list'])).stdout).toMatch(
      /^start_job {3}optional {4}moves, once enough jobs have succeeded\n/,
    );
  });

  test('refuses a page that is none', async () => {
    const { origin } = await desk({}, { durations: true });
    expect(await longshore(origin, ['moves', '--limit', 'many'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('limit must be'),
    });
  });
});
