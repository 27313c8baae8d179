// npm run simulate -- --histories N --seed S [--keep-going]
// Plays the histories of the seeds S, S+1, … against the real engine, or one that was written down (--replay FILE). At the
// first that breaks a rule it stops, makes it small, says what happened and how to play it again; or it goes on behind it, and
// the seeds that broke something are in what it prints. The last line is JSON.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { type History, historyOf } from './history.ts';
import { inMemory, inSqlite, type OpenStore, play } from './play.ts';
import { shrink } from './shrink.ts';
import {
  add,
  areCancelsPrompt,
  CANCEL_ANSWERED_MS,
  type Failure,
  lastLine,
  merge,
  nothing,
  percentile,
  playSeeds,
  type Tally,
} from './tally.ts';

const STORES: Readonly<Record<string, OpenStore>> = { memory: inMemory, sqlite: inSqlite };
/** Seeds that a thread plays before it asks for more: at least, and at most. */
const BATCH = 50;
const BATCH_MAX = 2_000;
/** Most of what a history leaves behind is garbage at once: a larger nursery than usual halves the time spent on it. */
const NURSERY_MB = 64;
/** A long run says how far it is. */
const SAY_EVERY = 50_000;

/** The seeds that a thread is to play next. */
interface Share {
  readonly store: string;
  readonly from: number;
  readonly to: number;
  readonly keepsGoing: boolean;
}

if (isMainThread) await main();
else {
  parentPort?.on('message', async ({ store, from, to, keepsGoing }: Share) => {
    parentPort?.postMessage(await playSeeds(range(from, to), STORES[store], keepsGoing));
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      histories: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      store: { type: 'string', default: 'memory' },
      threads: { type: 'string', default: String(Math.min(8, availableParallelism())) },
      replay: { type: 'string' },
      'keep-going': { type: 'boolean', default: false },
    },
  });
  const seed = Number(values.seed);
  const store = STORES[values.store];
  if (store === undefined) throw new Error(`--store is ${Object.keys(STORES).join(' or ')}`);
  if (values.replay !== undefined) {
    const { history } = JSON.parse(readFileSync(values.replay, 'utf8')) as { readonly history: History };
    const tally = nothing();
    add(tally, await play(history, store), history.seed);
    await report(tally, history, store);
    return finish(tally, history.seed);
  }
  const began = process.hrtime.bigint();
  const all: Share = { store: values.store, from: seed, to: seed + Number(values.histories), keepsGoing: values['keep-going'] };
  const tally = await inThreads(all, Math.max(1, Number(values.threads)));
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  console.log(`${tally.histories} histories, ${tally.operations} operations, ${tally.steps} steps in ${seconds.toFixed(1)} s`);
  for (const [outcome, count] of Object.entries(tally.outcomes).sort()) console.log(`  ${outcome.padEnd(40)} ${count}`);
  const { cancelAnswersMs } = tally;
  if (cancelAnswersMs.length > 0)
    console.log(
      `  cancels answered within ${percentile(cancelAnswersMs, 0.99)} ms of simulated time (p99; claimed: ${CANCEL_ANSWERED_MS})`,
    );
  const open = tally.open.map(({ forMs, windowMs }) => (100 * forMs) / windowMs);
  if (open.length > 0) {
    const [p50, p99] = [0.5, 0.99].map((share) => `${Math.round(percentile(open, share) ?? 0)} %`);
    console.log(
      `  ${open.length} unknowns were settled or handed to an operator within ${p50} of their window (p50), ${p99} (p99)`,
    );
  }
  const [first] = tally.failures;
  if (first !== undefined) await report(tally, historyOf(first.seed), store);
  finish(tally, seed);
}

/** Deals the seeds out to threads, batch by batch, until one of them finds something. */
async function inThreads(share: Share, threads: number): Promise<Tally> {
  const { from, to, keepsGoing } = share;
  const histories = to - from;
  if (threads === 1 || histories <= BATCH) return playSeeds(range(from, to), STORES[share.store], keepsGoing);
  let next = from;
  let all = nothing();
  const size = Math.max(BATCH, Math.min(BATCH_MAX, Math.ceil(histories / threads / 4)));
  const thread = async () => {
    // One thread for all its shares: a young one is slow, for thousands of histories, until its code is compiled well.
    const worker = new Worker(new URL(import.meta.url), { resourceLimits: { maxYoungGenerationSizeMb: NURSERY_MB } });
    while (next < to && (keepsGoing || all.failures.length === 0)) {
      const batch: Share = { ...share, from: next, to: Math.min(to, next + size) };
      next = batch.to;
      worker.postMessage(batch);
      const [played] = (await once(worker, 'message')) as [Tally];
      const before = all.histories;
      all = merge(all, played);
      for (const failure of played.failures) console.log(lineOf(failure));
      if (Math.floor(all.histories / SAY_EVERY) > Math.floor(before / SAY_EVERY)) console.log(`${all.histories} so far`);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: threads }, thread));
  return all;
}

function lineOf({ seed, breach }: Failure): string {
  return `seed ${seed} breaks ${breach.rule}: ${breach.message}`;
}

/** Says what broke, on the smallest history that still breaks it. */
async function report(tally: Tally, history: History, store: OpenStore): Promise<void> {
  const [failure] = tally.failures;
  if (failure === undefined) return;
  const { seed, breach } = failure;
  console.log(`\n${lineOf(failure)}`);
  const smallest = await shrink(history, breach.rule, store);
  const played = await play(smallest, store);
  console.log(`the smallest history that does:\n${JSON.stringify({ found: breach.rule, history: smallest })}`);
  for (const line of played.timeline) console.log(line);
  for (const { at, rule, message } of played.breaches) console.log(`${String(at).padStart(7)}  ✗ ${rule}: ${message}`);
  console.log(`\nplay it again: npm run simulate -- --histories 1 --seed ${seed}`);
  console.log('keep it: write the line above to test/simulation/corpus/<what-it-shows>.json');
}

function finish(tally: Tally, seed: number): void {
  console.log(lastLine(tally, seed));
  if (tally.failures.length > 0 || !areCancelsPrompt(tally)) process.exitCode = 1;
}

function* range(from: number, to: number): Generator<number> {
  for (let seed = from; seed < to; seed++) yield seed;
}
