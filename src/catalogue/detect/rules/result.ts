// There is an operation of its own for the result.

import type { Rule } from './rule.ts';

export const result: Rule = {
  name: 'result',
  look: ({ pairs }) =>
    pairs.result === undefined || pairs.result.operation === pairs.status?.operation
      ? undefined
      : { score: 10, pointer: pairs.result.operation.node.pointer, says: `its result is apart: ${pairs.result.how}` },
};
