// The one interface of signature schemes. A scheme is pure but for what it is handed: what came in, what is trusted, the time.
//   H1. The signature covers the bytes as they were received (less their content coding), never a re-serialisation.
//   H2. Comparisons take the same time wherever they differ, and every active secret is tried.
//   H3. A time stamp that is signed must lie within the tolerance, on either side of now.
//   H4. A reason for a refusal is for the log; it holds neither a secret nor a signature.
//   H5. Keys that can't be had now are no refusal: the sender is told to come again, so that nothing genuine is lost.

import type { JWTVerifyGetKey } from 'jose';
import type { EpochMs } from '../core/time.ts';
import type { Trust, VerifyRules } from '../core/webhook.ts';

/** A request to a callback URL. */
export interface Incoming {
  readonly method: string;
  /** As the sender was given it, and what it appended: absolute, with the query. */
  readonly url: string;
  /** Names in lower case; every field line by itself. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Decoded. */
  readonly body: Uint8Array;
}

export type Verdict =
  | {
      readonly ok: true;
      /** What the scheme itself calls the event. */
      readonly eventId?: string;
      /** That id is signed, and unique among all events of the sender. */
      readonly unique?: boolean;
      /** What was signed as the time, as it was written. */
      readonly signedAt?: string;
    }
  | {
      readonly ok: false;
      readonly why: string;
      /** It could not be judged, since something that is needed for it can't be had now (H5). */
      readonly later?: true;
    };

export const refused = (why: string): Verdict => ({ ok: false, why });

/** What is needed to judge a delivery can't be had now; the message is for the log. */
export class Unavailable extends Error {}

/** What {@link Unavailable} means for a delivery; any other error is thrown on. */
export function putOff(error: unknown): Verdict {
  if (error instanceof Unavailable) return { ok: false, why: error.message, later: true };
  throw error;
}

/** The first way by which a delivery is genuine; else that it can't be judged, where it can't; else why it is refused. */
export async function firstGenuine(ways: readonly (() => Verdict | Promise<Verdict>)[], otherwise: Verdict): Promise<Verdict> {
  let verdict = otherwise;
  for (const way of ways) {
    const next = await Promise.resolve().then(way).catch(putOff);
    if (next.ok) return next;
    if (verdict.ok || verdict.later !== true) verdict = next;
  }
  return verdict;
}

/** Public keys that a sender publishes at an address. Both throw {@link Unavailable}. */
export interface KeySet {
  /** The key that a token names; throws jose's errors where there is none. */
  readonly keyFor: JWTVerifyGetKey;
  /** Whether `verifies` holds for the keys as they are known, or, where they may have changed since, as they are now. */
  some(verifies: (jwks: string) => boolean): Promise<boolean>;
}

/** What a scheme may ask of the outside: only what the operator named. */
export interface Reach {
  readonly keySets: readonly KeySet[];
  /** Whether a URL is on an origin that the operator named. */
  allows(url: string): boolean;
  /** The text at an allowed URL that a delivery names before it is verified; remembered for a while. Throws {@link Unavailable}. */
  read(url: string): Promise<string>;
  /** Asks an allowed URL that a verified delivery names. Throws {@link Unavailable}. */
  visit(url: string): Promise<void>;
}

/** Where nothing may be asked. */
export const NO_REACH: Reach = { keySets: [], allows: () => false, read: askNobody, visit: askNobody };

async function askNobody(): Promise<never> {
  throw new Unavailable('nothing may be asked');
}

/** An answer that a sender wants before it delivers anything. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** An allowed URL that is to be asked first, by GET: only if it answers is the reply true. */
  readonly visit?: string;
}

/** One event out of a delivery. */
export interface SingleEvent {
  readonly id?: string;
  readonly body: string;
}

export interface Scheme {
  readonly id: string;
  /** Where in a JSON body the event's id is, where senders of this scheme put it always. */
  readonly idAt?: string;
  /** It proves nothing: good for a hint, since the poll that it hurries decides. */
  readonly unsigned?: true;
  /** What it verifies by that an operator configures; `secrets` where nothing is said. One of them must be there. */
  readonly needs?: readonly (keyof Pick<Trust, 'secrets' | 'keySets' | 'allowedOrigins'>)[];
  /** Why these rules, or what is trusted, can't be used, and the way out; `undefined` where they can. */
  fault?(rules: VerifyRules, trust: Trust): string | undefined;
  /** May throw {@link Unavailable}. */
  verify(
    incoming: Incoming,
    secrets: readonly string[],
    rules: VerifyRules,
    now: EpochMs,
    reach: Reach,
  ): Verdict | Promise<Verdict>;
  /** What a sender asks before it delivers; `undefined` for a delivery. Only asked for what was verified. */
  handshake?(incoming: Incoming): Reply | undefined;
  /** The answer to OPTIONS, which nobody signs. */
  permission?(incoming: Incoming): Reply | undefined;
  /** The events of a delivery that may hold several; `undefined`: it is one. */
  split?(body: string, incoming: Incoming, rules: VerifyRules): readonly SingleEvent[] | undefined;
}
