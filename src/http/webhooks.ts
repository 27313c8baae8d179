// Callback URLs: `POST /webhooks/{upstream}/{token}`. A delivery is verified over the bytes that came, made durable, and only
// then acknowledged; what it means is found out afterwards.
//   W1. Nothing is told to whom nobody vouches for: an unknown upstream, an unknown token and a bad signature get the same 401.
//   W2. What is verified gets 2xx, known or not, again or not: anything else would be sent for days.
//   W3. Bounded: bytes of a body, packed and unpacked, the time it takes to come, and deliveries that are read at once.
//   W4. Never a redirect, never 410: both make senders give up.

import express, { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import type { Config, Secret } from '../config/config.ts';
import { canonicalJson, type Json } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Clock } from '../core/time.ts';
import type { Catalogue } from '../core/tool.ts';
import type { VerifyRules } from '../core/webhook.ts';
import type { Callbacks } from '../engine/engine.ts';
import { authenticate, eventsOf, permissionFor } from '../webhooks/authenticate.ts';
import type { Incoming, Reply } from '../webhooks/scheme.ts';

/** Deliveries that are read at once: each may hold a whole body in memory. */
const AT_ONCE_MAX = 64;
const RETRY_AFTER_S = 5;
/** A body that takes longer holds a place that others need; the sender comes again. */
const BODY_TIMEOUT_MS = 10_000;

export interface WebhookParts {
  readonly callbacks: Callbacks;
  readonly catalogue: Catalogue;
  readonly upstreams: Config['upstreams'];
  /** As upstreams are given it: some sign it. */
  readonly callbackUrl: (upstream: string, token: string) => string;
  readonly log: Log;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
}

interface Sender {
  readonly secrets: readonly Secret[];
  readonly bytesMax: number;
  /** Of all its tools: what a delivery for a token that is gone is verified by. */
  readonly rules: readonly VerifyRules[];
}

export function createWebhooks(parts: WebhookParts): Router {
  const { callbacks, log, clock } = parts;
  const senders = sendersOf(parts);
  let reading = 0;

  async function deliver(sender: Sender, upstream: string, token: string, incoming: Incoming): Promise<Reply> {
    const now = clock.now();
    const rules = await callbacks.rulesFor(upstream, token);
    const secrets = sender.secrets.map((secret) => secret.reveal());
    const verified = await authenticate(incoming, rules === undefined ? sender.rules : [rules.verify], secrets, now);
    if ('why' in verified) {
      log.warn({ upstream, detail: verified.why }, 'a delivery was refused: it is not verified');
      return REFUSED;
    }
    const wanted = verified.scheme.handshake?.(incoming);
    if (wanted !== undefined) {
      log.info({ upstream, scheme: verified.scheme.id }, 'a callback URL was validated');
      return wanted;
    }
    if (rules === undefined) {
      log.info({ upstream }, 'a delivery is for no operation');
      return TAKEN;
    }
    const events = eventsOf(incoming, verified, rules.event, token, now);
    if ((await callbacks.receive(upstream, token, events)) === 'full') {
      log.warn({ upstream }, 'a delivery was put off: too many wait already');
      return BUSY;
    }
    log.info({ upstream, scheme: verified.scheme.id, events: events.length }, 'a delivery was taken');
    return TAKEN;
  }

  const router = Router();
  router.options('/:upstream/:token', (request, response) => {
    const permission = permissionFor(incomingOf(request, new Uint8Array()), senders.get(request.params.upstream)?.rules ?? []);
    answer(response, permission ?? { status: 204, headers: { allow: 'POST' }, body: '' });
  });
  router.post('/:upstream/:token', async (request, response, next) => {
    const { upstream, token } = request.params;
    const sender = senders.get(upstream);
    if (sender === undefined) return answer(response, REFUSED);
    if (reading >= AT_ONCE_MAX) return answer(response, BUSY);
    reading += 1;
    try {
      const body = await inTime(bodyOf(request, response, sender.bytesMax), clock);
      if (body === undefined) {
        answer(response, { status: 408, headers: { connection: 'close' }, body: 'The body did not come in time.\n' });
        return;
      }
      answer(response, await deliver(sender, upstream, token, incomingOf(request, body)));
    } catch (error) {
      next(error);
    } finally {
      reading -= 1;
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

const REFUSED: Reply = { status: 401, headers: {}, body: 'The delivery could not be verified.\n' };
const TAKEN: Reply = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"received":true}' };
const BUSY: Reply = { status: 503, headers: { 'retry-after': String(RETRY_AFTER_S) }, body: 'Come again later.\n' };

function sendersOf({ catalogue, upstreams }: WebhookParts): ReadonlyMap<string, Sender> {
  return new Map(
    upstreams.map(({ name, webhooks, limits }) => {
      const rules = new Map<string, VerifyRules>();
      for (const tool of catalogue.tools.values()) {
        const verify = tool.upstream === name && tool.kind === 'job' ? tool.descriptor.webhook?.verify : undefined;
        if (verify !== undefined) rules.set(canonicalJson({ ...verify } as Json), verify);
      }
      return [name, { secrets: webhooks?.secrets ?? [], bytesMax: limits.responseBytesMax, rules: [...rules.values()] }];
    }),
  );
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
    .set({ ...type, ...headers })
    .end(body);
}

/** Errors of reading are the sender's; any other is ours, and the sender comes again. */
const failed =
  (log: Log): ErrorRequestHandler =>
  (error: { readonly status?: number; readonly code?: string }, request, response, next) => {
    if (response.headersSent) return next(error);
    const { status } = error;
    if (status !== undefined && status >= 400 && status < 500) {
      return answer(response, { status, headers: {}, body: 'The delivery could not be read.\n' });
    }
    log.error({ err: error, upstream: request.params['upstream'] }, 'a delivery could not be kept');
    answer(response, BUSY);
  };
