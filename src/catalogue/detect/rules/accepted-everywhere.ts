// Where most POSTs of a document declare 202, it says nothing about any of them.

import type { Rule } from './rule.ts';

export const acceptedEverywhere: Rule = {
  name: 'accepted-everywhere',
  look: ({ facts, survey }) => {
    const answer = survey.acceptsEverything ? facts.answer('202') : undefined;
    return answer && { score: -40, pointer: answer.node.pointer, says: 'most operations of this document declare 202' };
  },
};
