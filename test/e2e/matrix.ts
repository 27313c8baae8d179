// One row of the table of clients, proved: a stage of its own, and a test for each column.

import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { startService } from '../conformance/service.ts';
import { type JobService, startJobs } from '../fixtures/jobs.ts';
import { CLIENTS, type ClientKey, COLUMNS, type Column } from './client-table.ts';
import { closing, type GatewayUnderTest, projectFile, serve, until } from './gateway.ts';

const TOKEN = 'a-token-for-operators-in-tests';

/** What a client is put before. Its members are there once the tests run. */
export interface Stage {
  /** `create_job` greets once it is released, and not before. */
  readonly jobs: JobService;
  /** In front of the jobs, and of `confirm_delete`, which asks before it deletes. */
  readonly gateway: GatewayUnderTest;
  keep: ReturnType<typeof closing>['keep'];
  /** Resolves when the one job of a test exists. */
  jobExists(): Promise<void>;
  /** What the service itself says of it. */
  jobStatus(): Promise<string>;
  /** kill -9 in mid-job, and another start on the same file. */
  restart(): Promise<void>;
  /** The latest operation as an operator sees it, which is how somebody learns its id while a call waits. */
  latest(): Promise<{ readonly id: string; readonly state: string }>;
}

/** One gateway for all clients of a file; `prepare` makes what they share. */
export function stage(prepare: (it: Stage) => Promise<void> = async () => undefined): Stage {
  const { keep, closeAll } = closing();
  let jobs: JobService;
  let gateway: GatewayUnderTest;
  const it: Stage = {
    get jobs() {
      return jobs;
    },
    get gateway() {
      return gateway;
    },
    keep,
    jobExists: async () => void (await until('the job exists', () => jobs.jobsCreated() === 1)),
    async jobStatus() {
      const response = await fetch(`${jobs.url}/jobs/j-1`);
      return ((await response.json()) as { readonly status: string }).status;
    },
    async restart() {
      await gateway.kill9();
      await gateway.start();
    },
    latest: () =>
      until('an operation', async () => {
        const response = await fetch(`${gateway.base}/admin/v1/operations?limit=1`, {
          headers: { Authorization: `Bearer ${TOKEN}` },
        });
        return ((await response.json()) as { readonly items: readonly { id: string; state: string }[] }).items[0];
      }),
  };
  beforeAll(async () => {
    jobs = keep(await startJobs(), (service) => service.close());
    const asking = keep(await startService(), async (service) => service.close());
    const upstreams = `
  jobs:
    document: ${projectFile('test/fixtures/jobs.openapi.yaml')}
    baseUrl: ${jobs.url}
  asking:
    document: ${projectFile('test/conformance/service.openapi.yaml')}
    overlays: [${projectFile('test/conformance/service.overlay.yaml')}]
    baseUrl: ${asking.url}
`;
    const settings = 'limits: { inlineWait: 1s }\nadmin: { token: { env: ADMIN } }';
    gateway = keep(await serve(upstreams, { settings, env: { ADMIN: TOKEN } }), (running) => running.dispose());
    await prepare(it);
  }, 60_000);
  beforeEach(() => jobs.reset());
  afterAll(closeAll);
  return it;
}

/** A test for each column of the client's row: the words are the table's, what shows them is the file's. */
export function proves(client: ClientKey, tests: Readonly<Record<Column, () => Promise<void>>>): void {
  const row = CLIENTS[client];
  describe(`${row.name}, ${row.contract}`, { timeout: 120_000 }, () => {
    for (const column of COLUMNS) test(`${column}: it ${row[column].does}`, tests[column]);
  });
}

/** How a person answers what `confirm_delete` asks, and what comes of it. */
export const YES = { action: 'accept', content: { confirm: true } } as const;
export const DELETED = { sure: { confirm: true } };

/** Answers every question with a yes, and counts. */
export function person() {
  const asked: string[] = [];
  return {
    asked,
    answer: (params: { readonly message?: unknown }) => {
      asked.push(String(params.message));
      return { ...YES };
    },
  };
}
