// The answer is the very object that a GET shows, and it has a state: how a job is described most often.

import { type State, weightOf } from '../state.ts';
import type { Rule } from './rule.ts';

/** For people: what a state consists of. */
export function sayState({ kind, at, vocabulary }: State): string {
  const some = vocabulary.words.slice(0, 6).join(', ');
  const words = vocabulary.words.length > 6 ? `${some}, …` : some;
  switch (kind) {
    case 'enum':
      return `the state ${at} (${words})`;
    case 'described':
      return `the state ${at}, described as ${words}`;
    case 'conclusion':
      return `a state, and at ${at} how it ended`;
    case 'conditions':
      return `conditions at ${at}, and when it was completed`;
    case 'flag':
      return `the flag ${at}`;
    case 'bare':
      return `the state ${at}`;
  }
}

export const schemaIdentity: Rule = {
  name: 'schema-identity',
  look: ({ monitor }) => {
    if (monitor?.state === undefined || !monitor.identical) return undefined;
    const score = weightOf(monitor.state);
    const { method, path } = monitor.facts.source;
    return score === 0
      ? undefined
      : {
          score,
          pointer: monitor.state.pointer,
          says: `it answers with what ${method} ${path} shows, which has ${sayState(monitor.state)}`,
        };
  },
};
