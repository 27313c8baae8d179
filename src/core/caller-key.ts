// The key under which a call is known: the caller's own, or one made of the arguments where the tool is described so.
//   K1. A caller's own key names its operation for as long as that is kept.
//   K2. A key made of arguments holds for a window, and lets go early of what ended without a result and left nothing open:
//       calling again is then the sensible thing to do.
//   K3. Whether a key still holds is asked inside the transaction that would use it, so that of two callers one is first.

import type { Operation } from './operation.ts';
import type { EpochMs } from './time.ts';

/** Keys that begin so are ours: no caller may give one. */
export const OWN_KEY_PREFIX = 'longshore:';

/** The key of a call without one, by the digest of tool and arguments. */
export const keyOfArguments = (requestDigest: string): string => `${OWN_KEY_PREFIX}arguments:${requestDigest}`;

/** Whether the key that an operation was called under still names it at `at`. */
export function holdsKey({ callerKeyUntil, receipt, effects }: Operation, at: EpochMs): boolean {
  if (callerKeyUntil === undefined) return true;
  const isFree = receipt?.outcome === 'failed' || receipt?.outcome === 'cancelled';
  const isOpen = effects === 'REQUIRED' || effects === 'ESCALATED';
  return at < callerKeyUntil && (!isFree || isOpen);
}
