// What can be changed later is a thing that is kept; a job is not edited.

import type { Rule } from './rule.ts';
import { jobWord } from './wording.ts';

export const editable: Rule = {
  name: 'editable',
  look: ({ facts, survey, monitor }) => {
    if (facts.source.method !== 'POST' || monitor?.state === undefined || jobWord(facts) !== undefined) return undefined;
    const item = `${facts.path.key}/{}`;
    const change = ['PUT', 'PATCH', 'POST']
      .map((method) => survey.at(method, item))
      .find((one) => one?.body !== undefined && !one.isCancelling);
    return (
      change && {
        score: -30,
        pointer: change.pointer,
        says: `it can be changed later, by ${change.source.method} ${change.source.path}`,
      }
    );
  },
};
