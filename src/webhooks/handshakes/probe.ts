// GET or HEAD, to see whether anything answers. Nobody signs it, and it is told nothing.

import type { Handshake } from '../handshake.ts';

export const probe: Handshake = {
  id: 'probe',
  methods: ['GET', 'HEAD'],
  unsigned: true,
  answer: () => ({ status: 200, headers: {}, body: '' }),
};
