// HTTP as data: what an adapter asks for and what it is given to judge. Nothing here opens a socket.

/** A request to an upstream, complete but for credentials, which the transport adds and nothing else ever sees. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** Absolute, byte-exact: never normalised once an upstream has named it. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array;
  /** Names of the document's securitySchemes whose credentials go along; absent means all that are configured. */
  readonly security?: readonly string[];
  /** The service may hold its answer for so long; it is waited for on top of the time-out. */
  readonly holdMs?: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; repeated fields joined by ', ' (RFC 9110 §5.3). */
  readonly headers: Readonly<Record<string, string>>;
  /** The URL that answered: against it relative references are resolved (RFC 3986 §5). */
  readonly url: string;
  /** Decoded (gunzipped) bytes. */
  readonly body: Uint8Array;
}

/** Why there is no whole response. */
export type HttpFailureKind =
  | 'unreachable' // no connection: the request did not leave
  | 'timeout'
  | 'reset' // the connection broke before a whole response was read
  | 'too_large' // the response outgrew its limit and was dropped
  | 'undecodable' // not HTTP, or a content coding that can't be undone
  | 'refused' // our own policy forbids it: foreign origin, too many redirects
  | 'aborted'; // our own side gave up: shutdown, lease over

export interface HttpFailure {
  readonly kind: HttpFailureKind;
  /** False only where it is certain that no byte of the request reached the upstream. */
  readonly mayHaveBeenSent: boolean;
  /** For people: names the origin, never the query, never a credential. */
  readonly message: string;
}

export type Exchange =
  | { readonly ok: true; readonly response: HttpResponse }
  | { readonly ok: false; readonly failure: HttpFailure };

/** What a request is for. `keys`: to verify deliveries. */
export type ExchangePurpose = 'submit' | 'step' | 'poll' | 'result' | 'cancel' | 'lookup' | 'answer' | 'call' | 'keys';

export interface SendOptions {
  /** From the first byte written to the last byte read. */
  readonly timeoutMs: number;
  /** Largest decoded body. */
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
  /** What it is for, as it is counted. */
  readonly purpose?: ExchangePurpose;
}

/**
 * The one way out. Never retries by itself, never throws for what an upstream does.
 * Redirects: 301, 307 and 308 move the request and are followed within the upstream's allowed origins (other methods than
 * GET and HEAD on the same origin only), credentials dropped when the origin changes; 302 and 303 are the upstream's
 * answer and are returned to be judged.
 */
export interface Transport {
  send(upstream: string, request: HttpRequest, options: SendOptions): Promise<Exchange>;
}
