// The file format of longshore.yaml: what may stand in it, its bounds and its defaults. The published JSON Schema,
// which gives editors their help, is made from this; so every member has one sentence, and says its default.
//   Names are those of the Config they become, without `Ms`: a duration in the file carries its unit.

import { z } from 'zod';
import { CONTRACT_IDS, DOORS } from '../contracts/index.ts';
import { GATE_MODES } from '../core/gates.ts';
import {
  amount,
  baseUrl,
  duration,
  flag,
  hostName,
  keySetUrl,
  ledgerUrl,
  list,
  listen,
  origin,
  section,
  size,
  text,
  word,
} from './fields.ts';

/** A kind of value with its default, written as in the file. */
function member<T extends z.ZodType>(kind: T, otherwise: z.input<T>, sentence: string) {
  const written = Array.isArray(otherwise) ? `[${otherwise.join(', ')}]` : String(otherwise);
  return kind.prefault(otherwise as never).describe(`${sentence} Default: ${written}.`);
}
const optional = <T extends z.ZodType>(kind: T, sentence: string) => kind.optional().describe(sentence);
const group = <T extends z.ZodType>(kind: T, sentence: string) => kind.prefault({} as never).describe(sentence);

export const SECRET_MEND = 'put the secret in the environment ({env: NAME}) or in a file ({file: ./path})';

/** A place that holds a secret; the secret itself never stands in the configuration. */
const secretPlace = {
  env: optional(
    text(128).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
      error: `must be the name of an environment variable → write the name alone, and ${SECRET_MEND}`,
    }),
    'Name of the environment variable that holds the secret.',
  ),
  file: optional(text(4096), 'File that holds the secret, relative to this file; one line break at its end is not part of it.'),
};
const secretShape = (members: string) => (issue: { readonly code?: string | undefined }) =>
  issue.code === 'invalid_type' ? `must say where the secret is (${members}) → ${SECRET_MEND}` : undefined;
const secret = z.strictObject(secretPlace, { error: secretShape('env or file') });

const headerName = text(256).regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, { error: 'must be the name of an HTTP header' });
const credential = z.strictObject(
  {
    ...secretPlace,
    username: optional(secret, 'Where the user name of HTTP Basic authentication is.'),
    password: optional(secret, 'Where the password of HTTP Basic authentication is.'),
    header: optional(headerName, 'Header to send the secret in, where the document describes no such scheme.'),
    query: optional(text(256), 'Query parameter to send the secret in, where the document describes no such scheme.'),
  },
  { error: secretShape('env, file, or username and password') },
);

const upstreamLimits = section({
  concurrentRequestsMax: member(amount(1, 1000), 32, 'Most requests to this upstream that are open at once.'),
  concurrentPollsMax: member(amount(1, 1000), 8, 'Most of those that may be polls.'),
  pollsPerSecondMax: member(amount(0.01, 1000, true), 10, 'Most polls a second that this upstream gets.'),
  concurrentSubmitsMax: member(amount(1, 1000), 8, 'Most jobs that are being submitted at once.'),
  responseBytesMax: member(size('1KiB', '1GiB'), '10MiB', 'Largest response that is read from this upstream, unpacked.'),
  requestBytesMax: member(size('1KiB', '256MiB'), '10MiB', 'Largest request body that is sent to this upstream.'),
});

const pace = section({
  interval: optional(duration('100ms', '1d'), 'Before the first poll, and the base of later ones.'),
  min: optional(duration('50ms', '1d'), 'Least time between two polls of one job, whatever Retry-After says.'),
  max: optional(duration('100ms', '7d'), 'Most time between two polls of one job, whatever Retry-After says.'),
  first: optional(duration('0s', '7d'), 'Before the first poll, where the answer to the submit says nothing of it.'),
});

const timing = section({
  submitTimeout: optional(duration('100ms', '1h'), 'For the whole exchange of a submit.'),
  readTimeout: optional(duration('100ms', '1h'), 'For the whole exchange of a poll or any other read.'),
  consistencyGrace: optional(duration('0s', '1d'), 'How long a job that was accepted may still be answered with 404.'),
  reconcileWindow: optional(duration('0s', '30d'), 'How long doubt about a job is looked into before it ends as unknown.'),
  effectsWindow: optional(duration('0s', '90d'), 'How long effects are followed after an ending before an operator is asked.'),
  waitBudget: optional(duration('1s', '365d'), 'From the call to the last poll of its job.'),
  startWithin: optional(duration('1s', '90d'), 'From the call to a submit that left.'),
  inlineWait: optional(duration('0s', '10m'), 'How long a call without Tasks waits for the end of its job.'),
});

