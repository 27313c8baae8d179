// The demo's story: one job under each contract, by a published client, and what it must prove.

import { systemClock } from '../src/clock.ts';
import { connectExtTasks, connectPlain, connectSdkV1, type ToolAnswer, type ToolClient } from './clients.ts';
import { describeAnswer, detail, good, head, type Narrator, say, seconds } from './narration.ts';
import type { Service } from './service.ts';

/** What the demo proves: one upstream job for each completed operation. */
export interface Summary {
  readonly completed: number;
  readonly upstreamJobs: number;
  /** Jobs beyond one for a call. */
  readonly duplicates: number;
  /** Sorted. */
  readonly contracts: readonly string[];
}

interface Scene {
  readonly contract: '2025-11-25' | '2026-07-28' | 'none';
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly connect: (url: string) => Promise<ToolClient>;
}

const MONTH_MS = 31 * 24 * 3_600_000;

const scenes = (): readonly Scene[] => [
  {
    contract: '2026-07-28',
    tool: 'create_report',
    args: { month: new Date(systemClock.now() - MONTH_MS).toISOString().slice(0, 7) },
    connect: (url) => connectExtTasks(url, '2026-07-28'),
  },
  { contract: '2025-11-25', tool: 'transcode', args: { asset: 'a1' }, connect: connectSdkV1 },
  { contract: 'none', tool: 'transcode', args: { asset: 'a2', format: 'webm' }, connect: connectPlain },
];

/** Drives one job under each contract. Throws when one does not end with a result, or when `signal` aborts. */
export async function tellStory(
  url: string,
  services: readonly Service[],
  narrator: Narrator,
  signal: AbortSignal,
): Promise<Summary> {
  const jobsCreated = () => services.reduce((sum, service) => sum + service.jobsCreated(), 0);
  const jobs: number[] = [];
  const contracts: string[] = [];
  for (const scene of scenes()) {
    const before = jobsCreated();
    narrator.begin();
    await play(scene, url, signal, () => jobsCreated() - before);
    jobs.push(jobsCreated() - before);
    contracts.push(scene.contract);
  }
  return {
    completed: jobs.length,
    upstreamJobs: jobs.reduce((sum, count) => sum + count, 0),
    duplicates: jobs.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
    contracts: contracts.sort(),
  };
}

async function play(scene: Scene, url: string, signal: AbortSignal, jobsOfScene: () => number): Promise<void> {
  const { contract, tool, args } = scene;
  const client = await scene.connect(url);
  try {
    const begunAt = systemClock.monotonic();
    head(contract === 'none' ? 'no Tasks' : contract, `tools/call ${tool} ${JSON.stringify(args)}`);
    const onTask = (id: string) => detail(`answered    task ${id}, working`);
    const answer =
      contract === 'none'
        ? await callAndWait(client, tool, args, signal)
        : await client.callTool(tool, args, { onTask, signal });
    signal.throwIfAborted();
    if (answer.isError) throw new Error(`${tool} under ${contract} gave an error: ${answer.text}`);
    const count = `${jobsOfScene()} upstream job${jobsOfScene() === 1 ? '' : 's'}`;
    detail(good(`completed   in ${seconds(systemClock.monotonic() - begunAt)}: ${describeAnswer(answer)}, ${count}`));
    say();
  } finally {
    await client.close();
  }
}

/** A call without Tasks: what outlasts the wait is answered with a handle, and `wait_for_operation` takes it from there. */
async function callAndWait(
  client: ToolClient,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const begunAt = systemClock.monotonic();
  let answer = await client.callTool(tool, args, { signal });
  for (let operation = handleIn(answer); operation !== undefined; operation = handleIn(answer)) {
    detail(`answered    pending with a handle after ${seconds(systemClock.monotonic() - begunAt)}: ${operation}`);
    detail(`tools/call  wait_for_operation ${JSON.stringify({ operation })}`);
    answer = await client.callTool('wait_for_operation', { operation }, { signal });
  }
  return answer;
}

/** The operation that a pending answer names. */
function handleIn({ structured }: ToolAnswer): string | undefined {
  const { outcome, operation } = (structured ?? {}) as { readonly outcome?: unknown; readonly operation?: unknown };
  return outcome === 'pending' && typeof operation === 'string' ? operation : undefined;
}
