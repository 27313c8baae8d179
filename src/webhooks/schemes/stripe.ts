// One header with the time and one or more signatures: `t=1700000000,v1=<hex>`. @see https://docs.stripe.com/webhooks/signature

import { anySame, hmac, listed, staleness } from '../compare.ts';
import { refused, type Scheme } from '../scheme.ts';

export const stripe: Scheme = {
  id: 'stripe',
  idAt: '/id',

  verify(incoming, secrets, rules, now) {
    const { header = 'stripe-signature', prefix: version = 'v1' } = rules;
    const fields = listed(incoming, header).map((field) => field.split('=', 2) as [string, string?]);
    const valuesOf = (name: string) => fields.flatMap(([own, value]) => (own === name && value ? [value] : []));
    const times = new Set(valuesOf('t'));
    const [signedAt] = times;
    if (signedAt === undefined || times.size > 1) return refused(`there is no one time in ${header}`);
    const stale = staleness(signedAt, rules, now);
    if (stale !== undefined) return refused(stale);
    // The secret is the key as it is written, with whatever it begins.
    const expected = secrets.map((secret) => hmac('sha256', secret, [`${signedAt}.`, incoming.body], 'hex'));
    return anySame(valuesOf(version), expected) ? { ok: true, signedAt } : refused('no signature is by an active secret');
  },
};
