// What services do now and then, through one real gateway: quirks that a caller never hears of.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectExtTasks, type ToolClient } from '../../demo/clients.ts';
import { closing, until } from '../e2e/gateway.ts';
import { modern, session, textOf } from '../e2e/wire.ts';
import { NEXT_TOKEN } from './quirks/status.ts';
import { UNHEARD } from './quirks/table.ts';
import { LARGE } from './results.ts';
import { SPECIES, type Species, speciesOf } from './species.ts';
import { argumentsFor, follow, holds, type Visit, visit } from './visit.ts';

const { keep, closeAll } = closing();

/** Which would look a long time later, if it were told so. */
const PATIENT: Species = {
  ...speciesOf('transcripts'),
  name: 'patient-transcripts',
  extension: { ...speciesOf('transcripts').extension, pace: { interval: '100ms', min: '50ms', max: '20s' } },
};
const INHABITANTS = [...SPECIES, PATIENT];
const named = (name: string): Species => speciesOf(name, INHABITANTS);

let visited: Visit;
let client: ToolClient;

beforeAll(async () => {
  visited = keep(await visit(INHABITANTS), (it) => it.close());
  client = keep(await connectExtTasks(visited.gateway.url, '2026-07-28'), (it) => it.close());
}, 90_000);
afterAll(closeAll);

const call = (species: Species, name: string) => client.callTool(visited.toolOf(species), argumentsFor(species, name));

describe.concurrent('what services do now and then', () => {
  test.each(UNHEARD)('%s, quirk-%s: a service that %s still gives the result, of one job', async (called, quirk) => {
    const name = `quirk-${quirk}`;
    const species = named(called);
    const answer = await call(species, name);
    expect(answer.isError, answer.text).toBe(false);
    expect(holds(answer.text, species, name), answer.text).toBe(true);
    expect(visited.zoo.begun(called, name)).toBe(1);
    expect(visited.zoo.hasty(called, name)).toBe(0);
  });

  test('a step that may not be sent twice is not, where its answer is lost', async () => {
    const species = named('openeo-whole');
    await call(species, 'quirk-step-lost-once');
    expect(visited.zoo.steps(species.name, 'quirk-step-lost-once')).toBe(1);
  });

  // Where one job begins another, the first one's end is a beginning.
  test.each(SPECIES.filter(({ routes }) => !routes.some(({ before }) => before)).map((one) => [one.name, one] as const))(
    'a job of %s that is over at once gives its result',
    async (called, species) => {
      const answer = await call(species, 'quirk-at-once');
      expect(holds(answer.text, species, 'quirk-at-once'), answer.text).toBe(true);
      expect(visited.zoo.begun(called, 'quirk-at-once')).toBe(1);
    },
  );

  test('a job that is over at once, and says how, is not looked at', async () => {
    const species = named('transcripts');
    const answer = await call(species, 'and quirk-at-once');
    expect(answer.text).toContain('hello and quirk-at-once');
    expect(visited.zoo.looks(species.name, 'and quirk-at-once')).toBe(0);
  });

  test.each([
    ['ogc-processes', 30],
    ['fhir-bulk', 50],
    ['request-id-header', 50],
    ['batches', 25],
    ['few-looks-a-second', 60],
  ])('how much is done of a job of %s is told in percent', async (called, percent) => {
    const species = named(called);
    const told: number[] = [];
    const answer = await visited.plainly(species, 'and how far', (progress) => told.push(progress));
    expect(holds(answer, species, 'and how far'), answer).toBe(true);
    expect(told).toContain(percent);
  });

  test('how much is done is never said to be less than before, whatever the service says', async () => {
    const species = named('ogc-processes');
    const told: number[] = [];
    const answer = await visited.plainly(species, 'and quirk-falls', (progress) => told.push(progress));
    expect(holds(answer, species, 'and quirk-falls'), answer).toBe(true);
    expect(told.at(-1)).toBeGreaterThan(0);
    expect(told).toEqual([...new Set(told)].sort((one, other) => one - other));
  });
});

test('a result that is too large to be shown is cut, and its link leads to the whole', async () => {
  const species = named('large-report');
  const wire = modern(visited.gateway.url);
  const { taskId } = (
    await wire.rpc('tools/call', { name: visited.toolOf(species), arguments: argumentsFor(species, 'tower') })
  ).result;
  const result = await until('the job ends', async () => {
    const task = (await wire.rpc('tasks/get', { taskId })).result;
    return task['status'] === 'completed' && task['result'];
  });
  const whole = LARGE.replace('{name}', 'tower');
  expect(textOf(result)).toContain(`[Cut here: the whole is ${whole.length} bytes`);
  const { content } = result as { readonly content: readonly Record<string, unknown>[] };
  const link = content.find(({ type }) => type === 'resource_link');
  expect(link).toMatchObject({ mimeType: 'text/csv', size: whole.length });
  const read = await (await session(visited.gateway.url)).rpc('resources/read', { uri: link?.['uri'] });
  const [one] = read.result['contents'] as readonly { readonly text?: string }[];
  expect(one?.text === whole).toBe(true);
  expect(visited.zoo.begun(species.name, 'tower')).toBe(1);
});

test('no second has more looks than the service bears, however many jobs it has', async () => {
  const species = named('few-looks-a-second');
  const names = ['north', 'east', 'south', 'west'];
  const answers = await Promise.all(names.map((name) => call(species, name)));
  for (const [at, answer] of answers.entries()) expect(holds(answer.text, species, names[at] ?? ''), answer.text).toBe(true);
  expect(names.map((name) => visited.zoo.begun(species.name, name))).toEqual([1, 1, 1, 1]);
  // The service counts when they come: one that was late on its way may fall into the second of the next ones.
  expect(visited.zoo.busiest(species.name)).toBeLessThanOrEqual((species.looksPerSecond ?? 0) + 1);
});

test.each(['handed-over', 'signed-files', 'monitor-elsewhere'])(
  'no credential of %s is shown to another host',
  async (called) => {
    const answer = await call(named(called), 'bridge');
    expect(holds(answer.text, named(called), 'bridge'), answer.text).toBe(true);
    expect(visited.zoo.leaks).toBe(0);
  },
);

test('a job whose credential runs out is followed again once the gateway has the next one', async () => {
  const species = named('transcripts');
  const name = 'quirk-token-runs-out';
  const task = await follow(visited, species, name);
  await until('the credential is refused twice', () => visited.zoo.looks(species.name, name) > 2);
  expect((await task.now()).status).toBe('working');

  visited.env['ZOO_TOKEN'] = NEXT_TOKEN;
  await visited.gateway.stop();
  await visited.gateway.start();

  const { text, isError } = await task.ended();
  expect(isError, text).toBe(false);
  expect(holds(text, species, name), text).toBe(true);
  expect(visited.zoo.begun(species.name, name)).toBe(1);
  expect(JSON.stringify(visited.gateway.log)).not.toContain('token-of-the-zoo');
});

test('no species was asked what it does not know', () => {
  expect(visited.zoo.strangers).toEqual([]);
});
