// The published schemas of the Tasks extension, as ext-tasks ships them: generated from the specification's own, and installed for
// tests alone. What is pinned of them in specs/mcp/ is what Longshore's own messages were written against.

import * as published from '@modelcontextprotocol/ext-tasks/core/v2';
import type { z } from 'zod';
import manifest from '../package.json' with { type: 'json' };
import type { Digests } from '../src/contracts/contract.ts';
import { TASKS_EXTENSION } from '../src/contracts/tasks-2026-07-28.ts';
import { digestsOf } from '../src/http/wire-pins.ts';

const PACKAGE = '@modelcontextprotocol/ext-tasks';
const SUFFIX = 'V2Schema';

export interface ExtensionPin extends Digests {
  readonly extension: string;
  readonly package: string;
}

/** Every schema that the package exports, by its name in the specification. */
export const EXTENSION_SCHEMAS: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.entries(published)
    .filter(([name]) => name.endsWith(SUFFIX))
    .map(([name, schema]) => [name.slice(0, -SUFFIX.length), schema as unknown as z.ZodType]),
);

/** What would be pinned now. */
export const extensionPin = (): ExtensionPin => ({
  extension: TASKS_EXTENSION,
  package: `${PACKAGE}@${manifest.devDependencies[PACKAGE]}`,
  ...digestsOf(Object.keys(EXTENSION_SCHEMAS), EXTENSION_SCHEMAS),
});
