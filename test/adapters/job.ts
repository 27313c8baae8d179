// A small document around one asynchronous operation, compiled by an adapter: what the corpora and the properties start from.

import type { Adapter, Call, Compiled, OpenApiOperation, Refusal } from '../../src/core/adapter.ts';
import type { JobDescription } from '../../src/core/description.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import type { HttpResponse } from '../../src/core/http.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { renderRequest } from '../../src/core/render.ts';
import type { ParameterBinding, RequestTemplate } from '../../src/core/request.ts';
import { KEY_ARGUMENT, withKeyArgument } from '../../src/core/submission-key.ts';
import type { UrlRewrite } from '../../src/core/urls.ts';
import type { Delivery } from '../../src/core/webhook.ts';

export const ORIGIN = 'https://jobs.example.com';

/** A job as a corpus writes it down. Operations are `METHOD /path?queryParameter&another`, with ` +json` where they need a JSON body. */
export interface Job {
  readonly submit: string;
  /** operationId → operation. */
  readonly operations?: Readonly<Record<string, string>>;
  readonly server?: string;
  readonly allowedOrigins?: readonly string[];
  readonly rewrite?: readonly UrlRewrite[];
  /** Media type of the submit's body; JSON where absent, and there is none for 'none'. */
  readonly body?: string;
  /** Names of security schemes, by operationId; the submit is `submit`. */
  readonly security?: Readonly<Record<string, readonly string[]>>;
  readonly 'x-longshore'?: JobDescription;
}

const POINTER = '/paths/~1jobs/post';

function templateOf(operation: string, job: Job, bodied: boolean): RequestTemplate {
  const { server = ORIGIN, body = 'application/json' } = job;
  const [method = '', target = ''] = operation.split(' ');
  const [path = '', query = ''] = target.split('?');
  const keyed = operation === job.submit ? job['x-longshore']?.submissionKey?.path : undefined;
  const parameter = (name: string, place: 'path' | 'query', allowReserved: boolean): ParameterBinding => ({
    argument: place === 'path' && name === keyed ? KEY_ARGUMENT : name,
    name,
    in: place,
    style: place === 'path' ? 'simple' : 'form',
    explode: false,
    required: true,
    allowReserved,
  });
  return {
    method,
    server,
    path,
    parameters: [
      ...[...path.matchAll(/\{(\+?)([^{}]+)\}/g)].map(([, plus, name = '']) => parameter(name, 'path', plus === '+')),
      ...query.split('&').flatMap((name) => (name === '' ? [] : [parameter(name, 'query', false)])),
    ],
    ...(bodied && body !== 'none' && { body: { mediaType: body, required: true, from: { kind: 'member', argument: 'body' } } }),
    headers: [],
    query: [],
    bodyConstants: [],
    accept: 'application/json',
  };
}

function sourceOf(job: Job): OpenApiOperation {
  const operations = new Map<string, OpenApiOperation>();
  const add = (id: string, written: string): OpenApiOperation => {
    const security = job.security?.[id];
    const template = templateOf(written, job, id === 'submit' && !/^(GET|DELETE) /.test(written));
    const request = { ...template, ...(security && { security }) };
    const { method, path } = request;
    const operation: OpenApiOperation = {
      method,
      path,
      operationId: id,
      pointer: POINTER,
      object: /\+json$/.test(written) ? { requestBody: { required: true, content: { 'application/json': {} } } } : {},
      request,
      related: (name) => operations.get(name),
    };
    if (id !== 'submit') for (const name of [id, `${method} ${path}`]) operations.set(name, operation);
    return operation;
  };
  for (const [id, written] of Object.entries(job.operations ?? {})) add(id, written);
  return add('submit', job.submit);
}

const originsOf = (job: Job): readonly string[] => job.allowedOrigins ?? [new URL(job.server ?? ORIGIN).origin];

const TIMING = {
  submitTimeoutMs: 10_000,
  submitLeaseMs: 30_000,
  readTimeoutMs: 10_000,
  consistencyGraceMs: 3000,
  reconcileWindowMs: 900_000,
  effectsWindowMs: 900_000,
  waitBudgetMs: 60_000,
  startWithinMs: 60_000,
};

export const compiled = (adapter: Adapter, job: Job): Compiled | Refusal =>
  adapter.compile(sourceOf(job), job['x-longshore'] ?? {}, originsOf(job));

function webhookOf(job: Job, { traits }: Compiled): Pick<Descriptor, 'webhook'> {
  const webhook = job['x-longshore']?.webhook;
  if (webhook === undefined) return {};
  const { inject = { body: '/callback_url' }, verify, event = {} } = webhook;
  return { webhook: { role: traits.status ? 'hint' : 'only', inject, verify, event } };
}

/** The descriptor that the catalogue would make of it. Throws for a refusal. */
export function descriptorOf(adapter: Adapter, job: Job): Descriptor {
  const made = compiled(adapter, job);
  if ('refused' in made) throw new Error(`${made.pointer}: ${made.reason}`);
  return {
    version: 1,
    tool: 'startJob',
    upstream: 'jobs',
    adapter: `${adapter.id}@${adapter.version}`,
    submit: sourceOf(job).request,
    allowedOrigins: originsOf(job),
    ...(job.rewrite && { rewrite: job.rewrite }),
    traits: { ...made.traits, submitAttemptsMax: 3, fetchTriesMax: 5, cancelTriesMax: 5, timing: TIMING },
    pace: { intervalMs: 1000, intervalMinMs: 250, intervalMaxMs: 10_000, ageShare: 0.1 },
    responseBytesMax: 1_048_576,
    ...webhookOf(job, made),
    // What a descriptor keeps has been JSON in between.
    protocol: JSON.parse(JSON.stringify(made.protocol)) as Json,
  };
}

const KEY = 'sub_0123456789abcdefghjkmnpq';

export function callOf(descriptor: Descriptor, given: JsonObject = { body: {} }): Call {
  const args = withKeyArgument(descriptor.submit, given, KEY);
  const rendered = renderRequest(descriptor.submit, args);
  if ('faults' in rendered) throw new Error(rendered.faults.map(({ message }) => message).join('; '));
  return { request: rendered.request, arguments: args, submissionKey: KEY };
}

/** A response as a corpus writes it down. `json` is sent as JSON, `body` as it is, `base64` as those bytes. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: Json;
  readonly body?: string;
  readonly base64?: string;
}

/** A verified event as a corpus writes it down. */
export interface Event {
  readonly json?: Json;
  readonly body?: string;
  /** JSON where it is absent. */
  readonly mediaType?: string;
}

export const deliveryOf = ({ json, body = '', mediaType = 'application/json' }: Event): Delivery => ({
  eventId: 'event-1',
  mediaType,
  body: json === undefined ? body : JSON.stringify(json),
  receivedAt: Date.UTC(2026, 0, 1),
});

export function responseOf({ status, headers = {}, json, body, base64 }: Answer, url: string): HttpResponse {
  const text = json === undefined ? (body ?? '') : JSON.stringify(json);
  const bytes = base64 === undefined ? new TextEncoder().encode(text) : Buffer.from(base64, 'base64');
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { status, url, headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...named }, body: bytes };
}
