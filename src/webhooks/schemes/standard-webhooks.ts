// Standard Webhooks: id, time and body are signed together; a list of signatures lets secrets be changed.
// @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

import { verify as verifySignature } from 'node:crypto';
import { anySame, hmac, lines, single, staleness } from '../compare.ts';
import { rawEd25519 } from '../keys.ts';
import { type Incoming, refused, type Scheme } from '../scheme.ts';

/** The second spelling is from before the standard, and still sent. */
const PREFIXES = ['webhook', 'svix'] as const;

/** `whsec_` is base64 of a shared key, `whpk_` of the sender's public key. */
function keysOf(secrets: readonly string[], prefix: 'whsec_' | 'whpk_'): readonly Buffer[] {
  const other = prefix === 'whsec_' ? 'whpk_' : undefined;
  return secrets
    .filter((secret) => (other === undefined ? secret.startsWith(prefix) : !secret.startsWith(other)))
    .map((secret) => Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, 'base64'))
    .filter((key) => key.length > 0);
}

export const standardWebhooks: Scheme = {
  id: 'standard-webhooks',

  fault(_rules, { secrets }) {
    const usable = keysOf(secrets, 'whsec_').length + keysOf(secrets, 'whpk_').length;
    return usable < secrets.length ? 'a secret holds no key: it must be whsec_ (or whpk_) and base64' : undefined;
  },

  verify(incoming, secrets, rules, now) {
    const prefix = PREFIXES.find((one) => lines(incoming, `${one}-signature`).length > 0);
    if (prefix === undefined) return refused('there is no webhook-signature');
    const id = single(incoming, `${prefix}-id`);
    const signedAt = single(incoming, `${prefix}-timestamp`);
    if (id === undefined || id === '') return refused('there is no webhook-id, or more than one');
    if (signedAt === undefined || !/^\d+$/.test(signedAt)) return refused('the time stamp is missing or none');
    const stale = staleness(signedAt, rules, now);
    if (stale !== undefined) return refused(stale);
    const signatures = signaturesIn(incoming, `${prefix}-signature`);
    const signed = [`${id}.${signedAt}.`, incoming.body] as const;
    const expected = keysOf(secrets, 'whsec_').map((key) => hmac('sha256', key, signed, 'base64'));
    const shared = anySame(signatures.get('v1') ?? [], expected);
    const asymmetric = (signatures.get('v1a') ?? []).some((signature) => verified(signature, signed, secrets));
    return shared || asymmetric
      ? { ok: true, eventId: id, unique: true, signedAt }
      : refused('no signature is by an active secret');
  },
};

function signaturesIn(incoming: Incoming, header: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const line of lines(incoming, header)) {
    for (const entry of line.split(/\s+/)) {
      const [version = '', signature = ''] = entry.split(',', 2);
      found.set(version, [...(found.get(version) ?? []), signature]);
    }
  }
  return found;
}

function verified(signature: string, signed: readonly (string | Uint8Array)[], secrets: readonly string[]): boolean {
  const bytes = Buffer.from(signature, 'base64');
  const data = Buffer.concat(signed.map((part) => Buffer.from(part)));
  return keysOf(secrets, 'whpk_').some((key) => {
    const publicKey = rawEd25519(key);
    return publicKey !== undefined && verifySignature(null, data, publicKey, bytes);
  });
}
