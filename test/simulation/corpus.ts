// The histories that once found something, made small: replayed by every test run, and first of all by the mutants.

import { readdirSync, readFileSync } from 'node:fs';
import type { History } from './history.ts';

const FOLDER = new URL('./corpus/', import.meta.url);

/** By what each shows. */
export const corpus: ReadonlyMap<string, History> = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const { history } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { readonly history: History };
      return [file.replace(/\.json$/, '').replaceAll('-', ' '), history];
    }),
);
