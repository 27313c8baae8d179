// The one interface of handshakes that any scheme may need: what a sender asks of a callback URL before it uses it. Those that
// belong to one scheme are in its file.
//   S1. Answered only at a callback URL that was given out, and only where the description says that its sender asks.
//   S2. What is echoed is text of a modest length without markup, as text/plain that no browser guesses about.

import type { HandshakeRules } from '../core/webhook.ts';
import type { Incoming, Reply } from './scheme.ts';

export interface Handshake {
  readonly id: string;
  /** Methods that it is asked by. */
  readonly methods: readonly ('GET' | 'HEAD' | 'POST')[];
  /** Nobody signs it: it is answered before anything is verified. It must give away nothing, and change nothing. */
  readonly unsigned?: true;
  /** Why it can't be used with these rules, and the way out. */
  fault?(rules: HandshakeRules): string | undefined;
  /** `undefined` for what is no such question. */
  answer(incoming: Incoming, rules: HandshakeRules, secrets: readonly string[]): Reply | undefined;
}
