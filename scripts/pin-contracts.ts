// Pins what the installed SDK's wire schemas are, one file for each contract in specs/mcp/, and what the published schemas of the
// Tasks extension are, beside them (`npm run pin:contracts`). No part of
// `npm run generate`: whoever runs it says that they have read what changed, and that the contract still speaks it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import type { Digests, Pin } from '../src/contracts/contract.ts';
import { CONTRACTS } from '../src/contracts/index.ts';
import { installedDigests } from '../src/http/wire-pins.ts';
import { extensionPin } from './extension-schemas.ts';

const FOLDER = join(import.meta.dirname, '../specs/mcp');
const SDK = '@modelcontextprotocol/server';

mkdirSync(FOLDER, { recursive: true });

function write(name: string, pin: Digests): void {
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(pin, null, 2)}\n`);
  console.log(`pinned ${name}: ${pin.digest}`);
}

for (const { id: contract, wire } of CONTRACTS) {
  if (wire === undefined) continue;
  const pin: Pin = { contract, sdk: `${SDK}@${manifest.dependencies[SDK]}`, ...installedDigests(wire.schemas) };
  write(contract, pin);
}
write('extension-tasks', extensionPin());
