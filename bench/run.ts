// npm run bench: what the gateway costs, as ratios, because absolute figures say more about the machine than about the gateway.
// The table goes to standard error, the same as JSON to standard output. Nothing is asserted: see docs/benchmarks.md.

import { cpus, loadavg } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../src/clock.ts';
import { VERSION } from '../src/version.ts';
import { inFlight } from './in-flight.ts';
import { closeConnections } from './load.ts';
import { type Measured, startGateway, startServer } from './processes.ts';
import { type Report, table } from './report.ts';
import { compare } from './rounds.ts';

interface Options {
  readonly seconds: number;
  readonly rounds: number;
  readonly jobs: number;
  readonly profile?: string;
  readonly json?: boolean;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It is a number above 0.');
  return value;
}

const { seconds, rounds, jobs, profile, json } = new Command('npm run bench --')
  .description('What the gateway costs, beside a bare SDK server and the bare upstream.')
  .option('--seconds <number>', 'for one figure in one round', positive, 0.75)
  .option('--rounds <number>', 'over which medians are taken', positive, 3)
  .option('--jobs <number>', 'in flight, each polled once a second', positive, 2000)
  .option('--profile <folder>', "write the gateways' CPU profiles there; figures are worse then")
  .option('--json', 'print nothing but JSON')
  .parse()
  .opts<Options>();

const note = (text: string) => {
  if (json !== true) process.stderr.write(text);
};

const running: Measured[] = [];
async function keep(starting: Promise<Measured>): Promise<Measured> {
  const process = await starting;
  running.push(process);
  return process;
}

try {
  const loadAverage = loadavg()[0] ?? 0;
  const upstream = await keep(startServer('upstream'));
  const sdk = await keep(startServer('baseline'));
  const subjects = { upstream, sdk, gateway: await keep(startGateway(upstream.url, profile)) };
  const requests = await compare(subjects, { seconds, rounds, progress: (text) => note(`requests: ${text}\n`) });
  // The second gateway begins with an empty ledger, and alone.
  for (const process of [subjects.gateway, sdk]) await process.stop();
  const gateway = await keep(startGateway(upstream.url, profile));
  const flying = await inFlight(gateway, upstream, { seconds, jobs, progress: (text) => note(`in flight: ${text}\n`) });
  const report: Report = {
    version: VERSION,
    at: new Date(systemClock.now()).toISOString(),
    node: process.version,
    machine: { platform: `${process.platform} ${process.arch}`, processors: cpus().length, loadAverage },
    seconds,
    rounds,
    requests,
    inFlight: flying,
  };
  note(`\n${table(report)}`);
  process.stdout.write(`${JSON.stringify(report, undefined, process.stdout.isTTY ? 2 : undefined)}\n`);
} catch (error) {
  for (const process of running) note(process.output());
  throw error;
} finally {
  closeConnections();
  for (const process of running) await process.stop();
}
