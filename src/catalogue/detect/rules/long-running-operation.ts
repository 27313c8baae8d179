// A success is answered with a long-running operation: name, done, and error or response. @see AIP-151

import { isLongRunning } from '../monitor.ts';
import type { Rule } from './rule.ts';

export const longRunningOperation: Rule = {
  name: 'long-running-operation',
  look: ({ facts, survey }) =>
    isLongRunning(facts, survey)
      ? { score: 100, pointer: facts.pointer, says: 'it answers with a long-running operation (name, done, error or response)' }
      : undefined,
};
