// The words by which operators ask for operations: the same in the admin API, on the command line and in the documentation.

import type { Operation } from './operation.ts';
import type { OutcomeKind } from './outcome.ts';
import { type Effects, FINAL, LIFE, LIVE, type Life } from './transitions.ts';

/** One thing that an operation may be, beside other things. */
export type Facet = { readonly life: Life } | { readonly effects: Effects } | { readonly outcome: OutcomeKind };

const lives = (which: readonly Life[]): readonly Facet[] => which.map((life) => ({ life }));
const OPEN_EFFECTS: readonly Facet[] = [{ effects: 'REQUIRED' }, { effects: 'ESCALATED' }];

/** `NEEDS_RECONCILIATION` as people type it. */
export const wordOf = (life: Life): string => life.toLowerCase().replaceAll('_', '-');

/** What each word stands for: an operation fits that has any of these facets. */
const WORDS: ReadonlyMap<string, readonly Facet[]> = new Map<string, readonly Facet[]>([
  ...LIFE.filter((life) => !(FINAL as readonly Life[]).includes(life)).map((life) => [wordOf(life), lives([life])] as const),
  // All that a person may have to look into, ended or not.
  ['needs-reconciliation', [...lives(['SUBMISSION_UNKNOWN', 'NEEDS_RECONCILIATION']), ...OPEN_EFFECTS]],
  ['unknown', [...lives(['SUBMISSION_UNKNOWN']), { outcome: 'unknown' }]],
  ['effects', OPEN_EFFECTS],
  ['escalated', [{ effects: 'ESCALATED' }]],
  ['live', lives(LIVE)],
  ['ended', lives(FINAL)],
  ['succeeded', [{ outcome: 'succeeded' }]],
  ['failed', [{ outcome: 'failed' }]],
  ['cancelled', [{ outcome: 'cancelled' }]],
]);

export const STATE_WORDS: readonly string[] = [...WORDS.keys()];

/** The facets that a word stands for; `undefined` for no word of ours. */
export const facetsOf = (word: string): readonly Facet[] | undefined => WORDS.get(word);

/** The one word for how an operation stands: its outcome once it has ended, else its life. */
export const stateOf = ({ life, receipt }: Operation): string => receipt?.outcome ?? wordOf(life);

/** Whether a person may have to look into it: what `needs-reconciliation` lists. */
export const needsOperator = ({ life, effects }: Operation): boolean =>
  life === 'SUBMISSION_UNKNOWN' || life === 'NEEDS_RECONCILIATION' || effects === 'REQUIRED' || effects === 'ESCALATED';
