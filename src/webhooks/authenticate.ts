// Is a delivery genuine, and what events are in it? The one entry to the schemes and handshakes.
//   A1. Several rules may be tried (a stranger's token says not which are meant); the first that verifies counts.
//   A2. An id that its scheme does not make unique is only known within its callback URL, so that two operations whose
//       sender numbers its events from one don't hide each other's.

import { eventIn, nameDifferentJobs } from '../core/delivery.ts';
import { scalarText, valueAt } from '../core/json.ts';
import type { EpochMs } from '../core/time.ts';
import type { Delivery, EventPlaces, HandshakeRules, Trust, VerifyRules, WebhookRules } from '../core/webhook.ts';
import { sha256Hex, single } from './compare.ts';
import type { Handshake } from './handshake.ts';
import * as handshakes from './handshakes/index.ts';
import { firstGenuine, type Incoming, NO_REACH, type Reach, type Reply, refused, type Scheme, type Verdict } from './scheme.ts';
import * as schemes from './schemes/index.ts';

/** @throws where two have one id */
function byId<T extends { readonly id: string }>(all: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  const found = new Map(Object.values(all).map((one) => [one.id, one]));
  if (found.size < Object.keys(all).length) throw new Error('two schemes or two handshakes have one id');
  return found;
}

const BY_ID = byId<Scheme>(schemes);
const HANDSHAKES = byId<Handshake>(handshakes);

/** Longer ids are known by their digest. */
const ID_LENGTH_MAX = 200;

export interface Authenticated {
  readonly scheme: Scheme;
  readonly rules: VerifyRules;
  readonly verdict: Extract<Verdict, { ok: true }>;
}

/** `later`: it could not be judged now, and may be genuine. */
export interface Unauthenticated {
  readonly why: string;
  readonly later?: true;
}

/** The scheme by which a delivery is genuine, or why it is not, for the log. */
export async function authenticate(
  incoming: Incoming,
  rules: readonly VerifyRules[],
  secrets: readonly string[],
  now: EpochMs,
  reach: Reach = NO_REACH,
): Promise<Authenticated | Unauthenticated> {
  const reasons = new Set<string>();
  let later = false;
  for (const one of rules) {
    const scheme = BY_ID.get(one.scheme);
    if (scheme === undefined) {
      reasons.add(`there is no scheme ${one.scheme}`);
      continue;
    }
    const verdict = await firstGenuine([() => scheme.verify(incoming, secrets, one, now, reach)], refused(''));
    if (verdict.ok) return { scheme, rules: one, verdict };
    later ||= verdict.later === true;
    reasons.add(verdict.why);
  }
  return { why: [...reasons].join('; '), ...(later && { later }) };
}

/** The answer to OPTIONS, where one of the schemes has one. */
export const permissionFor = (incoming: Incoming, rules: readonly VerifyRules[]) =>
  rules.map(({ scheme }) => BY_ID.get(scheme)?.permission?.(incoming)).find((reply) => reply !== undefined);

/** The answer to a question that nobody signs, where the description says that this sender asks it. */
export function answerUnsigned(incoming: Incoming, rules: HandshakeRules | undefined): Reply | undefined {
  const handshake = handshakeOf(incoming, rules);
  return handshake?.unsigned === true && rules !== undefined ? handshake.answer(incoming, rules, []) : undefined;
}

/**
 * The answer to a question that was verified, where it is one. One that is made with a secret is made with one that the
 * question itself is verified by.
 */
export async function answerSigned(
  incoming: Incoming,
  { scheme, rules }: Authenticated,
  asked: HandshakeRules | undefined,
  secrets: readonly string[],
  now: EpochMs,
  reach: Reach,
): Promise<Reply | undefined> {
  const own = scheme.handshake?.(incoming);
  const handshake = handshakeOf(incoming, asked);
  if (own !== undefined || handshake === undefined || handshake.unsigned === true || asked === undefined) return own;
  for (const secret of secrets) {
    const verified = await authenticate(incoming, [rules], [secret], now, reach);
    if ('scheme' in verified) return handshake.answer(incoming, asked, [secret]);
  }
  return undefined;
}

const handshakeOf = ({ method }: Incoming, rules: HandshakeRules | undefined): Handshake | undefined => {
  const handshake = rules && HANDSHAKES.get(rules.kind);
  return handshake?.methods.some((one) => one === method) ? handshake : undefined;
};

