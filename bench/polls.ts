// What one poll costs: the processor time of a gateway that only polls, beside a bare HTTP client's that sends the same GETs.
//   L1. Both run at the same time, each to an upstream of its own that counts what it gets: a machine's mood is the same for both.
//   L2. Nobody asks the gateway for anything meanwhile. All that it uses is counted as the cost of its polls.

import { systemClock } from '../src/clock.ts';
import { pollsOf } from './in-flight.ts';
import type { Measured } from './processes.ts';
import { requestClient } from './requests.ts';
import { createTasks } from './rounds.ts';
import { type Spread, spread } from './spread.ts';

const JOBS = 300;
/** A machine that is too busy gets fewer jobs. */
const CREATE_WITHIN_MS = 8_000;
const SETTLE_MS = 2_000;
const CONTRACT = '2026-07-28';

export interface PollCost {
  readonly pollsPerSecond: Spread;
  /** Processor time of the process for one poll. */
  readonly cpuMicros: Spread;
}

export interface Polls {
  /** Each polled once a second. */
  readonly jobs: number;
  readonly gateway: PollCost;
  readonly client: PollCost;
  /** How many times as much the gateway takes, within a round. */
  readonly ratios: { readonly cpuToClient: Spread };
}

interface Sample {
  readonly pollsPerSecond: number;
  readonly cpuMicros: number;
}

interface Subject {
  readonly process: Measured;
  readonly upstream: Measured;
}

export async function polls(
  gateway: Subject,
  startClient: (jobs: number) => Promise<Subject>,
  options: { readonly seconds: number; readonly rounds: number; readonly progress: (text: string) => void },
): Promise<Polls> {
  options.progress(`${JOBS} jobs`);
  const { length: jobs } = await createTasks(
    requestClient(gateway.process.url),
    CONTRACT,
    'a_create_job',
    JOBS,
    CREATE_WITHIN_MS,
  );
  const client = await startClient(jobs);
  await systemClock.sleep(SETTLE_MS);
  const rounds: { readonly own: Sample; readonly bare: Sample }[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    options.progress(`round ${round} of ${options.rounds}`);
    // Whole seconds, because every job has its turn in each.
    const durationMs = Math.max(1, Math.round(options.seconds * 2)) * 1000;
    const [endGateway, endClient] = await Promise.all([begin(gateway), begin(client)]);
    await systemClock.sleep(durationMs);
    const [own, bare] = await Promise.all([endGateway(), endClient()]);
    rounds.push({ own, bare });
  }
  const cost = (of: 'own' | 'bare'): PollCost => ({
    pollsPerSecond: spread(rounds.map((round) => round[of].pollsPerSecond)),
    cpuMicros: spread(rounds.map((round) => round[of].cpuMicros)),
  });
  return {
    jobs,
    gateway: cost('own'),
    client: cost('bare'),
    ratios: { cpuToClient: spread(rounds.map(({ own, bare }) => own.cpuMicros / bare.cpuMicros)) },
  };
}

/** Begins to measure. Returns what ends it. */
async function begin({ process, upstream }: Subject): Promise<() => Promise<Sample>> {
  const read = async () => ({ polls: await pollsOf(upstream), cpu: await process.cpuMicros(), at: systemClock.monotonic() });
  const before = await read();
  return async () => {
    const after = await read();
    const count = after.polls - before.polls;
    return { pollsPerSecond: (count / (after.at - before.at)) * 1000, cpuMicros: (after.cpu - before.cpu) / count };
  };
}
