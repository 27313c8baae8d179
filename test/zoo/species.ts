// What lives in the zoo: the shape of one service each, as data. `{id}` is the job's id, `{n}` alone its number, `{base}` and
// `{root}` the service's own address, absolute and as a path, `{annex}` another host of its own, `{store}` that of its files and `{signature}` of one of them (the next
// number), `{vault}` one of its files that wants credentials, `{name}` what the caller asked for.
//   Z1. A job whose name says `broken` fails, one that says `endless` never ends, every other one succeeds.
//   Z2. A species is described by what its document says (its submit, and `operations`) and by `extension`, its x-longshore.

import type { JsonObject } from '../../src/core/json.ts';
import { CALLERS } from './callers.ts';
import { RESULTS } from './results.ts';
import type { SenderName } from './senders.ts';
import { SUBMITS } from './submits.ts';

/** An answer: its code, its headers, its JSON or its text (of the type that the headers say). */
export interface Answer {
  readonly code: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
}

/** A request of a job after its submit. */
export interface Route {
  /** `GET /jobs/{id}`; `{+id}` spans slashes. */
  readonly on: string;
  /** Where the id is, if not in the path: a query parameter, or a member of the body. */
  readonly idIn?: { readonly query?: string; readonly body?: string };
  /** Only requests whose body has this member with this value. */
  readonly member?: readonly [name: string, value: string];
  /** Only requests with this header and value. */
  readonly header?: readonly [name: string, value: string];
  /** What must come along, or the answer is 400. */
  readonly needs?: { readonly query?: string; readonly header?: string };
  /** While the job runs; absent: 404. */
  readonly running?: Answer;
  readonly succeeded: Answer;
  /** Answers after the first, by the value of a query parameter or of a member of the body. */
  readonly pages?: { readonly query?: string; readonly body?: string; readonly by: Readonly<Record<string, Answer>> };
  /** Absent: as where it succeeded. */
  readonly failed?: Answer;
  /** This request cancels the job, and `succeeded` is what it answers. */
  readonly cancels?: true;
  /** After a cancel; absent: 404. */
  readonly cancelled?: Answer;
  /** The job waits for this request, and shows `waiting` until all of them have come. */
  readonly step?: true;
  readonly waiting?: Answer;
  /** A list of all jobs, and how each is shown in it. */
  readonly lists?: (job: { readonly id: string; readonly key: string | undefined }) => JsonObject;
  /** A long poll: it ends without news once, then with the end. */
  readonly waits?: true;
  /** The job goes on behind this request: it neither counts for its end nor fails. */
  readonly before?: true;
}

/** How a service calls back once the job is over. */
export interface Calls {
  /** Where the submit says the URL: a query parameter, or a member of the body. */
  readonly query?: string;
  readonly body?: string;
  /** How it is proved, and its form; absent: a token, and JSON. */
  readonly by?: SenderName;
  /** A member of the body with the secret that is to be repeated. */
  readonly secret?: string;
  readonly succeeded: unknown;
  readonly failed: unknown;
  /** What it might call back while the job runs. */
  readonly news: unknown;
}

export interface Species {
  readonly name: string;
  /** Of the catalogue of patterns. */
  readonly pattern: string;
  /** Its document, where that is not made from what is said here, and the tool that is made of its submit. */
  readonly document?: string;
  readonly tool?: string;
  /** `POST /jobs`; the parameters of its path are arguments. A GET is asked again. */
  readonly submit: string;
  /** Arguments of every call; `{name}` is the job's. */
  readonly arguments?: JsonObject;
  /** JSON Pointer into what is sent (`path`, `query`, `body`) of where the job's name is; absent: `name`, anywhere. */
  readonly nameAt?: string;
  /** Also arguments, but of its steps. */
  readonly data?: JsonObject;
  /** Also answers a second request to the address of a GET. */
  readonly accepted: Answer;
  /** The job's id is this argument. */
  readonly idFrom?: string;
  /** It is reached by https alone, which `{annex}` is not. */
  readonly secure?: true;
  /** Most looks a second that it bears, as its operator configures it. */
  readonly looksPerSecond?: number;
  /** A header of the submit, chosen by its caller, without which the job is not there for anybody. */
  readonly owner?: string;
  /** It believes that it is here, and names its URLs so: `{advertised}`. */
  readonly advertised?: string;
  /** A header of the submit, or as `{…}` a parameter of its path, by which a repeated one is known again. */
  readonly remembers?: string;
  readonly routes: readonly Route[];
  readonly calls?: Calls;
  /** More of its document: operationId → `METHOD /path`. */
  readonly operations?: Readonly<Record<string, string>>;
  readonly extension: JsonObject;
  /** What is in the result, and in what a failure says. */
  readonly result: string;
  readonly failure: string;
  /** Whether a cancel reaches the job. */
  readonly cancel?: true;
}

const ok = (json: unknown, headers?: Record<string, string>): Answer => ({ code: 200, json, ...(headers && { headers }) });
const accepted = (headers: Record<string, string>, json?: unknown): Answer => ({ code: 202, headers, json });

const OPERATION = (name: string): readonly Route[] => [
  {
    on: 'GET /v1/{+path}',
    running: ok({ name, metadata: { progressPercent: 40 } }),
    succeeded: ok({ name, done: true, response: { '@type': 'type.example/Doc', text: 'read {name}' } }),
    failed: ok({ name, done: true, error: { code: 3, message: 'no such page' } }),
    cancelled: ok({ name, done: true, error: { code: 1, message: 'cancelled' } }),
  },
  { on: 'POST /v1/{+path}:cancel', cancels: true, running: ok({}), succeeded: ok({}) },
];

