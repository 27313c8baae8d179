// A GET that is answered 202 until there is something to give: the same request is asked again.

import type { Rule } from './rule.ts';

export const askAgain: Rule = {
  name: 'ask-again',
  look: ({ facts }) => {
    const answer = facts.source.method === 'GET' ? facts.answer('202') : undefined;
    return answer !== undefined && facts.answer('200', '204', '302', '303') !== undefined
      ? { score: 70, pointer: answer.node.pointer, says: 'it is answered 202 until the result is there, and then 200' }
      : undefined;
  },
};