const tools = section({
  include: member(
    list(text(256), 1000),
    [],
    'Operations that become tools: operationIds, tags, methods or paths (`GET /invoices/**`). * stands for any characters, in a path for those of one segment, and ** for any; empty means all.',
  ),
  exclude: member(list(text(256), 1000), [], 'Operations that do not, written in the same way; wins over include.'),
  prefix: optional(
    text(32).regex(/^[A-Za-z0-9_.-]+$/, {
      error: 'must be made of letters, digits, _, . and - → it becomes part of tool names',
    }),
    'Put before the name of every tool of this upstream; without it names are as in the document.',
  ),
  helpers: member(flag(), false, 'Offer operations that only serve a job (status, result, cancel) as tools too.'),
});

const upstreamShape = {
  document: text(4096).describe(
    'The OpenAPI document: a path relative to this file, or an http(s) URL. The only member an upstream must have.',
  ),
  overlays: member(list(text(4096), 50), [], 'OpenAPI Overlays, applied to the document in this order: paths or http(s) URLs.'),
  baseUrl: optional(baseUrl(), "Where the service is; without it the document's servers say so."),
  credentials: group(
    z.record(text(128), credential, { error: 'must be an object: one member for each security scheme of the document' }),
    "By the name of a scheme in the document's securitySchemes: where its secret is. Default: none are sent.",
  ),
  tools: group(tools, 'Which operations become tools, and under which names. Default: all of them.'),
  infer: member(
    flag(),
    true,
    'Follow operations as jobs that show by the document to be asynchronous although nothing says so; x-longshore wins.',
  ),
  allowedOrigins: member(
    list(origin(), 100),
    [],
    'Further origins that status and result URLs may be on; credentials never go there.',
  ),
  trustedOrigins: member(
    list(origin(), 100),
    [],
    "Further origins of the same service, such as its host for files: allowed, and sent this upstream's credentials.",
  ),
  rewrite: member(
    list(
      section({
        from: baseUrl().describe('What such a URL begins with, as the upstream writes it: an origin, or an origin and a path.'),
        to: baseUrl().describe('What it begins with in truth, on an origin of this upstream or one that is allowed.'),
      }),
      100,
    ),
    [],
    'Status, result and other URLs that the upstream advertises wrongly, as services behind a proxy do; the first that fits counts.',
  ),
  allowedRefs: member(
    list(text(4096), 100),
    [],
    'Path or URL prefixes from which the document may draw in other files by $ref.',
  ),
  limits: group(upstreamLimits, 'What this upstream is asked to bear.'),
  webhooks: optional(
    section({
      secrets: member(
        list(secret, 20),
        [],
        'Where the secrets (or public keys) are that deliveries are verified by; several while they are changed.',
      ),
      keySets: member(
        list(keySetUrl(), 5),
        [],
        'URLs of JSON Web Key Sets, where the sender publishes the public keys that it signs with; https, or on this machine.',
      ),
      allowedOrigins: member(
        list(origin(), 20),
        [],
        'Origins of which certificates are believed, and at which subscriptions are confirmed; nothing that a sender names is asked elsewhere.',
      ),
      publicUrl: optional(baseUrl(), 'Where this upstream reaches the gateway, if not at server.publicUrl.'),
    }),
    'What this upstream calls back with, where x-longshore describes a webhook. Default: it is not listened to.',
  ),
  defaults: group(
    section({
      pace: optional(pace, 'How often jobs are looked at.'),
      timing: optional(timing, 'How long things may take.'),
      expect: optional(
        duration('0s', '365d'),
        'How long a job usually takes; this decides taskSupport where nothing else does.',
      ),
      taskSupport: optional(word('forbidden', 'optional', 'required'), 'Pins what clients are told about Tasks.'),
    }),
    'For every job of this upstream that does not say it in x-longshore itself.',
  ),
};

const server = section({
  listen: member(listen(), '127.0.0.1:8080', 'Address to listen on; a port alone is on the loopback, port 0 is any free one.'),
  publicUrl: optional(baseUrl(), 'How clients and upstreams reach this gateway; webhooks need it.'),
  allowedHosts: member(
    list(hostName(), 100),
    [],
    "Host header values that are answered, beside loopback names and publicUrl's.",
  ),
  allowedOrigins: member(
    list(origin(), 100),
    [],
    'Origins of web pages that may call; programs send none and are not concerned.',
  ),
  dangerouslyServeEveryoneWithoutIdentity: member(
    flag(),
    false,
    'Listen on an address that others can reach although nobody is identified: whoever reaches it can call every tool with your credentials.',
  ),
  requestBytesMax: member(size('1KiB', '256MiB'), '4MiB', 'Largest request body that is read from a client.'),
  sessionsMax: member(
    amount(1, 100_000),
    1000,
    'Most MCP sessions that are kept at once, and most subscriptions; where callers are told apart, one has at most half of them.',
  ),
  sessionIdle: member(duration('10s', '7d'), '30m', 'A session that is silent for this long is ended.'),
  drain: member(
    duration('0s', '1h'),
    '25s',
    'How long requests under way may take to finish when the gateway is told to stop.',
  ),
});

