// A rule: one kind of sign that an operation starts a job, or that it does not.
//   L1. A rule looks at facts and writes nothing; rules know nothing of each other.
//   L2. No rule names a service. What it says is said for people, about what stands in the document.

import type { Facts } from '../facts.ts';
import type { Pairs } from '../finding.ts';
import type { Monitor } from '../monitor.ts';
import type { Survey } from '../survey.ts';

/** What a rule may look at. */
export interface Look {
  readonly facts: Facts;
  readonly survey: Survey;
  readonly monitor?: Monitor | undefined;
  readonly pairs: Pairs;
}

export interface Sign {
  readonly score: number;
  /** JSON Pointer into the document. */
  readonly pointer: string;
  readonly says: string;
}

export interface Rule {
  readonly name: string;
  /** The sign that the rule sees, if any. */
  look(look: Look): Sign | undefined;
}
