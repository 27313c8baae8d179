// npm run bench: what the gateway costs, as ratios, because absolute figures say more about the machine than about the gateway.
// The table goes to standard error, the same as JSON to standard output. Nothing is asserted: see docs/benchmarks.md.

import { cpus, loadavg } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../src/clock.ts';
import { VERSION } from '../src/version.ts';
import { type InFlight, inFlight } from './in-flight.ts';
import { closeConnections } from './load.ts';
import { type Polls, polls } from './polls.ts';
import { inFrontOf, type Measured, type Setting, startGateway, startProcess } from './processes.ts';
import { type Report, table } from './report.ts';
import { compare, type Row } from './rounds.ts';
import { webhooks } from './webhooks.ts';

const SCENARIOS = ['requests', 'in-flight', 'webhooks', 'polls'] as const;
type Scenario = (typeof SCENARIOS)[number];
type Progress = (text: string) => void;

interface Options {
  readonly seconds: number;
  readonly rounds: number;
  readonly jobs: number;
  readonly only: readonly Scenario[];
  readonly profile?: string;
  readonly json?: boolean;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It is a number above 0.');
  return value;
}

function scenarios(text: string): readonly Scenario[] {
  return text.split(',').map((name) => {
    const scenario = SCENARIOS.find((one) => one === name.trim());
    if (scenario === undefined) throw new InvalidArgumentError(`There are ${SCENARIOS.join(', ')}.`);
    return scenario;
  });
}

const { seconds, rounds, jobs, only, profile, json } = new Command('npm run bench --')
  .description('What the gateway costs, beside a bare SDK server and the bare upstream.')
  .option('--seconds <number>', 'for one figure in one round', positive, 0.75)
  .option('--rounds <number>', 'over which medians are taken', positive, 3)
  .option('--jobs <number>', 'in flight, each polled once a second', positive, 2000)
  .option('--only <scenarios>', `of ${SCENARIOS.join(', ')}; a list`, scenarios, SCENARIOS)
  .option('--profile <folder>', "write the gateways' CPU profiles there; figures are worse then")
  .option('--json', 'print nothing but JSON')
  .parse()
  .opts<Options>();

const note = (text: string) => {
  if (json !== true) process.stderr.write(text);
};

const running = new Set<Measured>();
async function keep(starting: Promise<Measured>): Promise<Measured> {
  const process = await starting;
  running.add(process);
  return process;
}

const gatewayFor = (setting: Setting) => keep(startGateway(setting, profile));

/** Runs a scenario, if it is wanted, and stops what it has started: the next one has the machine for itself. */
async function scenario<T>(name: Scenario, measure: (progress: Progress) => Promise<T>): Promise<T | undefined> {
  if (!only.includes(name)) return undefined;
  const measured = await measure((text) => note(`${name}: ${text}\n`));
  await stop();
  return measured;
}

async function stop(): Promise<void> {
  for (const process of running) {
    running.delete(process);
    await process.stop();
  }
}

async function measureRequests(progress: Progress): Promise<Row[]> {
  const upstream = await keep(startProcess('upstream'));
  const sdk = await keep(startProcess('baseline'));
  const gateway = await gatewayFor(inFrontOf(upstream.url));
  return compare({ upstream, sdk, gateway }, { seconds, rounds, progress });
}

async function measureInFlight(progress: Progress): Promise<InFlight> {
  const upstream = await keep(startProcess('upstream'));
  const gateway = await gatewayFor(inFrontOf(upstream.url));
  return inFlight(gateway, upstream, { seconds, jobs, progress });
}

async function measurePolls(progress: Progress): Promise<Polls> {
  const upstream = await keep(startProcess('upstream'));
  const gateway = await gatewayFor(inFrontOf(upstream.url));
  const startClient = async (count: number) => {
    const own = await keep(startProcess('upstream'));
    return { process: await keep(startProcess('poller', own.url, String(count))), upstream: own };
  };
  return polls({ process: gateway, upstream }, startClient, { seconds, rounds, progress });
}

try {
  const loadAverage = loadavg()[0] ?? 0;
  const report: Report = {
    version: VERSION,
    at: new Date(systemClock.now()).toISOString(),
    node: process.version,
    machine: { platform: `${process.platform} ${process.arch}`, processors: cpus().length, loadAverage },
    seconds,
    rounds,
    requests: await scenario('requests', measureRequests),
    inFlight: await scenario('in-flight', measureInFlight),
    webhooks: await scenario('webhooks', (progress) => webhooks(gatewayFor, progress)),
    polls: await scenario('polls', measurePolls),
  };
  note(`\n${table(report)}`);
  process.stdout.write(`${JSON.stringify(report, undefined, process.stdout.isTTY ? 2 : undefined)}\n`);
} catch (error) {
  for (const process of running) note(process.output());
  throw error;
} finally {
  closeConnections();
  await stop();
}
