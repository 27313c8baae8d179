// What becomes of one delivery, whatever brought it: verified over the bytes that came, made durable, and only then acknowledged.
//   R1. Nothing is told to whom nobody vouches for: an unknown upstream, an unknown token and a bad signature get the same 401.
//   R2. What is verified gets 2xx, known or not, again or not: anything else would be sent for days.
//   R3. What can't be judged now, since a key can't be had, is told to come again: 401 would lose it.
//   R4. Every delivery is counted once, by what became of it; what a stranger writes into a URL is never a label.

import type { Config, Secret } from '../config/config.ts';
import { canonicalJson, type Json } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { type DeliveryOutcome, type Metrics, noMetrics } from '../core/metrics.ts';
import type { Clock } from '../core/time.ts';
import type { Catalogue } from '../core/tool.ts';
import type { VerifyRules } from '../core/webhook.ts';
import type { Callbacks } from '../engine/engine.ts';
import { answerSigned, answerUnsigned, authenticate, eventsOf } from '../webhooks/authenticate.ts';
import { type Incoming, NO_REACH, type Reach, type Reply, Unavailable } from '../webhooks/scheme.ts';

const RETRY_AFTER_S = 5;

export const REFUSED: Reply = { status: 401, headers: {}, body: 'The delivery could not be verified.\n' };
export const BUSY: Reply = { status: 503, headers: { 'retry-after': String(RETRY_AFTER_S) }, body: 'Come again later.\n' };
const TAKEN: Reply = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"received":true}' };

export interface ReceiverParts {
  readonly callbacks: Callbacks;
  readonly catalogue: Pick<Catalogue, 'tools'>;
  readonly upstreams: readonly Pick<Config['upstreams'][number], 'name' | 'webhooks'>[];
  /** What may be asked of the outside to verify an upstream's deliveries; absent: nothing. */
  readonly reach?: (upstream: string) => Reach;
  readonly metrics?: Metrics;
  readonly log: Log;
  readonly clock: Pick<Clock, 'now'>;
}

export interface Receiver {
  /** How deliveries of an upstream may be verified, over all its tools; `undefined` for one that is not configured. */
  rulesOf(upstream: string): readonly VerifyRules[] | undefined;
  /** Rejects where the delivery could not be made durable: its sender is to come again. */
  deliver(upstream: string, token: string, incoming: Incoming): Promise<Reply>;
  /** The answer to a question without a body, which nobody signs; `undefined` where it is none that was described. */
  ask(upstream: string, token: string, incoming: Incoming): Promise<Reply | undefined>;
  /** Counts a delivery that did not get as far as being judged. */
  count(upstream: string, outcome: DeliveryOutcome): void;
}

interface Sender {
  readonly secrets: readonly Secret[];
  /** What a delivery for a token that is gone is verified by. */
  readonly rules: readonly VerifyRules[];
  readonly reach: Reach;
}

/** What a sender is told, and how that is counted. */
interface Told {
  readonly reply: Reply;
  readonly outcome: DeliveryOutcome;
  /** By which it was verified, where it was. */
  readonly scheme?: string;
}

