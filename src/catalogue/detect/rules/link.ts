// A link of a success leads to a GET that shows a state, and what it takes from the answer is there. @see OpenAPI 3.1 §4.8.20

import type { Rule } from './rule.ts';

export const link: Rule = {
  name: 'link',
  look: ({ monitor }) =>
    monitor?.way === 'link' && monitor.state !== undefined
      ? { score: 90, pointer: monitor.pointer ?? monitor.facts.pointer, says: `${monitor.how}, which shows a state` }
      : undefined,
};
