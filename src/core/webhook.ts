// Webhooks: where an upstream is told to call back, how its deliveries prove that they are genuine, and what in them is
// read. Data of the descriptor; the secrets are the configuration's and never here.

import type { Place } from './placed.ts';
import type { EpochMs } from './time.ts';

/** Where in the submit request the callback URL goes. */
export interface CallbackPlace extends Place {
  /** The URL holds the credentials that the sender is to come with: for senders that can be told them in no other way. */
  readonly credentials?: true;
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
  /** Claim of a signed token that holds the SHA-256 of the body, in hex. */
  readonly digestClaim?: string;
}

/** What is read out of one event. All are JSON Pointers into it; a form counts as an object of its fields. */
export interface EventPlaces {
  /** A pointer, or the name of a header. Where nothing is said, the scheme knows, else the event's own digest is its id. */
  readonly id?: string;
  /** The upstream's name of the job. An event that names another job than ours is a stranger. */
  readonly job?: string;
  /** The status word; its meaning is described under `state`. */
  readonly status?: string;
  readonly result?: string;
  readonly resultUrl?: string;
  /** When the event happened: RFC 3339, or seconds or milliseconds since 1970. */
  readonly time?: string;
}

export interface WebhookRules {
  /** `hint`: makes the next poll due now. `only`: there is nothing to poll, so that deliveries are the evidence. */
  readonly role: 'hint' | 'only';
  readonly inject: CallbackPlace;
  readonly verify: VerifyRules;
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
}
