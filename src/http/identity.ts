// Who is calling. Everything an operation belongs to is decided here, once per HTTP request.

import type { Request } from 'express';
import { LOCAL_PRINCIPAL, type Principal } from '../core/ids.ts';

export interface Identity {
  /** Callers are told apart: only then may a caller list its operations. */
  readonly identified: boolean;
  /** `undefined`: nobody we know, and the request is refused. */
  principal(request: Request): Principal | undefined;
}

/** How many of `max` things that all share one principal may have: no one takes the last from the others, where they are told apart. */
export const shareOf = (max: number, identified: boolean): number => (identified ? Math.ceil(max / 2) : max);

/** Identity `none`: one local user, whose operations are guarded by their unguessable ids. */
export const localIdentity: Identity = { identified: false, principal: () => LOCAL_PRINCIPAL };
