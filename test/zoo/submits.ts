// Species whose submit, status or cancel is the difficult part: several steps, addresses that are wrong, waits, hints of pace.

import type { Answer, Species } from './species.ts';

const ok = (json: unknown, headers: Record<string, string> = {}): Answer => ({ code: 200, json, headers });

const STEPPED: readonly Species[] = [
  {
    name: 'bulk-ingest',
    pattern: 'P10',
    submit: 'POST /jobs/ingest',
    data: { data: 'Name\nbridge\n' },
    accepted: ok({ id: '{id}', state: 'Open' }),
    routes: [
      {
        on: 'GET /jobs/ingest/{id}',
        waiting: ok({ id: '{id}', state: 'Open' }),
        running: ok({ id: '{id}', state: 'InProgress' }),
        succeeded: ok({ id: '{id}', state: 'JobComplete', object: '{name}' }),
        failed: ok({ id: '{id}', state: 'Failed', errorMessage: 'no such object' }),
        cancelled: ok({ id: '{id}', state: 'Aborted' }),
      },
      { on: 'PUT /jobs/ingest/{id}/batches', step: true, succeeded: { code: 201 } },
      {
        on: 'PATCH /jobs/ingest/{id}',
        member: ['state', 'UploadComplete'],
        step: true,
        succeeded: ok({ id: '{id}', state: 'UploadComplete' }),
      },
      { on: 'PATCH /jobs/ingest/{id}', cancels: true, running: ok({ state: 'Aborted' }), succeeded: ok({}) },
    ],
    extension: { preset: 'bulk-ingest@1', status: { url: '/jobs/ingest/{id}' } },
    result: '"object":"bridge"',
    failure: 'no such object',
    cancel: true,
  },
  {
    name: 'openeo-whole',
    pattern: 'P10',
    submit: 'POST /jobs',
    accepted: { code: 201, headers: { Location: '{base}/jobs/{id}', 'OpenEO-Identifier': '{id}' } },
    routes: [
      {
        on: 'GET /jobs/{id}',
        waiting: ok({ id: '{id}', status: 'created' }),
        running: ok({ id: '{id}', status: 'running', progress: 50 }),
        succeeded: ok({ id: '{id}', status: 'finished', progress: 100 }),
        failed: ok({ id: '{id}', status: 'error', message: 'no such collection' }),
      },
      { on: 'POST /jobs/{id}/results', step: true, succeeded: { code: 202 } },
      { on: 'GET /jobs/{id}/results', succeeded: ok({ assets: { '{name}': {} } }), failed: { code: 424 } },
    ],
    extension: { preset: 'openeo@2' },
    result: '"bridge"',
    failure: 'no such collection',
  },
];

const INSIDE = 'http://ci.internal:8080/ci';

const MISPLACED: readonly Species[] = [
  {
    name: 'build-queue-behind-a-proxy',
    pattern: 'P6',
    submit: 'POST /job/site/build',
    advertised: INSIDE,
    accepted: { code: 201, headers: { Location: `${INSIDE}/queue/item/{id}/` } },
    routes: [
      {
        on: 'GET /queue/item/{id}/api/json',
        before: true,
        running: ok({ why: 'Waiting for next available executor', cancelled: false }),
        succeeded: ok({ cancelled: false, executable: { number: '{n}', url: `${INSIDE}/job/site/{id}/` } }),
      },
      {
        on: 'GET /job/site/{id}/api/json',
        running: ok({ building: true, result: null }),
        succeeded: ok({ building: false, result: 'SUCCESS', description: '{name}' }),
        failed: ok({ building: false, result: 'FAILURE', message: 'it does not compile' }),
      },
    ],
    extension: { preset: 'jenkins-queue@1' },
    result: '"description":"bridge"',
    failure: 'it does not compile',
  },
];