const OPERATIONS: readonly Species[] = [
  {
    name: 'aip-151',
    pattern: 'P8',
    submit: 'POST /v1/documents:process',
    accepted: ok({ name: 'operations/{id}', metadata: {} }),
    routes: OPERATION('operations/{id}'),
    extension: { preset: 'aip-151@1', cancel: {} },
    result: 'read bridge',
    failure: 'no such page',
    cancel: true,
  },
  {
    name: 'aip-151-nested',
    pattern: 'P8',
    submit: 'POST /v1/projects/{project}/documents:process',
    arguments: { project: 'p1' },
    accepted: ok({ name: 'projects/p1/locations/eu/operations/{id}', done: false }),
    routes: OPERATION('projects/p1/locations/eu/operations/{id}'),
    extension: { preset: 'aip-151@1', result: { at: '/response/text' } },
    result: '"read bridge"',
    failure: 'no such page',
  },
  {
    name: 'aip-151-bare',
    pattern: 'P8',
    submit: 'POST /v1/speech:recognize',
    accepted: ok({ name: '{id}' }),
    routes: [
      {
        on: 'GET /v1/operations/{id}',
        running: ok({ name: '{id}', metadata: { progressPercent: 10 } }),
        succeeded: ok({ name: '{id}', done: true, response: { transcript: 'heard {name}' } }),
        failed: ok({ name: '{id}', done: true, error: { code: 13, message: 'silent audio', details: [] } }),
      },
    ],
    extension: { preset: 'aip-151@1', status: { url: '/v1/operations/{+name}' } },
    result: 'heard bridge',
    failure: 'silent audio',
  },
  {
    name: 'compute-operation',
    pattern: 'P1',
    submit: 'POST /zones/{zone}/disks',
    arguments: { zone: 'z1' },
    accepted: ok({ name: 'op-{id}', selfLink: '{base}/zones/z1/operations/{id}', status: 'PENDING' }),
    routes: [
      {
        on: 'GET /zones/z1/operations/{id}',
        running: ok({ status: 'RUNNING', progress: 50 }),
        succeeded: ok({ status: 'DONE', progress: 100, targetLink: '{base}/disks/{name}' }),
        failed: ok({ status: 'DONE', error: { errors: [{ code: 'QUOTA', message: 'quota exceeded' }] } }),
      },
    ],
    extension: { preset: 'google-legacy-operation@1' },
    result: '/disks/bridge',
    failure: 'quota exceeded',
  },
];

