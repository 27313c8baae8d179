// kill -9 between every two durable steps of a job's way: a real process dies there, another one goes on with its file.
// The steps are recorded from a journey that nothing disturbs and held against the list, so that a new step needs a new point.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { canonicalJson, type Json } from '../../../src/core/json.ts';
import { dueWork, fold } from '../../../src/core/machine.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite.ts';
import { type JobService, startJobs } from '../../fixtures/jobs.ts';
import { folder, type GatewayUnderTest, projectFile, serve, until } from '../gateway.ts';
import { modern } from '../wire.ts';

const TIMEOUT_MS = 240_000;
/** So many deaths in one house, one after the other: the next process mends what the last one left, and dies elsewhere. */
const CHAIN = 7;
/** Too large to be kept inside an event: a blob is put. */
const CHARACTERS = 20_000;

interface Journey {
  readonly tool: 'create_job' | 'create_order';
  readonly cancels: boolean;
  /** The steps are all up to the end; else they go on as those of a job. */
  readonly ends: boolean;
  /** Up to here it goes as a job goes. */
  readonly from: string;
  /** In the order in which they are passed first. */
  readonly steps: readonly string[];
  /** What may be in the receipt of one that was killed somewhere on its way. */
  readonly outcomes: readonly string[];
}

const SUBMIT = ['keep descriptor', 'create', 'append submit_started'];
const JOURNEYS = {
  job: {
    tool: 'create_job',
    cancels: false,
    from: 'keep descriptor',
    ends: true,
    steps: [
      ...SUBMIT,
      'send POST /jobs',
      'append submit_accepted',
      'lease poll',
      'send GET /jobs/{id}',
      'reschedule poll',
      'append seen_ended',
      'lease fetch',
      'send GET /jobs/{id}/result',
      'put blob',
      'append result_ok',
      'append accept',
    ],
    outcomes: ['succeeded'],
  },
  'cancelled job': {
    tool: 'create_job',
    cancels: true,
    from: 'append cancel',
    ends: true,
    steps: [
      ...SUBMIT,
      'send POST /jobs',
      'append submit_accepted',
      'lease poll',
      'send GET /jobs/{id}',
      'reschedule poll',
      'append cancel',
      'lease cancel',
      'append cancel_sent',
      'send DELETE /jobs/{id}',
      'append cancel_confirmed',
      'append seen_ended',
      'append accept',
    ],
    outcomes: ['cancelled'],
  },
  'job of a service without keys': {
    tool: 'create_order',
    cancels: false,
    from: 'append submit_started',
    ends: false,
    steps: [...SUBMIT, 'send POST /orders', 'append submit_accepted'],
    outcomes: ['succeeded', 'unknown'],
  },
} as const satisfies Record<string, Journey>;

/** Who brought the last evidence and the worker both go to accept it: the worker may come first, or too late, or not at all. */
const RACES = ['lease accept', 'reschedule accept'];

interface House {
  readonly jobs: JobService;
  readonly gateway: GatewayUnderTest;
  /** Every point that was passed, in order. */
  passed(): readonly string[];
  /** The process dies at this point from now on; '' for none. */
  arm(point: string): void;
}

async function house<T>(live: (house: House) => Promise<T>): Promise<T> {
  const [jobs, { path, remove }] = await Promise.all([startJobs(), folder()]);
  const arm = (point: string) => writeFileSync(join(path, 'point'), point);
  arm('');
  try {
    const upstreams = `\n  jobs:\n    document: ${projectFile('test/fixtures/jobs.openapi.yaml')}\n    baseUrl: ${jobs.url}\n`;
    const gateway = await serve(upstreams, { main: projectFile('test/e2e/crash/main.ts'), env: { CRASH_FOLDER: path } });
    try {
      return await live({ jobs, gateway, arm, passed: () => readFileSync(join(path, 'passed'), 'utf8').trim().split('\n') });
    } finally {
      await gateway.dispose();
    }
  } finally {
    await jobs.close();
    await remove();
  }
}

/** What a client was told: nothing where the answer was lost; the task, or the result itself where there was one already. */
interface Told {
  readonly taskId?: string;
}

/** A client's way with one job, for as long as the gateway lives. Going it again with the same key is no second call. */
async function travel({ jobs, gateway }: House, { tool, cancels }: Journey, key: string, dead: () => boolean) {
  const wire = modern(gateway.url);
  const seen = jobs.polls();
  const call = { name: tool, arguments: { name: nameOf(key) }, _meta: { 'longshore/idempotencyKey': key } };
  const called = await wire.rpc('tools/call', call).catch(() => undefined);
  if (called === undefined) return undefined;
  expect(called.error).toBeUndefined();
  const taskId = called.result['taskId'];
  if (typeof taskId !== 'string') return {};
  const isOver = async () => {
    const answer = await wire.rpc('tasks/get', { taskId }).catch(() => undefined);
    return !['working', undefined].includes(answer?.result['status'] as string | undefined);
  };
  await until('the job was looked at', () => dead() || jobs.polls() >= seen + 2 || isOver());
  if (cancels) await wire.rpc('tasks/cancel', { taskId }).catch(() => undefined);
  else jobs.release(key);
  await until('the end', () => dead() || isOver());
  return { taskId } satisfies Told;
}

