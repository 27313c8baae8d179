// Pins what the installed SDK's wire schemas are, one file for each contract in specs/mcp/ (`npm run pin:contracts`). No part of
// `npm run generate`: whoever runs it says that they have read what changed, and that the contract still speaks it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { CONTRACTS } from '../src/contracts/index.ts';
import { installedDigests } from '../src/http/wire-pins.ts';

const FOLDER = join(import.meta.dirname, '../specs/mcp');
const SDK = '@modelcontextprotocol/server';

mkdirSync(FOLDER, { recursive: true });
for (const { id: contract, wire } of CONTRACTS) {
  if (wire === undefined) continue;
  const file = join(FOLDER, `${contract}.json`);
  const pin = { contract, sdk: `${SDK}@${manifest.dependencies[SDK]}`, ...installedDigests(wire.schemas) };
  writeFileSync(file, `${JSON.stringify(pin, null, 2)}\n`);
  console.log(`pinned ${contract}: ${pin.digest}`);
}
