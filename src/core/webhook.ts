// Webhooks: where an upstream is told to call back, how its deliveries prove that they are genuine, and what in them is
// read. Data of the descriptor; the secrets are the configuration's and never here.

import type { Place } from './placed.ts';
import type { EpochMs } from './time.ts';

/** Where in the submit request the callback URL goes. */
export interface CallbackPlace extends Place {
  /** The URL holds the credentials that the sender is to come with: for senders that can be told them in no other way. */
  readonly credentials?: true;
  /** Where in the body the first secret goes: for senders that repeat it in every delivery. */
  readonly secret?: string;
}

/** Where in the request the secret goes that the sender is to repeat. */
export const secretPlace = (inject: CallbackPlace | undefined): Place | undefined =>
  inject?.secret === undefined ? undefined : { body: inject.secret };

/** What an operator configured for verifying the deliveries of an upstream. */
export interface Trust {
  /** Every one that is active. */
  readonly secrets: readonly string[];
  /** There are more, which were not read: nothing can be said about them. */
  readonly unread?: true;
  /** URLs where the sender publishes its public keys. */
  readonly keySets: readonly string[];
  /** Origins that certificates may be fetched from, and subscriptions confirmed at. */
  readonly allowedOrigins: readonly string[];
}

/** How a delivery proves that it is genuine. What a scheme does not use is not written. */
export interface VerifyRules {
  /** Id of a signature scheme. */
  readonly scheme: string;
  /** The header that holds the signature or the token. */
  readonly header?: string;
  readonly algorithm?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  readonly encoding?: 'hex' | 'base64';
  /** Stands before the signature: `sha256=`. */
  readonly prefix?: string;
  /** What is signed: text with `{body}`, `{bodySha256}`, `{url}`, `{timestamp}` and `{header.NAME}`. */
  readonly signed?: string;
  /** The header that holds when it was signed: seconds since 1970, or an RFC 3339 date. */
  readonly timestamp?: string;
  /** How a secret becomes a key. */
  readonly secretEncoding?: 'text' | 'base64' | 'hex';
  /** How far the sender's clock may be from ours, to either side. */
  readonly toleranceMs?: number;
  /** What a signed token must say of its issuer and of whom it is for. */
  readonly issuer?: string;
  readonly audience?: string;
  /** What else must stand in a signed token, or in the signed members of a notification: whose it is. */
  readonly claims?: Readonly<Record<string, string | number | boolean>>;
  /** Claim of a signed token that holds the SHA-256 of the body, in hex. */
  readonly digestClaim?: string;
  /** JSON Pointer to the events of a delivery, where it is one that holds several. */
  readonly list?: string;
  /** JSON Pointer into an event: the secret that the sender repeats. */
  readonly secretAt?: string;
}

/** What a sender asks of a callback URL before it uses it. What a handshake does not use is not written. */
export interface HandshakeRules {
  /** Id of a handshake. */
  readonly kind: string;
  /** Query parameter that holds what is to be echoed. */
  readonly parameter?: string;
}

/** What is read out of one event. All are JSON Pointers into it; a form counts as an object of its fields. */
export interface EventPlaces {
  /**
   * Pointers, or names of headers, that name the event together. Where nothing is said, the scheme knows, else the event's
   * own digest is its id.
   */
  readonly id?: string | readonly string[];
  /** Where in what is delivered the event is, as text that holds JSON: what follows points into that. Its id is outside it. */
  readonly within?: string;
  /** How that text is written. */
  readonly withinEncoding?: 'text' | 'base64';
  /** The upstream's name of the job. An event that names another job than ours is a stranger. */
  readonly job?: string;
  /** The status word; its meaning is described under `state`. */
  readonly status?: string;
  readonly result?: string;
  readonly resultUrl?: string;
  /** When the event happened: RFC 3339, or seconds or milliseconds since 1970; or a number that grows with every event. */
  readonly time?: string;
}

export interface WebhookRules {
  /** `hint`: makes the next poll due now. `only`: there is nothing to poll, so that deliveries are the evidence. */
  readonly role: 'hint' | 'only';
  readonly inject: CallbackPlace;
  readonly verify: VerifyRules;
  readonly handshake?: HandshakeRules;
  readonly event: EventPlaces;
}

/** One verified event, as adapters read it. */
export interface Delivery {
  /** What it is recognised by: the same event has the same id. */
  readonly eventId: string;
  /** Type and subtype, lower case; '' where none was sent. */
  readonly mediaType: string;
  /** Text as UTF-8. */
  readonly body: string;
  readonly receivedAt: EpochMs;
  /** It came together with events of other jobs. */
  readonly amongOthers?: true;
}
