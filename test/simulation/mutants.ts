// npm run mutants -- [--only WORDS] [--histories N]
// Plants faults, one at a time, and plays histories until a rule breaks. A fault that no history shows is a hole in the
// simulator or a guard that nothing needs; one whose place is gone is stale. The last line is `N passed, M failed`.

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Verdict } from './mutant.ts';
import { IN_THE_POST } from './mutants/deliveries.ts';
import { AT_THE_DESK } from './mutants/desk.ts';
import { AT_THE_EDGES } from './mutants/edges.ts';
import { IN_THE_ENGINE } from './mutants/engine.ts';
import { IN_THE_DIALOGUE } from './mutants/input.ts';
import { IN_THE_MACHINE } from './mutants/machine.ts';
import type { Mutant } from './mutants/mutant.ts';
import { BETWEEN_UPSTREAMS } from './mutants/upstreams.ts';

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '3000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    threads: { type: 'string', default: String(Math.min(4, availableParallelism())) },
    shrink: { type: 'boolean', default: false },
  },
});

const mutants = [
  ...IN_THE_MACHINE,
  ...IN_THE_ENGINE,
  ...AT_THE_EDGES,
  ...IN_THE_DIALOGUE,
  ...AT_THE_DESK,
  ...BETWEEN_UPSTREAMS,
  ...IN_THE_POST,
].filter(({ name }) => name.includes(values.only));
const verdicts = new Map<Mutant, Verdict>();
const waiting = [...mutants];
await Promise.all(Array.from({ length: Number(values.threads) }, work));

const failed = [...verdicts.values()].filter(({ kind }) => kind !== 'caught').length;
console.log(`${mutants.length - failed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;

async function work(): Promise<void> {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const verdict = await judge(mutant);
    verdicts.set(mutant, verdict);
    console.log(lineOf(mutant, verdict));
    if (verdict.history !== undefined) console.log(JSON.stringify({ found: verdict.rule, history: verdict.history }));
  }
}

function judge(mutant: Mutant): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const workerData = { mutant, histories: Number(values.histories), seed: Number(values.seed), shrinks: values.shrink };
    const worker = new Worker(new URL('./mutant.ts', import.meta.url), { workerData });
    worker.once('message', resolve).once('error', reject);
  });
}

function lineOf({ name, file }: Mutant, { kind, histories, rule, message }: Verdict): string {
  if (kind === 'stale') return `✗ ${name}: stale, its place in ${file} is gone`;
  if (kind === 'survived') return `✗ ${name}: not noticed in ${histories} histories`;
  const head = `${`✓ ${name}`.padEnd(72)} ${String(histories).padStart(5)}  ${rule}`;
  return `${head}: ${(message ?? '').split('\n', 1)[0]?.slice(0, 110)}`;
}
