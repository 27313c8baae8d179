// The words of a status: what those of an enum or of a description mean, and which of them nobody can know.
//   W1. A prefix that most words of an enum share (`JOB_STATE_`) says nothing and is dropped; the word stays as it is written.
//   W2. `completed` and the like end a job well only where the enum has no surer word, and no second field says how it ended.
//   W3. For telling jobs from other things, words that end something in whatever way are enough; for following one they are not.

import { AMBIGUOUS, MEANINGS, type Meaning, meaningOf, normaliseWord } from '../../core/states.ts';

const LIKELY_SUCCESS = new Set(['completed', 'complete', 'done', 'ended']);
const ENDS_BADLY = new Set(['aborted', 'terminated', 'expired', 'stopped']);
const GOES_ON = new Set(['waiting', 'created', 'paused', 'blocked']);
/** A proto enum's zero, and words for the absence of one. */
const NOTHING = /(^|_)(unspecified|unknown|undefined|none|null)$/i;
const AMBIGUOUS_WORDS = new Set(AMBIGUOUS);

export interface Vocabulary {
  /** As written, in their order. */
  readonly words: readonly string[];
  readonly meanings: { readonly [meaning in Meaning]?: readonly string[] };
  /** Words whose meaning nobody can know without the service. */
  readonly unknown: readonly string[];
  /** Which kinds of words there are, loosely: a job has words of all three. */
  readonly working: boolean;
  readonly done: boolean;
  readonly bad: boolean;
}

/** How many of the three kinds of words there are. */
export const kindsOf = ({ working, done, bad }: Vocabulary): number => [working, done, bad].filter(Boolean).length;

/** The leading tokens that at least half of the words share: `JOB_STATE_`. */
function sharedPrefix(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) {
    for (let at = word.indexOf('_'); at > 0; at = word.indexOf('_', at + 1)) {
      const prefix = word.slice(0, at + 1);
      counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
  }
  const least = Math.max(2, words.length / 2);
  return [...counts]
    .filter(([, count]) => count >= least)
    .reduce((best, [prefix]) => (prefix.length > best.length ? prefix : best), '');
}

/** What the words mean. `isHalf`: another field says how a job ended, so that `DONE` is not yet a success. */
export function vocabularyOf(words: readonly string[], isHalf = false): Vocabulary {
  const prefix = sharedPrefix(words);
  const meanings: { [meaning in Meaning]?: string[] } = {};
  const left: [word: string, bare: string][] = [];
  for (const word of words) {
    const bare = prefix !== '' && word.startsWith(prefix) ? word.slice(prefix.length) : word;
    const meaning = meaningOf(word) ?? meaningOf(bare);
    if (meaning !== undefined) meanings[meaning] = [...(meanings[meaning] ?? []), word];
    else if (!NOTHING.test(word)) left.push([word, normaliseWord(bare)]);
  }
  const likely = meanings.succeeded === undefined && !isHalf ? left.filter(([, bare]) => LIKELY_SUCCESS.has(bare)) : [];
  if (likely.length > 0) meanings.succeeded = likely.map(([word]) => word);
  const has = (test: ReadonlySet<string>) => left.some(([, bare]) => test.has(bare));
  return {
    words,
    meanings: Object.fromEntries(MEANINGS.flatMap((one) => (meanings[one] === undefined ? [] : [[one, meanings[one]]]))),
    unknown: left.filter((one) => !likely.includes(one)).map(([word]) => word),
    working: meanings.working !== undefined || meanings.input !== undefined || has(GOES_ON),
    done: meanings.succeeded !== undefined || has(LIKELY_SUCCESS),
    bad: meanings.failed !== undefined || meanings.cancelled !== undefined || has(ENDS_BADLY),
  };
}

/** Words that a text sets apart (`pending`, <code>pending</code>, "pending") and that can be words of a status. */
export function wordsIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (const [, ticked, coded, quoted] of text.matchAll(/`([\w-]{3,40})`|<code>([\w-]{3,40})<\/code>|["“]([\w-]{3,40})["”]/g)) {
    const word = ticked ?? coded ?? quoted ?? '';
    if (meaningOf(word) !== undefined || AMBIGUOUS_WORDS.has(normaliseWord(word))) found.add(word);
  }
  return [...found];
}
