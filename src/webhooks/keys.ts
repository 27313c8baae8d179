// Public keys as operators have them: PEM, JWK, JWKS, or the bare bytes of an Ed25519 key.

import { createPublicKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto';
import type { JSONWebKeySet, JWK } from 'jose';

/** A public key set, where the text is one or holds a public key; `undefined` where it is a shared secret. */
export function keySetOf(text: string): JSONWebKeySet | undefined {
  if (/-----BEGIN (?:[A-Z ]*PUBLIC KEY|CERTIFICATE)-----/.test(text)) {
    return { keys: [createPublicKey(text).export({ format: 'jwk' }) as JWK] };
  }
  const json = objectIn(text);
  if (json === undefined) return undefined;
  return Array.isArray(json['keys']) ? (json as unknown as JSONWebKeySet) : { keys: [json as JWK] };
}

function objectIn(text: string): Record<string, unknown> | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** An Ed25519 public key from its 32 bytes. @see RFC 8037 §2 */
export const rawEd25519 = (bytes: Uint8Array): KeyObject | undefined =>
  bytes.length === 32
    ? createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(bytes).toString('base64url') } })
    : undefined;

/** The Ed25519 keys that a text holds; none where it holds none. */
export function ed25519KeysOf(text: string): readonly KeyObject[] {
  try {
    const set = keySetOf(text);
    if (set === undefined) {
      const key = rawEd25519(Buffer.from(text.trim(), /^[0-9a-f]{64}$/i.test(text.trim()) ? 'hex' : 'base64'));
      return key === undefined ? [] : [key];
    }
    return set.keys.filter(({ crv }) => crv === 'Ed25519').flatMap(keyIn);
  } catch {
    return [];
  }
}

/** None where it is malformed: the others of its set are no worse for it. */
function keyIn(key: JWK): readonly KeyObject[] {
  try {
    return [createPublicKey({ format: 'jwk', key: key as JsonWebKeyInput['key'] })];
  } catch {
    return [];
  }
}
