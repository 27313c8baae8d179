// Writes every file of the repository that is made from code. `--check` writes nothing, and fails if one is not what it would be.
// To add one: a file beside this that exports its path and how to make its text, and one line in FILES.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CLIENTS_PAGE, generateClients } from './generate-clients.ts';
import { generateMachinePage, MACHINE_PAGE } from './generate-machine.ts';
import { generateSchema, SCHEMA_FILE } from './generate-schema.ts';
import { EXTENSION_FILE, generateExtension } from './generate-x-longshore.ts';

/** Path from the root of the repository, and how its text is made. */
export const FILES: Readonly<Record<string, () => string>> = {
  [MACHINE_PAGE]: generateMachinePage,
  [SCHEMA_FILE]: generateSchema,
  [EXTENSION_FILE]: generateExtension,
  [CLIENTS_PAGE]: generateClients,
};

const ROOT = join(import.meta.dirname, '..');

/** The paths whose committed text is not what would be generated. */
export function staleFiles(files: Readonly<Record<string, () => string>> = FILES): readonly string[] {
  return Object.entries(files)
    .filter(([path, generate]) => {
      const file = join(ROOT, path);
      return !existsSync(file) || readFileSync(file, 'utf8') !== generate();
    })
    .map(([path]) => path);
}

function writeFiles(paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), FILES[path]?.() ?? '');
    console.log(`wrote ${path}`);
  }
}

if (import.meta.main) {
  const stale = staleFiles();
  if (!process.argv.includes('--check')) writeFiles(stale);
  else if (stale.length > 0) {
    console.error(`not up to date: ${stale.join(', ')}. Run: npm run generate`);
    process.exitCode = 1;
  }
}
