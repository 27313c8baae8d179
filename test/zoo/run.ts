// npm run zoo: every species through both contracts and without Tasks, as a table.
//   Columns: the code of the answer to the submit; polls per job; whether the service calls back; per door whether the result
//   came of exactly one job (N by Tasks of 2026-07-28, O by Tasks of 2025-11-25, P by a plain call that waits); and whether a
//   cancel reached a job that would never end (`-` where the service has none).

import { callAndWait, connectExtTasks, connectPlain, connectSdkV1, type ToolAnswer } from '../../demo/clients.ts';
import { SPECIES, type Species } from './species.ts';
import { argumentsFor, cancelled, holds, type Visit, visit } from './visit.ts';

const AT_ONCE = 6;
const HEAD = ['service', 'pattern', 'submit', 'polls', 'webhook', 'result N', 'O', 'P', 'cancel'];
const WIDTHS = [28, 8, 7, 6, 8, 9, 3, 3, 7];

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

/** What became of a cancelled job: `ok`, `-`, or what went wrong. */
async function stopped(species: Species, open: Visit): Promise<string> {
  if (species.cancel !== true) return '-';
  try {
    const status = await cancelled(open, species);
    return status === 'cancelled' ? 'ok' : `a cancelled job is ${status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const line = (cells: readonly string[]): string => cells.map((cell, at) => cell.padEnd(WIDTHS[at] ?? 0)).join(' ');
const cell = (text: string): string => (text === 'ok' || text === '-' ? text : 'NO');

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
console.log(line(HEAD));
const waiting = [...SPECIES];
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const species = one;
      const told: string[] = [];
      for (const [door, call] of doors) told.push(await through(door, call, species, open));
      told.push(await stopped(species, open));
      const wrong = told.filter((text) => cell(text) === 'NO');
      if (wrong.length === 0) passed += 1;
      else failed += 1;
      const polls = String(open.zoo.looks(species.name, 'bridge-n'));
      const webhook = species.calls === undefined ? '-' : 'yes';
      const service = [species.name, species.pattern, String(species.accepted.code), polls, webhook];
      console.log(line([...service, ...told.map(cell), wrong.join('; ')]).trimEnd());
    }
  }),
);
for (const client of [plain, newer, older]) await client.close();
await open.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
