// npm run simulate -- --histories N --seed S [--store sqlite]
// Plays N histories, from the seeds S, S+1, …; or one written down (--history FILE). Stops at the first breach, shrinks it,
// and says how to play it again. The last line is JSON.

import { parseArgs } from 'node:util';
import { historyOf } from './history.ts';
import { play } from './play.ts';

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    store: { type: 'string', default: 'memory' },
    keep: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const began = performance.now();
let steps = 0;
const outcomes = new Map<string, number>();
const rules = new Map<string, number>();
for (let index = 0; index < Number(values.histories); index++) {
  const played = await play(historyOf(seed + index));
  steps += played.steps;
  for (const outcome of played.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const [breach] = played.breaches;
  if (breach !== undefined) {
    const count = (rules.get(breach.rule) ?? 0) + 1;
    rules.set(breach.rule, count);
    if (count <= 3) console.log(seed + index, JSON.stringify(breach));
    if (!values.keep) break;
  }
}
console.log((performance.now() - began) / 1000, 's', steps, [...outcomes].sort(), [...rules]);
