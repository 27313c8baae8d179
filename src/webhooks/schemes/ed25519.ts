// A signature by the sender's Ed25519 key over what `signed` says. The secrets are its public keys, or it publishes them. @see RFC 8032

import { verify as verifySignature } from 'node:crypto';
import { listed, signedParts, single, staleness, templateFault } from '../compare.ts';
import { ed25519KeysOf } from '../keys.ts';
import { firstGenuine, refused, type Scheme, type Verdict } from '../scheme.ts';

const SIGNED = '{timestamp}{body}';

export const ed25519: Scheme = {
  id: 'ed25519',
  needs: ['secrets', 'keySets'],

  fault(rules, { secrets }) {
    if (rules.header === undefined) return 'needs `header`, the one that holds the signature';
    if (secrets.some((secret) => ed25519KeysOf(secret).length === 0)) {
      return 'a secret is no Ed25519 public key: give PEM, JWK, JWKS, or 32 bytes in hex or base64';
    }
    return templateFault(rules.signed ?? SIGNED, rules);
  },

  async verify(incoming, secrets, rules, now, { keySets }) {
    const { header = '', encoding = 'hex', prefix = '', signed = SIGNED, timestamp } = rules;
    const signedAt = timestamp === undefined ? undefined : single(incoming, timestamp);
    const stale = timestamp === undefined ? undefined : staleness(signedAt, rules, now);
    if (stale !== undefined) return refused(stale);
    const data = Buffer.concat(signedParts(signed, incoming, rules).map((part) => Buffer.from(part)));
    const given = listed(incoming, header)
      .filter((value) => value.startsWith(prefix))
      .map((value) => Buffer.from(value.slice(prefix.length), encoding))
      .filter((signature) => signature.length === 64);
    if (given.length === 0) return refused(`there is no signature in ${header}`);
    const verifies = (keys: string) =>
      ed25519KeysOf(keys).some((key) => given.some((signature) => verifySignature(null, data, key, signature)));
    const strange = refused('no signature is by a known key');
    const judged = (isOurs: boolean): Verdict => (isOurs ? { ok: true, ...(signedAt !== undefined && { signedAt }) } : strange);
    const own = () => judged(secrets.some(verifies));
    return firstGenuine([own, ...keySets.map((keySet) => async () => judged(await keySet.some(verifies)))], strange);
  },
};
