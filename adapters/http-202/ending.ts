// What a status body says: its word, its progress, and where an ended job's value is.

import type { Descriptor } from '../../src/core/descriptor.ts';
import type { HttpResponse } from '../../src/core/http.ts';
import { type Json, scalarText, valueAt } from '../../src/core/json.ts';
import type { Progress, Reference } from '../../src/core/operation.ts';
import type { Ending, Payload } from '../../src/core/outcome.ts';
import { jsonPayload, numberOf, payloadOf, rawWord, sentenceIn, shown } from '../../src/core/readings.ts';
import { type Meaning, meaningOf } from '../../src/core/states.ts';
import { refusedIn, withResultHeader, withResultUrl } from './handle.ts';
import { type Protocol, protocolOf } from './protocol.ts';

/** The word of a status body: what it means, or as it was written where that is not known. */
export interface Word {
  readonly meaning?: Meaning;
  readonly raw: string;
  /** There is something where the word should be, whatever it is. */
  readonly present: boolean;
}

/** `undefined` where no place for a word is described. */
export function wordIn(body: Json | undefined, protocol: Protocol): Word | undefined {
  if (protocol.stateAt === undefined) return undefined;
  const value = valueAt(body, protocol.stateAt);
  const text = scalarText(value);
  const meaning = text === undefined ? undefined : meaningOf(text, protocol.words);
  return { raw: rawWord(value, protocol.stateAt), present: value !== undefined, ...(meaning !== undefined && { meaning }) };
}

export function progressIn(body: Json | undefined, protocol: Protocol): { readonly progress?: Progress } {
  if (protocol.progress === undefined || body === undefined) return {};
  const { at, of, messageAt } = protocol.progress;
  const amount = at === undefined ? undefined : numberOf(valueAt(body, at));
  const message = messageAt === undefined ? undefined : shown(valueAt(body, messageAt));
  if (amount === undefined && message === undefined) return {};
  return {
    progress: {
      ...(amount !== undefined && { fraction: Math.min(1, Math.max(0, amount / of)) }),
      ...(message !== undefined && { message }),
    },
  };
}

/** An ending as far as one answer tells it. `fetch`: the value is somewhere else, and `reference` says where. */
export interface Ended {
  readonly ending: Ending;
  readonly fetch: boolean;
  readonly reference?: Reference;
  readonly result?: Payload;
  readonly message?: string;
}

/**
 * Reads an ending out of an answer.
 * @param reference Absent for a submit that was answered with the ending and no handle.
 */
export function endingIn(
  ending: Ending,
  response: HttpResponse,
  body: Json | undefined,
  descriptor: Descriptor,
  reference: Reference | undefined,
): Ended {
  const protocol = protocolOf(descriptor);
  if (ending === 'succeeded') return successIn(response, body, descriptor, reference);
  const sentence = sentenceIn(body, protocol.messageAt);
  if (ending === 'cancelled') return { ending, fetch: false, ...(sentence !== undefined && { message: sentence }) };
  const result = payloadOf(response);
  return {
    ending,
    fetch: false,
    message: sentence ?? 'the upstream says that the job failed, and gave no reason',
    ...(result && { result }),
  };
}

function successIn(
  response: HttpResponse,
  body: Json | undefined,
  descriptor: Descriptor,
  before: Reference | undefined,
): Ended {
  const protocol = protocolOf(descriptor);
  const { at, urlAt, header, none, helper } = protocol.result;
  const ended = { ending: 'succeeded', fetch: false } as const;
  if (none || response.status === 204 || response.status === 205) return ended;

  // A submit without a handle can still name its result; there is no other job to confuse it with.
  const headed = withResultHeader(before ?? { id: response.url }, response, protocol, descriptor.allowedOrigins);
  const url = urlAt === undefined ? undefined : valueAt(body, urlAt);
  const hasUrl = typeof url === 'string' && url.trim() !== '';
  const reference = hasUrl ? withResultUrl(headed, url, response.url, descriptor.allowedOrigins) : headed;
  const refused = refusedIn(reference);
  const isNamed = reference.resultUrl !== undefined || refused !== undefined;
  const elsewhere = { ...ended, fetch: true, reference, ...(refused !== undefined && { message: refused }) };
  if (hasUrl || helper !== undefined || (header !== undefined && isNamed)) return elsewhere;

  const value = at === undefined || at === '' ? undefined : valueAt(body, at);
  if (value !== undefined) return { ...ended, result: jsonPayload(value) };
  // Never the status body in place of a result that is described as being elsewhere.
  const place = urlAt !== undefined ? `at ${urlAt}` : header !== undefined ? `in the header ${header}` : undefined;
  if (place !== undefined) return { ...ended, message: `the upstream gave no URL of the result ${place}` };
  if (at !== '' && isNamed) return elsewhere;
  if (at !== undefined && at !== '' && body !== undefined) return { ...ended, message: `the upstream gave no result at ${at}` };
  const result = payloadOf(response);
  return { ...ended, ...(result && { result }) };
}
