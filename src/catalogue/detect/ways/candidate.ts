// What a way of finding a job's status gives: an operation that may show it, and why.

import type { Facts } from '../facts.ts';
import { successes } from '../handle.ts';
import { type State, stateIn } from '../state.ts';
import type { Survey } from '../survey.ts';
import { kindsOf } from '../words.ts';

export interface Candidate {
  readonly facts: Facts;
  /** For people. */
  readonly how: string;
  /** Where the id is in the answer to the submit, where the way itself knows. */
  readonly id?: string;
  /** JSON Pointer into the document of what led to it. */
  readonly pointer?: string;
}

/** Candidates, best first. */
export type Find = (facts: Facts, survey: Survey) => readonly Candidate[];

export const said = ({ source }: Facts): string => `${source.method} ${source.path}`;

/** How many leading segments two paths share. */
export const common = (one: Facts, other: Facts): number => {
  let count = 0;
  while (count < one.path.segments.length && one.path.segments[count] === other.path.segments[count]) count += 1;
  return count;
};

/** The state in the answer to the submit itself. */
export function ownState(facts: Facts, survey: Survey): State | undefined {
  for (const { shape } of successes(facts)) {
    const state = shape && stateIn(shape, survey.shapes, facts.noun, [facts.text]);
    if (state !== undefined) return state;
  }
  return undefined;
}

/** A state that an ending can be told by. */
export const isJob = (state: State | undefined): boolean =>
  state !== undefined && (state.kind === 'conclusion' || state.kind === 'flag' || kindsOf(state.vocabulary) === 3);
