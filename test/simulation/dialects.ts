// The upstreams of the simulator as data: how a service speaks, what it promises, and how the gateway was told about it.
// Every row is compiled by a real adapter from a description, as an operator would write it.

import { aip151 } from '../../adapters/aip-151/adapter.ts';
import { http202 } from '../../adapters/http-202/adapter.ts';
import { webhook } from '../../adapters/webhook/adapter.ts';
import { type Adapter, adapterName, type Call, type OpenApiOperation } from '../../src/core/adapter.ts';
import type { JobDescription } from '../../src/core/description.ts';
import type { Descriptor, Traits } from '../../src/core/descriptor.ts';
import { helperRequest } from '../../src/core/helper-request.ts';
import { isJsonObject, scalarText, valueAt } from '../../src/core/json.ts';
import { readJson, retryAfterOf } from '../../src/core/readings.ts';
import type { RequestTemplate } from '../../src/core/request.ts';
import type { JobTool } from '../../src/core/tool.ts';
import { type Calls, rulesOf } from './callbacks.ts';
import { heldDialect } from './holds.ts';
import { type Asks, INPUT } from './rounds.ts';
import { STEPS } from './stages.ts';

/** The upstream of an index, its tool, and where it is reached. */
const namesOf = (index: number) =>
  index === 0
    ? { upstream: 'jobs', tool: 'start_job', origin: 'http://jobs.test' }
    : { upstream: `jobs-${index}`, tool: `start_job_${index}`, origin: `http://jobs-${index}.test` };

const HOUR_MS = 3_600_000;

export const TIMING: Traits['timing'] = {
  submitTimeoutMs: 10_000,
  submitLeaseMs: 15_000,
  readTimeoutMs: 10_000,
  consistencyGraceMs: 3_000,
  reconcileWindowMs: 40_000,
  effectsWindowMs: 90_000,
  waitBudgetMs: 90_000,
  startWithinMs: 30_000,
};

/** How the service itself behaves; the gateway knows of it only what its description says. */
export interface Dialect {
  readonly name: string;
  readonly adapter: Adapter;
  /** `jobs`: a plain status resource. `operations`: google.longrunning. */
  readonly speech: 'jobs' | 'operations';
  readonly description: JobDescription;
  readonly submitPath: string;
  /** Results come in pages of one row. */
  readonly pages?: true;
  /** Its jobs wait for their data and the word to begin. */
  readonly steps?: true;
  /** The service answers a submit with a Location and no body. */
  readonly answersWith?: 'location';
  /** The service makes one job of one key, for so long. */
  readonly remembersKeysMs?: number;
  /** The service tells by key whether it made a job; it does not deduplicate. */
  readonly looksUp?: boolean;
  /** How its jobs ask for input, where they do. */
  readonly asks?: Asks;
  /** How it calls back, where it does. */
  readonly calls?: Calls;
  readonly traits?: Partial<Omit<Traits, 'timing'>>;
  readonly timing?: Partial<Traits['timing']>;
}

const originOf = ({ request }: Call) => new URL(request.url).origin;

/** An upstream that can be asked for a key: no adapter of the house speaks this yet, so the simulator brings the two methods. */
const byReference: Adapter = {
  ...http202,
  id: 'http-202-by-reference',
  lookup: (call) => helperRequest({ method: 'GET' }, `${originOf(call)}/jobs?reference=${call.submissionKey}`),
  judgeLookup(response, _descriptor, call) {
    const reading = readJson(response);
    if (response.status === 404) return { kind: 'never_created' };
    const id = reading.kind === 'json' && isJsonObject(reading.value) ? scalarText(valueAt(reading.value, '/id')) : undefined;
    if (response.status !== 200 || id === undefined)
      return { kind: 'cannot_tell', message: 'no readable answer', ...retryAfterOf(response) };
    return { kind: 'found', reference: { id, statusUrl: `${originOf(call)}/jobs/${id}` } };
  },
};

const plain: JobDescription = {
  handle: { id: '$response.body#/id' },
  status: { url: '/jobs/{id}' },
  state: { at: '/status' },
  result: { at: '/result' },
  error: { message: '/error/message' },
  cancel: { method: 'POST', url: '/jobs/{id}/cancel' },
};
const deleting: JobDescription = {
  state: { at: '/status' },
  status: { url: '/jobs/{id}' },
  result: { url: '/jobs/{id}/result' },
  error: { message: '/error/message' },
  cancel: { method: 'DELETE', url: '/jobs/{id}', deletes: true },
};
const { cancel: _none, ...withoutCancel } = plain;
const key = { submissionKey: { header: 'Idempotency-Key' } } as const;

