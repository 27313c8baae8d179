// Every species through one real gateway: its result, its failure, its cancel, and never more than one job.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectExtTasks, connectSdkV1, type ToolClient } from '../../demo/clients.ts';
import { closing, type GatewayUnderTest, until } from '../e2e/gateway.ts';
import { modern } from '../e2e/wire.ts';
import type { Zoo } from './keeper.ts';
import { SPECIES, type Species } from './species.ts';
import { argumentsFor, holds, type Visit, visit } from './visit.ts';

const { keep, closeAll } = closing();
let zoo: Zoo;
let gateway: GatewayUnderTest;
let newer: ToolClient;
let older: ToolClient;
let toolOf: Visit['toolOf'];

beforeAll(async () => {
  ({ zoo, gateway, toolOf } = keep(await visit(), (it) => it.close()));
  newer = keep(await connectExtTasks(gateway.url, '2026-07-28'), (it) => it.close());
  older = keep(await connectSdkV1(gateway.url), (it) => it.close());
}, 90_000);
afterAll(closeAll);

const named = (species: readonly Species[]) => species.map((one) => [one.name, one] as const);

describe.concurrent('a job', () => {
  test.each(named(SPECIES))('of %s gives its result, and is one job', async (_name, species) => {
    const answer = await newer.callTool(toolOf(species), argumentsFor(species, 'bridge'));
    expect(answer.isError, answer.text).toBe(false);
    expect(holds(answer.text, species, 'bridge'), answer.text).toBe(true);
    expect(zoo.begun(species.name, 'bridge')).toBe(1);
    if (species.calls === undefined) expect(zoo.looks(species.name, 'bridge')).toBeGreaterThan(1);
  });

  test.each(named(SPECIES))('of %s that failed says why, in its own words', async (_name, species) => {
    const answer = await older.callTool(toolOf(species), argumentsFor(species, 'broken'));
    expect(answer.text).toContain(species.failure);
    expect(answer.isError).toBe(true);
    expect(zoo.begun(species.name, 'broken')).toBe(1);
  });

  test.each(named(SPECIES.filter(({ cancel }) => cancel)))('of %s is cancelled', async (_name, species) => {
    const wire = modern(gateway.url);
    const { result } = await wire.rpc('tools/call', { name: toolOf(species), arguments: argumentsFor(species, 'endless') });
    const taskId = result['taskId'];
    await until('the job is looked at', () => zoo.looks(species.name, 'endless') > 0);
    expect((await wire.rpc('tasks/cancel', { taskId })).error).toBeUndefined();
    const status = await until('the task ends', async () => {
      const task = (await wire.rpc('tasks/get', { taskId })).result;
      return task['status'] === 'working' ? undefined : task['status'];
    });
    expect(status).toBe('cancelled');
  });
});

describe.concurrent('what services do now and then', () => {
  const species = SPECIES.find(({ name }) => name === 'transcripts') as Species;

  test.each([
    ['answers 503 once', 'quirk-503'],
    ['answers 429 once', 'quirk-429'],
    ['answers 401 once', 'quirk-401'],
    ['is not visible at once', 'quirk-404'],
    ['sends half of an answer', 'quirk-truncated'],
    ['sends an empty answer', 'quirk-empty'],
    ['sends a login page', 'quirk-html'],
    ['hangs up', 'quirk-hangup'],
    ['says Retry-After: 0', 'quirk-retry-after-zero'],
    ['says Retry-After: -5', 'quirk-retry-after-negative'],
    ['says Retry-After: 0.1', 'quirk-retry-after-decimal'],
    ['says Retry-After with a date that is past', 'quirk-retry-after-past'],
    ['says Retry-After: soon', 'quirk-retry-after-word'],
    ['says Retry-After: 99999999999', 'quirk-retry-after-huge'],
    ['forgets the job for a moment', 'quirk-vanishes'],
    ['writes its words in capitals', 'quirk-shouting'],
    ['has a word that nobody knows', 'quirk-news'],
  ])('a service that %s still gives the result, of one job', async (_what, name) => {
    const answer = await newer.callTool(toolOf(species), argumentsFor(species, name));
    expect(answer.isError, answer.text).toBe(false);
    expect(answer.text).toContain(`hello ${name}`);
    expect(zoo.begun(species.name, name)).toBe(1);
  });

  test.each(['html', 'truncated', 'empty', 'hangup', '400', '401', '404', '409', '424', '503'])(
    'a service whose result is at first %s still gives it',
    async (how) => {
      const apart = SPECIES.find(({ name }) => name === 'ogc-processes') as Species;
      const name = `quirk-fetch-${how}`;
      const answer = await newer.callTool(toolOf(apart), argumentsFor(apart, name));
      expect(holds(answer.text, apart, name), answer.text).toBe(true);
      expect(zoo.begun(apart.name, name)).toBe(1);
    },
  );

  test.each(named(SPECIES.filter(({ calls }) => calls)))(
    '%s: a callback that comes before the answer to the submit is taken',
    async (_name, caller) => {
      const answer = await newer.callTool(toolOf(caller), argumentsFor(caller, 'quirk-early'));
      expect(holds(answer.text, caller, 'quirk-early'), answer.text).toBe(true);
      expect(zoo.begun(caller.name, 'quirk-early')).toBe(1);
    },
  );

  test('a job that is over at once is not looked at', async () => {
    const answer = await newer.callTool(toolOf(species), argumentsFor(species, 'quirk-at-once'));
    expect(answer.text).toContain('hello quirk-at-once');
    expect(zoo.looks(species.name, 'quirk-at-once')).toBe(0);
  });
});

test('there are species of every pattern, and none was asked what it does not know', () => {
  expect(SPECIES.length).toBeGreaterThanOrEqual(24);
  const patterns = new Set(SPECIES.map(({ pattern }) => pattern));
  for (const pattern of ['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7', 'P8', 'P9', 'P10', 'P11', 'P12', 'P13', 'P14'])
    expect(patterns).toContain(pattern);
  expect(zoo.strangers).toEqual([]);
});
