// A query parameter that is sent back as it came, to show that somebody listens. Nobody signs it.

import type { Handshake } from '../handshake.ts';

/** No markup, no control characters: whoever opens such a URL in a browser is shown text. */
const ECHOED = /^[^\p{C}<>&"'`\\]{1,2048}$/u;

export const echo: Handshake = {
  id: 'echo',
  methods: ['GET', 'POST'],
  unsigned: true,

  fault: ({ parameter }) =>
    parameter === undefined ? 'needs `parameter`, the query parameter that holds what is to be echoed' : undefined,

  answer({ url, body }, { parameter = '' }) {
    const values = new URL(url).searchParams.getAll(parameter);
    // With a body it is a delivery, whatever its URL says.
    if (values.length === 0 || body.length > 0) return undefined;
    const [value = ''] = values;
    if (values.length > 1 || !ECHOED.test(value)) return { status: 400, headers: {}, body: '' };
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: value };
  },
};