const nameOf = (key: string) => `${key} `.padEnd(CHARACTERS, 'a');

/** What must be so at the end, by the file: of each operation, by its caller's key. */
async function laws({ jobs, gateway }: House, { outcomes }: Journey, told: ReadonlyMap<string, readonly Told[]>) {
  const path = join(gateway.folder, 'ledger.db');
  const ledger = await openSqliteLedger({ path, clock: systemClock });
  try {
    const { items } = await ledger.list({}, { limit: 100 });
    expect(items.map(({ callerKey }) => callerKey).sort(), 'one operation for each call').toEqual([...told.keys()].sort());
    expect((await ledger.outbox(0, 100)).map(({ receipt }) => receipt.operationId).sort()).toEqual(
      items.map(({ id }) => id).sort(),
    );
    for (const operation of items) {
      const key = operation.callerKey ?? '';
      for (const { taskId } of told.get(key) ?? []) if (taskId !== undefined) expect(operation.id, key).toBe(taskId);
      const made = jobs.namesCreated().filter((name) => name === nameOf(key)).length;
      expect(outcomes, key).toContain(operation.receipt?.outcome);
      if (operation.receipt?.outcome === 'unknown') expect(made, key).toBeLessThanOrEqual(1);
      else expect(made, key).toBe(1);
      expect(await ledger.receipt(operation.id), key).toEqual(operation.receipt);
      const descriptor = await ledger.getDescriptor(operation.descriptorDigest);
      if (descriptor === undefined) throw new Error(`${key}: the descriptor is gone`);
      const text = (value: unknown) => canonicalJson(value as Json);
      const folded = fold(await ledger.history(operation.id), descriptor.traits);
      expect(text(folded), `${key}: the fold is the row`).toBe(text(operation));
      const due = dueWork(operation, descriptor.traits).map(({ kind }) => kind);
      expect((await ledger.work(operation.id)).map(({ kind }) => kind).sort(), key).toEqual(due.sort());
      const digest = operation.receipt?.result?.digest;
      if (digest !== undefined) expect(await ledger.blobs.get(digest), key).toContain(`Hello, ${key}`);
    }
  } finally {
    await ledger.close();
  }
  const file = new DatabaseSync(path, { readOnly: true });
  expect(file.prepare('SELECT count(*) AS orphans FROM blobs WHERE named = 0').get(), 'blobs').toEqual({ orphans: 0 });
  file.close();
}

/** One process dies at each point; the next one goes on with what it left, and the client asks again. */
async function survive(journey: Journey, points: readonly string[]): Promise<void> {
  await house(async (built) => {
    const { jobs, gateway, arm } = built;
    const told = new Map<string, Told[]>();
    for (const point of points) {
      const process = gateway.process();
      let isDead = false;
      const died = process.exited.then(() => {
        isDead = true;
      });
      if (point.startsWith('during ')) {
        jobs.swallows = (method, path) => {
          if (`during send ${method} ${path.replace(/j-\d+/, '{id}')}` !== point) return false;
          setImmediate(() => process.signal('SIGKILL'));
          return true;
        };
      } else arm(point);
      const first = await travel(built, journey, point, () => isDead);
      await until(`its death ${point}`, () => isDead);
      await died;
      jobs.swallows = undefined;
      arm('');
      await gateway.start();
      const again = await travel(built, journey, point, () => false);
      if (again === undefined) throw new Error(`${point}: the same call is not answered any more`);
      told.set(point, [...(first === undefined ? [] : [first]), again]);
    }
    await gateway.kill9();
    await laws(built, journey, told);
  });
}

describe.concurrent.each(Object.entries<Journey>(JOURNEYS))('a %s', { timeout: TIMEOUT_MS }, (_name, journey) => {
  const steps = journey.steps.slice(journey.steps.indexOf(journey.from));
  const sends = steps.filter((step) => step.startsWith('send '));
  const points = [
    `before ${steps[0]}`,
    ...steps.map((step) => `after ${step}`),
    // The request was read, and its answer is on the wire.
    ...sends.map((step) => `during ${step}`),
  ];
  // Dealt out, so that what a process does once in its life comes first in a chain.
  const count = Math.ceil(points.length / CHAIN);
  const chains = Array.from({ length: count }, (_, chain) => points.filter((_point, index) => index % count === chain));

  test('takes these steps, and no other', () =>
    house(async (built) => {
      await travel(built, journey, 'once', () => false);
      const passed = built.passed().filter((line) => line.startsWith('after '));
      const taken = new Set(passed.map((line) => line.slice('after '.length)));
      for (const race of RACES) taken.delete(race);
      expect([...taken].slice(0, journey.ends ? undefined : journey.steps.length)).toEqual(journey.steps);
    }));

  test.each(chains.map((chain) => [chain.join(', '), chain] as const))('survives kill -9 %s', (_title, chain) =>
    survive(journey, chain),
  );
});
