// A GET that answers 201 makes something: reading is answered 200.

import type { Rule } from './rule.ts';

export const creatingGet: Rule = {
  name: 'creating-get',
  look: ({ facts }) => {
    const answer = facts.source.method === 'GET' ? facts.answer('201') : undefined;
    return answer && { score: 30, pointer: answer.node.pointer, says: 'a GET that is answered 201 starts something' };
  },
};
