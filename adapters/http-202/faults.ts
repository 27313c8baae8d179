// What of a description this adapter can't use: where, why, and the way out.

import type { OpenApiOperation } from '../../src/core/adapter.ts';
import type { JobDescription } from '../../src/core/description.ts';
import { misreadExpression } from '../../src/core/expressions.ts';
import { misreadIn, sentOf } from '../../src/core/sent.ts';
import { conflictingWord, MEANINGS, type StateWords } from '../../src/core/states.ts';
import { keyFault } from '../../src/core/submission-key.ts';

const MEND_POINTER = 'write a JSON Pointer: empty for the whole body, or /member/of/the/body';

/** What of a description can't be used: where, why, and the way out. */
export type Fault = readonly [place: string, reason: string, mend: string];

/** The first fault of a description, if it has one. */
export function faultIn(source: OpenApiOperation, description: JobDescription): Fault | undefined {
  const { handle, state, result, error, progress } = description;
  for (const [place, expression] of Object.entries({ 'handle/id': handle?.id, 'handle/url': handle?.url })) {
    const misread = expression === undefined ? undefined : misreadExpression(expression);
    if (misread !== undefined) return [place, misread, 'see “Runtime Expressions” in the OpenAPI specification'];
  }
  const pointers = {
    'state/at': state?.at,
    'result/at': result?.at,
    'result/urlAt': result?.urlAt,
    'result/id': result?.id,
    'error/message': error?.message,
    'progress/at': progress?.at,
    'progress/message': progress?.message,
    'progress/done': progress?.done,
    'progress/total': progress?.total,
    'state/error': state?.error,
    'state/second/at': state?.second?.at,
    'state/conditions/at': state?.conditions?.at,
    'status/follow/at': description.status?.follow?.at,
    'submit/sync/at': description.submit?.sync?.at,
    'cancel/urlAt': description.cancel?.urlAt,
    'cancel/allowedWhen': description.cancel?.allowedWhen,
    'pace/after/at': description.pace?.after?.at,
    ...Object.fromEntries(Object.entries(state?.flags ?? {}).map(([name, pointer]) => [`state/flags/${name}`, pointer])),
  };
  for (const [place, pointer] of Object.entries(pointers)) {
    if (pointer !== undefined && !/^(\/.*)?$/s.test(pointer)) return [place, `${pointer} is not a JSON Pointer`, MEND_POINTER];
  }
  const words = wordsOf(description);
  if ((state?.at ?? state?.header) === undefined && Object.keys(words).length > 0) {
    return ['state/at', 'words are described, but not where they are', MEND_POINTER];
  }
  const partial = typeof result?.partial === 'object' ? result.partial : [];
  if (partial.length > 0 && state?.at === undefined)
    return ['result/partial', 'words are described, but not where they are', 'give `state.at`, or the pointer of a flag'];
  const { succeeded: _same, ...others } = words;
  const odd =
    conflictingWord({ ...others, succeeded: partial }) ??
    conflictingWord({ ...wordsIn(state?.second ?? {}), succeeded: partial });
  if (odd !== undefined)
    return [
      'result/partial',
      `the word ${odd.word} is listed as partial, a success, and as ${odd.meanings.find((one) => one !== 'succeeded')}`,
      'leave it in one list',
    ];
  const conflict = conflictingWord(words);
  if (conflict !== undefined) {
    return ['state', `the word ${conflict.word} is listed as ${conflict.meanings.join(' and as ')}`, 'leave it in one list'];
  }
  const more = secondary(source, description);
  return more ?? keyFault(source.request, description);
}

/** What can't be used in the parts that few services need. */
function secondary(source: OpenApiOperation, description: JobDescription): Fault | undefined {
  const { handle, state, progress } = description;
  const going = description.status?.follow?.when ?? [];
  if (going.length > 0 && state?.at === undefined)
    return ['status/follow/when', 'words are described, but not where they are', 'give `state.at`'];
  const { working: _goes, ...ends } = wordsOf(description);
  const twofold = conflictingWord({ ...ends, working: going });
  if (twofold?.meanings.includes('working') === true)
    return ['status/follow/when', `the word ${twofold.word} is listed under \`state\` as well`, 'leave it in one list'];
  if (state?.second !== undefined) {
    if (state.at === undefined)
      return ['state/second', 'a second word is described, but not where the first is', 'give `state.at`'];
    const twice = conflictingWord(wordsIn(state.second));
    if (twice !== undefined)
      return ['state/second', `the word ${twice.word} is listed as ${twice.meanings.join(' and as ')}`, 'leave it in one list'];
  }
  const codes = new Map<number, string>();
  for (const [meaning, list] of Object.entries(state?.codes ?? {})) {
    for (const code of list ?? []) {
      const before = codes.get(code);
      if (before !== undefined)
        return ['state/codes', `${code} is listed as ${before} and as ${meaning}`, 'leave it in one list'];
      codes.set(code, meaning);
    }
  }
  if (description.result?.none === true && description.result.required === true)
    return ['result/required', 'a result is required, and described as none', 'leave one of them out'];
  if (description.result?.id !== undefined && !/\{\+?id\}/.test(description.result.url ?? ''))
    return ['result/id', 'an id is described, but no `url` with {id} that it belongs to', 'give `result.url`'];
  if (description.result?.pages?.items !== undefined && (description.result.at ?? '') !== '')
    return ['result/pages/items', 'is where `result.at` is already', 'leave one of them out'];
  if ((progress?.done === undefined) !== (progress?.total === undefined))
    return ['progress', 'of a count and its total only one is described', 'give both `done` and `total`'];
  if (handle?.self === true && source.method.toUpperCase() === 'POST')
    return ['handle/self', 'a POST that is sent again may start another job', 'describe the `status`'];
  for (const name of ['status', 'result', 'cancel', 'status/wait'] as const) {
    const sent = sentOf((name === 'status/wait' ? description.status?.wait : description[name]) ?? {});
    const misread = sent && misreadIn(sent);
    if (misread !== undefined) return [name, misread, 'see “Runtime Expressions” in the OpenAPI specification'];
  }
  return undefined;
}

/** The lists of words, by meaning; what else is beside them is left out. */
export const wordsIn = (lists: StateWords): StateWords =>
  Object.fromEntries(MEANINGS.flatMap((meaning) => (lists[meaning] === undefined ? [] : [[meaning, lists[meaning]]])));

export const wordsOf = ({ state }: JobDescription): StateWords => wordsIn(state ?? {});