const ASKED: readonly Dialect[] = [
  { name: 'plain', adapter: http202, speech: 'jobs', submitPath: '/jobs', description: plain },
  { name: 'no-cancel', adapter: http202, speech: 'jobs', submitPath: '/jobs', description: withoutCancel },
  {
    name: 'keyed',
    adapter: http202,
    speech: 'jobs',
    submitPath: '/jobs',
    description: { ...plain, ...key },
    remembersKeysMs: 24 * HOUR_MS,
  },
  {
    name: 'forgets-keys',
    adapter: http202,
    speech: 'jobs',
    submitPath: '/jobs',
    description: { ...plain, ...key },
    remembersKeysMs: 60_000,
    traits: { keyRetentionMs: 60_000 },
    timing: { reconcileWindowMs: 80_000 },
  },
  {
    name: 'location-and-delete',
    adapter: http202,
    speech: 'jobs',
    submitPath: '/jobs',
    answersWith: 'location',
    description: deleting,
  },
  {
    name: 'in-pages',
    adapter: http202,
    speech: 'jobs',
    submitPath: '/jobs',
    pages: true,
    description: { ...plain, result: { url: '/jobs/{id}/result', pages: { at: '/next', query: 'page' } } },
  },
  {
    name: 'by-reference',
    adapter: byReference,
    speech: 'jobs',
    submitPath: '/jobs',
    description: { ...plain, ...key },
    looksUp: true,
    traits: { lookup: true, deduplicates: false },
    timing: { reconcileWindowMs: 60_000 },
  },
  {
    name: 'by-reference-and-keyed',
    adapter: byReference,
    speech: 'jobs',
    submitPath: '/jobs',
    description: { ...plain, ...key },
    looksUp: true,
    remembersKeysMs: 24 * HOUR_MS,
    traits: { lookup: true, submitAttemptsMax: 9 },
    timing: { reconcileWindowMs: 150_000 },
  },
  {
    name: 'operations',
    adapter: aip151,
    speech: 'operations',
    submitPath: '/v1/jobs',
    description: { cancel: {} },
  },
  {
    name: 'operations-keyed',
    adapter: aip151,
    speech: 'operations',
    submitPath: '/v1/jobs',
    description: { cancel: {}, submissionKey: { query: 'requestId' } },
    remembersKeysMs: 24 * HOUR_MS,
  },
  ...(Object.keys(INPUT) as Asks[]).map(
    (asks): Dialect => ({
      name: `asks-${asks}`,
      adapter: http202,
      speech: 'jobs',
      submitPath: '/jobs',
      description: { ...plain, ...INPUT[asks] },
      asks,
      // Shorter: whoever is asked may never answer.
      timing: { waitBudgetMs: 75_000, reconcileWindowMs: 20_000, effectsWindowMs: 75_000 },
    }),
  ),
];

/** Jobs of several steps: played in place of others, so that the other histories stay as they are. */
const IN_STEPS: Dialect = {
  name: 'in-steps',
  adapter: http202,
  speech: 'jobs',
  submitPath: '/jobs',
  steps: true,
  description: { ...plain, ...key, ...STEPS },
  remembersKeysMs: 24 * HOUR_MS,
};