const FINAL: readonly Species[] = [
  {
    name: 'arm-original-uri',
    pattern: 'P14',
    submit: 'PUT /vms/{vm}',
    arguments: { vm: 'v1' },
    idFrom: 'vm',
    accepted: {
      code: 201,
      headers: { 'Azure-AsyncOperation': '{base}/operations/{id}', Location: '{base}/nowhere/{id}' },
      json: { properties: { provisioningState: 'Creating' } },
    },
    routes: [
      {
        on: 'GET /operations/{id}',
        running: ok({ status: 'InProgress' }, { 'retry-after-ms': '60' }),
        succeeded: ok({ status: 'Succeeded' }),
        failed: ok({ status: 'Failed', error: { message: 'no cores left' } }),
      },
      { on: 'GET /vms/{id}', succeeded: ok({ name: '{id}', label: '{name}' }) },
    ],
    extension: { preset: 'azure-arm@2' },
    result: '"label":"bridge"',
    failure: 'no cores left',
  },
];

const STOPPED: readonly Species[] = [
  {
    name: 'predictions-by-url',
    pattern: 'P2',
    submit: 'POST /predictions',
    accepted: {
      code: 201,
      json: { id: '{id}', status: 'starting', urls: { get: '{base}/p/{id}', cancel: '{base}/stop/{id}' } },
    },
    routes: [
      {
        on: 'GET /p/{id}',
        running: ok({ id: '{id}', status: 'processing', output: null }),
        succeeded: ok({ id: '{id}', status: 'succeeded', output: ['{name}.png'] }),
        failed: ok({ id: '{id}', status: 'failed', error: 'out of memory' }),
        cancelled: ok({ id: '{id}', status: 'canceled' }),
      },
      { on: 'POST /stop/{id}', cancels: true, running: ok({}), succeeded: ok({}) },
    ],
    extension: { preset: 'body-urls@2' },
    result: '["bridge.png"]',
    failure: 'out of memory',
    cancel: true,
  },
  {
    name: 'predictions-for-an-hour',
    pattern: 'P2',
    submit: 'POST /predictions',
    accepted: { code: 201, json: { id: '{id}', status: 'starting', urls: { get: '{base}/p/{id}' } } },
    routes: [
      {
        on: 'GET /p/{id}',
        running: ok({ id: '{id}', status: 'processing', output: null, data_removed: false }),
        succeeded: ok({ id: '{id}', status: 'succeeded', output: ['{name}.png'], data_removed: false }),
        failed: ok({ id: '{id}', status: 'failed', error: 'out of memory', data_removed: false }),
      },
    ],
    // A success whose output is gone is none that could be given.
    extension: {
      preset: 'body-urls@2',
      state: { unknownFor: '4s', second: { when: ['succeeded'], at: '/data_removed', succeeded: ['false'] } },
    },
    result: '["bridge.png"]',
    failure: 'out of memory',
  },
  {
    name: 'run-that-says-when',
    pattern: 'P1',
    submit: 'POST /runs',
    accepted: { code: 201, json: { id: '{id}', status: 'pending', poll_after_ms: 60 } },
    routes: [
      {
        on: 'GET /runs/{id}',
        running: ok({
          status: 'planning',
          poll_after_ms: 60,
          actions: { cancelable: true, cancel: '{base}/runs/{id}/actions/cancel' },
        }),
        succeeded: ok({ status: 'applied', message: '{name}' }),
        failed: ok({ status: 'errored', error: 'the plan failed' }),
        cancelled: ok({ status: 'canceled', actions: { cancelable: false } }),
      },
      {
        on: 'PUT /runs/{id}/actions/cancel',
        cancels: true,
        running: { code: 202, json: { id: '99', status: 'succeeded' } },
        succeeded: { code: 409 },
      },
    ],
    extension: {
      status: { url: '/runs/{id}', id: '$response.body#/id' },
      state: { at: '/status' },
      submit: { busy: { codes: [409], at: '/error/code', words: ['InProgress'] } },
      pace: { first: '80ms', after: { at: '/poll_after_ms', unit: 'ms' } },
      cancel: { method: 'PUT', urlAt: '/actions/cancel', allowedWhen: '/actions/cancelable', over: [409] },
    },
    result: '"message":"bridge"',
    failure: 'the plan failed',
    cancel: true,
  },
];

const OPERATION = {
  running: ok({ name: 'operations/{id}' }),
  succeeded: ok({ name: 'operations/{id}', done: true, response: { text: 'read {name}' } }),
  failed: ok({ name: 'operations/{id}', done: true, error: { code: 3, message: 'no such page' } }),
  cancelled: ok({ name: 'operations/{id}', done: true, error: { code: 1, message: 'cancelled' } }),
};

