// The demo's story: one job under each contract, by a published client, and what it must prove.

import { systemClock } from '../src/clock.ts';
import { callAndWait, connectExtTasks, connectPlain, connectSdkV1, type ToolClient } from './clients.ts';
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

/** Far longer than any scene takes; a demo that hangs teaches nothing. */
const SCENE_MS = 60_000;
const MONTH_MS = 31 * 24 * 3_600_000;

const scenes = (): readonly Scene[] => [
  {
    contract: '2026-07-28',
    tool: 'create_report',
    args: { month: new Date(systemClock.now() - MONTH_MS).toISOString().slice(0, 7) },
    connect: (url) => connectExtTasks(url, '2026-07-28'),
  },
  { contract: '2025-11-25', tool: 'transcode', args: { asset: 'a1' }, connect: connectSdkV1 },
  { contract: 'none', tool: 'scan_host', args: { host: 'db-3' }, connect: connectPlain },
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

async function play(scene: Scene, url: string, stop: AbortSignal, jobsOfScene: () => number): Promise<void> {
  const { contract, tool, args } = scene;
  const overdue = AbortSignal.timeout(SCENE_MS);
  const signal = AbortSignal.any([stop, overdue]);
  const client = await scene.connect(url);
  try {
    const begunAt = systemClock.monotonic();
    head(contract === 'none' ? 'no Tasks' : contract, `tools/call ${tool} ${JSON.stringify(args)}`);
    const onTask = (id: string) => detail(`answered    task ${id}, working`);
    const onPending = (operation: string) => {
      detail(`answered    pending with a handle after ${seconds(systemClock.monotonic() - begunAt)}: ${operation}`);
      detail(`tools/call  wait_for_operation ${JSON.stringify({ operation })}`);
    };
    const answer =
      contract === 'none'
        ? await callAndWait(client, tool, args, { onPending, signal })
        : await client.callTool(tool, args, { onTask, signal });
    signal.throwIfAborted();
    if (answer.isError) throw new Error(`${tool} under ${contract} gave an error: ${answer.text}`);
    const count = `${jobsOfScene()} upstream job${jobsOfScene() === 1 ? '' : 's'}`;
    detail(good(`completed   in ${seconds(systemClock.monotonic() - begunAt)}: ${describeAnswer(answer)}, ${count}`));
    say();
  } catch (error) {
    if (!overdue.aborted) throw error;
    throw new Error(`${tool} under ${contract} did not end within ${seconds(SCENE_MS)}`, { cause: error });
  } finally {
    await client.close();
  }
}
