// What services do now and then, through one real gateway that does not wait for long: quirks that a caller hears of, and what it
// is told, by whichever door it came.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAndWait, connectPlain, connectSdkV1, type ToolAnswer, type ToolClient } from '../../demo/clients.ts';
import { closing } from '../e2e/gateway.ts';
import { HEARD, type Heard } from './quirks/table.ts';
import { type Species, speciesOf } from './species.ts';
import { argumentsFor, follow, type Visit, visit } from './visit.ts';

const { keep, closeAll } = closing();

/** What a caller is given in the end. */
type Given = Pick<ToolAnswer, 'text' | 'isError' | 'structured'>;
const DOORS = ['Tasks of 2026-07-28', 'Tasks of 2025-11-25', 'a call that waits'] as const;
const CASES = HEARD.flatMap((one) => DOORS.map((door) => [one.species, one.quirk, one.does, door, one] as const));

/**
 * A species for one case alone, which is looked into for a second, and not for a quarter of an hour; `isShort`: and waited for a few
 * seconds, not for a day. A service that answers outside its protocol for long is given no new calls, so that none is shared.
 */
function alone({ species: name, quirk, isShort }: Heard, door: number): Species {
  const species = speciesOf(name);
  const timing = { consistencyGrace: '200ms', reconcileWindow: '1s', ...(isShort && { waitBudget: '4s' }) };
  return { ...species, name: `${name}-${quirk}-${door}`, extension: { ...species.extension, timing } };
}

const INHABITANTS = HEARD.flatMap((heard) => DOORS.map((_door, at) => alone(heard, at)));

let visited: Visit;
let older: ToolClient;
let plain: ToolClient;

beforeAll(async () => {
  visited = keep(await visit(INHABITANTS), (it) => it.close());
  older = keep(await connectSdkV1(visited.gateway.url), (it) => it.close());
  plain = keep(await connectPlain(visited.gateway.url), (it) => it.close());
}, 90_000);
afterAll(closeAll);

async function through(door: (typeof DOORS)[number], species: Species, name: string): Promise<Given> {
  const args = argumentsFor(species, name);
  if (door === 'Tasks of 2025-11-25') return older.callTool(visited.toolOf(species), args);
  if (door === 'a call that waits') return callAndWait(plain, visited.toolOf(species), args);
  const task = await (await follow(visited, species, name)).ended();
  expect(task.status).toBe('completed');
  return task;
}

describe.concurrent('what is told of a service', () => {
  test.each(CASES)('%s, quirk-%s, that %s, through %s', async (called, quirk, _does, door, heard) => {
    const { comesTo, says, jobs = 1 } = heard;
    const name = `quirk-${quirk}`;
    const species = speciesOf(`${called}-${quirk}-${DOORS.indexOf(door)}`, INHABITANTS);
    const { text, isError, structured } = await through(door, species, name);
    for (const words of says) expect(text).toContain(words);
    expect(isError, text).toBe(comesTo === 'failed' || comesTo === 'unknown');
    const isUnknown = { outcome: 'unknown', safeToRepeat: false };
    if (comesTo === 'unknown' && door !== 'Tasks of 2025-11-25') expect(structured).toMatchObject(isUnknown);
    expect(text.startsWith('Outcome unknown.')).toBe(comesTo === 'unknown');
    if (says.includes('succeeded')) expect(text).not.toContain('may still be running');
    expect(visited.zoo.begun(species.name, name)).toBe(jobs);
    expect(visited.zoo.submits(species.name, name)).toBe(1);
    expect(text).not.toMatch(/signature=|token-of-the-zoo/);
  });
});

test('and nothing was asked where it was not to be', () => {
  expect(visited.zoo.strangers).toEqual([]);
  expect(visited.zoo.leaks).toBe(0);
});