const DISK = {
  running: ok({ status: 'RUNNING', progress: 50 }),
  succeeded: ok({ status: 'DONE', targetLink: '{base}/disks/{name}' }),
  failed: ok({ status: 'DONE', error: { errors: [{ message: 'quota exceeded' }] } }),
};

const HELD: readonly Species[] = [
  {
    name: 'aip-151-wait',
    pattern: 'P8',
    submit: 'POST /v1/documents:process',
    accepted: ok({ name: 'operations/{id}' }),
    operations: { getOperation: 'GET /v1/{name}', waitOperation: 'POST /v1/{name}:wait' },
    routes: [
      { on: 'POST /v1/{+path}:wait', waits: true, ...OPERATION },
      { on: 'POST /v1/{+path}:cancel', cancels: true, running: ok({}), succeeded: ok({}) },
      { on: 'GET /v1/{+path}', ...OPERATION },
    ],
    extension: { preset: 'aip-151@2', cancel: {} },
    result: 'read bridge',
    failure: 'no such page',
    cancel: true,
  },
  {
    name: 'compute-wait',
    pattern: 'P1',
    submit: 'POST /disks',
    accepted: ok({ name: 'op-{id}', selfLink: '{base}/operations/{id}', status: 'PENDING' }),
    routes: [
      { on: 'POST /operations/{id}/wait', waits: true, ...DISK },
      { on: 'GET /operations/{id}', ...DISK },
    ],
    extension: {
      preset: 'google-legacy-operation@1',
      status: { wait: { for: '2s', method: 'POST', url: '{statusUrl}/wait' } },
    },
    result: '/disks/bridge',
    failure: 'quota exceeded',
  },
];

const STATUS = 'WORKFLOW_EXECUTION_STATUS';

const SUCCEEDED: readonly Species[] = [
  {
    name: 'continued-as-new',
    pattern: 'P6',
    submit: 'POST /workflows/{workflowId}',
    arguments: { workflowId: 'w-1' },
    idFrom: 'workflowId',
    accepted: ok({ runId: 'r1' }),
    routes: [
      {
        on: 'GET /workflows/{id}',
        before: true,
        running: ok({ status: `${STATUS}_RUNNING` }),
        succeeded: ok({ status: `${STATUS}_CONTINUED_AS_NEW`, next: 'r2' }),
      },
      {
        on: 'GET /workflows/{id}/runs/r2',
        running: ok({ status: `${STATUS}_RUNNING` }),
        succeeded: ok({ status: `${STATUS}_COMPLETED`, memo: '{name}' }),
        failed: ok({ status: `${STATUS}_TIMED_OUT`, message: 'the last run took too long' }),
      },
    ],
    extension: {
      handle: { id: '$request.path.workflowId' },
      status: {
        url: '/workflows/{workflowId}',
        follow: { when: [`${STATUS}_CONTINUED_AS_NEW`], at: '/next', url: '{statusUrl}/runs/{id}' },
      },
      state: { at: '/status', prefix: `${STATUS}_`, succeeded: ['COMPLETED'] },
    },
    result: '"memo":"bridge"',
    failure: 'the last run took too long',
  },
];

const FOUND: readonly Species[] = [
  {
    name: 'listed-jobs',
    pattern: 'P1',
    submit: 'POST /jobs',
    remembers: 'X-Client-Token',
    accepted: { code: 202, json: { job: { id: '{id}' } } },
    routes: [
      {
        on: 'GET /jobs/{id}',
        running: ok({ phase: 'running' }),
        succeeded: ok({ phase: 'succeeded', file: '{name}.csv' }),
        failed: ok({ phase: 'failed', reason: 'the queue was emptied' }),
      },
      {
        on: 'GET /jobs',
        lists: ({ id, key }) => ({ job: { id }, labels: { token: key ?? null } }),
        succeeded: ok({}),
      },
    ],
    extension: {
      handle: { id: '$response.body#/job/id' },
      status: { url: '/jobs/{id}' },
      state: { at: '/phase' },
      result: { at: '/file' },
      // A second submit would be a second job.
      submissionKey: { header: 'X-Client-Token', deduplicates: false },
      lookup: { url: '/jobs', list: '/jobs', match: { at: '/labels/token' }, id: '/job/id' },
    },
    result: '"bridge.csv"',
    failure: 'the queue was emptied',
  },
  {
    name: 'monitor-elsewhere',
    pattern: 'P3',
    submit: 'POST /files/{file}/copy',
    arguments: { file: 'f1' },
    accepted: { code: 202, headers: { Location: '{annex}/monitor/{id}' } },
    routes: [
      {
        on: 'GET /monitor/{id}',
        running: { code: 202, json: { status: 'inProgress', percentageComplete: 20 } },
        succeeded: ok({ status: 'completed', resourceId: '{name}' }),
        failed: ok({ status: 'failed', error: { message: 'the folder is full' } }),
      },
    ],
    extension: { state: { at: '/status', succeeded: ['completed'] }, progress: { at: '/percentageComplete' } },
    result: '"resourceId":"bridge"',
    failure: 'the folder is full',
  },
];

