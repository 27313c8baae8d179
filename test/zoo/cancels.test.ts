// Cancels that are refused, lost, or come too late, through one real gateway.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closing, until } from '../e2e/gateway.ts';
import { session, textOf } from '../e2e/wire.ts';
import { LATE, SAID, STOPPED } from './quirks/cancel-table.ts';
import { CANCELABLE_AFTER } from './quirks/status.ts';
import { type Species, speciesOf } from './species.ts';
import { argumentsFor, type Followed, follow, holds, type Visit, visit } from './visit.ts';

const { keep, closeAll } = closing();
const NAMES = ['predictions', 'ogc-processes', 'aip-151', 'run-that-says-when'] as const;
const INHABITANTS: readonly Species[] = NAMES.map((name) => {
  const species = speciesOf(name);
  return { ...species, extension: { ...species.extension, timing: { consistencyGrace: '300ms' } } };
});
const named = (name: string) => speciesOf(name, INHABITANTS);

let visited: Visit;

beforeAll(async () => {
  visited = keep(await visit(INHABITANTS), (it) => it.close());
}, 90_000);
afterAll(closeAll);

/** Starts a job that does not end by itself, and cancels it once it was looked at. */
async function cancelledJob(species: Species, name: string): Promise<Followed> {
  const task = await follow(visited, species, name);
  await until('the job is looked at', () => visited.zoo.looks(species.name, name) > 0);
  await task.cancel();
  await until('the cancel has come', () => visited.zoo.cancels(species.name, name) > 0);
  return task;
}

describe.concurrent('a cancel', () => {
  test.each(SAID)('of %s that is answered with %s says so, and the job gives its result', async (called, how, says) => {
    const species = named(called);
    const name = `endless quirk-cancel-${how}`;
    const task = await cancelledJob(species, name);
    await until('the answer is told', async () => (await task.now()).text.includes(says));
    expect((await task.now()).status).toBe('working');

    visited.zoo.end(called, name);
    const { status, text, isError } = await task.ended();
    expect([status, isError], text).toEqual(['completed', false]);
    expect(holds(text, species, name), text).toBe(true);
    expect(visited.zoo.begun(called, name)).toBe(1);
  });

  test.each(LATE)('of %s that comes too late (%s) leaves the job what it is: succeeded', async (called, quirk) => {
    const species = named(called);
    const name = `endless quirk-${quirk}`;
    const { status, text, isError } = await (await cancelledJob(species, name)).ended();
    expect([status, isError], text).toEqual(['completed', false]);
    expect(holds(text, species, name), text).toBe(true);
    expect(visited.zoo.begun(called, name)).toBe(1);
  });

  test.each(LATE)(
    'of %s that comes too late (%s) stands through 2025-11-25, and says what it missed',
    async (called, quirk) => {
      const species = named(called);
      const name = `endless and quirk-${quirk}`;
      const wire = await session(visited.gateway.url);
      const params = { name: visited.toolOf(species), arguments: argumentsFor(species, name), task: {} };
      const { taskId } = (await wire.rpc('tools/call', params)).result['task'] as { readonly taskId: string };
      await until('the job is looked at', () => visited.zoo.looks(species.name, name) > 0);
      expect((await wire.rpc('tasks/cancel', { taskId })).result).toMatchObject({ status: 'cancelled' });
      const said = await until('what became of the job is found', async () => {
        const { status, statusMessage } = (await wire.rpc('tasks/get', { taskId })).result;
        expect(status).toBe('cancelled');
        return String(statusMessage).includes('all the same') && String(statusMessage);
      });
      expect(said).toContain('The job succeeded at the service all the same; what it gave was not used');
      expect(textOf((await wire.rpc('tasks/result', { taskId })).result)).not.toContain(species.result.replace('bridge', name));
      expect(visited.zoo.begun(called, name)).toBe(1);
    },
  );

  test.each(STOPPED)(
    'of %s whose answer is lost or tells nothing (%s) and that %s ends as cancelled',
    async (called, quirk) => {
      const name = `endless quirk-${quirk}`;
      const task = await cancelledJob(named(called), name);
      expect((await task.ended()).status).toBe('cancelled');
      if (quirk === 'cancel-lost') expect(visited.zoo.cancels(called, name)).toBe(2);
      expect(visited.zoo.begun(called, name)).toBe(1);
    },
  );

  test('of a job that says that it can not be cancelled yet waits until it says otherwise', async () => {
    const species = named('run-that-says-when');
    const name = 'endless quirk-not-yet-cancelable';
    const task = await follow(visited, species, name);
    await until('the job is looked at', () => visited.zoo.looks(species.name, name) > 0);
    await task.cancel();
    expect((await task.ended()).status).toBe('cancelled');
    expect(visited.zoo.cancels(species.name, name)).toBe(1);
    expect(visited.zoo.looks(species.name, name)).toBeGreaterThan(CANCELABLE_AFTER);
  });

  test('of a job whose name nobody knows yet is sent as soon as the service has named it', async () => {
    const species = named('predictions');
    const name = 'endless quirk-held';
    const called = follow(visited, species, name);
    await until('the submit is under way', () => visited.zoo.submits(species.name, name) > 0);
    const task = await called;
    await task.cancel();
    expect(visited.zoo.cancels(species.name, name)).toBe(0);
    visited.zoo.letGo(species.name, name);
    expect((await task.ended()).status).toBe('cancelled');
    expect(visited.zoo.cancels(species.name, name)).toBe(1);
    expect(visited.zoo.begun(species.name, name)).toBe(1);
  });
});
