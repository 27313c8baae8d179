// There is an operation that cancels it. Orders are cancelled, too: this alone makes no job.

import type { Rule } from './rule.ts';

export const cancel: Rule = {
  name: 'cancel',
  look: ({ pairs, monitor }) =>
    // What the answer only refers to is a thing of its own, which may well be cancelled.
    monitor?.way === 'reference'
      ? undefined
      : pairs.cancel && {
          score: 20,
          pointer: pairs.cancel.operation.node.pointer,
          says: `it can be cancelled: ${pairs.cancel.how}`,
        },
};