/** Services that call back, beside being asked or instead of it. */
const CALLING: readonly Dialect[] = [
  {
    name: 'hinted',
    adapter: http202,
    speech: 'jobs',
    submitPath: '/jobs',
    description: plain,
    calls: { role: 'hint', says: 'job', scheme: 'standard-webhooks', at: ['started', 'ended'] },
  },
  {
    name: 'hinted-blindly',
    adapter: http202,
    speech: 'jobs',
    submitPath: '/jobs',
    description: { ...plain, ...key },
    remembersKeysMs: 24 * HOUR_MS,
    calls: { role: 'hint', says: 'nothing', scheme: 'github', at: ['ended'] },
  },
  {
    name: 'hinted-in-full',
    adapter: aip151,
    speech: 'operations',
    submitPath: '/v1/jobs',
    description: { cancel: {} },
    calls: { role: 'hint', says: 'state', scheme: 'hmac', at: ['started', 'progress', 'ended'] },
  },
  {
    name: 'hinted-and-deleted',
    adapter: http202,
    speech: 'jobs',
    submitPath: '/jobs',
    answersWith: 'location',
    description: deleting,
    calls: { role: 'hint', says: 'state', scheme: 'github', at: ['progress', 'ended'] },
  },
  {
    name: 'calls-back',
    adapter: webhook,
    speech: 'jobs',
    submitPath: '/jobs',
    description: {
      handle: { id: '$response.body#/id' },
      state: { error: '/error' },
      error: { message: '/error/message' },
      cancel: { method: 'POST', url: '/jobs/{id}/cancel' },
    },
    calls: { role: 'only', says: 'state', scheme: 'standard-webhooks', at: ['started', 'progress', 'ended'] },
  },
  {
    name: 'calls-back-elsewhere',
    adapter: webhook,
    speech: 'jobs',
    submitPath: '/jobs',
    description: {
      handle: { id: '$response.body#/id' },
      state: { error: '/error' },
      error: { message: '/error/message' },
      ...key,
    },
    remembersKeysMs: 24 * HOUR_MS,
    calls: { role: 'only', says: 'state', scheme: 'github', at: ['ended'], elsewhere: true },
  },
];

/** Those that a seed picks from. */
export const DIALECTS: readonly Dialect[] = [...ASKED, ...CALLING];

export const dialectOf = (name: string): Dialect => {
  const found = heldDialect(name, dialectOf) ?? [...DIALECTS, IN_STEPS].find((dialect) => dialect.name === name);
  if (found === undefined) throw new Error(`there is no dialect ${name}`);
  return found;
};

const tools = new Map<string, JobTool>();

/** With its webhook, as the catalogue hands it to an adapter. */
const descriptionOf = ({ description, calls, speech }: Dialect): JobDescription =>
  calls === undefined ? description : { ...description, webhook: rulesOf(calls, speech) };

/** The tool that the catalogue would make of a dialect, in the service of that index. */
export function toolOf(dialect: Dialect, index = 0): JobTool {
  const name = `${index} ${dialect.name}`;
  const known = tools.get(name) ?? compiledOf(dialect, index);
  tools.set(name, known);
  return known;
}

function compiledOf(dialect: Dialect, index: number): JobTool {
  const { upstream, tool, origin } = namesOf(index);
  const submit: RequestTemplate = {
    method: 'POST',
    server: origin,
    path: dialect.submitPath,
    parameters: [],
    body: { mediaType: 'application/json', required: true, from: { kind: 'member', argument: 'body' } },
    headers: [],
    query: [],
    bodyConstants: [],
    accept: 'application/json',
  };
  const source: OpenApiOperation = {
    method: 'POST',
    path: dialect.submitPath,
    operationId: 'startJob',
    pointer: '/paths/~1jobs/post',
    object: {},
    request: submit,
    related: () => undefined,
  };
  const compiled = dialect.adapter.compile(source, descriptionOf(dialect), [origin]);
  if ('refused' in compiled) throw new Error(`${dialect.name}: ${compiled.reason}`);
  const descriptor: Descriptor = {
    version: 1,
    tool,
    upstream,
    adapter: adapterName(dialect.adapter),
    submit,
    allowedOrigins: [origin],
    traits: {
      ...compiled.traits,
      submitAttemptsMax: 6,
      fetchTriesMax: 4,
      cancelTriesMax: 3,
      ...dialect.traits,
      timing: { ...TIMING, ...dialect.timing },
    },
    ...(dialect.calls && { webhook: rulesOf(dialect.calls, dialect.speech) }),
    pace: { intervalMs: 1_000, intervalMinMs: 250, intervalMaxMs: 8_000, ageShare: 0.1 },
    responseBytesMax: 1_000_000,
    protocol: compiled.protocol,
  };
  return {
    kind: 'job',
    name: tool,
    description: 'Starts a job.',
    inputSchema: { type: 'object' },
    annotations: {},
    upstream,
    source: {
      document: 'jobs.yaml',
      method: 'POST',
      path: dialect.submitPath,
      operationId: 'startJob',
      pointer: source.pointer,
    },
    why: 'described',
    taskSupport: 'optional',
    descriptor,
    inlineWaitMs: 20_000,
    check: (args) => (args['body'] === undefined ? [{ pointer: '/body', message: 'is required' }] : []),
    misfit: () => undefined,
  };
}
