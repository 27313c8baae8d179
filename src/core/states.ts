// Status words: what an upstream calls its job's state, and what that means here.
//   W1. A word is compared whole, after normalisation; never by a part of it (`CANCELLING` is not `CANCELLED`).
//   W2. Described words come first. A list that is described replaces the built-in words of its meaning, so that a word
//       nobody described never becomes an ending by accident.
//   W3. The built-in vocabulary holds only words that mean one thing everywhere. Words that some services use for one thing
//       and some for another are no guess of ours: they stay unknown until somebody describes them.

/** What a status word says about the job. */
export type Meaning = 'working' | 'input' | 'succeeded' | 'failed' | 'cancelled';

export const MEANINGS: readonly Meaning[] = ['working', 'input', 'succeeded', 'failed', 'cancelled'];

/** Words per meaning, as described; a meaning that is absent keeps its built-in words. */
export type StateWords = { readonly [meaning in Meaning]?: readonly string[] };

/** Trimmed, lower case, without blanks, underscores, hyphens and dots: ` In-Progress ` and `IN_PROGRESS` are `inprogress`. */
export const normaliseWord = (word: string): string => word.toLowerCase().replace(/[\s_.-]+/g, '');

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Words that mean the same wherever they were seen, normalised. */
export const VOCABULARY: { readonly [meaning in Meaning]: readonly string[] } = {
  working: words(`
    pending queued inqueue enqueued accepted submitted starting started initializing initialising notstarted validating
    validatingfiles preparing processing inprogress running executing uploading fetching rendering saving converting
    building deploying finalizing finalising planning applying ongoing scheduled runnable waitingforretry ringing
    cancelling canceling stopping terminating failing updating replaying`),
  input: words(`
    onhold inputrequired actionrequired requiresaction requiresinput policyoverride policysoftfailed
    preplanawaitingdecision awaitingmanualaction`),
  succeeded: words(
    'succeeded success successful succeed finished ready exported merged transcribed applied plannedandfinished',
  ),
  failed: words(`
    failed failure error errored executorerror systemerror internalerror timedout timeout preempted rejected busy noanswer
    undelivered deploymentfailed deploymentlost upstreamfailed maximumconcurrentrunsreached notbuilt notrun`),
  cancelled: words('cancelled canceled dismissed discarded deploymentcancelled deploymentcanceled'),
};

/**
 * Words that are common and mean different things: `completed` ends a job here and only its first half there, `aborted` is a
 * failure or a cancel, `created` may not even have been started. They need describing.
 */
export const AMBIGUOUS: readonly string[] = words(`
  completed complete done ended closed stopped terminated aborted expired skipped incomplete partiallysucceeded created open
  paused blocked waiting planned manual unknown`);

const BUILT_IN = new Map(MEANINGS.flatMap((meaning) => VOCABULARY[meaning].map((word) => [word, meaning] as const)));

/** What a word means, or `undefined` where neither the description nor the vocabulary says. */
export function meaningOf(word: string, described: StateWords = {}): Meaning | undefined {
  const normal = normaliseWord(word);
  if (normal === '') return undefined;
  const own = MEANINGS.find((meaning) => described[meaning]?.some((entry) => normaliseWord(entry) === normal));
  if (own !== undefined) return own;
  const common = BUILT_IN.get(normal);
  return common === undefined || described[common] !== undefined ? undefined : common;
}

/** A word that is listed under two meanings, with both; `undefined` where every word means one thing. */
export function conflictingWord(
  described: StateWords,
): { readonly word: string; readonly meanings: readonly Meaning[] } | undefined {
  const seen = new Map<string, Meaning>();
  for (const meaning of MEANINGS) {
    for (const word of described[meaning] ?? []) {
      const earlier = seen.get(normaliseWord(word));
      if (earlier !== undefined && earlier !== meaning) return { word, meanings: [earlier, meaning] };
      seen.set(normaliseWord(word), meaning);
    }
  }
  return undefined;
}
