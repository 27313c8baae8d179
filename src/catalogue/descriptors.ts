// Descriptors: a job's description and an adapter's compilation, with every default filled in.

import type { UpstreamConfig } from '../config/config.ts';
import { type Adapter, adapterName, type Compiled } from '../core/adapter.ts';
import type { JobDescription } from '../core/description.ts';
import type { Descriptor, Pace, Timing } from '../core/descriptor.ts';
import type { RequestTemplate } from '../core/request.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The lease outlasts the submit, so that a slow answer is still read by the one who waits for it. */
const LEASE_MARGIN_MS = 15 * SECOND;
const SUBMIT_ATTEMPTS_MAX = 5;
const FETCH_TRIES_MAX = 8;
const CANCEL_TRIES_MAX = 5;

const TIMING = {
  submitTimeoutMs: 30 * SECOND,
  readTimeoutMs: 30 * SECOND,
  consistencyGraceMs: 30 * SECOND,
  reconcileWindowMs: 15 * MINUTE,
  effectsWindowMs: 24 * HOUR,
  waitBudgetMs: 24 * HOUR,
  startWithinMs: 5 * MINUTE,
} as const;
/** Where a webhook hurries the polls they can be fewer; they never stop, since webhooks get lost. */
const RELAXED = 5;
const PACE = { intervalMs: 2 * SECOND, minMs: 500, maxMs: MINUTE, ageShare: 0.1 } as const;
/** Beyond this a caller should be free to do something else meanwhile. */
const REQUIRED_ABOVE_MS = 30 * SECOND;

/** The description over the upstream's defaults; groups are merged member by member. */
export function withDefaults(description: JobDescription, defaults: UpstreamConfig['defaults']): JobDescription {
  return {
    ...defaults,
    ...description,
    pace: { ...defaults.pace, ...description.pace },
    timing: { ...defaults.timing, ...description.timing },
  };
}

function timingOf(description: JobDescription): Timing {
  const { inlineWaitMs: _inline, ...said } = description.timing ?? {};
  const timing = { ...TIMING, ...said };
  const unknownForMs = description.state?.unknownForMs;
  return {
    ...timing,
    submitLeaseMs: timing.submitTimeoutMs + LEASE_MARGIN_MS,
    ...(unknownForMs === undefined ? {} : { unknownWordMs: unknownForMs }),
  };
}

function paceOf({ pace = {}, expectMs, webhook }: JobDescription): Pace {
  const intervalMinMs = pace.minMs ?? Math.min(PACE.minMs, pace.intervalMs ?? PACE.minMs);
  const intervalMaxMs = Math.max(pace.maxMs ?? PACE.maxMs, intervalMinMs);
  const wishedMs = (pace.intervalMs ?? PACE.intervalMs) * (webhook === undefined ? 1 : RELAXED);
  const intervalMs = Math.min(Math.max(wishedMs, intervalMinMs), intervalMaxMs);
  return {
    intervalMs,
    intervalMinMs,
    intervalMaxMs,
    ageShare: PACE.ageShare,
    ...(pace.firstMs === undefined ? {} : { firstMs: pace.firstMs }),
    ...(expectMs === undefined ? {} : { expectMs }),
  };
}

export interface DescriptorSource {
  readonly tool: string;
  readonly upstream: UpstreamConfig;
  readonly adapter: Adapter;
  readonly description: JobDescription;
  readonly request: RequestTemplate;
  readonly compiled: Compiled;
  readonly allowedOrigins: readonly string[];
}

export function descriptorOf({
  tool,
  upstream,
  adapter,
  description,
  request,
  compiled,
  allowedOrigins,
}: DescriptorSource): Descriptor {
  const retentionMs = description.submissionKey?.retentionMs;
  return {
    version: 1,
    tool,
    upstream: upstream.name,
    adapter: adapterName(adapter),
    submit: request,
    allowedOrigins,
    ...(upstream.rewrite && { rewrite: upstream.rewrite }),
    traits: {
      ...compiled.traits,
      ...(retentionMs === undefined ? {} : { keyRetentionMs: retentionMs }),
      submitAttemptsMax: SUBMIT_ATTEMPTS_MAX,
      fetchTriesMax: FETCH_TRIES_MAX,
      cancelTriesMax: CANCEL_TRIES_MAX,
      timing: timingOf(description),
    },
    pace: paceOf(description),
    responseBytesMax: upstream.limits.responseBytesMax,
    ...webhookOf(description, compiled),
    ...(description.submissionKey?.format && { keyFormat: description.submissionKey.format }),
    protocol: compiled.protocol,
  };
}

/** Deliveries are hints wherever there is a status to poll. */
function webhookOf({ webhook }: JobDescription, { traits }: Compiled): Pick<Descriptor, 'webhook'> {
  if (webhook?.inject === undefined) return {};
  const { inject, verify, handshake, event = {} } = webhook;
  return { webhook: { role: traits.status ? 'hint' : 'only', inject, verify, ...(handshake && { handshake }), event } };
}

/** How a job asks to be called, and why. A job that says nothing is `optional`, so that every host can call it. */
export function taskSupportOf(description: JobDescription): {
  readonly taskSupport: 'optional' | 'required';
  readonly why: string;
  /** Nothing says how long it takes. */
  readonly measured?: true;
} {
  const { taskSupport, expectMs, webhook, adapter } = description;
  if (taskSupport === 'required' || taskSupport === 'optional') return { taskSupport, why: `described as ${taskSupport}` };
  if (webhook?.role === 'only' || adapter === 'webhook')
    return { taskSupport: 'required', why: 'a job whose end is only called back, whenever that is' };
  if (expectMs === undefined)
    return { taskSupport: 'optional', why: 'a job whose usual duration is not described', measured: true };
  const seconds = `a job that usually takes ${Math.round(expectMs / 100) / 10} s`;
  return expectMs > REQUIRED_ABOVE_MS
    ? { taskSupport: 'required', why: `${seconds}, longer than a call should wait` }
    : { taskSupport: 'optional', why: `${seconds}, short enough to wait for` };
}
