// Callback URLs: `POST /webhooks/{upstream}/{token}`. What becomes of a delivery is receiver.ts; what it means is found out
// afterwards.
//   W1. Bounded: bytes of a body, packed and unpacked, the time it takes to come, and deliveries that are read at once.
//   W2. Never a redirect, never 410: both make senders give up.

import express, { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import type { Config } from '../config/config.ts';
import type { Log } from '../core/log.ts';
import type { Metrics } from '../core/metrics.ts';
import type { Clock } from '../core/time.ts';
import type { Catalogue } from '../core/tool.ts';
import type { Callbacks } from '../engine/engine.ts';
import { permissionFor } from '../webhooks/authenticate.ts';
import type { Incoming, Reach, Reply } from '../webhooks/scheme.ts';
import { BUSY, createReceiver, REFUSED } from './receiver.ts';

const NOTHING = new Uint8Array();
/** Deliveries that are read at once: each may hold a whole body in memory. */
const AT_ONCE_MAX = 64;
/** And of one upstream: one whose key server hangs leaves places for the others. */
const OF_ONE_AT_ONCE_MAX = 48;
/** A body that takes longer holds a place that others need; the sender comes again. */
const BODY_TIMEOUT_MS = 10_000;

export interface WebhookParts {
  readonly callbacks: Callbacks;
  readonly catalogue: Catalogue;
  readonly upstreams: Config['upstreams'];
  /** As upstreams are given it: some sign it. */
  readonly callbackUrl: (upstream: string, token: string) => string;
  readonly reach?: (upstream: string) => Reach;
  readonly metrics?: Metrics;
  readonly log: Log;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
}

export function createWebhooks(parts: WebhookParts): Router {
  const { log, clock } = parts;
  const receiver = createReceiver(parts);
  const bytesMaxOf = new Map(parts.upstreams.map(({ name, limits }) => [name, limits.responseBytesMax]));
  const reading = new Map<string, number>();
  const readingOf = (upstream: string) => reading.get(upstream) ?? 0;
  const isFull = (upstream: string) =>
    readingOf(upstream) >= OF_ONE_AT_ONCE_MAX || [...reading.values()].reduce((sum, one) => sum + one, 0) >= AT_ONCE_MAX;

  const router = Router();
  router.options('/:upstream/:token', (request, response) => {
    const permission = permissionFor(incomingOf(request, NOTHING), receiver.rulesOf(request.params.upstream) ?? []);
    answer(response, permission ?? { status: 204, headers: { allow: 'POST' }, body: '' });
  });
  router.get('/:upstream/:token', async (request, response, next) => {
    const { upstream, token } = request.params;
    const reply = await receiver.ask(upstream, token, incomingOf(request, NOTHING));
    if (reply === undefined) next();
    else answer(response, reply);
  });
  router.post('/:upstream/:token', async (request, response, next) => {
    const { upstream, token } = request.params;
    const bytesMax = bytesMaxOf.get(upstream);
    if (bytesMax === undefined) {
      receiver.count(upstream, 'refused');
      return answer(response, REFUSED);
    }
    if (isFull(upstream)) {
      receiver.count(upstream, 'busy');
      return answer(response, BUSY);
    }
    reading.set(upstream, readingOf(upstream) + 1);
    try {
      const body = await inTime(bodyOf(request, response, bytesMax), clock);
      if (body === undefined) {
        receiver.count(upstream, 'too_slow');
        answer(response, { status: 408, headers: { connection: 'close' }, body: 'The body did not come in time.\n' });
        return;
      }
      answer(response, await receiver.deliver(upstream, token, incomingOf(request, body)));
    } catch (error) {
      const { status } = error as FaultOfBody;
      if (isOfSender(status)) receiver.count(upstream, status === 413 ? 'too_large' : 'malformed');
      next(error);
    } finally {
      reading.set(upstream, readingOf(upstream) - 1);
    }
  });
  router.use((_request, response) => answer(response, { status: 405, headers: { allow: 'POST' }, body: '' }));
  router.use(failed(log));
  return router;

  function incomingOf(request: Request, body: Uint8Array): Incoming {
    const { upstream = '', token = '' } = request.params as Readonly<Record<string, string | undefined>>;
    const { originalUrl } = request;
    const mark = originalUrl.indexOf('?');
    return {
      method: request.method,
      url: `${parts.callbackUrl(upstream, token)}${mark < 0 ? '' : originalUrl.slice(mark)}`,
      headers: new Map(Object.entries(request.headersDistinct).map(([name, values]) => [name, values ?? []])),
      body,
    };
  }
}

/** The whole body, its content coding undone. Rejects as body-parser does: too large, an unknown coding, an upload broken off. */
function bodyOf(request: Request, response: Response, bytesMax: number): Promise<Uint8Array> {
  const read = express.raw({ type: () => true, limit: bytesMax, inflate: true });
  return new Promise((resolve, reject) => {
    read(request, response, (error?: unknown) => {
      if (error !== undefined) reject(error);
      else resolve(request.body instanceof Uint8Array ? request.body : new Uint8Array());
    });
  });
}

/** `undefined`: it has not come in time. */
async function inTime<T>(coming: Promise<T>, clock: Pick<Clock, 'sleep'>): Promise<T | undefined> {
  const come = new AbortController();
  const late = clock.sleep(BODY_TIMEOUT_MS, come.signal).then(() => undefined);
  // One that breaks off after its time is nobody's concern any more.
  coming.catch(() => undefined);
  return Promise.race([coming, late]).finally(() => come.abort());
}

function answer(response: Response, { status, headers, body }: Reply): void {
  const type = body === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' };
  response
    .status(status)
    .set({ 'x-content-type-options': 'nosniff', ...type, ...headers })
    .end(body);
}

/** As body-parser throws it. */
interface FaultOfBody {
  readonly status?: number;
}

const isOfSender = (status: number | undefined): status is number => status !== undefined && status >= 400 && status < 500;

/** Errors of reading are the sender's; any other is ours, and the sender comes again. */
const failed =
  (log: Log): ErrorRequestHandler =>
  (error: FaultOfBody, request, response, next) => {
    if (response.headersSent) return next(error);
    const { status } = error;
    if (isOfSender(status)) {
      return answer(response, { status, headers: {}, body: 'The delivery could not be read.\n' });
    }
    log.error({ err: error, upstream: request.params['upstream'] }, 'a delivery could not be kept');
    answer(response, BUSY);
  };