const MONITORS: readonly Species[] = [
  {
    name: 'arm-async-operation',
    pattern: 'P9',
    submit: 'POST /vms',
    accepted: accepted({ 'Azure-AsyncOperation': '{base}/operations/{id}', Location: '{base}/results/{id}' }),
    routes: [
      {
        on: 'GET /operations/{id}',
        running: ok({ status: 'Creating', percentComplete: 20 }),
        succeeded: ok({ status: 'Succeeded' }),
        failed: ok({ status: 'Failed', error: { code: 'Quota', message: 'no cores left' } }),
      },
      { on: 'GET /results/{id}', succeeded: ok({ properties: { vm: '{name}' } }) },
    ],
    extension: { preset: 'azure-arm@1' },
    result: '"vm":"bridge"',
    failure: 'no cores left',
  },
  {
    name: 'arm-location',
    pattern: 'P3',
    submit: 'POST /vms/{vm}/capture',
    arguments: { vm: 'v1' },
    accepted: accepted({ Location: '{root}/operationresults/{id}', 'Retry-After': '0' }),
    routes: [
      {
        on: 'GET /operationresults/{id}',
        running: accepted({ 'Retry-After': '0' }),
        succeeded: ok({ resources: ['{name}'] }),
        failed: ok({ status: 'Failed', error: { message: 'the disk is attached' } }),
      },
    ],
    extension: { preset: 'azure-arm@1' },
    result: '"bridge"',
    failure: 'the disk is attached',
  },
  {
    name: 'arm-put',
    pattern: 'P14',
    submit: 'PUT /servers/{server}',
    arguments: { server: 's1' },
    idFrom: 'server',
    accepted: { code: 201, json: { properties: { provisioningState: 'Accepted' } } },
    routes: [
      {
        on: 'GET /servers/{id}',
        running: ok({ properties: { provisioningState: 'Updating' } }),
        succeeded: ok({ properties: { provisioningState: 'Succeeded', label: '{name}' } }),
        failed: ok({ properties: { provisioningState: 'Failed' }, error: { message: 'name is taken' } }),
      },
    ],
    extension: { handle: 'self', state: { at: '/properties/provisioningState' } },
    result: '"label":"bridge"',
    failure: 'name is taken',
  },
  {
    name: 'operation-location',
    pattern: 'P9',
    submit: 'POST /documentModels/{model}:analyze',
    arguments: { model: 'invoice' },
    accepted: accepted({ 'Operation-Location': '{root}/analyzeResults/{id}' }),
    routes: [
      {
        on: 'GET /analyzeResults/{id}',
        needs: { query: 'api-version' },
        running: ok({ status: 'running' }),
        succeeded: ok({ status: 'succeeded', analyzeResult: { content: '{name}' } }),
        failed: ok({ status: 'failed', error: { message: 'the page is blank' } }),
      },
    ],
    extension: {
      preset: 'azure-data-plane@1',
      status: { query: { 'api-version': '2024-11-30' } },
      result: { at: '/analyzeResult' },
    },
    result: '{"content":"bridge"}',
    failure: 'the page is blank',
  },
  {
    name: 'ogc-processes',
    pattern: 'P3',
    submit: 'POST /processes/{process}/execution',
    arguments: { process: 'buffer' },
    accepted: { code: 201, headers: { Location: '{base}/jobs/{id}' }, json: { jobID: '{id}', status: 'accepted' } },
    routes: [
      {
        on: 'GET /jobs/{id}',
        running: ok({ jobID: '{id}', status: 'running', progress: 30, message: 'buffering' }),
        succeeded: ok({ jobID: '{id}', status: 'successful' }),
        failed: ok({ jobID: '{id}', status: 'failed', message: 'geometry is invalid' }),
        cancelled: ok({ jobID: '{id}', status: 'dismissed' }),
      },
      { on: 'GET /jobs/{id}/results', succeeded: ok({ area: '{name}' }) },
      { on: 'DELETE /jobs/{id}', cancels: true, running: ok({}), succeeded: ok({ status: 'dismissed' }) },
    ],
    extension: { preset: 'ogc-processes@1' },
    result: '{"area":"bridge"}',
    failure: 'geometry is invalid',
    cancel: true,
  },
  {
    name: 'openeo',
    pattern: 'P10',
    submit: 'POST /jobs/{job_id}/results',
    arguments: { job_id: 'job-7' },
    idFrom: 'job_id',
    accepted: { code: 202 },
    routes: [
      {
        on: 'GET /jobs/{id}',
        running: ok({ id: '{id}', status: 'queued', progress: 0 }),
        succeeded: ok({ id: '{id}', status: 'finished', progress: 100 }),
        failed: ok({ id: '{id}', status: 'error', message: 'no such collection' }),
      },
      { on: 'GET /jobs/{id}/results', succeeded: ok({ assets: { '{name}': {} } }), failed: { code: 424 } },
    ],
    extension: { preset: 'openeo@1' },
    result: '"bridge"',
    failure: 'no such collection',
  },
  {
    name: 'fhir-bulk',
    pattern: 'P4',
    submit: 'GET /Patient/$export',
    accepted: accepted({ 'Content-Location': '{base}/status/{id}' }),
    routes: [
      {
        on: 'GET /status/{id}',
        running: accepted({ 'X-Progress': '50% complete' }),
        succeeded: ok({ output: [{ type: 'Patient', url: '{base}/{name}.ndjson' }] }),
        failed: { code: 422, json: { issue: [{ diagnostics: 'no such group' }] } },
      },
    ],
    extension: { preset: 'fhir-bulk@1' },
    result: 'bridge.ndjson',
    failure: 'no such group',
  },
  {
    name: 'see-other',
    pattern: 'P3',
    submit: 'POST /reports',
    accepted: accepted({ Location: '{base}/queue/{id}' }),
    routes: [
      {
        on: 'GET /queue/{id}',
        running: accepted({}),
        succeeded: { code: 303, headers: { Location: '{base}/reports/{id}' } },
        failed: { code: 422, json: { title: 'Unprocessable', detail: 'the period is open' } },
      },
      { on: 'GET /reports/{id}', succeeded: ok({ report: '{name}' }) },
    ],
    extension: { preset: 'rfc9110-location@1' },
    result: '"report":"bridge"',
    failure: 'the period is open',
  },
];

