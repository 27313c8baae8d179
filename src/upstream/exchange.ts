// One HTTP exchange on the wire: got for phases, time limits and content codings, Node's own request for the bytes.
//   X1. The request target goes out as it was written: got is only shown the origin, since its URL parser would rewrite it.
//   X2. Nothing is retried and no redirect is followed here. A request that may change something gets a fresh connection, so
//       that a kept one which the other side has just closed can't make its fate uncertain.
//   X3. A response is read up to its limit and not a byte further; then the connection is closed.
//   X4. Details name a code or a limit, never a header or a URL.

import http from 'node:http';
import https from 'node:https';
import type { Got, PlainResponse, RequestFunction } from 'got';
import type { HttpFailureKind } from '../core/http.ts';

export interface WireRequest {
  readonly method: string;
  readonly origin: string;
  /** Path and query, byte-exact. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly timeoutMs: number;
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
}

export type WireAnswer =
  | {
      readonly ok: true;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  | { readonly ok: false; readonly kind: HttpFailureKind; readonly sent: boolean; readonly detail: string };

/** For name lookup, TCP and TLS each: a host that does not answer these is not there. */
const CONNECT_TIMEOUT_MS = 10_000;
const SOCKETS_PER_ORIGIN_MAX = 256;

/** Fields that describe bytes on the wire, which nobody sees any more. */
const OF_THE_TRANSFER = ['content-encoding', 'content-length', 'transfer-encoding'];

let client: Promise<Got> | undefined;

/** Loaded with the first request, since it would be a seventh of what a start takes. */
function clientOf(): Promise<Got> {
  client ??= import('got').then(({ default: got }) =>
    got.extend({ retry: { limit: 0 }, followRedirect: false, throwHttpErrors: false, decompress: true }),
  );
  return client;
}

/** Our own reason to stop reading. */
class Stop extends Error {
  readonly kind: 'too_large' | 'undecodable';
  constructor(kind: 'too_large' | 'undecodable', message: string) {
    super(message);
    this.kind = kind;
  }
}

export class Wire {
  readonly #pools: { readonly http: http.Agent; readonly https: https.Agent };

  constructor() {
    // All are kept: polls come in waves, and what a wave closes the next one opens again.
    const pool = { keepAlive: true, maxSockets: SOCKETS_PER_ORIGIN_MAX, maxFreeSockets: SOCKETS_PER_ORIGIN_MAX };
    this.#pools = { http: new http.Agent(pool), https: new https.Agent(pool) };
  }

  /** Closes what is kept open. */
  close(): void {
    this.#pools.http.destroy();
    this.#pools.https.destroy();
  }

  /** Sends one request and reads its whole answer. Never throws. */
  async exchange(wire: WireRequest): Promise<WireAnswer> {
    const seen = { begun: false, sent: false };
    const safe = wire.method === 'GET' || wire.method === 'HEAD';
    const request: RequestFunction = (url, options) => {
      const secure = url.protocol === 'https:';
      const agent = safe ? (secure ? this.#pools.https : this.#pools.http) : false;
      const native = (secure ? https : http).request(url, { ...options, agent, path: wire.target });
      seen.begun = true;
      native.once('socket', (socket) => {
        // Until its connection stands, nothing of a request leaves; whatever is less certain counts as sent.
        if (native.reusedSocket || !socket.connecting) seen.sent = true;
        else socket.once(secure ? 'secureConnect' : 'connect', () => (seen.sent = true));
      });
      return native;
    };
    try {
      const stream = (await clientOf()).stream(wire.origin, {
        method: wire.method as 'GET',
        headers: { ...wire.headers },
        ...(wire.body !== undefined && { body: wire.body, allowGetBody: true }),
        ...(wire.signal !== undefined && { signal: wire.signal }),
        timeout: {
          lookup: CONNECT_TIMEOUT_MS,
          connect: CONNECT_TIMEOUT_MS,
          secureConnect: CONNECT_TIMEOUT_MS,
          request: Math.max(1, wire.timeoutMs),
        },
        request,
      });
      // The loop below hears of every failure; this keeps one that comes after it from ending the process.
      stream.on('error', () => undefined);
      if (wire.body === undefined && !safe) stream.end();

      const chunks: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        if (bytes === 0 && !isUndone(stream.response)) throw new Stop('undecodable', "its content encoding can't be undone");
        bytes += chunk.length;
        if (bytes > wire.bytesMax) throw new Stop('too_large', `it is larger than the limit of ${wire.bytesMax} bytes`);
        chunks.push(chunk);
      }
      const { response } = stream;
      if (response === undefined) return { ok: false, kind: 'reset', sent: seen.sent, detail: 'there was no answer' };
      const fields = fieldsOf(response.rawHeaders);
      for (const name of OF_THE_TRANSFER) fields.delete(name);
      return { ok: true, status: response.statusCode, headers: Object.fromEntries(fields), body: Buffer.concat(chunks) };
    } catch (error) {
      return { ok: false, sent: seen.sent, ...failureOf(error, seen, wire) };
    }
  }
}

/**
 * Whether the content coding was undone: got takes the field away then. It would also undo a coding within a coding, which
 * no honest service sends and which multiplies what a small answer can grow to.
 */
const isUndone = (response: PlainResponse | undefined): boolean =>
  (response?.headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity' &&
  !fieldsOf(response?.rawHeaders ?? [])
    .get('content-encoding')
    ?.includes(',');

/** Names in lower case, repeated fields joined. @see RFC 9110 §5.3 */
function fieldsOf(rawHeaders: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = (rawHeaders[index + 1] ?? '').trim();
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return fields;
}

/** Codes of zlib, zstd and brotli. */
const NOT_DECODED = /^(?:Z_|ZSTD_|ERR__ERROR_|ERR_BROTLI_)/;

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

function failureOf(
  error: unknown,
  { begun, sent }: { readonly begun: boolean; readonly sent: boolean },
  { signal, timeoutMs }: WireRequest,
): { readonly kind: HttpFailureKind; readonly detail: string } {
  if (error instanceof Stop) return { kind: error.kind, detail: `the answer was dropped: ${error.message}` };
  if (signal?.aborted === true) return { kind: 'aborted', detail: 'we gave up' };
  const late = error instanceof Error && error.name === 'TimeoutError';
  const code = codeOf(error instanceof Error ? error.cause : undefined) ?? codeOf(error) ?? 'unknown';
  if (!begun && !late) return { kind: 'refused', detail: `the request can't be written (${code})` };
  if (!sent) return { kind: 'unreachable', detail: `no connection (${code})` };
  if (late) return { kind: 'timeout', detail: `no whole answer within ${Math.round(timeoutMs)} ms` };
  if (code === 'HPE_HEADER_OVERFLOW') return { kind: 'too_large', detail: 'the answer was dropped: its header is too large' };
  if (code.startsWith('HPE_')) return { kind: 'undecodable', detail: `the answer is not HTTP (${code})` };
  if (NOT_DECODED.test(code)) return { kind: 'undecodable', detail: `the answer can't be decoded (${code})` };
  return { kind: 'reset', detail: `the connection broke before the whole answer was read (${code})` };
}
