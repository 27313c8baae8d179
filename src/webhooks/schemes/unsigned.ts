// Services that sign nothing. The unguessable URL is all that protects, so that a delivery is never more than a hint.

import type { Scheme } from '../scheme.ts';

export const unsigned: Scheme = { id: 'unsigned', unsigned: true, verify: () => ({ ok: true }) };
