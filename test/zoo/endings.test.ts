// What services do now and then, through one real gateway that does not wait for long: quirks that a caller hears of, and what of.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closing } from '../e2e/gateway.ts';
import { HEARD } from './quirks/table.ts';
import { type Species, speciesOf } from './species.ts';
import { follow, type Visit, visit } from './visit.ts';

const { keep, closeAll } = closing();

/** Looked into for a second, and not for a quarter of an hour; `isShort`: and waited for a few seconds, not for a day. */
function hurried(name: string, isShort: boolean): Species {
  const species = speciesOf(name);
  const timing = { consistencyGrace: '200ms', reconcileWindow: '1s', ...(isShort && { waitBudget: '4s' }) };
  return { ...species, name: isShort ? `short-${name}` : name, extension: { ...species.extension, timing } };
}

const INHABITANTS = [...new Set(HEARD.map(({ species }) => species))].flatMap((name) => [
  hurried(name, false),
  hurried(name, true),
]);

let visited: Visit;

beforeAll(async () => {
  visited = keep(await visit(INHABITANTS), (it) => it.close());
}, 90_000);
afterAll(closeAll);

describe.concurrent('what is told of a service', () => {
  test.each(HEARD.map((one) => [one.species, one.quirk, one.does, one.comesTo, one] as const))(
    '%s, quirk-%s, that %s: %s',
    async (called, quirk, _does, comesTo, { says, jobs = 1, isShort = false }) => {
      const name = `quirk-${quirk}`;
      const species = speciesOf(isShort ? `short-${called}` : called, INHABITANTS);
      const { status, text, isError, structured } = await (await follow(visited, species, name)).ended();
      expect(status).toBe('completed');
      for (const words of says) expect(text).toContain(words);
      expect(isError, text).toBe(comesTo === 'failed' || comesTo === 'unknown');
      if (comesTo === 'unknown') expect(structured).toMatchObject({ outcome: 'unknown', safeToRepeat: false });
      else expect(structured ?? {}).not.toHaveProperty('outcome');
      expect(visited.zoo.begun(species.name, name)).toBe(jobs);
      expect(visited.zoo.submits(species.name, name)).toBe(1);
      expect(text).not.toMatch(/signature=|token-of-the-zoo/);
    },
  );

  test.each(['ogc-processes', 'signed-files'])('no job of %s that has ended is said to run still', async (called) => {
    const quirk = called === 'signed-files' ? 'signatures-run-out' : 'never-410';
    const { text } = await (await follow(visited, speciesOf(called, INHABITANTS), `and quirk-${quirk}`)).ended();
    expect(text).toContain('succeeded');
    expect(text).not.toContain('may still be running');
  });
});