const RESOURCES: readonly Species[] = [
  {
    name: 'task-execution',
    pattern: 'P1',
    submit: 'POST /tasks',
    accepted: ok({ id: '{id}' }),
    operations: { getTask: 'GET /tasks/{id}', cancelTask: 'POST /tasks/{id}:cancel' },
    routes: [
      {
        on: 'GET /tasks/{id}',
        running: ok({ id: '{id}', state: 'INITIALIZING' }),
        succeeded: ok({ id: '{id}', state: 'COMPLETE', logs: ['{name}'] }),
        failed: ok({ id: '{id}', state: 'EXECUTOR_ERROR', message: 'exit code 1' }),
        cancelled: ok({ id: '{id}', state: 'CANCELED' }),
      },
      { on: 'POST /tasks/{id}:cancel', cancels: true, running: ok({}), succeeded: ok({}) },
    ],
    extension: {
      status: { operation: 'getTask', id: '$response.body#/id' },
      state: { at: '/state', succeeded: ['COMPLETE'] },
      cancel: 'cancelTask',
    },
    result: 'bridge',
    failure: 'exit code 1',
    cancel: true,
  },
  {
    name: 'predictions',
    pattern: 'P2',
    submit: 'POST /predictions',
    accepted: { code: 201, json: { id: '{id}', status: 'starting', urls: { get: '{base}/predictions/{id}' } } },
    routes: [
      {
        on: 'GET /predictions/{id}',
        running: ok({ id: '{id}', status: 'processing', output: null }),
        succeeded: ok({ id: '{id}', status: 'succeeded', output: ['{name}.png'] }),
        failed: ok({ id: '{id}', status: 'aborted', error: 'out of memory' }),
        cancelled: ok({ id: '{id}', status: 'canceled' }),
      },
      { on: 'POST /predictions/{id}/cancel', cancels: true, running: ok({}), succeeded: ok({}) },
    ],
    extension: { preset: 'body-urls@1' },
    result: '["bridge.png"]',
    failure: 'out of memory',
    cancel: true,
  },
  {
    name: 'queued-inference',
    pattern: 'P2',
    submit: 'POST /flux',
    accepted: ok({ request_id: '{id}', status_url: '{base}/q/{id}/status', response_url: '{base}/q/{id}' }),
    routes: [
      {
        on: 'GET /q/{id}/status',
        running: { code: 202, json: { status: 'IN_QUEUE', queue_position: 2 } },
        succeeded: ok({ status: 'COMPLETED', response_url: '{base}/q/{id}' }),
        failed: ok({ status: 'COMPLETED', error: 'the prompt was refused' }),
      },
      { on: 'GET /q/{id}', succeeded: ok({ images: ['{name}'] }) },
    ],
    extension: {
      handle: { url: '$response.body#/status_url', id: '$response.body#/request_id' },
      state: { at: '/status', succeeded: ['COMPLETED'], error: '/error' },
      result: { urlAt: '/response_url' },
    },
    result: '{"images":["bridge"]}',
    failure: 'the prompt was refused',
  },
  {
    name: 'batches',
    pattern: 'P6',
    submit: 'POST /batches',
    accepted: ok({ id: 'batch_{id}', status: 'validating' }),
    routes: [
      {
        on: 'GET /batches/batch_{id}',
        running: ok({ status: 'in_progress', request_counts: { completed: 1, total: 4 } }),
        succeeded: ok({ status: 'completed', output_file_id: 'file-{id}' }),
        failed: ok({ status: 'failed', errors: { data: [{ message: 'line 3 is no JSON' }] } }),
        cancelled: ok({ status: 'cancelled' }),
      },
      { on: 'GET /files/file-{id}/content', succeeded: ok({ custom_id: '{name}' }) },
      { on: 'POST /batches/batch_{id}/cancel', cancels: true, running: ok({}), succeeded: ok({}) },
    ],
    extension: {
      preset: 'status-resource@1',
      status: { url: '/batches/{id}' },
      result: { url: '/files/{id}/content', id: '/output_file_id', partial: '/error_file_id' },
      progress: { done: '/request_counts/completed', total: '/request_counts/total' },
      cancel: { url: '/batches/{id}/cancel' },
    },
    result: '{"custom_id":"bridge"}',
    failure: 'line 3 is no JSON',
    cancel: true,
  },
  {
    name: 'ended-with-results-url',
    pattern: 'P2',
    submit: 'POST /messages/batches',
    accepted: ok({ id: '{id}', processing_status: 'in_progress' }),
    routes: [
      {
        on: 'GET /messages/batches/{id}',
        running: ok({ processing_status: 'in_progress' }),
        succeeded: ok({ processing_status: 'ended', results_url: '{base}/results/{id}' }),
        failed: ok({ processing_status: 'ended', error: { message: 'the batch expired' } }),
      },
      { on: 'GET /results/{id}', succeeded: ok({ result: '{name}' }) },
    ],
    extension: {
      status: { url: '/messages/batches/{id}' },
      state: { at: '/processing_status', succeeded: ['ended'], error: '/error' },
      result: { urlAt: '/results_url' },
    },
    result: '{"result":"bridge"}',
    failure: 'the batch expired',
  },
  {
    name: 'transcripts',
    pattern: 'P1',
    submit: 'POST /transcript',
    accepted: ok({ id: '{id}', status: 'queued' }),
    routes: [
      {
        on: 'GET /transcript/{id}',
        running: ok({ status: 'processing' }),
        succeeded: ok({ status: 'completed', text: 'hello {name}' }),
        failed: ok({ status: 'error', error: 'Transcoding failed' }),
      },
    ],
    extension: { preset: 'status-resource@1', status: { url: '/transcript/{id}' }, result: { at: '/text' } },
    result: '"hello bridge"',
    failure: 'Transcoding failed',
  },
  {
    name: 'actions',
    pattern: 'P2',
    submit: 'POST /droplets',
    accepted: accepted({}, { droplet: { id: '{n}' }, links: { actions: [{ id: '{n}', href: '{base}/actions/{id}' }] } }),
    routes: [
      {
        on: 'GET /actions/{id}',
        running: ok({ action: { id: '{n}', status: 'in-progress' } }),
        succeeded: ok({ action: { id: '{n}', status: 'completed', region: '{name}' } }),
        failed: ok({ action: { id: '{n}', status: 'errored' }, message: 'no capacity' }),
      },
    ],
    extension: {
      handle: { url: '$response.body#/links/actions/0/href', id: '$response.body#/links/actions/0/id' },
      state: { at: '/action/status', succeeded: ['completed'] },
      result: { at: '/action' },
    },
    result: '"region":"bridge"',
    failure: 'no capacity',
  },
  {
    name: 'keyed-exports',
    pattern: 'P1',
    submit: 'POST /exports',
    remembers: 'Idempotency-Key',
    accepted: { code: 201, json: { id: '{id}', status: 'queued' } },
    routes: [
      {
        on: 'GET /exports/{id}',
        running: ok({ id: '{id}', status: 'running' }),
        succeeded: ok({ id: '{id}', status: 'finished', file: '{name}.csv' }),
        failed: ok({ id: '{id}', status: 'failed', error: { message: 'the table is locked' } }),
      },
    ],
    extension: {
      preset: 'status-resource@1',
      status: { url: '/exports/{id}' },
      result: { at: '/file' },
      submissionKey: { header: 'Idempotency-Key', retention: '24h' },
    },
    result: '"bridge.csv"',
    failure: 'the table is locked',
  },
  {
    name: 'runs-by-our-id',
    pattern: 'P14',
    submit: 'PUT /runs/{runId}',
    idFrom: 'runId',
    remembers: '{runId}',
    accepted: { code: 201 },
    routes: [
      {
        on: 'GET /runs/{id}',
        running: ok({ status: 'running' }),
        succeeded: ok({ status: 'succeeded', file: '{name}.csv' }),
        failed: ok({ status: 'failed', error: { message: 'no such pipeline' } }),
        cancelled: ok({ status: 'cancelled' }),
      },
      { on: 'DELETE /runs/{id}', cancels: true, running: ok({}), succeeded: ok({}) },
    ],
    extension: {
      status: { url: '/runs/{id}' },
      state: { at: '/status' },
      result: { at: '/file' },
      cancel: { method: 'DELETE', url: '/runs/{id}' },
      submissionKey: { path: 'runId' },
    },
    result: '"bridge.csv"',
    failure: 'no such pipeline',
    cancel: true,
  },
  {
    name: 'copies-by-header',
    pattern: 'P14',
    submit: 'PUT /copies/{copyId}',
    idFrom: 'copyId',
    remembers: '{copyId}',
    accepted: { code: 202, headers: { 'X-Copy-Status': 'pending' } },
    routes: [
      {
        on: 'HEAD /copies/{id}',
        running: { code: 200, headers: { 'X-Copy-Status': 'pending' } },
        succeeded: { code: 200, headers: { 'X-Copy-Status': 'success' } },
        failed: { code: 200, headers: { 'X-Copy-Status': 'failed' } },
      },
      { on: 'GET /copies/{id}', succeeded: ok({ blob: '{name}' }) },
    ],
    extension: {
      handle: 'self',
      submissionKey: { path: 'copyId', format: { as: 'hex' } },
      status: { method: 'HEAD' },
      state: { header: 'X-Copy-Status', working: ['pending'], succeeded: ['success'], failed: ['failed'] },
      result: { self: true },
    },
    result: '{"blob":"bridge"}',
    failure: 'gave no reason',
  },
  {
    name: 'nested-action',
    pattern: 'P1',
    submit: 'POST /servers/{server}/actions/poweron',
    arguments: { server: 's1' },
    accepted: { code: 201, json: { action: { id: '{n}', status: 'running', progress: 0 } } },
    routes: [
      {
        on: 'GET /actions/{id}',
        running: ok({ action: { status: 'running', progress: 50 } }),
        succeeded: ok({ action: { status: 'success', command: '{name}' } }),
        failed: ok({ action: { status: 'error', error: { code: 'locked', message: 'the server is locked' } } }),
      },
    ],
    extension: {
      handle: { id: '$response.body#/action/id' },
      status: { url: '/actions/{id}' },
      state: { at: '/action/status' },
      progress: { at: '/action/progress' },
      error: { message: '/action/error/message' },
    },
    result: '"command":"bridge"',
    failure: 'the server is locked',
  },
  {
    name: 'json-api-run',
    pattern: 'P1',
    submit: 'POST /runs',
    accepted: { code: 201, json: { data: { id: 'run-{id}', attributes: { status: 'pending' } } } },
    routes: [
      {
        on: 'GET /runs/run-{id}',
        running: ok({ data: { attributes: { status: 'planning' } } }),
        succeeded: ok({ data: { attributes: { status: 'applied', message: '{name}' } } }),
        failed: ok({ data: { attributes: { status: 'errored' } }, errors: [{ detail: 'the plan failed' }] }),
        cancelled: ok({ data: { attributes: { status: 'canceled' } } }),
      },
      { on: 'POST /runs/run-{id}/actions/cancel', cancels: true, running: { code: 202 }, succeeded: { code: 202 } },
    ],
    extension: {
      handle: { id: '$response.body#/data/id' },
      status: { url: '/runs/{id}' },
      state: { at: '/data/attributes/status' },
      cancel: { url: '/runs/{id}/actions/cancel', body: { comment: 'not needed any more' } },
    },
    result: '"message":"bridge"',
    failure: 'the plan failed',
    cancel: true,
  },
  {
    name: 'bulk-query',
    pattern: 'P1',
    submit: 'POST /jobs/query',
    accepted: ok({ id: '{id}', state: 'UploadComplete' }),
    routes: [
      {
        on: 'GET /jobs/query/{id}',
        running: ok({ state: 'InProgress', numberRecordsProcessed: 10 }),
        succeeded: ok({ state: 'JobComplete', numberRecordsProcessed: 20 }),
        failed: ok({ state: 'Failed', errorMessage: 'no such field' }),
        cancelled: ok({ state: 'Aborted' }),
      },
      { on: 'GET /jobs/query/{id}/results', succeeded: ok([{ Name: '{name}' }]) },
      { on: 'PATCH /jobs/query/{id}', cancels: true, running: ok({ state: 'Aborted' }), succeeded: ok({}) },
    ],
    extension: {
      status: { url: '/jobs/query/{id}' },
      state: { at: '/state', working: ['UploadComplete', 'InProgress'], succeeded: ['JobComplete'], cancelled: ['Aborted'] },
      result: { url: '{statusUrl}/results' },
      cancel: { method: 'PATCH', url: '{statusUrl}', body: { state: 'Aborted' } },
    },
    result: '[{"Name":"bridge"}]',
    failure: 'no such field',
    cancel: true,
  },
  {
    name: 'workflow-by-name',
    pattern: 'P1',
    submit: 'POST /workflows/{workflowId}',
    arguments: { workflowId: 'w-1' },
    idFrom: 'workflowId',
    accepted: ok({ runId: 'r1', started: true }),
    routes: [
      {
        on: 'GET /workflows/{id}',
        running: ok({ info: { status: 'WORKFLOW_EXECUTION_STATUS_RUNNING' } }),
        succeeded: ok({ info: { status: 'WORKFLOW_EXECUTION_STATUS_COMPLETED', memo: '{name}' } }),
        failed: ok({ info: { status: 'WORKFLOW_EXECUTION_STATUS_FAILED' }, message: 'activity failed' }),
      },
    ],
    extension: {
      handle: { id: '$request.path.workflowId' },
      status: { url: '/workflows/{workflowId}' },
      state: {
        at: '/info/status',
        working: ['WORKFLOW_EXECUTION_STATUS_RUNNING'],
        succeeded: ['WORKFLOW_EXECUTION_STATUS_COMPLETED'],
        failed: ['WORKFLOW_EXECUTION_STATUS_FAILED'],
      },
    },
    result: '"memo":"bridge"',
    failure: 'activity failed',
  },
];

