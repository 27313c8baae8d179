// npm run zoo: every species through both contracts and without Tasks, as a table.
//   Columns: the code of the answer to the submit, looks per job, and per door whether the result came of exactly one job:
//   N by Tasks of 2026-07-28, O by Tasks of 2025-11-25, P by a plain call that waits.

import { callAndWait, connectExtTasks, connectPlain, connectSdkV1, type ToolAnswer } from '../../demo/clients.ts';
import { SPECIES, type Species } from './species.ts';
import { argumentsFor, holds, type Visit, visit } from './visit.ts';

const AT_ONCE = 6;

type Call = (tool: string, args: Record<string, unknown>) => Promise<ToolAnswer>;

/** How one species came through one door: `ok`, or what went wrong. */
async function through(door: string, call: Call, species: Species, { zoo, toolOf }: Visit): Promise<string> {
  const name = `bridge-${door.toLowerCase()}`;
  try {
    const answer = await call(toolOf(species), argumentsFor(species, name));
    const begun = zoo.begun(species.name, name);
    if (answer.isError || !holds(answer.text, species, name)) return `no result: ${answer.text.slice(0, 120)}`;
    return begun === 1 ? 'ok' : `${begun} jobs`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const open = await visit();
const plain = await connectPlain(open.gateway.url);
const newer = await connectExtTasks(open.gateway.url, '2026-07-28');
const older = await connectSdkV1(open.gateway.url);
const doors: readonly (readonly [string, Call])[] = [
  ['N', (tool, args) => newer.callTool(tool, args)],
  ['O', (tool, args) => older.callTool(tool, args)],
  ['P', (tool, args) => callAndWait(plain, tool, args)],
];
let [passed, failed] = [0, 0];
const line = (cells: readonly string[]): string =>
  cells.map((cell, at) => cell.padEnd([24, 8, 7, 6, 3, 3, 3][at] ?? 0)).join(' ');
console.log(line(['service', 'pattern', 'submit', 'looks', 'N', 'O', 'P']));
const waiting = [...SPECIES];
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const species = one;
      const told: string[] = [];
      for (const [door, call] of doors) told.push(await through(door, call, species, open));
      const wrong = told.filter((text) => text !== 'ok');
      if (wrong.length === 0) passed += 1;
      else failed += 1;
      const looks = String(open.zoo.looks(species.name, 'bridge-n'));
      const cells = told.map((text) => (text === 'ok' ? 'ok' : 'NO'));
      console.log(line([species.name, species.pattern, String(species.accepted.code), looks, ...cells, wrong.join('; ')]));
    }
  }),
);
for (const client of [plain, newer, older]) await client.close();
await open.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
