// docs/quirks.md names what the zoo does, all of it, and nothing else.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { projectFile } from '../e2e/gateway.ts';
import { CANCELS } from './quirks/cancel-table.ts';
import { HEARD, UNHEARD } from './quirks/table.ts';
import { SPECIES } from './species.ts';

/** Everything in code spans of the second columns. */
const NAMED = readFileSync(projectFile('docs/quirks.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| what is done'))
  .flatMap((line) => [...(line.split(' | ')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
const DONE = [...UNHEARD.map(([, quirk]) => quirk), ...HEARD.map(({ quirk }) => quirk), ...CANCELS];
/** Played by a test of their own, and for every species. */
const ALSO = ['at-once', 'token-runs-out', 'held', 'not-yet-cancelable'];

test('every switch of the zoo is on the page, and every one on the page is in the zoo', () => {
  const switches = NAMED.filter((name) => name.startsWith('quirk-')).map((name) => name.slice('quirk-'.length));
  expect([...new Set(switches)].sort()).toEqual([...new Set([...DONE, ...ALSO])].sort());
});

test('every species on the page lives in the zoo', () => {
  const species = NAMED.filter((name) => !name.startsWith('quirk-') && !name.startsWith('state.'));
  expect(species.length).toBeGreaterThan(40);
  const living = SPECIES.map(({ name }) => name);
  expect(species.filter((name) => !living.includes(name))).toEqual([]);
});
