import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CLIENTS, type ClientKey } from './client-table.ts';
import { projectFile } from './gateway.ts';

test('every client of the table is proved by one file, and by no other', () => {
  const folder = projectFile('test/e2e');
  const sources = readdirSync(folder)
    .filter((name) => /^clients-.*\.test\.ts$/.test(name))
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    .filter((source) => source.includes('proves('));
  expect(sources.length).toBeGreaterThan(3);
  const times = (key: string) => sources.reduce((sum, source) => sum + source.split(`'${key}'`).length - 1, 0);
  const keys = Object.keys(CLIENTS) as ClientKey[];
  expect(Object.fromEntries(keys.map((key) => [key, times(key)]))).toEqual(Object.fromEntries(keys.map((key) => [key, 1])));
});
