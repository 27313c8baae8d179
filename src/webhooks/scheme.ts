// The one interface of signature schemes. A scheme is pure: what came in, the secrets and the time are handed to it.
//   H1. The signature covers the bytes as they were received (less their content coding), never a re-serialisation.
//   H2. Comparisons take the same time wherever they differ, and every active secret is tried.
//   H3. A time stamp that is signed must lie within the tolerance, on either side of now.
//   H4. A reason for a refusal is for the log; it holds neither a secret nor a signature.

import type { EpochMs } from '../core/time.ts';
import type { VerifyRules } from '../core/webhook.ts';

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
  | { readonly ok: false; readonly why: string };

export const refused = (why: string): Verdict => ({ ok: false, why });

/** An answer that a sender wants before it delivers anything. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
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
  /** Why these rules or secrets can't be used, and the way out; `undefined` where they can. */
  fault?(rules: VerifyRules, secrets: readonly string[]): string | undefined;
  verify(incoming: Incoming, secrets: readonly string[], rules: VerifyRules, now: EpochMs): Verdict | Promise<Verdict>;
  /** What a sender asks before it delivers; `undefined` for a delivery. Only asked for what was verified. */
  handshake?(incoming: Incoming): Reply | undefined;
  /** The answer to OPTIONS, which nobody signs. */
  permission?(incoming: Incoming): Reply | undefined;
  /** The events of a delivery that may hold several; `undefined`: it is one. */
  split?(body: string, incoming: Incoming): readonly SingleEvent[] | undefined;
}
