// What a status answer says of the job's state: a word, a second word behind it, flags, conditions, an error, or its code.
//   T1. What goes on is not over: a flag that says running, or a word that says working, wins over an error beside it.
//   T2. What is over and has an error has failed.
//   T3. What nobody described stays unknown; it is shown as the upstream wrote it.

import type { StateConditions, StateFlags } from '../../src/core/description.ts';
import type { HttpResponse } from '../../src/core/http.ts';
import { type Json, scalarText, valueAt } from '../../src/core/json.ts';
import { isSet, rawWord, sentenceIn, shown } from '../../src/core/readings.ts';
import { isPartialIn, isPartialWord, type ResultRules } from '../../src/core/result.ts';
import { type Meaning, meaningOf, normaliseWord, type StateWords } from '../../src/core/states.ts';
import type { Protocol } from './protocol.ts';

/** The word of a status body: what it means, or as it was written where that is not known. */
export interface Word {
  readonly meaning?: Meaning;
  readonly raw: string;
  /** There is something where the word should be, whatever it is. */
  readonly present: boolean;
  /** What is said about it, for people. */
  readonly message?: string;
}

/** Whether a status body is described to say the state, so that an answer without one says nothing. */
export const saysState = ({ stateAt, stateHeader, flags, conditions }: Protocol): boolean =>
  (stateAt ?? stateHeader) !== undefined || flags !== undefined || conditions !== undefined;

/** `undefined` where nothing in an answer says the state. */
export function wordIn(body: Json | undefined, protocol: Protocol, headers: HttpResponse['headers']): Word | undefined {
  const { stateHeader } = protocol;
  const word = stateHeader === undefined ? said(body, protocol) : wordOf(headers[stateHeader], protocol);
  const { errorAt } = protocol;
  const isOver = word?.meaning !== 'working' && word?.meaning !== 'input' && word?.meaning !== 'cancelled';
  if (errorAt === undefined || !isOver || !isSet(valueAt(body, errorAt))) return word;
  const described = protocol.messageAt === undefined ? undefined : shown(valueAt(body, protocol.messageAt));
  const message = described ?? sentenceIn(valueAt(body, errorAt));
  return { raw: word?.raw ?? 'an error', present: true, meaning: 'failed', ...(message !== undefined && { message }) };
}

function said(body: Json | undefined, protocol: Protocol): Word | undefined {
  const { flags, conditions, stateAt, words, second, result, prefix } = protocol;
  const flagged = flags && flaggedIn(body, flags, stateAt !== undefined);
  if (flagged !== undefined) return flagged;
  const condition = conditions && conditionIn(body, conditions);
  if (condition !== undefined) return condition;
  if (stateAt === undefined) return undefined;
  const first = wordAt(body, stateAt, words, result, prefix);
  const text = scalarText(valueAt(body, stateAt)) ?? '';
  if (second === undefined || !second.when.some((word) => normaliseWord(word) === normaliseWord(text))) return first;
  const told = wordAt(body, second.at, second.words, result);
  return { ...told, present: true, raw: `${first.raw}: ${told.raw}` };
}

/** Whether a status body says that the result is partial, by a word or by what is set. */
export function saysPartial(body: Json | undefined, { stateAt, second, result }: Protocol): boolean {
  const words = [stateAt, second?.at].flatMap((at) => (at === undefined ? [] : (scalarText(valueAt(body, at)) ?? [])));
  return words.some((word) => isPartialWord(word, result)) || isPartialIn(body, result);
}

/** The word in a header; without it the answer says nothing of the state. */
const wordOf = (text: string | undefined, { words, result, prefix }: Protocol): Word | undefined =>
  text === undefined ? undefined : wordAt(text, '', words, result, prefix);

function wordAt(body: Json | undefined, at: string, words: StateWords, rules: ResultRules, prefix = ''): Word {
  const value = valueAt(body, at);
  const text = scalarText(value);
  const isPartial = text !== undefined && isPartialWord(text, rules);
  const normal = normaliseWord(text ?? '');
  const bare = prefix !== '' && normal.startsWith(prefix) ? normal.slice(prefix.length) : '';
  const meaning = isPartial ? 'succeeded' : (meaningOf(normal, words) ?? meaningOf(bare, words));
  return { raw: rawWord(value, at), present: value !== undefined, ...(meaning !== undefined && { meaning }) };
}

/** What the flags say; `undefined` where they leave it to a word. */
function flaggedIn(body: Json | undefined, flags: StateFlags, hasWord: boolean): Word | undefined {
  const at = (pointer: string | undefined) => (pointer === undefined ? undefined : valueAt(body, pointer));
  const is = (meaning: Meaning): Word => ({ meaning, raw: meaning, present: true });
  if (isSet(at(flags.running))) return is('working');
  if (isSet(at(flags.input))) return is('input');
  for (const meaning of ['cancelled', 'failed', 'succeeded'] as const) if (isSet(at(flags[meaning]))) return is(meaning);
  if (isSet(at(flags.done))) return hasWord ? undefined : is('succeeded');
  if (at(flags.done) !== undefined) return is('working');
  if (hasWord) return undefined;
  // Not running any more, and nothing else that would say when it is over.
  if (flags.done === undefined && flags.succeeded === undefined && at(flags.running) !== undefined) return is('succeeded');
  const [main = ''] = Object.values(flags);
  return { raw: rawWord(undefined, flags.done ?? flags.running ?? main), present: false };
}

/** The first condition that holds and ends the job. Conditions appear as they come about: none is no news. */
function conditionIn(body: Json | undefined, conditions: StateConditions): Word | undefined {
  const { at, type = 'type', status = 'status' } = conditions;
  const list = valueAt(body, at);
  for (const condition of Array.isArray(list) ? (list as readonly Json[]) : []) {
    const name = scalarText(valueAt(condition, `/${type}`)) ?? '';
    if (!isSet(valueAt(condition, `/${status}`)) || name === '') continue;
    const meaning = (['failed', 'cancelled', 'succeeded'] as const).find((one) =>
      conditions[one]?.some((listed) => normaliseWord(listed) === normaliseWord(name)),
    );
    if (meaning === undefined) continue;
    const message = sentenceIn(condition);
    return { meaning, raw: name, present: true, ...(message !== undefined && { message }) };
  }
  return { meaning: 'working', raw: 'no condition that ends it', present: true };
}
