// Is a delivery genuine, and what events are in it? The one entry to the schemes.
//   A1. Several rules may be tried (a stranger's token says not which are meant); the first that verifies counts.
//   A2. An id that its scheme does not make unique is only known within its callback URL, so that two operations whose
//       sender numbers its events from one don't hide each other's.

import { eventIn } from '../core/delivery.ts';
import { scalarText, valueAt } from '../core/json.ts';
import type { EpochMs } from '../core/time.ts';
import type { Delivery, EventPlaces, VerifyRules } from '../core/webhook.ts';
import { sha256Hex, single } from './compare.ts';
import type { Incoming, Scheme, Verdict } from './scheme.ts';
import { schemes } from './schemes/index.ts';

const BY_ID: ReadonlyMap<string, Scheme> = new Map(schemes.map((scheme) => [scheme.id, scheme]));

/** Longer ids are known by their digest. */
const ID_LENGTH_MAX = 200;

export type Authenticated = { readonly scheme: Scheme; readonly verdict: Extract<Verdict, { ok: true }> };

/** The scheme by which a delivery is genuine, or why it is not, for the log. */
export async function authenticate(
  incoming: Incoming,
  rules: readonly VerifyRules[],
  secrets: readonly string[],
  now: EpochMs,
): Promise<Authenticated | { readonly why: string }> {
  const reasons = new Set<string>();
  for (const one of rules) {
    const scheme = BY_ID.get(one.scheme);
    if (scheme === undefined) {
      reasons.add(`there is no scheme ${one.scheme}`);
      continue;
    }
    const verdict = await scheme.verify(incoming, secrets, one, now);
    if (verdict.ok) return { scheme, verdict };
    reasons.add(verdict.why);
  }
  return { why: [...reasons].join('; ') };
}

/** The answer to OPTIONS, where one of the schemes has one. */
export const permissionFor = (incoming: Incoming, rules: readonly VerifyRules[]) =>
  rules.map(({ scheme }) => BY_ID.get(scheme)?.permission?.(incoming)).find((reply) => reply !== undefined);

/** Why rules can't be used with these secrets, and the way out; `undefined` where they can. */
export function faultIn(rules: VerifyRules, role: 'hint' | 'only' | undefined, secrets: readonly string[]): string | undefined {
  const scheme = BY_ID.get(rules.scheme);
  if (scheme === undefined) return `there is no scheme ${rules.scheme}: use one of ${[...BY_ID.keys()].join(', ')}`;
  if (scheme.unsigned === true) {
    return role === 'only' ? "what nobody signs can't be evidence: use a scheme that signs" : undefined;
  }
  if (secrets.length === 0) return 'no secret is configured: set `webhooks.secrets` of the upstream';
  return scheme.fault?.(rules, secrets);
}

export interface KeyedEvent {
  /** What it is recognised by among all events of its upstream. */
  readonly eventKey: string;
  readonly delivery: Delivery;
}

/** The events of a delivery that was found to be genuine. */
export function eventsOf(
  incoming: Incoming,
  { scheme, verdict }: Authenticated,
  places: EventPlaces,
  token: string,
  receivedAt: EpochMs,
): readonly KeyedEvent[] {
  const text = new TextDecoder().decode(incoming.body);
  const several = scheme.split?.(text, incoming);
  const sent = single(incoming, 'content-type')?.split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? '';
  const mediaType = several === undefined ? sent : 'application/json';
  return (several ?? [{ body: text }]).map(({ id, body }) => {
    const own = several === undefined ? verdict.eventId : id;
    const within = (pointer: string | undefined) => idAt(pointer, { mediaType, body });
    const described = places.id?.startsWith('/') === false ? single(incoming, places.id) : within(places.id);
    const named = described ?? own ?? within(scheme.idAt);
    const eventId = named === undefined ? sha256Hex(`${verdict.signedAt ?? ''}\n${body}`) : bounded(named);
    const unique = verdict.unique === true && named === verdict.eventId;
    return {
      eventKey: unique ? eventId : `${token}/${eventId}`,
      delivery: { eventId, mediaType, body, receivedAt },
    };
  });
}

const bounded = (id: string): string => (id.length > ID_LENGTH_MAX ? sha256Hex(id) : id);

function idAt(pointer: string | undefined, event: Pick<Delivery, 'mediaType' | 'body'>): string | undefined {
  const id = pointer === undefined ? undefined : scalarText(valueAt(eventIn(event), pointer));
  return id === '' ? undefined : id;
}
