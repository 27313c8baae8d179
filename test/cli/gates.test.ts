// `longshore gates` as commander runs it, over a real admin API in front of the real engine on virtual time.

import { describe, expect, test } from 'vitest';
import { registerGates } from '../../src/cli/gates.ts';
import { desk, TOKEN } from '../http/admin-kit.ts';
import { runnerOf } from './admin-kit.ts';

const longshore = runnerOf('gates', registerGates);

const scripts = {
  'POST /jobs': [{ status: 202, json: { id: '7', status: 'queued' } }],
  'GET /jobs/7': [{ status: 200, json: { status: 'running' } }],
};
const SET = ['set', 'http-202@1', '2026-07-28', 'drain', '--reason', 'the contract changed'];

describe('longshore gates', () => {
  test('lists the matrix, with what is closed since when, why, and what still lives under it', async () => {
    const { origin, home } = await desk(scripts, { gates: {} });
    await home.begun();
    await longshore(origin, SET);
    const since = new Date(home.clock.now()).toISOString().replace('T', ' ').slice(0, 19);
    const { code, stdout } = await longshore(origin, ['list']);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'http-202@1 × 2025-11-25   open',
      `http-202@1 × 2026-07-28   drain   since ${since} UTC   the contract changed   1 operation still live`,
      'http-202@1 × none         open',
      '',
    ]);
  });

  test('set says what is so now; history says who did what, newest first', async () => {
    const { origin } = await desk(scripts, { gates: {} });
    expect(await longshore(origin, SET)).toEqual({
      code: 0,
      stdout: 'http-202@1 × 2026-07-28 is drain now, at epoch 2. What was started before goes on.\n',
      stderr: '',
    });
    const canary = [
      'set',
      'http-202@1',
      '2026-07-28',
      'canary',
      '--share',
      '0.1',
      '--upstream',
      'reports',
      '--reason',
      'trying',
    ];
    await longshore(origin, [...canary, '--actor', 'grace']);
    const { stdout } = await longshore(origin, ['history']);
    expect(stdout.split('\n').map((line) => line.replace(/ {3}\d{4}-.*UTC/, ''))).toEqual([
      'http-202@1 × 2026-07-28 (upstream reports)   canary 0.1   epoch 3   grace   trying',
      'http-202@1 × 2026-07-28                      drain        epoch 2   ada   the contract changed',
      '',
    ]);
  });

  test('prints the admin API’s JSON when asked', async () => {
    const { origin } = await desk(scripts, { gates: {} });
    const { stdout } = await longshore(origin, [...SET, '--json']);
    expect(JSON.parse(stdout).gate).toMatchObject({ gate: 'http-202@1 × 2026-07-28', mode: 'drain', actor: 'ada', epoch: 2 });
  });

  test('says that nothing was answered in shadow, and that no gate was changed', async () => {
    const { origin } = await desk(scripts, { gates: {} });
    expect((await longshore(origin, ['shadows'])).stdout).toBe('Nothing was answered in shadow.\n');
    expect((await longshore(origin, ['history'])).stdout).toBe('No gate was ever changed.\n');
  });

  test.each([
    [
      'a mode that is none',
      ['set', 'http-202@1', '2026-07-28', 'shut', '--reason', 'x'],
      2,
      /There is no mode shut; there are open, canary/,
    ],
    ['no reason', SET.slice(0, 4), 2, /--reason/],
    ['a share that is none', [...SET, '--share', 'half'], 2, /Write a number from 0 to 1/],
    [
      'an adapter that is none',
      ['set', 'http-404@1', ...SET.slice(2)],
      1,
      /there is no adapter http-404@1: there is http-202@1/,
    ],
  ])('refuses %s', async (_what, words, code, said) => {
    const { origin } = await desk(scripts, { gates: {} });
    const ran = await longshore(origin, words);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringMatching(said)]);
  });

  test('names nobody by itself', async () => {
    const { origin } = await desk(scripts, { gates: {} });
    const ran = await longshore(origin, SET, { env: { ADMIN: TOKEN } });
    expect([ran.code, ran.stderr]).toEqual([2, 'Nobody is named: say who you are with --actor.\n']);
  });
});
