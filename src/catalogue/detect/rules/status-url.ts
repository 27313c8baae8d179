// The answer holds the address of a status.

import { hasStatusUrl } from '../handle.ts';
import type { Rule } from './rule.ts';

export const statusUrl: Rule = {
  name: 'status-url',
  look: ({ facts, survey }) => {
    const found = facts.source.method === 'GET' ? undefined : hasStatusUrl(facts, survey.shapes);
    return found && { score: 45, pointer: found.shape.node.pointer, says: `the answer holds a status URL at ${found.at}` };
  },
};
