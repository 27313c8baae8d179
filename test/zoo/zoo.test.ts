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

const speciesOf = (name: string): Species => {
  const found = SPECIES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no ${name} in the zoo`);
  return found;
};
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

/** A species, a quirk, and what is wanted of it: the result, of one job. */
const QUIRKS: readonly (readonly [species: string, quirk: string, does: string])[] = [
  // -- the submit
  ['transcripts', 'busy', 'is too busy for the first submit'],
  ['run-that-says-when', 'in-progress', 'runs something else, and says so by a 409'],
  ['keyed-exports', 'lost-submit', 'makes the job, and its answer is lost: a key finds it again'],
  ['runs-by-our-id', 'lost-submit', 'makes the job under our id, and its answer is lost: it is put there again'],
  ['callback-only', 'lost-submit', 'makes the job, and its answer is lost: the callback tells of it'],
  // -- where the job is asked for
  ['arm-location', 'moves', 'names a new address with the first look'],
  ['arm-location', 'misleads', 'names an address on a host of somebody else'],
  // -- what it is given
  ['bulk-ingest', 'step-lost', 'takes the rows, and its answer is lost'],
  ['openeo-whole', 'step-lost', 'begins, and its answer is lost'],
  // -- the look
  ['transcripts', '503', 'answers 503 once'],
  ['transcripts', '429', 'answers 429 once'],
  ['transcripts', '401', 'answers 401 once'],
  ['transcripts', '404', 'does not show the job at once'],
  ['transcripts', 'truncated', 'sends half of an answer'],
  ['transcripts', 'empty', 'sends an empty answer'],
  ['transcripts', 'html', 'sends a login page'],
  ['transcripts', 'hangup', 'hangs up'],
  ['transcripts', 'vanishes', 'forgets the job for a moment'],
  ['transcripts', 'shouting', 'writes its words in capitals'],
  ['transcripts', 'news', 'has a word that nobody knows'],
  ['transcripts', 'backwards', 'goes back to an earlier state'],
  // -- the result
  ...['html', 'truncated', 'empty', 'hangup', '400', '401', '404', '409', '424', '503'].map(
    (how) => ['ogc-processes', `fetch-${how}`, `at first answers ${how} where the result is`] as const,
  ),
  // -- when to look again
  ['transcripts', 'retry-after-zero', 'says Retry-After: 0'],
  ['transcripts', 'retry-after-negative', 'says Retry-After: -5'],
  ['transcripts', 'retry-after-decimal', 'says Retry-After: 0.1'],
  ['transcripts', 'retry-after-past', 'says Retry-After with a date that is past'],
  ['transcripts', 'retry-after-word', 'says Retry-After: soon'],
  ['transcripts', 'retry-after-huge', 'says Retry-After: 99999999999'],
  // -- the callback
  ...['callback-only', 'callback-as-hint', 'callback-beside-polls'].flatMap((caller) =>
    [
      ['early', 'calls back before it answers the submit'],
      ['twice', 'calls back twice'],
      ['reordered', 'calls back with news after the end'],
      ['forged', 'is imitated by somebody without the secret, before it calls back'],
    ].map(([quirk = '', does = '']) => [caller, quirk, does] as const),
  ),
  ['callback-by-token', 'alias', 'calls back with an id that its answer did not name'],
  ['callback-as-hint', '404', 'calls back before the job can be seen'],
  ['callback-beside-polls', 'lost-callback', 'does not call back'],
];

describe.concurrent('what services do now and then', () => {
  test.each(QUIRKS)('%s, quirk-%s: a service that %s still gives the result, of one job', async (called, quirk) => {
    const name = `quirk-${quirk}`;
    const species = speciesOf(called);
    const answer = await newer.callTool(toolOf(species), argumentsFor(species, name));
    expect(answer.isError, answer.text).toBe(false);
    expect(holds(answer.text, species, name), answer.text).toBe(true);
    expect(zoo.begun(called, name)).toBe(1);
  });

  test('a step that may not be sent twice is not, where its answer is lost', async () => {
    const species = speciesOf('openeo-whole');
    await newer.callTool(toolOf(species), argumentsFor(species, 'quirk-step-lost-once'));
    expect(zoo.steps(species.name, 'quirk-step-lost-once')).toBe(1);
  });

  // Where one job begins another, the first one's end is a beginning.
  test.each(named(SPECIES.filter(({ routes }) => !routes.some(({ before }) => before))))(
    'a job of %s that is over at once gives its result',
    async (called, species) => {
      const answer = await newer.callTool(toolOf(species), argumentsFor(species, 'quirk-at-once'));
      expect(holds(answer.text, species, 'quirk-at-once'), answer.text).toBe(true);
      expect(zoo.begun(called, 'quirk-at-once')).toBe(1);
    },
  );

  test('a job that is over at once, and says how, is not looked at', async () => {
    const species = speciesOf('transcripts');
    const answer = await newer.callTool(toolOf(species), argumentsFor(species, 'and quirk-at-once'));
    expect(answer.text).toContain('hello and quirk-at-once');
    expect(zoo.looks(species.name, 'and quirk-at-once')).toBe(0);
  });
});

test('there are species of every pattern, and none was asked what it does not know', () => {
  expect(SPECIES.length).toBeGreaterThanOrEqual(24);
  const patterns = new Set(SPECIES.map(({ pattern }) => pattern));
  for (const pattern of ['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7', 'P8', 'P9', 'P10', 'P11', 'P12', 'P13', 'P14'])
    expect(patterns).toContain(pattern);
  expect(zoo.strangers).toEqual([]);
});
