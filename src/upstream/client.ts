// The one way out to the services behind the gateway: where a request may go, what goes along, and which redirects move it.
//   C1. Credentials go to the upstream's own origins and nowhere else; once a redirect has left them, they don't come back.
//   C2. Nothing is sent to an origin that the operator did not configure, whoever named it.
//   C3. Only 301, 307 and 308 are followed, at most five times: a read within the allowed origins, anything else on its own
//       origin only. 302 and 303 are answers.
//   C4. A failure names origin and path. The query, where signatures live, and credentials are in no message.

import type { Exchange, HttpFailureKind, HttpRequest, SendOptions, Transport } from '../core/http.ts';
import type { Clock } from '../core/time.ts';
import { describeUrl, followable, splitUrl, type UrlRewrite } from '../core/urls.ts';
import type { UpstreamCredential } from './credentials.ts';
import { Wire } from './exchange.ts';
import { type Headers, headersOf, selectedOf, withHeaderCredentials, withQueryCredentials } from './written.ts';

const REDIRECTS_MAX = 5;
const MOVED = new Set([301, 307, 308]);

/** What the client must know of an upstream. */
export interface Endpoint {
  /** Origins of its base URLs, and those that the operator trusts: they get its credentials. */
  readonly ownOrigins: readonly string[];
  /** Further origins that its requests may go to, without credentials. */
  readonly allowedOrigins: readonly string[];
  /** How its redirects are mended before they are followed. */
  readonly rewrite?: readonly UrlRewrite[];
  readonly credentials: readonly UpstreamCredential[];
  readonly requestBytesMax: number;
}

export interface Client extends Transport {
  /** Closes idle connections. Exchanges under way are ended by their own signals. */
  close(): void;
}

export interface ClientOptions {
  readonly endpoint: (upstream: string) => Endpoint | undefined;
  /** Longshore's own, for the User-Agent. */
  readonly version: string;
  readonly clock: Pick<Clock, 'monotonic'>;
}

const failure = (kind: HttpFailureKind, mayHaveBeenSent: boolean, message: string): Exchange => ({
  ok: false,
  failure: { kind, mayHaveBeenSent, message },
});

/** Makes the transport for a set of upstreams. */
export function createClient({ endpoint, version, clock }: ClientOptions): Client {
  const wire = new Wire();
  return {
    close: () => wire.close(),

    async send(upstream, request, options) {
      const to = endpoint(upstream);
      if (to === undefined) return failure('refused', false, `there is no upstream ${upstream}`);
      const own = new Set(to.ownOrigins.map((origin) => splitUrl(origin)?.origin));
      const origins = [...to.ownOrigins, ...to.allowedOrigins];
      const deadline = clock.monotonic() + options.timeoutMs;
      const safe = request.method === 'GET' || request.method === 'HEAD';
      if (sizeOf(request.body) > to.requestBytesMax) {
        return failure('refused', false, `the request body is larger than the limit of ${to.requestBytesMax} bytes`);
      }

      let { url } = request;
      let headers = headersOf(request, version);
      let trusted = true;
      for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
        const parts = splitUrl(url);
        if (parts === undefined) return failure('refused', false, `${describeUrl(url)} can't be called`);
        const { origin, target } = parts;
        const allowed = followable(url, url, { allowedOrigins: origins });
        if (!allowed.ok) return failure('refused', false, `${describeUrl(url)}: ${allowed.why}`);
        trusted &&= own.has(origin);
        const selected = trusted ? selectedOf(to.credentials, request.security) : [];
        const answer = await wire.exchange({
          method: request.method,
          origin,
          target: withQueryCredentials(target, selected),
          headers: withHeaderCredentials(headers, selected),
          ...(request.body !== undefined && { body: request.body }),
          ...remaining(options, deadline - clock.monotonic()),
        });
        // After a hop, an earlier request has reached the upstream whatever became of this one.
        if (!answer.ok) return failure(answer.kind, answer.sent || hops > 0, `${describeUrl(url)}: ${answer.detail}`);
        const { status, headers: fields, body } = answer;
        const location = fields['location'];
        if (!MOVED.has(status) || location === undefined) {
          return { ok: true, response: { status, headers: fields, url, body } };
        }
        const { rewrite = [] } = to;
        const next = followable(location, url, { allowedOrigins: safe ? origins : [origin], rewrite });
        if (!next.ok) return failure('refused', true, `${describeUrl(url)}: its redirect was refused: ${next.why}`);
        // Another origin learns nothing of the call but that it takes place.
        if (splitUrl(next.url)?.origin !== origin) headers = onlyPublic(headers);
        url = next.url;
      }
      return failure('refused', true, `${describeUrl(request.url)}: more than ${REDIRECTS_MAX} redirects`);
    },
  };
}

const remaining = ({ bytesMax, signal }: SendOptions, timeoutMs: number) => ({
  timeoutMs,
  bytesMax,
  ...(signal !== undefined && { signal }),
});

const sizeOf = (body: HttpRequest['body']): number =>
  body === undefined ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;

const onlyPublic = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name === 'accept' || name === 'user-agent'));
