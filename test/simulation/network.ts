// The network between a worker and the service: every exchange has a way there, a way back, and a fate.
//   N1. The client's patience is the gateway's (`timeoutMs`); a request that was given up may still arrive, a little later.
//   N2. A fate that drops the request before it was sent says so (`mayHaveBeenSent: false`) only where that is certain.
//   N3. What was on the wire when a worker died goes on: the service gets it, and nobody hears the answer.

import type { Exchange, HttpFailureKind, HttpRequest, HttpResponse, SendOptions, Transport } from '../../src/core/http.ts';
import type { Fate, Fault, Route } from './history.ts';
import { holdOf } from './holds.ts';
import type { Chance, Schedule } from './time.ts';
import type { Upstream, Upstreams } from './upstreams.ts';

/** How long after its sender gave up a request may still arrive. */
export const LATE_MS = 2_000;

export interface Sent {
  readonly worker: number;
  readonly upstream: Upstream;
  readonly route: Route;
  readonly request: HttpRequest;
  readonly purpose: SendOptions['purpose'];
  readonly at: number;
  /** The call that it belongs to, where that shows. */
  readonly call: number | undefined;
  readonly fate: Fate | 'storm' | undefined;
}

export class Network {
  readonly #schedule: Schedule;
  readonly #chance: Chance;
  readonly #upstreams: Upstreams;
  readonly #fates = new Map<string, Extract<Fault, { what: 'exchange' }>>();
  readonly #storms: readonly Extract<Fault, { what: 'storm' }>[];
  readonly #babbles: readonly Extract<Fault, { what: 'babble' }>[];
  readonly #counts = new Map<string, number>();
  /** Told of every request when it leaves. */
  readonly #heard: (sent: Sent) => void;

  constructor(schedule: Schedule, chance: Chance, upstreams: Upstreams, faults: readonly Fault[], heard: (sent: Sent) => void) {
    this.#schedule = schedule;
    this.#chance = chance;
    this.#upstreams = upstreams;
    this.#heard = heard;
    for (const fault of faults)
      if (fault.what === 'exchange') this.#fates.set(`${fault.upstream ?? 0} ${fault.route} ${fault.nth}`, fault);
    this.#storms = faults.filter((fault) => fault.what === 'storm');
    this.#babbles = faults.filter((fault) => fault.what === 'babble');
  }

