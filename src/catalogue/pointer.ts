// JSON Pointers as the catalogue reads and writes them.

import type { Json } from '../core/json.ts';
import { isJsonObject, pointerTokens } from '../core/json.ts';

/** @see RFC 6901 §3 */
export function escapeToken(token: string | number): string {
  const text = String(token);
  // Most tokens need nothing, and large documents have millions of them.
  return text.includes('~') || text.includes('/') ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text;
}

export const pointerOf = (tokens: readonly (string | number)[]): string =>
  tokens.map((token) => `/${escapeToken(token)}`).join('');

export { pointerTokens as tokensOf };

/** One step down; `undefined` where there is no such member or item. */
export function step(value: Json | undefined, token: string): Json | undefined {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(token) ? (value[Number(token)] as Json | undefined) : undefined;
  return isJsonObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}

/**
 * The tokens that a URI fragment names. Percent-encoding is undone first, then `~1` and `~0`.
 * @see RFC 6901 §6
 */
export function tokensOfFragment(fragment: string): string[] {
  let decoded = fragment;
  try {
    decoded = decodeURIComponent(fragment);
  } catch {
    // A lone '%' is a member name written without encoding, which is common enough to be taken as it is.
  }
  return pointerTokens(decoded);
}