const limits = section({
  pollsPerSecondMax: member(amount(0.01, 10_000, true), 100, 'Most polls a second over all upstreams.'),
  operationsPerPrincipalMax: member(amount(1, 1_000_000), 1000, 'Most operations of one principal that are under way at once.'),
  inlineWait: member(
    duration('0s', '10m'),
    '20s',
    'How long a call without Tasks waits for the end of its job before it answers with a handle.',
  ),
  resultBytesInlineMax: member(size('1KiB', '64MiB'), '256KiB', 'Largest result that is put into an answer as a whole.'),
});

const gate = section({
  adapter: text(100).describe('Adapter and version, as `longshore gates list` names them, such as http-202@1.'),
  contract: word(...DOORS).describe('Version of MCP Tasks; none is calls without Tasks.'),
  upstream: optional(text(64), 'For this upstream alone.'),
  tool: optional(text(64), 'For this tool alone.'),
  mode: word(...GATE_MODES).describe(
    'What becomes of new calls: open takes them, canary takes a share as tasks, shadow answers as without Tasks, drain refuses them.',
  ),
  share: optional(amount(0, 1, true), 'With canary: the share of calls that run as tasks, from 0 to 1.'),
  reason: member(text(1000), 'by configuration', 'What callers and operators are told.'),
});

const gates = section({
  set: member(list(gate, 1000), [], 'Gates that this file sets, at every start; what it no longer sets is opened.'),
  tripAfter: member(
    amount(0, 100_000),
    10,
    'After so many answers in a row that can not be read, a tool takes no new calls; 0 means never.',
  ),
  tripWithin: member(duration('1s', '7d'), '10m', 'So many answers, within this time.'),
});

const UPSTREAM_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

const configShape = {
  server: group(server, 'The HTTP side towards clients.'),
  ledger: member(
    ledgerUrl(),
    'sqlite:./data/longshore.db',
    'Where operations are recorded: sqlite:<path>, relative to this file; "sqlite::memory:", in quotes, forgets everything at the end and is only for trying.',
  ),
  identity: member(word('none'), 'none', 'How callers are identified; none is for a single local user.'),
  admin: optional(
    section({
      token: secret.describe('Where the token is that operators bring; at least 16 characters: openssl rand -base64 32.'),
    }),
    'The API behind `longshore operations`, at /admin/v1. Default: not served.',
  ),
  metrics: optional(
    section({
      token: optional(secret, 'Where the token is that a scraper brings; at least 16 characters. Default: none is asked for.'),
    }),
    'Counters and gauges for a scraper, at /metrics; {} serves them without a token. Default: not served.',
  ),
  contracts: member(
    list(word(...CONTRACT_IDS), CONTRACT_IDS.length).min(1, { error: 'must name at least one version of MCP Tasks' }),
    [...CONTRACT_IDS],
    'Versions of MCP Tasks that are spoken.',
  ),
  taskless: member(
    word('serve', 'reject'),
    'serve',
    'What a client without Tasks gets from a tool that requires them: serve waits, then answers with a handle; reject refuses.',
  ),
  gates: group(gates, 'Which calls may start operations, by adapter and contract. Default: all of them.'),
  limits: group(limits, 'Bounds over all upstreams.'),
  retention: member(duration('1m', '3650d'), '7d', 'How long an operation is kept after it ended; clients are told so.'),
  pollInterval: optional(
    duration('100ms', '1h'),
    "What clients are asked to wait between reads; without it, derived from the tool's pace.",
  ),
  log: group(
    section({ level: member(word('debug', 'info', 'warn', 'error'), 'info', 'Least level that is logged.') }),
    'The log.',
  ),
};

const upstreams = <U extends z.ZodType>(upstream: U) =>
  z.record(
    z
      .string()
      .regex(UPSTREAM_NAME, { error: 'is no name for an upstream → use a letter, then letters, digits, _ and -, 64 at most' }),
    upstream,
    {
      error:
        'must be an object: one member for each service, at least one → upstreams: {billing: {document: ./billing.openapi.yaml}}',
    },
  );

export const configSchema = section({
  ...configShape,
  upstreams: upstreams(section(upstreamShape)).describe(
    'The services behind the gateway, by a name of your choice. The only member the file must have.',
  ),
});

/** The same without the two members that a file must have: for looking at the rest of one that lacks them. */
export const draftSchema = section({
  ...configShape,
  upstreams: upstreams(section({ ...upstreamShape, document: upstreamShape.document.optional() })).optional(),
});

export type ConfigFile = z.output<typeof configSchema>;
export type UpstreamFile = ConfigFile['upstreams'][string];
export type ConfigDraft = z.output<typeof draftSchema>;
export type UpstreamDraft = NonNullable<ConfigDraft['upstreams']>[string];
export type CredentialFile = z.output<typeof credential>;
export type SecretFile = z.output<typeof secret>;
