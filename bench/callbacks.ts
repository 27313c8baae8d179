// The service of the webhooks scenario, described by callbacks.openapi.yaml. It runs in the process that measures, because both
// must read one clock: it notes when each job ended and when its event was acknowledged, and counts polls.
// @see Standard Webhooks 1.0.0

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { systemClock } from '../src/clock.ts';
import { send } from './load.ts';

/** Jobs run for a time between these two, spread evenly, so that their ends don't come all at once. */
const DURATION_MIN_MS = 8_000;
const DURATION_MAX_MS = 12_000;
/** Multiples of it, without their whole part, lie evenly between 0 and 1 however many there are. */
const GOLDEN = 0.618_033_988_75;

export const SECRET = `whsec_${Buffer.from('the benchmark signs its events by this').toString('base64')}`;

/** A job as the service knows it; instants are of the monotonic clock. */
export interface CallbackJob {
  endedAtMs?: number;
  /** When its event was answered with 200. */
  acknowledgedAtMs?: number;
  polls: number;
}

export interface CallbackService {
  readonly url: string;
  /** By the label that the caller chose. */
  readonly jobs: ReadonlyMap<string, CallbackJob>;
  /** Rejects when an event could not be delivered. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

export async function startCallbacks(): Promise<CallbackService> {
  const jobs = new Map<string, CallbackJob>();
  const closed = new AbortController();
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  const webhook = new Webhook(SECRET);

  async function finish(label: string, job: CallbackJob, callback: string | undefined): Promise<void> {
    // The number in the label counts jobs of one kind: those with and without a webhook last equally long.
    const share = (Number(/\d+$/.exec(label)?.[0]) * GOLDEN) % 1;
    await systemClock.sleep(DURATION_MIN_MS + share * (DURATION_MAX_MS - DURATION_MIN_MS), closed.signal);
    if (closed.signal.aborted) return;
    job.endedAtMs = systemClock.monotonic();
    if (callback === undefined) return;
    const signedAt = new Date(systemClock.now());
    const body = JSON.stringify({ type: 'job.ended', timestamp: signedAt.toISOString(), data: { job: label } });
    const headers = {
      'Content-Type': 'application/json',
      'Webhook-Id': `msg_${label}`,
      'Webhook-Timestamp': `${Math.floor(signedAt.getTime() / 1000)}`,
      'Webhook-Signature': webhook.sign(`msg_${label}`, signedAt, body),
    };
    const answer = await send({ method: 'POST', url: callback, headers, body });
    if (answer.status !== 200) throw new Error(`an event was answered by HTTP ${answer.status} ${answer.body}`);
    job.acknowledgedAtMs = systemClock.monotonic();
  }

  const server = createServer(async (request, response) => {
    const { method, url = '' } = request;
    const answer = (status: number, body: object, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
    };
    if (method === 'POST' && url === '/jobs') {
      const { label } = (await json(request)) as { readonly label: string };
      const job: CallbackJob = { polls: 0 };
      jobs.set(label, job);
      answer(202, { id: label, status: 'running' }, { Location: `/jobs/${label}` });
      const callback = request.headers['x-callback'];
      finish(label, job, typeof callback === 'string' ? callback : undefined).catch(reject);
      return;
    }
    const label = url.slice('/jobs/'.length);
    const job = jobs.get(label);
    if (job === undefined) return answer(404, {});
    job.polls += 1;
    answer(200, job.endedAtMs === undefined ? { id: label, status: 'running' } : { id: label, status: 'done', output: 1 });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    jobs,
    failed,
    close: () => {
      closed.abort();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
