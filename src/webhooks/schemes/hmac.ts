// A message authentication code over what `signed` says, in a header: what most services do, each a little differently.

import { anySame, hmac, keyOf, listed, signedParts, single, staleness, templateFault } from '../compare.ts';
import { refused, type Scheme } from '../scheme.ts';

export const plainHmac: Scheme = {
  id: 'hmac',

  fault(rules) {
    if (rules.header === undefined) return 'needs `header`, the one that holds the signature';
    return templateFault(rules.signed ?? '{body}', rules);
  },

  verify(incoming, secrets, rules, now) {
    const { header = '', algorithm = 'sha256', encoding = 'hex', prefix = '', signed = '{body}', timestamp } = rules;
    const signedAt = timestamp === undefined ? undefined : single(incoming, timestamp);
    const stale = timestamp === undefined ? undefined : staleness(signedAt, rules, now);
    if (stale !== undefined) return refused(stale);
    const given = listed(incoming, header)
      .filter((value) => value.startsWith(prefix))
      .map((value) => (encoding === 'hex' ? value.slice(prefix.length).toLowerCase() : value.slice(prefix.length)));
    if (given.length === 0) return refused(`there is no signature in ${header}`);
    const parts = signedParts(signed, incoming, rules);
    const expected = secrets.map((secret) => hmac(algorithm, keyOf(secret, rules), parts, encoding));
    if (!anySame(given, expected)) return refused('no signature is by an active secret');
    return { ok: true, ...(signedAt !== undefined && { signedAt }) };
  },
};