  /** The way out of one worker. */
  from(worker: number): Transport {
    return { send: (_upstream, request, options) => this.#send(worker, request, options) };
  }

  routeOf({ method, url }: HttpRequest, { dialect }: Upstream = this.#upstreams.at(url)): Route {
    const { pathname, search } = new URL(url);
    if (method === 'POST' && pathname === dialect.submitPath) return 'submit';
    if (method === 'DELETE' || pathname.endsWith('cancel')) return 'cancel';
    if (search.includes('reference=')) return 'lookup';
    if (/\/(data|begin)$/.test(pathname)) return 'step';
    if (method === 'POST' && holdOf(new URL(url)) === 0) return 'answer';
    return pathname.endsWith('/result') ? 'fetch' : 'poll';
  }

  #send(worker: number, request: HttpRequest, { timeoutMs, signal, purpose }: SendOptions): Promise<Exchange> {
    const schedule = this.#schedule;
    const upstream = this.#upstreams.at(request.url);
    const { index, service } = upstream;
    const route = this.routeOf(request, upstream);
    const count = (this.#counts.get(`${index} ${route}`) ?? 0) + 1;
    this.#counts.set(`${index} ${route}`, count);
    const fault = this.#fates.get(`${index} ${route} ${count}`);
    const storm = this.#storms.find(
      ({ upstream: where = 0, at, forMs }) => where === index && schedule.now >= at && schedule.now < at + forMs,
    );
    const babbles =
      index === 0 &&
      (route === 'poll' || route === 'submit') &&
      this.#babbles.some(({ at, forMs }) => schedule.now >= at && schedule.now < at + forMs);
    const fate = fault?.fate;
    this.#heard({
      worker,
      upstream,
      route,
      request,
      purpose,
      at: schedule.now,
      call: callIn(request),
      fate: fate ?? (storm !== undefined || babbles ? 'storm' : undefined),
    });

    return new Promise((resolve) => {
      const end = (exchange: Exchange) => {
        signal?.removeEventListener('abort', abort);
        resolve(exchange);
      };
      const fail = (kind: HttpFailureKind, mayHaveBeenSent: boolean) =>
        end({ ok: false, failure: { kind, mayHaveBeenSent, message: `${route}: ${kind}` } });
      const abort = () => fail('aborted', true);
      signal?.addEventListener('abort', abort, { once: true });
      const answer = (response: HttpResponse) => end({ ok: true, response });
      const refusal = (status: number, retryAfter: string | undefined): HttpResponse => ({
        status,
        url: request.url,
        headers: { 'content-type': 'text/plain', ...(retryAfter !== undefined && { 'retry-after': retryAfter }) },
        body: new TextEncoder().encode('try again later'),
      });
      const away = this.#chance.chance(0.5) ? 1 : this.#chance.between(1, 400);
      const there = fate === 'slow-request' ? timeoutMs - 50 : away;
      const isSlow = fate === 'slow' || fate === 'slow-request';
      const back = isSlow ? 20 : this.#chance.chance(0.5) ? 1 : this.#chance.between(1, 600);
      const sentAt = schedule.now;
      const arrives = (then: (response: HttpResponse) => void, afterMs = there) => {
        const arrivedAt = sentAt + afterMs;
        const answers = () => {
          // What came in the last moment is answered at once.
          const until = fate === 'slow-request' ? 0 : service.heldUntil(request, schedule.now, schedule.now - arrivedAt);
          if (until > schedule.now) schedule.at(until, answers);
          else then(service.answer(request, schedule.now, fate));
        };
        schedule.at(arrivedAt, answers);
      };
      const returns = (then: () => void, afterMs = fate === 'slow' ? sentAt + timeoutMs - 1 - schedule.now : back) =>
        schedule.at(schedule.now + afterMs, then);

      switch (fate) {
        case 'unreachable':
          returns(() => fail('unreachable', false), there);
          return;
        case 'lost-request':
          returns(() => fail('timeout', true), timeoutMs);
          return;
        case 'late-request':
          returns(() => fail('timeout', true), timeoutMs);
          arrives(() => undefined, timeoutMs + this.#chance.between(1, LATE_MS));
          return;
        case 'no-answer':
          returns(() => fail('timeout', true), timeoutMs);
          arrives(() => undefined);
          return;
        case 'unavailable':
          returns(() => answer(refusal(503, fault?.retryAfter)), there + back);
          return;
        case 'throttled':
          returns(() => answer(refusal(429, fault?.retryAfter)), there + back);
          return;
        case 'forbidden': {
          service.refused(request, callIn(request));
          returns(() => answer(refusal(403, undefined)), there + back);
          return;
        }
        default:
      }
      if (fate === undefined && babbles) {
        returns(() => answer(refusal(200, undefined)), there + back);
        return;
      }
      if (fate === undefined && storm !== undefined) {
        if (storm.status === 0) returns(() => fail('timeout', true), timeoutMs);
        else returns(() => answer(refusal(storm.status, storm.retryAfter)), there + back);
        return;
      }
      arrives((response) =>
        returns(() => {
          switch (fate) {
            case 'lost-response':
              return fail('reset', true);
            case 'too-large':
              return fail('too_large', true);
            case 'truncated':
              return answer({ ...response, body: response.body.slice(0, response.body.length >> 1) });
            case 'wrong-type':
              service.saidYes(request);
              return answer({
                status: 200,
                url: request.url,
                headers: { 'content-type': 'text/html' },
                body: new TextEncoder().encode('<h1>Welcome</h1>'),
              });
            case 'empty':
              service.saidYes(request);
              return answer({
                ...response,
                status: 200,
                headers: { 'content-type': 'application/json' },
                body: new Uint8Array(),
              });
            case 'bad-gateway':
              return answer(refusal(502, fault?.retryAfter));
            case 'names-another':
              return answer({ ...response, headers: { ...response.headers, location: '/jobs/other' } });
            default:
              return answer(response);
          }
        }),
      );
    });
  }
}

/** The number of the call in a submit's body. */
export function callIn({ method, body }: HttpRequest): number | undefined {
  const found = method === 'POST' && typeof body === 'string' ? /"call":(\d+)/.exec(body) : null;
  return found === null ? undefined : Number(found[1]);
}
