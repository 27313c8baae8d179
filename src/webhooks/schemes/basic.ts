// HTTP Basic authentication; a secret is `user:password`. @see RFC 7617

import { anySame, lines } from '../compare.ts';
import { refused, type Scheme } from '../scheme.ts';

export const basic: Scheme = {
  id: 'basic',

  fault: (_rules, { secrets }) =>
    secrets.every((secret) => secret.includes(':')) ? undefined : 'a secret is not written as user:password',

  verify(incoming, secrets) {
    const given = lines(incoming, 'authorization').flatMap((line) => {
      const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(line.trim())?.[1];
      return encoded === undefined ? [] : [Buffer.from(encoded, 'base64').toString('utf8')];
    });
    if (given.length === 0) return refused('there are no Basic credentials');
    return anySame(given, secrets) ? { ok: true } : refused('the credentials are none of ours');
  },
};
