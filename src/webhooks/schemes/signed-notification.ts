// Notifications with their own signature, by a certificate at an address that they name. A subscription begins with a message
// of the same form, and stands once the URL in it was asked.
//   N1. Certificates come from origins that the operator named, and so does the answer to a subscription; whoever owns such an
//       origin signs for all its customers, so that `claims` must say whose notifications are meant.
//   N2. Version 1 signs by SHA-1: only where `algorithm: sha1` says that the sender can do no better.
// @see https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html

import { verify as verifySignature, X509Certificate } from 'node:crypto';
import { isJsonObject, type JsonObject, scalarText, tryParseJson } from '../../core/json.ts';
import type { EpochMs } from '../../core/time.ts';
import { sameText, staleness } from '../compare.ts';
import { type Incoming, refused, type Scheme, Unavailable } from '../scheme.ts';

/** The time is that of the notification and not of the attempt, and senders try for an hour. */
const TOLERANCE_MS = 3_600_000;

/** What is signed, in this order; a member that is not there is left out. */
const OF_EVENTS = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const OF_SUBSCRIPTIONS = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
const SIGNED = new Map([
  ['Notification', OF_EVENTS],
  ['SubscriptionConfirmation', OF_SUBSCRIPTIONS],
  ['UnsubscribeConfirmation', OF_SUBSCRIPTIONS],
]);
const MAY_BE_ABSENT = 'Subject';

export const signedNotification: Scheme = {
  id: 'signed-notification',
  needs: ['allowedOrigins'],

  fault: ({ claims = {}, algorithm = 'sha256' }) => {
    if (algorithm !== 'sha1' && algorithm !== 'sha256') return 'knows the algorithms sha256 and sha1 only';
    const names = Object.keys(claims);
    if (names.length === 0) return 'needs `claims`, such as TopicArn: without them any customer of the sender could sign';
    const unsigned = names.find((name) => !OF_EVENTS.includes(name) || !OF_SUBSCRIPTIONS.includes(name));
    return unsigned === undefined ? undefined : `has a claim that is not signed in every message: ${unsigned}`;
  },

  async verify(incoming, _secrets, rules, now, reach) {
    const message = messageIn(incoming.body);
    const names = SIGNED.get(text(message, 'Type') ?? '');
    if (message === undefined || names === undefined) return refused('it is no notification');
    const missing = names.find((name) => name !== MAY_BE_ABSENT && text(message, name) === undefined);
    if (missing !== undefined) return refused(`the notification has no ${missing}`);
    const algorithm = text(message, 'SignatureVersion') === '2' ? 'sha256' : 'sha1';
    if (algorithm === 'sha1' && rules.algorithm !== 'sha1') return refused('the signature is not by SHA-256');
    const claims = Object.entries(rules.claims ?? {});
    const other = claims.find(([name, value]) => !sameText(text(message, name) ?? '', String(value)));
    if (claims.length === 0 || other !== undefined) {
      return refused(`the notification is somebody else's: its ${other?.[0]} is not as described`);
    }
    const signedAt = text(message, 'Timestamp') ?? '';
    const stale = staleness(signedAt, { ...rules, toleranceMs: rules.toleranceMs ?? TOLERANCE_MS }, now);
    if (stale !== undefined) return refused(stale);
    const address = text(message, 'SigningCertURL') ?? text(message, 'SigningCertUrl') ?? '';
    if (!reach.allows(address) || !new URL(address).pathname.endsWith('.pem')) {
      return refused('the certificate is not at an origin of `webhooks.allowedOrigins`');
    }
    const certificate = certificateIn(await reach.read(address), now);
    if (certificate === undefined) return refused('the certificate is not valid now');
    const signed = names.flatMap((name) => {
      const value = text(message, name);
      return value === undefined ? [] : [`${name}\n${value}\n`];
    });
    const signature = Buffer.from(text(message, 'Signature') ?? '', 'base64');
    return verifySignature(algorithm, Buffer.from(signed.join('')), certificate.publicKey, signature)
      ? { ok: true, eventId: text(message, 'MessageId') ?? '', signedAt }
      : refused('the signature is not by the key of the certificate');
  },

  handshake({ body }) {
    const message = messageIn(body);
    const visit = text(message, 'SubscribeURL');
    switch (text(message, 'Type')) {
      case 'SubscriptionConfirmation':
        return { status: 200, headers: {}, body: '', visit: visit ?? '' };
      case 'UnsubscribeConfirmation':
        return { status: 200, headers: {}, body: '' };
      default:
        return undefined;
    }
  },

  split(body) {
    const message = messageIn(body);
    const id = text(message, 'MessageId');
    return [{ body: text(message, 'Message') ?? '', ...(id !== undefined && { id }) }];
  },
};

function messageIn(body: Incoming['body'] | string): JsonObject | undefined {
  const message = tryParseJson(typeof body === 'string' ? body : new TextDecoder().decode(body));
  return isJsonObject(message) ? message : undefined;
}

const text = (message: JsonObject | undefined, name: string): string | undefined => scalarText(message?.[name]);

/** `undefined` outside its time. What is no certificate may be the answer of a service in trouble. */
function certificateIn(pem: string, now: EpochMs): X509Certificate | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem);
  } catch {
    throw new Unavailable('what is at the address of the certificate is none');
  }
  const { validFromDate, validToDate } = certificate;
  return validFromDate.getTime() <= now && now <= validToDate.getTime() ? certificate : undefined;
}
