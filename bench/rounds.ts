// One request at a time, over and over: what the gateway takes for it, beside a bare SDK server and the bare upstream.
//   R1. Who is compared is measured in the same round, one right after the other: a machine's mood changes within seconds.
//   R2. Ratios are taken within a round, and then their median over the rounds.

import { run, type Shot, type Target } from './load.ts';
import type { Measured } from './processes.ts';
import { type Client, requestClient, sessionClient } from './requests.ts';
import { type Spread, spread } from './spread.ts';

const SENDERS = 8;
const WARM_UP_MS = 400;
const TASKS = 32;
const MONTH = '2026-10';

type Subject = 'gateway' | 'sdk' | 'upstream';
const CONTRACTS = ['2026-07-28', '2025-11-25'] as const;
const REQUESTS = ['tools/call, a task is created', 'tasks/get', 'tools/call, passed through'] as const;

export interface Figures {
  readonly perSecond: Spread;
  readonly p50Ms: Spread;
  readonly p95Ms: Spread;
  /** Processor time of the measured process for one request. The gateway's includes its own request to the upstream. */
  readonly cpuMicros: Spread;
}

export interface Row {
  readonly contract: (typeof CONTRACTS)[number];
  readonly request: (typeof REQUESTS)[number];
  readonly gateway: Figures;
  readonly sdk: Figures;
  readonly upstream: Figures;
  /** How many times as much the gateway takes: 1 is equal, 2 is twice as much. */
  readonly ratios: {
    readonly timeToSdk: Spread;
    readonly cpuToSdk: Spread;
    readonly timeToUpstream: Spread;
  };
}

interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly cpuMicros: number;
}

interface Cell {
  readonly process: Measured;
  readonly target: Target;
}

type Cells = Readonly<Record<Subject, Cell>>;

export async function compare(
  subjects: Readonly<Record<Subject, Measured>>,
  options: { readonly seconds: number; readonly rounds: number; readonly progress: (text: string) => void },
): Promise<Row[]> {
  const rows: { readonly contract: Row['contract']; readonly request: Row['request']; readonly cells: Cells }[] = [];
  for (const contract of CONTRACTS) {
    const gateway = await mcpTargets(contract, subjects.gateway);
    const sdk = await mcpTargets(contract, subjects.sdk);
    const upstream = rawTargets(subjects.upstream);
    for (const [index, request] of REQUESTS.entries()) {
      rows.push({
        contract,
        request,
        cells: { gateway: at(gateway, index), sdk: at(sdk, index), upstream: at(upstream, index) },
      });
    }
  }
  const samples = rows.map(() => [] as Record<Subject, Sample>[]);
  for (let round = 0; round <= options.rounds; round++) {
    options.progress(round === 0 ? 'warm-up' : `round ${round} of ${options.rounds}`);
    for (const [index, { cells }] of rows.entries()) {
      const durationMs = round === 0 ? WARM_UP_MS : options.seconds * 1000;
      const sample = {
        gateway: await sampleOf(cells.gateway, durationMs),
        sdk: await sampleOf(cells.sdk, durationMs),
        upstream: await sampleOf(cells.upstream, durationMs),
      };
      if (round > 0) samples[index]?.push(sample);
    }
  }
  return rows.map(({ contract, request }, index) => ({ contract, request, ...summary(samples[index] ?? []) }));
}

async function sampleOf({ process, target }: Cell, durationMs: number): Promise<Sample> {
  const before = await process.cpuMicros();
  const { requests, ...figures } = await run(target, { senders: SENDERS, durationMs });
  return { ...figures, cpuMicros: ((await process.cpuMicros()) - before) / requests };
}

function summary(rounds: readonly Record<Subject, Sample>[]): Pick<Row, Subject | 'ratios'> {
  const figures = (subject: Subject): Figures => ({
    perSecond: spread(rounds.map((round) => round[subject].perSecond)),
    p50Ms: spread(rounds.map((round) => round[subject].p50Ms)),
    p95Ms: spread(rounds.map((round) => round[subject].p95Ms)),
    cpuMicros: spread(rounds.map((round) => round[subject].cpuMicros)),
  });
  return {
    gateway: figures('gateway'),
    sdk: figures('sdk'),
    upstream: figures('upstream'),
    ratios: {
      timeToSdk: spread(rounds.map(({ gateway, sdk }) => sdk.perSecond / gateway.perSecond)),
      cpuToSdk: spread(rounds.map(({ gateway, sdk }) => gateway.cpuMicros / sdk.cpuMicros)),
      timeToUpstream: spread(rounds.map(({ gateway, upstream }) => upstream.perSecond / gateway.perSecond)),
    },
  };
}

/** In the order of REQUESTS. */
async function mcpTargets(contract: Row['contract'], process: Measured): Promise<readonly Cell[]> {
  const client = contract === '2026-07-28' ? requestClient(process.url) : await sessionClient(process.url);
  const create = () => client('tools/call', creation(contract, 'create_job'));
  const taskIds = await createTasks(client, contract, 'create_job', TASKS);
  let turn = 0;
  const read = () => client('tasks/get', { taskId: taskIds[turn++ % taskIds.length] });
  const call = () => client('tools/call', { name: 'get_month', arguments: { month: MONTH } });
  return [
    { process, target: { next: create, expects: '"taskId"' } },
    { process, target: { next: read, expects: '"working"' } },
    { process, target: { next: call, expects: '156' } },
  ];
}

function rawTargets(process: Measured): readonly Cell[] {
  const get = (path: string) => (): Shot => ({ method: 'GET', url: `${process.url}${path}`, headers: {} });
  const create = (): Shot => ({
    method: 'POST',
    url: `${process.url}/jobs`,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ month: MONTH }),
  });
  return [
    { process, target: { next: create, expects: '"running"' } },
    { process, target: { next: get('/jobs/j-1'), expects: '"running"' } },
    { process, target: { next: get(`/months/${MONTH}`), expects: '156' } },
  ];
}

/** The parameters of a tools/call that becomes a task. */
const creation = (contract: Row['contract'], name: string) => ({
  name,
  arguments: { month: MONTH },
  ...(contract === '2025-11-25' ? { task: {} } : {}),
});

/** Creates tasks by a job's tool, for so long at most. Returns their ids. */
export async function createTasks(
  client: Client,
  contract: Row['contract'],
  name: string,
  count: number,
  durationMs = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const ids: string[] = [];
  const next = () => client('tools/call', creation(contract, name));
  await run(
    { next, expects: '"taskId"' },
    {
      senders: SENDERS,
      requests: count,
      durationMs,
      onAnswer: ({ body }) => ids.push(/"taskId":"([^"]+)"/.exec(body)?.[1] ?? ''),
    },
  );
  return ids;
}

function at<T>(all: readonly T[], index: number): T {
  const one = all[index];
  if (one === undefined) throw new Error(`there is no ${index}`);
  return one;
}
