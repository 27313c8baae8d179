// The demo's transcoding service, as described by specs/demo/media.openapi.yaml: long-running operations as Google's APIs
// have them. A job's state is a function of its age, so the service needs no timers and a test needs only a clock.
// @see AIP-151 (operations), AIP-155 (request ids), google.rpc.Status

import type { Response } from 'express';
import type { Clock, EpochMs } from '../src/core/time.ts';
import { application, listen, type Service } from './service.ts';

interface Job {
  readonly name: string;
  readonly asset: string;
  readonly format: string;
  readonly begunAt: EpochMs;
  readonly durationMs: number;
  cancelledAt?: EpochMs;
}

const DURATION_DEFAULT_S = 2.6;
const DURATION_MAX_S = 3600;
const STAGES = ['probing', 'encoding', 'packaging'];

/** google.rpc.Code and the HTTP status that goes with it. */
const CODES = {
  CANCELLED: [1, 499],
  INVALID_ARGUMENT: [3, 400],
  NOT_FOUND: [5, 404],
  FAILED_PRECONDITION: [9, 400],
} as const;

export async function startMedia(options: { readonly port: number; readonly clock: Clock }): Promise<Service> {
  const { clock } = options;
  const jobs = new Map<string, Job>();
  const byRequestId = new Map<string, Job>();
  const app = application();

  app.post('/v1/media\\:transcode', (request, response) => {
    const body = (request.body ?? {}) as Record<string, unknown>;
    const { asset, format = 'mp4', requestId, seconds = DURATION_DEFAULT_S } = body;
    if (typeof asset !== 'string' || asset === '') {
      return refuse(response, 'INVALID_ARGUMENT', 'Field "asset" is missing.');
    }
    if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= DURATION_MAX_S)) {
      const message = `Field "seconds" is a number from 0 to ${DURATION_MAX_S}.`;
      return refuse(response, 'INVALID_ARGUMENT', message);
    }
    const job = byRequestId.get(String(requestId)) ?? {
      name: `projects/demo/locations/local/operations/transcode-${jobs.size + 1}`,
      asset,
      format: String(format),
      begunAt: clock.now(),
      durationMs: seconds * 1000,
    };
    jobs.set(job.name, job);
    if (typeof requestId === 'string') byRequestId.set(requestId, job);
    response.json(operationOf(job, clock.now()));
  });

  // Names have slashes: `{+name}` is whatever follows the version.
  app.get('/v1/{*name}', (request, response) => {
    const name = decodeURIComponent(request.path.slice('/v1/'.length));
    const job = jobs.get(name);
    if (job === undefined) return refuse(response, 'NOT_FOUND', `There is no operation "${name}".`);
    response.json(operationOf(job, clock.now()));
  });

  app.post('/v1/{*name}', (request, response) => {
    const [, name = ''] = /^\/v1\/(.+):cancel$/.exec(decodeURIComponent(request.path)) ?? [];
    const job = jobs.get(name);
    if (job === undefined) return refuse(response, 'NOT_FOUND', `There is no operation "${name}".`);
    // A cancel is best effort: an operation that has ended stays as it ended.
    if (clock.now() - job.begunAt < job.durationMs) job.cancelledAt ??= clock.now();
    response.json({});
  });

  const { url, close } = await listen(app, options.port);
  return { name: 'media', title: 'transcoding service', style: 'AIP-151', url, jobsCreated: () => jobs.size, close };
}

function operationOf(job: Job, now: EpochMs) {
  const share = job.durationMs === 0 ? 1 : Math.min(1, ((job.cancelledAt ?? now) - job.begunAt) / job.durationMs);
  const operation = {
    name: job.name,
    metadata: {
      '@type': 'type.googleapis.com/demo.media.v1.TranscodeMetadata',
      asset: job.asset,
      progressPercent: Math.floor(share * 100),
      stage: STAGES[Math.min(STAGES.length - 1, Math.floor(share * STAGES.length))],
      createTime: new Date(job.begunAt).toISOString(),
    },
  };
  if (job.cancelledAt !== undefined)
    return { ...operation, done: true, error: rpcStatus('CANCELLED', 'Cancelled by the caller.') };
  if (share < 1) return operation;
  if (job.asset.startsWith('encrypted')) {
    return { ...operation, done: true, error: rpcStatus('FAILED_PRECONDITION', `Asset "${job.asset}" is encrypted.`) };
  }
  return { ...operation, done: true, response: resultOf(job) };
}

function resultOf(job: Job) {
  const renditions = [1080, 720, 360].map((height) => ({
    uri: `https://media.example/${job.asset}/${height}p.${job.format}`,
    height,
    // int64 travels as a string in Google's JSON.
    sizeBytes: String(height * 88_117),
  }));
  return { '@type': 'type.googleapis.com/demo.media.v1.TranscodeResponse', asset: job.asset, renditions };
}

/** How an operation ends badly. @see google.rpc.Status */
function rpcStatus(status: keyof typeof CODES, message: string) {
  return { code: CODES[status][0], message, details: [] };
}

/** How a request is refused: the HTTP status in `code`, the RPC's by name. @see AIP-193 */
function refuse(response: Response, status: keyof typeof CODES, message: string): void {
  const [, code] = CODES[status];
  response.status(code).json({ error: { code, status, message } });
}
