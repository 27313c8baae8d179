// What becomes of one delivery, whatever brought it: verified over the bytes that came, made durable, and only then acknowledged.
//   R1. Nothing is told to whom nobody vouches for: an unknown upstream, an unknown token and a bad signature get the same 401.
//   R2. What is verified gets 2xx, known or not, again or not: anything else would be sent for days.

import type { Config, Secret } from '../config/config.ts';
import { canonicalJson, type Json } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Clock } from '../core/time.ts';
import type { Catalogue } from '../core/tool.ts';
import type { VerifyRules } from '../core/webhook.ts';
import type { Callbacks } from '../engine/engine.ts';
import { authenticate, eventsOf } from '../webhooks/authenticate.ts';
import type { Incoming, Reply } from '../webhooks/scheme.ts';

const RETRY_AFTER_S = 5;

export const REFUSED: Reply = { status: 401, headers: {}, body: 'The delivery could not be verified.\n' };
export const BUSY: Reply = { status: 503, headers: { 'retry-after': String(RETRY_AFTER_S) }, body: 'Come again later.\n' };
const TAKEN: Reply = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"received":true}' };

export interface ReceiverParts {
  readonly callbacks: Callbacks;
  readonly catalogue: Pick<Catalogue, 'tools'>;
  readonly upstreams: readonly Pick<Config['upstreams'][number], 'name' | 'webhooks'>[];
  readonly log: Log;
  readonly clock: Pick<Clock, 'now'>;
}

export interface Receiver {
  /** How deliveries of an upstream may be verified, over all its tools; `undefined` for one that is not configured. */
  rulesOf(upstream: string): readonly VerifyRules[] | undefined;
  /** Rejects where the delivery could not be made durable: its sender is to come again. */
  deliver(upstream: string, token: string, incoming: Incoming): Promise<Reply>;
}

interface Sender {
  readonly secrets: readonly Secret[];
  /** What a delivery for a token that is gone is verified by. */
  readonly rules: readonly VerifyRules[];
}

export function createReceiver(parts: ReceiverParts): Receiver {
  const { callbacks, log, clock } = parts;
  const senders = sendersOf(parts);
  return {
    rulesOf: (upstream) => senders.get(upstream)?.rules,

    async deliver(upstream, token, incoming) {
      const sender = senders.get(upstream);
      if (sender === undefined) return REFUSED;
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
    },
  };
}

function sendersOf({ catalogue, upstreams }: ReceiverParts): ReadonlyMap<string, Sender> {
  return new Map(
    upstreams.map(({ name, webhooks }) => {
      const rules = new Map<string, VerifyRules>();
      for (const tool of catalogue.tools.values()) {
        const verify = tool.upstream === name && tool.kind === 'job' ? tool.descriptor.webhook?.verify : undefined;
        if (verify !== undefined) rules.set(canonicalJson({ ...verify } as Json), verify);
      }
      return [name, { secrets: webhooks?.secrets ?? [], rules: [...rules.values()] }];
    }),
  );
}
