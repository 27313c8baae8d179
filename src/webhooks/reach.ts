// What the schemes may ask of the outside: published keys and certificates, and nothing that the operator did not name.
//   K1. Every request goes through the transport that it is given, to the addresses and origins of the configuration alone.
//   K2. Keys are remembered for ten minutes. A key that is not among them is looked for at most every half minute.
//   K3. After a failure nothing is asked for a few seconds: a flood of deliveries is no flood at the key server.
//   K4. What can't be had is {@link Unavailable}, whatever the reason: it says nothing about the delivery.

import { createRemoteJWKSet, customFetch } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Transport } from '../core/http.ts';
import { isJsonObject, type Json, tryParseJson } from '../core/json.ts';
import type { Clock } from '../core/time.ts';
import { describeUrl, followable, splitUrl } from '../core/urls.ts';
import type { Trust } from '../core/webhook.ts';
import { type KeySet, type Reach, Unavailable } from './scheme.ts';

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 256 * 1024;
const KEYS_AGE_MAX_MS = 600_000;
const COOL_DOWN_MS = 30_000;
const HOLD_OFF_MS = 5_000;
/** Certificates at one address don't change. */
const TEXT_AGE_MAX_MS = 3_600_000;
const TEXTS_MAX = 32;
/** Addresses that deliveries name are anybody's choice: so many new ones a minute, and no more. */
const NEW_TEXTS_PER_MINUTE_MAX = 30;

export interface ReachParts {
  readonly trust: Pick<Trust, 'keySets' | 'allowedOrigins'>;
  /** Goes to the origins of {@link originsOf} and nowhere else. */
  readonly transport: Transport;
  readonly upstream: string;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Between two looks for a key that was not among the last ones. */
  readonly coolDownMs?: number;
}

/** Every origin that what is trusted may be asked at. */
export const originsOf = ({ keySets, allowedOrigins }: Pick<Trust, 'keySets' | 'allowedOrigins'>): readonly string[] => [
  ...new Set([...keySets.flatMap((url) => splitUrl(url)?.origin ?? []), ...allowedOrigins]),
];

export function createReach({ trust, transport, upstream, clock, coolDownMs = COOL_DOWN_MS }: ReachParts): Reach {
  const texts = new LRUCache<string, string>({ max: TEXTS_MAX, ttl: TEXT_AGE_MAX_MS, perf: { now: () => clock.now() } });
  const asked: number[] = [];

  async function ask(url: string): Promise<string> {
    const request = { method: 'GET', url, headers: [['accept', '*/*']], security: [] } as const;
    const exchange = await transport.send(upstream, request, {
      timeoutMs: TIMEOUT_MS,
      bytesMax: BYTES_MAX,
      purpose: 'keys',
    });
    if (!exchange.ok) throw new Unavailable(exchange.failure.message);
    const { status, body } = exchange.response;
    if (status !== 200) throw new Unavailable(`${describeUrl(url)} answered ${status}`);
    return new TextDecoder().decode(body);
  }

  const allows = (url: string) =>
    trust.allowedOrigins.some((origin) => followable(url, `${origin}/`, trust).ok) && splitUrl(url) !== undefined;

  function mustAllow(url: string): void {
    if (!allows(url)) throw new Error(`${describeUrl(url)} is not among what may be asked`);
  }

  return {
    keySets: trust.keySets.map((url) => keySetAt(url, ask, clock, coolDownMs)),
    allows,

    async read(url) {
      mustAllow(url);
      const known = texts.get(url);
      if (known !== undefined) return known;
      const now = clock.monotonic();
      while (asked[0] !== undefined && asked[0] <= now - 60_000) asked.shift();
      if (asked.length >= NEW_TEXTS_PER_MINUTE_MAX) throw new Unavailable('too many addresses were named within a minute');
      asked.push(now);
      const text = await ask(url);
      texts.set(url, text);
      return text;
    },

    async visit(url) {
      mustAllow(url);
      await ask(url);
    },
  };
}

const isKeySet = (value: Json | undefined): boolean =>
  isJsonObject(value) && Array.isArray(value['keys']) && value['keys'].every(isJsonObject);

function keySetAt(
  url: string,
  ask: (url: string) => Promise<string>,
  clock: Pick<Clock, 'monotonic'>,
  coolDownMs: number,
): KeySet {
  let failed: { readonly error: Unavailable; readonly at: number } | undefined;

  async function keys(): Promise<Response> {
    if (failed !== undefined && clock.monotonic() < failed.at + HOLD_OFF_MS) throw failed.error;
    try {
      const text = await ask(url);
      const set = tryParseJson(text);
      if (!isKeySet(set)) throw new Unavailable(`${describeUrl(url)} holds no JSON Web Key Set`);
      failed = undefined;
      return new Response(text);
    } catch (error) {
      const unavailable =
        error instanceof Unavailable ? error : new Unavailable(`${describeUrl(url)} could not be asked`, { cause: error });
      failed = { error: unavailable, at: clock.monotonic() };
      throw unavailable;
    }
  }

  const remote = createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS + 1_000,
    cacheMaxAge: KEYS_AGE_MAX_MS,
    cooldownDuration: coolDownMs,
    [customFetch]: keys,
  });
  const known = () => JSON.stringify(remote.jwks() ?? { keys: [] });
  return {
    keyFor: remote,

    async some(verifies) {
      if (!remote.fresh) await remote.reload();
      if (verifies(known())) return true;
      if (remote.coolingDown) return false;
      await remote.reload();
      return verifies(known());
    },
  };
}