/** Why a webhook can't be used with what is configured for it, and the way out; `undefined` where it can. */
export function faultIn(
  { verify, handshake: asked }: Pick<WebhookRules, 'verify' | 'handshake'>,
  role: 'hint' | 'only' | undefined,
  trust: Trust,
): string | undefined {
  const scheme = BY_ID.get(verify.scheme);
  if (scheme === undefined) return `there is no scheme ${verify.scheme}: use one of ${[...BY_ID.keys()].join(', ')}`;
  const handshake = asked && HANDSHAKES.get(asked.kind);
  if (asked !== undefined && handshake === undefined) {
    return `there is no handshake ${asked.kind}: use one of ${[...HANDSHAKES.keys()].join(', ')}`;
  }
  const unanswerable = asked && handshake?.fault?.(asked);
  if (unanswerable !== undefined) return `its handshake ${unanswerable}`;
  if (scheme.unsigned === true) {
    return role === 'only' ? "what nobody signs can't be evidence: use a scheme that signs" : undefined;
  }
  const { needs = ['secrets'] } = scheme;
  const isThere = needs.some((need) => trust[need].length > 0 || (need === 'secrets' && trust.unread === true));
  if (!isThere) {
    const what = needs.includes('secrets') ? 'no secret is configured' : 'what it trusts is not configured';
    return `${what}: set ${needs.map((need) => `\`webhooks.${need}\``).join(' or ')} of the upstream`;
  }
  return scheme.fault?.(verify, trust);
}

export interface KeyedEvent {
  /** What it is recognised by among all events of its upstream. */
  readonly eventKey: string;
  readonly delivery: Delivery;
}

/** The events of a delivery that was found to be genuine. */
export function eventsOf(
  incoming: Incoming,
  { scheme, rules, verdict }: Authenticated,
  places: EventPlaces,
  token: string,
  receivedAt: EpochMs,
): readonly KeyedEvent[] {
  const text = new TextDecoder().decode(incoming.body);
  const several = scheme.split?.(text, incoming, rules);
  const sent = single(incoming, 'content-type')?.split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? '';
  const mediaType = several === undefined ? sent : 'application/json';
  const events = (several ?? [{ body: text }]).map(({ id, body }) => {
    const own = several === undefined ? verdict.eventId : id;
    const within = (pointer: string | undefined) => idAt(pointer, { mediaType, body });
    const described = joined([places.id ?? []].flat(), (place) =>
      place.startsWith('/') ? within(place) : single(incoming, place),
    );
    const named = described ?? own ?? within(scheme.idAt);
    const eventId = named === undefined ? sha256Hex(`${verdict.signedAt ?? ''}\n${body}`) : bounded(named);
    const unique = verdict.unique === true && named === verdict.eventId;
    return {
      eventKey: unique ? eventId : `${token}/${eventId}`,
      delivery: { eventId, ...unwrapped({ mediaType, body }, places), receivedAt },
    };
  });
  const deliveries = events.map(({ delivery }) => delivery);
  if (!nameDifferentJobs(deliveries, { event: places })) return events;
  return events.map(({ eventKey, delivery }) => ({ eventKey, delivery: { ...delivery, amongOthers: true } }));
}

/** All of them, or none: a part alone may be that of another event. */
function joined(places: readonly string[], read: (place: string) => string | undefined): string | undefined {
  const parts = places.map(read).filter((part) => part !== undefined);
  return parts.length === 0 || parts.length < places.length ? undefined : parts.join(' ');
}

/** The event out of its envelope; as it is where there is none in it. */
function unwrapped(
  event: Pick<Delivery, 'mediaType' | 'body'>,
  { within, withinEncoding }: EventPlaces,
): Pick<Delivery, 'mediaType' | 'body'> {
  const inner = within === undefined ? undefined : scalarText(valueAt(eventIn(event), within));
  if (inner === undefined) return event;
  const body = withinEncoding === 'base64' ? Buffer.from(inner, 'base64').toString('utf8') : inner;
  return { mediaType: 'application/json', body };
}

const bounded = (id: string): string => (id.length > ID_LENGTH_MAX ? sha256Hex(id) : id);

function idAt(pointer: string | undefined, event: Pick<Delivery, 'mediaType' | 'body'>): string | undefined {
  const id = pointer === undefined ? undefined : scalarText(valueAt(eventIn(event), pointer));
  return id === '' ? undefined : id;
}
