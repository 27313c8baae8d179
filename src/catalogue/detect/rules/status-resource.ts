// What the answer identifies is shown by another operation, and that has a state.

import type { Way } from '../monitor.ts';
import { weightOf } from '../state.ts';
import { kindsOf } from '../words.ts';
import type { Rule } from './rule.ts';
import { sayState } from './schema-identity.ts';

/** Less than for the very same object. */
const LESS = 10;
/** Ways that a plain resource doesn't have. */
const JOBLIKE: readonly Way[] = ['status-path', 'query', 'sibling', 'reference', 'stripped-verb', 'same-path'];

export const statusResource: Rule = {
  name: 'status-resource',
  look: ({ monitor }) => {
    if (monitor === undefined || monitor.identical || monitor.way === 'link') return undefined;
    const { facts, state, way, how } = monitor;
    const pointer = state?.pointer ?? facts.pointer;
    if (state === undefined) {
      if (way === 'sibling') return { score: 60, pointer, says: how };
      return way === 'query' ? { score: 50, pointer, says: how } : undefined;
    }
    const isWhole = kindsOf(state.vocabulary) === 3;
    if (JOBLIKE.includes(way))
      return {
        score: Math.max(isWhole ? 60 : 50, weightOf(state) - LESS),
        pointer,
        says: `${how}, and has ${sayState(state)}`,
      };
    const score = Math.max(0, weightOf(state) - LESS - (isWhole || state.kind === 'conclusion' ? 0 : 5));
    return score === 0 ? undefined : { score, pointer, says: `${how}, and has ${sayState(state)}` };
  },
};
