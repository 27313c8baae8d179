// A signed token beside the body. It proves the sender; where a claim holds the body's digest, the body too.
//   J1. A shared secret verifies HS tokens only, a public key never does: otherwise the public key would be a secret.
//   J2. A key that many senders' tokens are signed with proves only its owner: audience or claims say whose token is meant.
//   J3. A token without an end and without a time is refused, unless it is bound to the body.
// @see RFC 7519, RFC 8725

import { createLocalJWKSet, errors, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { EpochMs } from '../../core/time.ts';
import type { VerifyRules } from '../../core/webhook.ts';
import { lines, sameText, sha256Hex, TOLERANCE_MS } from '../compare.ts';
import { keySetOf } from '../keys.ts';
import { firstGenuine, type Incoming, refused, type Scheme, type Verdict } from '../scheme.ts';

const SHARED = ['HS256', 'HS384', 'HS512'];
const PUBLIC = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

export const jwt: Scheme = {
  id: 'jwt',
  needs: ['secrets', 'keySets'],

  fault: ({ audience, claims }, { keySets }) =>
    keySets.length > 0 && audience === undefined && Object.keys(claims ?? {}).length === 0
      ? 'needs `audience` or `claims`: who publishes keys may sign for others too'
      : undefined,

  async verify(incoming, secrets, rules, now, { keySets }) {
    const { header = 'authorization', prefix = header.toLowerCase() === 'authorization' ? 'Bearer ' : '' } = rules;
    const given = lines(incoming, header).filter((line) => line.toLowerCase().startsWith(prefix.toLowerCase()));
    const trusted = [...secrets.map(trustedBy), ...keySets.map(({ keyFor }): Trusted => ({ keyFor }))];
    const ways = given.flatMap((line) =>
      trusted.map((one) => () => judge(line.slice(prefix.length).trim(), one, incoming, rules, now)),
    );
    return firstGenuine(ways, refused(`there is no token in ${header}`));
  },
};

/** What a token is verified by (J1). */
type Trusted = { readonly secret: Uint8Array } | { readonly keyFor: JWTVerifyGetKey };

function trustedBy(secret: string): Trusted {
  const keys = keySetOf(secret);
  return keys === undefined ? { secret: new TextEncoder().encode(secret) } : { keyFor: createLocalJWKSet(keys) };
}

async function judge(text: string, by: Trusted, incoming: Incoming, rules: VerifyRules, now: EpochMs): Promise<Verdict> {
  const { issuer, audience, claims = {}, digestClaim } = rules;
  const toleranceS = (rules.toleranceMs ?? TOLERANCE_MS) / 1000;
  const options: JWTVerifyOptions = {
    currentDate: new Date(now),
    clockTolerance: toleranceS,
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
  };
  try {
    const { payload } =
      'secret' in by
        ? await jwtVerify(text, by.secret, { ...options, algorithms: SHARED })
        : await jwtVerify(text, by.keyFor, { ...options, algorithms: PUBLIC });
    const other = Object.keys(claims).find((name) => payload[name] !== claims[name]);
    if (other !== undefined) return refused(`the token is somebody else's: its ${other} is not as described`);
    if (digestClaim !== undefined) {
      const digest = payload[digestClaim];
      if (typeof digest !== 'string' || !sameText(digest.toLowerCase(), sha256Hex(incoming.body))) {
        return refused('the token is about another body');
      }
    } else if (payload.exp === undefined && payload.iat === undefined) {
      return refused('the token has neither an end nor a time');
    }
    if (payload.iat !== undefined && Math.abs(payload.iat * 1000 - now) > toleranceS * 1000 && payload.exp === undefined) {
      return refused('the token is too old, or from the future');
    }
    const signedAt = payload.iat === undefined ? {} : { signedAt: String(payload.iat) };
    return { ok: true, ...(payload.jti !== undefined && { eventId: payload.jti }), ...signedAt };
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError)
      return refused(`the token was refused (${nameOf(error)})`);
    throw error;
  }
}

const nameOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : error.name);
