// What a webhook hurries and what it saves: the same jobs of the same service through one gateway at the same time, half of them
// by an upstream whose events are listened to, half by one that has no secret for them and is therefore polled alone.
// The pace is the one that a description without a pace gets.

import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/clock.ts';
import { type CallbackService, SECRET, startCallbacks } from './callbacks.ts';
import { listen } from './listening.ts';
import { send } from './load.ts';
import type { Measured, Setting } from './processes.ts';
import { type Client, requestClient } from './requests.ts';
import { quantile } from './spread.ts';

const JOBS = 200;
const SENDERS = 8;
/** Less than a job lasts: all of them are listened to before the first one ends. A machine that is too busy gets fewer. */
const CREATE_WITHIN_MS = 6_500;
const VISIBLE_WITHIN_MS = 90_000;

const KINDS = ['hooked', 'polled'] as const;
type Kind = (typeof KINDS)[number];

export interface Visible {
  readonly jobs: number;
  /** From the end of a job at its service to its task being shown as completed. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly pollsPerJob: number;
}

export interface Webhooks {
  /** The event is sent the moment the job ends, so that times count from there as well. */
  readonly hooked: Visible & { readonly acknowledgedP50Ms: number; readonly acknowledgedP99Ms: number };
  readonly polled: Visible;
  /** Jobs that are polled alone, over those with a webhook. */
  readonly ratios: { readonly p50: number; readonly p99: number; readonly pollsPerJob: number };
}

export async function webhooks(
  start: (setting: Setting) => Promise<Measured>,
  progress: (text: string) => void,
): Promise<Webhooks> {
  const service = await startCallbacks();
  try {
    return await compareKinds(service, await start(settingFor(service)), progress);
  } finally {
    await service.close();
  }
}

function settingFor({ url }: CallbackService): Setting {
  const document = fileURLToPath(new URL('./callbacks.openapi.yaml', import.meta.url));
  // The usual limit on polls would delay all of them, and be what is measured.
  const limits = 'concurrentPollsMax: 100, concurrentSubmitsMax: 100, pollsPerSecondMax: 1000';
  const common = `document: ${document}, baseUrl: '${url}', limits: { ${limits} }`;
  return {
    upstreams: `
  hooked: { ${common}, tools: { prefix: hooked_ }, webhooks: { secrets: [{ env: BENCH_HOOK }] } }
  polled: { ${common}, tools: { prefix: polled_ } }
`,
    env: { BENCH_HOOK: SECRET },
  };
}

async function compareKinds(service: CallbackService, gateway: Measured, progress: (text: string) => void): Promise<Webhooks> {
  const client = requestClient(gateway.url);
  progress(`${2 * JOBS} jobs`);
  const labels = await create(client);
  progress('until they are completed');
  const visibleAtMs = await completed(client, labels, service.failed);
  const of = (kind: Kind) => {
    const jobs = [...labels].flatMap(([taskId, label]) => {
      const job = service.jobs.get(label);
      if (!label.startsWith(kind) || job?.endedAtMs === undefined) return [];
      return [{ ...job, endedAtMs: job.endedAtMs, visibleMs: (visibleAtMs.get(taskId) ?? Number.NaN) - job.endedAtMs }];
    });
    const waits = jobs.map(({ visibleMs }) => visibleMs);
    const pollsPerJob = jobs.reduce((sum, { polls }) => sum + polls, 0) / jobs.length;
    const visible: Visible = { jobs: jobs.length, p50Ms: quantile(waits, 0.5), p99Ms: quantile(waits, 0.99), pollsPerJob };
    return { visible, jobs };
  };
  const [hooked, polled] = [of('hooked'), of('polled').visible];
  const acknowledged = hooked.jobs.map(({ endedAtMs, acknowledgedAtMs = Number.NaN }) => acknowledgedAtMs - endedAtMs);
  return {
    hooked: {
      ...hooked.visible,
      acknowledgedP50Ms: quantile(acknowledged, 0.5),
      acknowledgedP99Ms: quantile(acknowledged, 0.99),
    },
    polled,
    ratios: {
      p50: polled.p50Ms / hooked.visible.p50Ms,
      p99: polled.p99Ms / hooked.visible.p99Ms,
      pollsPerJob: polled.pollsPerJob / hooked.visible.pollsPerJob,
    },
  };
}

/** Creates jobs of both kinds in turn. Returns their labels by task id. */
async function create(client: Client): Promise<Map<string, string>> {
  const labels = new Map<string, string>();
  const until = systemClock.monotonic() + CREATE_WITHIN_MS;
  let begun = 0;
  async function sender(): Promise<void> {
    while (begun < JOBS && systemClock.monotonic() < until) {
      const turn = begun++;
      for (const kind of KINDS) {
        const label = `${kind}-${turn}`;
        const { status, body } = await send(client('tools/call', { name: `${kind}_create_job`, arguments: { label } }));
        const taskId = /"taskId":"([^"]+)"/.exec(body)?.[1];
        if (taskId === undefined) throw new Error(`no task was created: HTTP ${status} ${body.slice(0, 500)}`);
        labels.set(taskId, label);
      }
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return labels;
}

/** When each task was shown as completed, on the monotonic clock. Throws when one ends otherwise, or does not end. */
async function completed(
  client: Client,
  labels: ReadonlyMap<string, string>,
  failed: Promise<never>,
): Promise<ReadonlyMap<string, number>> {
  const atMs = new Map<string, number>();
  const { promise: all, resolve, reject } = Promise.withResolvers<void>();
  const stream = listen(
    client('subscriptions/listen', { notifications: { taskIds: [...labels.keys()] } }),
    ({ taskId, status }) => {
      if (status === 'working' || atMs.has(taskId)) return;
      if (status !== 'completed') return reject(new Error(`${labels.get(taskId)} is ${status}`));
      atMs.set(taskId, systemClock.monotonic());
      if (atMs.size === labels.size) resolve();
    },
  );
  const over = new AbortController();
  const late = systemClock.sleep(VISIBLE_WITHIN_MS, over.signal).then(() => {
    throw new Error(`only ${atMs.size} of ${labels.size} tasks were completed within ${VISIBLE_WITHIN_MS} ms`);
  });
  late.catch(() => undefined);
  try {
    await Promise.race([all, failed, stream.failed, late]);
    return atMs;
  } finally {
    over.abort();
    stream.close();
  }
}
