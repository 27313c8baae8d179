// Many jobs at once: how many polls a second the gateway reaches when every job wants one each second, and what somebody who
// asks for a task meanwhile notices of it. The reader is slow on purpose: one request at a time, with pauses.

import { systemClock } from '../src/clock.ts';
import { run, send } from './load.ts';
import type { Measured } from './processes.ts';
import { requestClient } from './requests.ts';
import { createTasks } from './rounds.ts';

const READER = { senders: 1, pauseMs: 10 };
const SETTLE_MS = 2_000;
/** For one half of the jobs. A machine that is too busy gets fewer of them. */
const CREATE_WITHIN_MS = 10_000;
const CONTRACT = '2026-07-28';

export interface InFlight {
  readonly jobs: number;
  /** Tasks created a second while the first ones were polled already. */
  readonly createdPerSecond: number;
  readonly pollsWantedPerSecond: number;
  readonly pollsPerSecond: number;
  /** Share of one processor that the gateway used; its store and its HTTP client are in it. */
  readonly cpuShare: number;
  readonly cpuMicrosPerPoll: number;
  readonly idle: { readonly p50Ms: number; readonly p95Ms: number };
  readonly loaded: { readonly p50Ms: number; readonly p95Ms: number };
  readonly ratios: { readonly pollsReached: number; readonly p50ToIdle: number; readonly p95ToIdle: number };
}

export async function inFlight(
  gateway: Measured,
  upstream: Measured,
  options: { readonly seconds: number; readonly jobs: number; readonly progress: (text: string) => void },
): Promise<InFlight> {
  const client = requestClient(gateway.url);
  const durationMs = Math.max(3, options.seconds * 3) * 1000;
  const read = async (taskIds: readonly string[]) => {
    let turn = 0;
    const next = () => client('tasks/get', { taskId: taskIds[turn++ % taskIds.length] });
    const { p50Ms, p95Ms, requests } = await run({ next, expects: '"working"' }, { ...READER, durationMs });
    return { p50Ms, p95Ms, requests };
  };

  options.progress('idle');
  const first = await createTasks(client, CONTRACT, 'create_job', 32);
  await read(first);
  const idle = await read(first);

  options.progress(`${options.jobs} jobs`);
  const begunAt = systemClock.monotonic();
  const half = Math.ceil(options.jobs / 2);
  const taskIds = [
    ...(await createTasks(client, CONTRACT, 'a_create_job', half, CREATE_WITHIN_MS)),
    ...(await createTasks(client, CONTRACT, 'b_create_job', options.jobs - half, CREATE_WITHIN_MS)),
  ];
  const createdPerSecond = (taskIds.length / (systemClock.monotonic() - begunAt)) * 1000;

  options.progress('under load');
  await run(
    { next: () => client('tasks/get', { taskId: taskIds[0] }), expects: '"working"' },
    { ...READER, durationMs: SETTLE_MS },
  );
  const before = { polls: await pollsOf(upstream), cpu: await gateway.cpuMicros(), at: systemClock.monotonic() };
  const loaded = await read(taskIds);
  const after = { polls: await pollsOf(upstream), cpu: await gateway.cpuMicros(), at: systemClock.monotonic() };
  const seconds = (after.at - before.at) / 1000;
  const polls = after.polls - before.polls;
  const cpuMicros = after.cpu - before.cpu;
  const pollsPerSecond = polls / seconds;
  return {
    jobs: taskIds.length,
    createdPerSecond,
    pollsWantedPerSecond: taskIds.length,
    pollsPerSecond,
    cpuShare: cpuMicros / 1_000_000 / seconds,
    cpuMicrosPerPoll: cpuMicros / polls,
    idle: { p50Ms: idle.p50Ms, p95Ms: idle.p95Ms },
    loaded: { p50Ms: loaded.p50Ms, p95Ms: loaded.p95Ms },
    ratios: {
      pollsReached: pollsPerSecond / taskIds.length,
      p50ToIdle: loaded.p50Ms / idle.p50Ms,
      p95ToIdle: loaded.p95Ms / idle.p95Ms,
    },
  };
}

/** How many polls the upstream has got so far. */
export async function pollsOf(upstream: Measured): Promise<number> {
  const { body } = await send({ method: 'GET', url: `${upstream.url}/polls`, headers: {} });
  return (JSON.parse(body) as { readonly polls: number }).polls;
}