const TENANT = { headers: { 'X-Tenant': '$request.header.X-Tenant' } };

/** Whose jobs are there for nobody who does not say whose they are, at each request. */
const OWNED: readonly Species[] = [
  {
    name: 'jobs-of-a-tenant',
    pattern: 'P1',
    submit: 'POST /jobs',
    arguments: { 'X-Tenant': 'tenant' },
    owner: 'X-Tenant',
    accepted: { code: 202, json: { id: '{id}', status: 'queued' } },
    routes: [
      {
        on: 'GET /jobs/{id}',
        running: ok({ id: '{id}', status: 'running' }),
        succeeded: ok({ id: '{id}', status: 'succeeded' }),
        failed: ok({ id: '{id}', status: 'failed', error: { message: 'the tenant has no quota' } }),
        cancelled: ok({ id: '{id}', status: 'cancelled' }),
      },
      { on: 'GET /jobs/{id}/output', succeeded: ok({ output: '{name}' }) },
      { on: 'DELETE /jobs/{id}', cancels: true, running: ok({}), succeeded: ok({}) },
    ],
    extension: {
      preset: 'status-resource@1',
      status: { url: '/jobs/{id}', ...TENANT },
      result: { url: '{statusUrl}/output', ...TENANT },
      cancel: { url: '{statusUrl}', method: 'DELETE', ...TENANT },
    },
    result: '{"output":"bridge"}',
    failure: 'the tenant has no quota',
    cancel: true,
  },
];

const SECURED: readonly Species[] = [
  {
    name: 'monitor-over-tls',
    pattern: 'P3',
    secure: true,
    submit: 'POST /reports',
    accepted: { code: 202, headers: { Location: '{base}/queue/{id}' } },
    routes: [
      {
        on: 'GET /queue/{id}',
        running: ok({ status: 'running' }),
        succeeded: ok({ status: 'done', url: '{base}/reports/{id}' }),
        failed: ok({ status: 'failed', error: { message: 'the period is open' } }),
      },
      { on: 'GET /reports/{id}', succeeded: ok({ report: '{name}' }) },
    ],
    extension: { state: { at: '/status', succeeded: ['done'] }, result: { urlAt: '/url' } },
    result: '{"report":"bridge"}',
    failure: 'the period is open',
  },
];

const SPARED: readonly Species[] = [
  {
    name: 'few-looks-a-second',
    pattern: 'P1',
    looksPerSecond: 2,
    submit: 'POST /surveys',
    accepted: { code: 202, json: { id: '{id}', status: 'queued' } },
    routes: [
      {
        on: 'GET /surveys/{id}',
        running: ok({ id: '{id}', status: 'running', part: 0.6 }),
        succeeded: ok({ id: '{id}', status: 'succeeded', map: '{name}' }),
        failed: ok({ id: '{id}', status: 'failed', error: { message: 'the area is closed' } }),
      },
    ],
    extension: {
      preset: 'status-resource@1',
      status: { url: '/surveys/{id}' },
      progress: { at: '/part', of: 1 },
      result: { at: '/map' },
    },
    result: '"bridge"',
    failure: 'the area is closed',
  },
];

export const SUBMITS: readonly Species[] = [
  ...OWNED,
  ...SECURED,
  ...SPARED,
  ...FOUND,
  ...STEPPED,
  ...MISPLACED,
  ...FINAL,
  ...STOPPED,
  ...HELD,
  ...SUCCEEDED,
];
