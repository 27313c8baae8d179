// Every species through one real gateway: its result, its failure, its cancel, and never more than one job.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectExtTasks, connectSdkV1, type ToolClient } from '../../demo/clients.ts';
import { closing } from '../e2e/gateway.ts';
import type { Zoo } from './keeper.ts';
import { SPECIES, type Species } from './species.ts';
import { argumentsFor, cancelled, holds, type Visit, visit } from './visit.ts';

const { keep, closeAll } = closing();
let visited: Visit;
let zoo: Zoo;
let newer: ToolClient;
let older: ToolClient;
let toolOf: Visit['toolOf'];

beforeAll(async () => {
  visited = keep(await visit(), (it) => it.close());
  ({ zoo, toolOf } = visited);
  newer = keep(await connectExtTasks(visited.gateway.url, '2026-07-28'), (it) => it.close());
  older = keep(await connectSdkV1(visited.gateway.url), (it) => it.close());
}, 90_000);
afterAll(closeAll);

const named = (species: readonly Species[]) => species.map((one) => [one.name, one] as const);

describe.concurrent('a job', () => {
  test.each(named(SPECIES))('of %s gives its result, and is one job', async (_name, species) => {
    const answer = await newer.callTool(toolOf(species), argumentsFor(species, 'bridge'));
    expect(answer.isError, answer.text).toBe(false);
    expect(holds(answer.text, species, 'bridge'), answer.text).toBe(true);
    expect(zoo.begun(species.name, 'bridge')).toBe(1);
    const steps = species.routes.filter(({ step }) => step === true).length;
    expect(zoo.steps(species.name, 'bridge')).toBe(steps);
    if (species.calls === undefined) expect(zoo.looks(species.name, 'bridge')).toBeGreaterThan(1);
  });

  test.each(named(SPECIES))('of %s that failed says why, in its own words', async (_name, species) => {
    const answer = await older.callTool(toolOf(species), argumentsFor(species, 'broken'));
    expect(answer.text).toContain(species.failure);
    expect(answer.isError).toBe(true);
    expect(zoo.begun(species.name, 'broken')).toBe(1);
  });

  test.each(named(SPECIES.filter(({ cancel }) => cancel)))('of %s is cancelled', async (_name, species) => {
    expect(await cancelled(visited, species)).toBe('cancelled');
  });
});

test('there are species of every pattern, and none was asked what it does not know', () => {
  expect(SPECIES.length).toBeGreaterThanOrEqual(24);
  const patterns = new Set(SPECIES.map(({ pattern }) => pattern));
  for (const pattern of ['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7', 'P8', 'P9', 'P10', 'P11', 'P12', 'P13', 'P14'])
    expect(patterns).toContain(pattern);
  expect(zoo.strangers).toEqual([]);
});
