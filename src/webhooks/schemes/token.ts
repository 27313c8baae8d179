// A shared token in a header. It proves the sender and nothing of the body, so that the connection must be trusted.

import { anySame, lines } from '../compare.ts';
import { refused, type Scheme } from '../scheme.ts';

export const token: Scheme = {
  id: 'token',

  fault: ({ header }) => (header === undefined ? 'needs `header`, the one that holds the token' : undefined),

  verify(incoming, secrets, { header = '', prefix = '' }) {
    const given = lines(incoming, header)
      .filter((value) => value.startsWith(prefix))
      .map((value) => value.slice(prefix.length));
    if (given.length === 0) return refused(`there is no token in ${header}`);
    return anySame(given, secrets) ? { ok: true } : refused('the token is none of ours');
  },
};