const TRUTHS: readonly Species[] = [
  {
    name: 'conclusions',
    pattern: 'P1',
    submit: 'POST /check-runs',
    accepted: { code: 201, json: { id: '{n}', status: 'queued' } },
    routes: [
      {
        on: 'GET /check-runs/{id}',
        running: ok({ status: 'in_progress', conclusion: null }),
        succeeded: ok({ status: 'completed', conclusion: 'success', output: { title: '{name}' } }),
        failed: ok({ status: 'completed', conclusion: 'timed_out', message: 'it took too long' }),
      },
    ],
    extension: {
      status: { url: '/check-runs/{id}' },
      state: {
        at: '/status',
        second: {
          when: ['completed'],
          at: '/conclusion',
          succeeded: ['success', 'neutral', 'skipped'],
          failed: ['failure', 'timed_out', 'action_required', 'stale'],
          cancelled: ['cancelled'],
        },
      },
    },
    result: '"title":"bridge"',
    failure: 'it took too long',
  },
  {
    name: 'runs-by-query',
    pattern: 'P11',
    submit: 'POST /jobs/runs/submit',
    accepted: ok({ run_id: '{n}' }),
    routes: [
      {
        on: 'GET /jobs/runs/get',
        idIn: { query: 'run_id' },
        running: ok({ state: { life_cycle_state: 'RUNNING' } }),
        succeeded: ok({ state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } }),
        failed: ok({ state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: 'task crashed' } }),
        cancelled: ok({ state: { life_cycle_state: 'TERMINATED', result_state: 'CANCELED' } }),
      },
      { on: 'GET /jobs/runs/get-output', idIn: { query: 'run_id' }, succeeded: ok({ notebook_output: { result: '{name}' } }) },
      { on: 'POST /jobs/runs/cancel', idIn: { body: 'run_id' }, cancels: true, running: ok({}), succeeded: ok({}) },
    ],
    extension: {
      handle: { id: '$response.body#/run_id' },
      status: { url: '/jobs/runs/get', query: { run_id: '{id}' } },
      state: {
        at: '/state/life_cycle_state',
        failed: ['INTERNAL_ERROR', 'SKIPPED'],
        second: {
          when: ['TERMINATED'],
          at: '/state/result_state',
          succeeded: ['SUCCESS'],
          failed: ['FAILED', 'TIMEDOUT'],
          cancelled: ['CANCELED'],
        },
      },
      error: { message: '/state/state_message' },
      result: { url: '/jobs/runs/get-output', query: { run_id: '{id}' }, at: '/notebook_output' },
      cancel: { url: '/jobs/runs/cancel', body: { run_id: '$response.body#/run_id' } },
    },
    result: '{"result":"bridge"}',
    failure: 'task crashed',
    cancel: true,
  },
  {
    name: 'done-and-error',
    pattern: 'P1',
    submit: 'POST /projects/{project}/jobs',
    arguments: { project: 'p1' },
    accepted: ok({ jobReference: { jobId: '{id}', location: 'EU' }, status: { state: 'PENDING' } }),
    routes: [
      {
        on: 'GET /projects/p1/jobs/{id}',
        needs: { query: 'location' },
        running: ok({ status: { state: 'RUNNING' } }),
        succeeded: ok({ status: { state: 'DONE' }, statistics: { table: '{name}' } }),
        failed: ok({ status: { state: 'DONE', errorResult: { reason: 'invalid', message: 'no such table' } } }),
      },
    ],
    extension: {
      handle: { id: '$response.body#/jobReference/jobId' },
      status: { url: '/projects/{project}/jobs/{id}', query: { location: '$response.body#/jobReference/location' } },
      state: { at: '/status/state', succeeded: ['DONE'], error: '/status/errorResult' },
      result: { at: '/statistics' },
    },
    result: '{"table":"bridge"}',
    failure: 'no such table',
  },
  {
    name: 'async-search',
    pattern: 'P12',
    submit: 'POST /idx/_async_search',
    accepted: ok({ id: '{id}', is_running: true, is_partial: true }),
    routes: [
      {
        on: 'GET /_async_search/{id}',
        running: ok({ id: '{id}', is_running: true, is_partial: true, response: { hits: 1 } }),
        succeeded: ok({ id: '{id}', is_running: false, is_partial: false, response: { hits: ['{name}'] } }),
        failed: ok({ id: '{id}', is_running: false, error: { type: 'search_phase', reason: 'all shards failed' } }),
      },
      { on: 'DELETE /_async_search/{id}', cancels: true, running: ok({ acknowledged: true }), succeeded: ok({}) },
    ],
    extension: { preset: 'elasticsearch-async@1' },
    result: '{"hits":["bridge"]}',
    failure: 'all shards failed',
    cancel: true,
  },
  {
    name: 'conditions',
    pattern: 'P12',
    submit: 'POST /apis/batch/v1/namespaces/{namespace}/jobs',
    arguments: { namespace: 'default' },
    accepted: { code: 201, json: { metadata: { name: '{id}' }, spec: { completions: 2 }, status: {} } },
    routes: [
      {
        on: 'GET /apis/batch/v1/namespaces/default/jobs/{id}',
        running: ok({ status: { active: 1, succeeded: 1 }, spec: { completions: 2 } }),
        succeeded: ok({
          metadata: { labels: { app: '{name}' } },
          status: {
            conditions: [
              { type: 'SuccessCriteriaMet', status: 'True' },
              { type: 'Complete', status: 'True' },
            ],
          },
        }),
        failed: ok({ status: { conditions: [{ type: 'Failed', status: 'True', message: 'reached the backoff limit' }] } }),
      },
      {
        on: 'DELETE /apis/batch/v1/namespaces/default/jobs/{id}',
        needs: { query: 'propagationPolicy' },
        cancels: true,
        running: ok({ kind: 'Status' }),
        succeeded: ok({}),
      },
    ],
    extension: { preset: 'kubernetes-job@1' },
    result: '"app":"bridge"',
    failure: 'reached the backoff limit',
    cancel: true,
  },
  {
    name: 'build-queue',
    pattern: 'P6',
    submit: 'POST /job/site/build',
    accepted: { code: 201, headers: { Location: '{base}/queue/item/{id}/' } },
    routes: [
      {
        on: 'GET /queue/item/{id}/api/json',
        before: true,
        running: ok({ why: 'Waiting for next available executor', cancelled: false }),
        succeeded: ok({ cancelled: false, executable: { number: '{n}', url: '{base}/job/site/{id}/' } }),
      },
      {
        on: 'GET /job/site/{id}/api/json',
        running: ok({ building: true, result: null }),
        succeeded: ok({ building: false, result: 'SUCCESS', description: '{name}' }),
        failed: ok({ building: false, result: 'UNSTABLE', message: '3 tests failed' }),
      },
    ],
    extension: { preset: 'jenkins-queue@1' },
    result: '"description":"bridge"',
    failure: '3 tests failed',
  },
  {
    name: 'pipeline-then-workflow',
    pattern: 'P6',
    submit: 'POST /project/site/pipeline',
    accepted: { code: 201, json: { id: '{id}', state: 'pending' } },
    routes: [
      {
        on: 'GET /pipeline/{id}/workflow',
        before: true,
        running: ok({ items: [] }),
        succeeded: ok({ items: [{ id: 'wf-{id}', status: 'running' }] }),
      },
      {
        on: 'GET /workflow/wf-{id}',
        running: ok({ status: 'failing' }),
        succeeded: ok({ status: 'success', tag: '{name}' }),
        failed: ok({ status: 'failed', message: 'the tests failed' }),
      },
    ],
    extension: {
      handle: { id: '$response.body#/id' },
      status: { url: '/pipeline/{id}/workflow', follow: { at: '/items/0/id', url: '/workflow/{id}' } },
      state: { at: '/status' },
    },
    result: '"tag":"bridge"',
    failure: 'the tests failed',
  },
];

