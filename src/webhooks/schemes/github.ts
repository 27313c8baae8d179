// The body's HMAC as `sha256=<hex>`; the delivery's id is beside it. @see https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries

import { single } from '../compare.ts';
import type { Scheme } from '../scheme.ts';
import { plainHmac } from './hmac.ts';

export const github: Scheme = {
  id: 'github',

  async verify(incoming, secrets, rules, now, reach) {
    const as = { header: 'x-hub-signature-256', prefix: 'sha256=', ...rules };
    const verdict = await plainHmac.verify(incoming, secrets, as, now, reach);
    const eventId = single(incoming, 'x-github-delivery');
    return verdict.ok && eventId !== undefined ? { ...verdict, eventId } : verdict;
  },
};
