// What a status answer says of an ended job: where its value is, or why it failed.

import type { Descriptor } from '../../src/core/descriptor.ts';
import { helperUrl } from '../../src/core/helper-request.ts';
import type { HttpResponse } from '../../src/core/http.ts';
import { type Json, scalarText, valueAt } from '../../src/core/json.ts';
import type { Reference } from '../../src/core/operation.ts';
import type { Ending, Payload } from '../../src/core/outcome.ts';
import { hasMore } from '../../src/core/pages.ts';
import { jsonPayload, payloadOf, sentenceIn } from '../../src/core/readings.ts';
import { cutShort, opened, partialPayload, withPartial } from '../../src/core/result.ts';
import { sentences } from '../../src/core/situation.ts';
import { refusedIn, withoutResult, withResultHeader, withResultUrl } from './handle.ts';
import { looksByHead, type Protocol, protocolOf } from './protocol.ts';
import { saysPartial } from './state.ts';

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
 * @param said The sentence for people, where it is known already.
 * @param reference Absent for a submit that was answered with the ending and no handle.
 */
export function endingIn(
  ending: Ending,
  response: HttpResponse,
  body: Json | undefined,
  descriptor: Descriptor,
  reference: Reference | undefined,
  said?: string,
): Ended {
  const protocol = protocolOf(descriptor);
  if (ending === 'succeeded') {
    const isPartial = saysPartial(body, protocol);
    // A partial end that left nothing has failed, whatever is required.
    const required = !isPartial && protocol.result.required === true;
    const success = successIn(response, body, descriptor, reference, required);
    if (isPartial) return partly(success, response, body, protocol);
    return success.reference === undefined ? success : { ...success, reference: withPartial(success.reference, false) };
  }
  const sentence = said ?? sentenceIn(body, protocol.messageAt);
  if (ending === 'cancelled') return { ending, fetch: false, ...(sentence !== undefined && { message: sentence }) };
  const result = payloadOf(response);
  return {
    ending,
    fetch: false,
    message: sentence ?? 'the upstream says that the job failed, and gave no reason',
    ...(result && { result }),
  };
}

/** A success that is not all of it. One of which there is nothing has failed: nothing was given. */
function partly(success: Ended, response: HttpResponse, body: Json | undefined, { messageAt }: Protocol): Ended {
  const { result, fetch, reference } = success;
  if (result !== undefined) return { ...success, result: partialPayload(result) };
  if (fetch && reference !== undefined) return { ...success, reference: withPartial(reference, true) };
  const said = sentenceIn(body, messageAt);
  const answer = payloadOf(response);
  return {
    ending: 'failed',
    fetch: false,
    message: sentences('The job ended before it was done, and left no result', said),
    ...(answer && { result: answer }),
  };
}

function successIn(
  response: HttpResponse,
  body: Json | undefined,
  descriptor: Descriptor,
  before: Reference | undefined,
  required: boolean,
): Ended {
  const protocol = protocolOf(descriptor);
  const { at, urlAt, idAt, header, none, helper, pages, self } = protocol.result;
  const ended = { ending: 'succeeded', fetch: false } as const;
  if (none) return ended;
  // What was written is read at its own address, unless this answer came from there.
  const isElsewhere = looksByHead(protocol) || before?.resultUrl !== before?.statusUrl;
  if (self !== undefined && before?.resultUrl !== undefined && isElsewhere) return { ...ended, fetch: true, reference: before };
  /** An end without a value. Where one is required it is looked for again, and then nobody can say. */
  const empty = (message?: string): Ended =>
    required
      ? {
          ...ended,
          fetch: true,
          reference: withoutResult(before ?? { id: response.url }, message ?? 'the upstream gave no result'),
        }
      : { ...ended, ...(message !== undefined && { message }) };
  if (response.status === 204 || response.status === 205) return empty();

  // A submit without a handle can still name its result; there is no other job to confuse it with.
  const headed = withResultHeader(before ?? { id: response.url }, response, descriptor);
  const resultId = idAt === undefined ? undefined : scalarText(valueAt(body, idAt));
  if (idAt !== undefined && resultId === undefined) return empty(`the upstream gave no id of a result at ${idAt}`);
  const own = helper === undefined || resultId === undefined ? undefined : helperUrl(helper, { id: resultId });
  const url = own ?? (urlAt === undefined ? undefined : valueAt(body, urlAt));
  const hasUrl = typeof url === 'string' && url.trim() !== '';
  const reference = hasUrl ? withResultUrl(headed, url, response.url, descriptor) : headed;
  const refused = refusedIn(reference);
  const isNamed = (reference.resultUrl !== undefined && reference.resultUrl !== reference.statusUrl) || refused !== undefined;
  const elsewhere = { ...ended, fetch: true, reference, ...(refused !== undefined && { message: refused }) };
  if (hasUrl || helper !== undefined || (header !== undefined && isNamed)) return elsewhere;

  // Rows with more of them behind are the first page, and are read again as that.
  const isCut = pages !== undefined && urlAt === undefined && header === undefined && hasMore(response, body, pages);
  if (isCut && reference.statusUrl !== undefined)
    return { ...elsewhere, fetch: true, reference: { ...reference, resultUrl: reference.statusUrl } };
  const finish = (payload: Payload): Payload => {
    const whole = opened(payload, protocol.result);
    return isCut ? cutShort(whole) : whole;
  };

  const value = at === undefined || at === '' ? undefined : valueAt(body, at);
  if (value !== undefined && !(required && value === null)) return { ...ended, result: finish(jsonPayload(value)) };
  // Never the status body in place of a result that is described as being elsewhere.
  const place = urlAt !== undefined ? `at ${urlAt}` : header !== undefined ? `in the header ${header}` : undefined;
  if (place !== undefined) return empty(`the upstream gave no URL of the result ${place}`);
  if (at !== '' && isNamed) return elsewhere;
  if (at !== undefined && at !== '' && (body !== undefined || required)) return empty(`the upstream gave no result at ${at}`);
  const result = payloadOf(response);
  if (result === undefined) return empty();
  return { ...ended, ...(result && { result: finish(result) }) };
}