const target = (name: string): readonly [string, string] => ['x-amz-target', name];

const CODES: readonly Species[] = [
  {
    name: 'statements',
    pattern: 'P4',
    submit: 'POST /api/v2/statements',
    accepted: accepted({}, { statementHandle: '{id}', statementStatusUrl: '{root}/api/v2/statements/{id}' }),
    routes: [
      {
        on: 'GET /api/v2/statements/{id}',
        running: { code: 202, json: { message: 'in progress' } },
        succeeded: ok({ data: [['{name}']] }),
        failed: { code: 408, json: { message: 'statement reached its timeout' } },
      },
      {
        on: 'POST /api/v2/statements/{id}/cancel',
        cancels: true,
        running: ok({ message: 'cancelled' }),
        succeeded: ok({}),
      },
    ],
    extension: {
      preset: 'code-only@1',
      handle: { url: '$response.body#/statementStatusUrl', id: '$response.body#/statementHandle' },
      submit: { sync: { codes: [200] } },
      result: { at: '/data' },
    },
    result: '[["bridge"]]',
    failure: 'statement reached its timeout',
  },
  {
    name: 'request-id-header',
    pattern: 'P4',
    submit: 'POST /pexec/functions/{function}',
    arguments: { function: 'f1' },
    accepted: accepted({ 'NVCF-REQID': '{id}' }),
    routes: [
      {
        on: 'GET /pexec/status/{id}',
        running: accepted({ 'NVCF-REQID': '{id}', 'NVCF-PERCENT-COMPLETE': '50' }),
        succeeded: ok({ image: '{name}' }),
        failed: { code: 422, json: { detail: 'the prompt is too long' } },
      },
    ],
    extension: {
      handle: { id: '$response.header.NVCF-REQID' },
      status: { url: '/pexec/status/{id}' },
      progress: { header: 'NVCF-PERCENT-COMPLETE' },
    },
    result: '{"image":"bridge"}',
    failure: 'the prompt is too long',
  },
  {
    name: 'created-when-done',
    pattern: 'P4',
    submit: 'POST /accounts',
    accepted: accepted({ Location: '{base}/provisioning/{id}' }),
    routes: [
      {
        on: 'GET /provisioning/{id}',
        running: ok({ estimate: 10 }),
        succeeded: { code: 201, json: { resource_links: [{ id: '{name}' }] } },
        failed: { code: 400, json: { error_text: 'no such package' } },
      },
    ],
    extension: { state: { codes: { working: [200], succeeded: [201] } }, error: { message: '/error_text' } },
    result: '"id":"bridge"',
    failure: 'no such package',
  },
  {
    name: 'same-request',
    pattern: 'P7',
    submit: 'GET /repos/{name}/stats',
    accepted: { code: 202, json: {} },
    routes: [
      {
        on: 'GET /repos/{id}/stats',
        running: { code: 202, json: {} },
        succeeded: ok([{ author: '{name}' }]),
        failed: { code: 422, json: { message: 'the repository is empty' } },
      },
    ],
    idFrom: 'name',
    extension: { preset: 'repeat-get@1' },
    result: '[{"author":"bridge"}]',
    failure: 'the repository is empty',
  },
  {
    name: 'not-found-until-ready',
    pattern: 'P7',
    submit: 'POST /scan',
    accepted: ok({ uuid: '{id}', api: '{base}/result/{id}/' }),
    routes: [
      {
        on: 'GET /result/{id}/',
        running: { code: 404, json: { message: 'Scan is not finished yet' } },
        succeeded: ok({ verdicts: { page: '{name}' } }),
        failed: { code: 410, json: { message: 'the scan was deleted' } },
      },
    ],
    extension: {
      handle: { url: '$response.body#/api', id: '$response.body#/uuid' },
      state: { codes: { working: [404], failed: [410] } },
    },
    result: '"page":"bridge"',
    failure: 'the scan was deleted',
  },
  {
    name: 'rpc-query',
    pattern: 'P11',
    submit: 'POST /',
    accepted: ok({ QueryExecutionId: '{id}' }),
    routes: [
      {
        on: 'POST /',
        header: target('Athena.GetQueryExecution'),
        idIn: { body: 'QueryExecutionId' },
        running: ok({ QueryExecution: { Status: { State: 'RUNNING' } } }),
        succeeded: ok({ QueryExecution: { Status: { State: 'SUCCEEDED' }, Output: 's3://out/{name}' } }),
        failed: ok({ QueryExecution: { Status: { State: 'FAILED', StateChangeReason: 'syntax error' } } }),
        cancelled: ok({ QueryExecution: { Status: { State: 'CANCELLED' } } }),
      },
      {
        on: 'POST /',
        header: target('Athena.StopQueryExecution'),
        idIn: { body: 'QueryExecutionId' },
        cancels: true,
        running: ok({}),
        succeeded: ok({}),
      },
    ],
    extension: {
      preset: 'aws-json-rpc@1',
      submit: { headers: { 'X-Amz-Target': 'Athena.StartQueryExecution' } },
      handle: { id: '$response.body#/QueryExecutionId' },
      status: { headers: { 'X-Amz-Target': 'Athena.GetQueryExecution' }, body: { QueryExecutionId: '{id}' } },
      state: { at: '/QueryExecution/Status/State' },
      error: { message: '/QueryExecution/Status/StateChangeReason' },
      cancel: {
        url: '/',
        headers: { 'X-Amz-Target': 'Athena.StopQueryExecution', 'Content-Type': 'application/x-amz-json-1.1' },
        body: { QueryExecutionId: '{id}' },
      },
    },
    result: 's3://out/bridge',
    failure: 'syntax error',
    cancel: true,
  },
  {
    name: 'rpc-execution',
    pattern: 'P11',
    submit: 'POST /',
    accepted: ok({ executionArn: 'arn:states:{id}' }),
    routes: [
      {
        on: 'POST /',
        header: target('States.DescribeExecution'),
        idIn: { body: 'executionArn' },
        running: ok({ status: 'RUNNING' }),
        succeeded: ok({ status: 'SUCCEEDED', output: '{"sum": "{name}"}' }),
        failed: ok({ status: 'TIMED_OUT', cause: 'a step took too long' }),
      },
    ],
    extension: {
      preset: 'aws-json-rpc@1',
      submit: { headers: { 'X-Amz-Target': 'States.StartExecution' } },
      handle: { id: '$response.body#/executionArn' },
      status: { headers: { 'X-Amz-Target': 'States.DescribeExecution' }, body: { executionArn: '{id}' } },
      state: { at: '/status', cancelled: ['ABORTED'] },
      error: { message: '/cause' },
      result: { at: '/output', unwrap: 'json' },
    },
    result: '{"sum":"bridge"}',
    failure: 'a step took too long',
  },
];

export const SPECIES: readonly Species[] = [
  ...OPERATIONS,
  ...MONITORS,
  ...RESOURCES,
  ...TRUTHS,
  ...CODES,
  ...CALLERS,
  ...SUBMITS,
  ...RESULTS,
];

/** The one of that name. */
export function speciesOf(name: string, among: readonly Species[] = SPECIES): Species {
  const found = among.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no ${name} in the zoo`);
  return found;
}
