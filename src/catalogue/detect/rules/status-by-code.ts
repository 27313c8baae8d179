// The status is told by the code alone: 202 while it runs, another success or a redirect when it is done.

import type { Rule } from './rule.ts';

export const statusByCode: Rule = {
  name: 'status-by-code',
  look: ({ monitor }) => {
    const answer = monitor?.facts.answer('202');
    if (monitor === undefined || answer === undefined || monitor.facts.answers.length < 2) return undefined;
    const { method, path } = monitor.facts.source;
    return { score: 60, pointer: answer.node.pointer, says: `${method} ${path} answers 202 until it is done` };
  },
};