export function createReceiver(parts: ReceiverParts): Receiver {
  const { callbacks, log, clock, metrics = noMetrics } = parts;
  const senders = sendersOf(parts);

  /** `none` stands for names that are none of the configuration's. */
  const count = (upstream: string, outcome: DeliveryOutcome, scheme = 'none') =>
    metrics.delivered({ upstream: senders.has(upstream) ? upstream : 'none', scheme, outcome });

  function validated(upstream: string, by: string, reply: Reply): Told {
    log.info({ upstream, by }, 'a callback URL was validated');
    return { reply, outcome: 'handshake' };
  }

  function putOff(upstream: string, detail: string): Told {
    log.warn({ upstream, detail }, 'a delivery was put off: what it is verified by can not be had now');
    return { reply: BUSY, outcome: 'unverifiable' };
  }

  /** The answer to a verified question. What is to be asked for it is asked first, and for an operation alone. */
  async function shake(upstream: string, by: string, { visit, ...reply }: Reply, known: boolean, reach: Reach): Promise<Told> {
    if (visit === undefined) return validated(upstream, by, reply);
    if (!known) return { reply: TAKEN, outcome: 'stranger' };
    if (!reach.allows(visit)) {
      log.warn({ upstream, by }, 'a subscription was not confirmed: its URL is at none of `webhooks.allowedOrigins`');
      return { reply: REFUSED, outcome: 'refused' };
    }
    try {
      await reach.visit(visit);
    } catch (error) {
      if (error instanceof Unavailable) return putOff(upstream, error.message);
      throw error;
    }
    return validated(upstream, by, reply);
  }

  async function judge(sender: Sender, upstream: string, token: string, incoming: Incoming): Promise<Told> {
    const now = clock.now();
    const { reach } = sender;
    const rules = await callbacks.rulesFor(upstream, token);
    const unsigned = answerUnsigned(incoming, rules?.handshake);
    if (unsigned !== undefined) return validated(upstream, rules?.handshake?.kind ?? '', unsigned);
    const secrets = sender.secrets.map((secret) => secret.reveal());
    const verified = await authenticate(incoming, rules === undefined ? sender.rules : [rules.verify], secrets, now, reach);
    if ('why' in verified) {
      const { why: detail, later } = verified;
      if (later === true) return putOff(upstream, detail);
      log.warn({ upstream, detail }, 'a delivery was refused: it is not verified');
      return { reply: REFUSED, outcome: 'refused' };
    }
    const { id: scheme } = verified.scheme;
    const wanted = await answerSigned(incoming, verified, rules?.handshake, secrets, now, reach);
    if (wanted !== undefined) return { ...(await shake(upstream, scheme, wanted, rules !== undefined, reach)), scheme };
    if (rules === undefined) {
      log.info({ upstream }, 'a delivery is for no operation');
      return { reply: TAKEN, outcome: 'stranger', scheme };
    }
    const events = eventsOf(incoming, verified, rules.event, token, now);
    const received = await callbacks.receive(upstream, token, events);
    if (received === 'full') {
      log.warn({ upstream }, 'a delivery was put off: too many wait already');
      return { reply: BUSY, outcome: 'full', scheme };
    }
    log.info({ upstream, scheme, events: events.length }, 'a delivery was taken');
    return { reply: TAKEN, outcome: received === 'duplicate' ? 'duplicate' : 'accepted', scheme };
  }

  return {
    rulesOf: (upstream) => senders.get(upstream)?.rules,
    count: (upstream, outcome) => count(upstream, outcome),

    async deliver(upstream, token, incoming) {
      const sender = senders.get(upstream);
      const told: Told =
        sender === undefined
          ? { reply: REFUSED, outcome: 'refused' }
          : await judge(sender, upstream, token, incoming).catch((error: unknown) => {
              count(upstream, 'failed');
              throw error;
            });
      count(upstream, told.outcome, told.scheme);
      return told.reply;
    },

    async ask(upstream, token, incoming) {
      const rules = senders.has(upstream) ? await callbacks.rulesFor(upstream, token) : undefined;
      const reply = answerUnsigned(incoming, rules?.handshake);
      if (reply === undefined) return undefined;
      count(upstream, 'handshake');
      return validated(upstream, rules?.handshake?.kind ?? '', reply).reply;
    },
  };
}

function sendersOf({ catalogue, upstreams, reach = () => NO_REACH }: ReceiverParts): ReadonlyMap<string, Sender> {
  return new Map(
    upstreams.map(({ name, webhooks }) => {
      const rules = new Map<string, VerifyRules>();
      for (const tool of catalogue.tools.values()) {
        const verify = tool.upstream === name && tool.kind === 'job' ? tool.descriptor.webhook?.verify : undefined;
        if (verify !== undefined) rules.set(canonicalJson({ ...verify } as Json), verify);
      }
      return [name, { secrets: webhooks?.secrets ?? [], rules: [...rules.values()], reach: reach(name) }];
    }),
  );
}
