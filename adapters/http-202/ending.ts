// What a status answer says beside its word: the progress, and where an ended job's value is.

import type { Descriptor } from '../../src/core/descriptor.ts';
import { helperUrl } from '../../src/core/helper-request.ts';
import type { HttpResponse } from '../../src/core/http.ts';
import { type Json, scalarText, valueAt } from '../../src/core/json.ts';
import type { Progress, Reference } from '../../src/core/operation.ts';
import type { Ending, Payload } from '../../src/core/outcome.ts';
import { jsonPayload, numberOf, payloadOf, sentenceIn, shareIn, shown, unwrapped } from '../../src/core/readings.ts';
import { refusedIn, withResultHeader, withResultUrl } from './handle.ts';
import { type Protocol, protocolOf } from './protocol.ts';

export function progressIn(
  response: HttpResponse,
  body: Json | undefined,
  { progress }: Protocol,
): { readonly progress?: Progress } {
  if (progress === undefined) return {};
  const fraction = fractionIn(body, progress);
  const inBody = progress.messageAt === undefined ? undefined : shown(valueAt(body, progress.messageAt));
  const inHeader = progress.header === undefined ? undefined : shown(response.headers[progress.header]);
  const message = inBody ?? inHeader;
  const share = fraction ?? (message === undefined ? undefined : shareIn(message));
  if (share === undefined && message === undefined) return {};
  return {
    progress: {
      ...(share !== undefined && { fraction: Math.min(1, Math.max(0, share)) }),
      ...(message !== undefined && { message }),
    },
  };
}

/** 0 to 1, as far as upstreams keep to that: an amount of a whole, a count of a total, or a percentage in words. */
function fractionIn(body: Json | undefined, progress: NonNullable<Protocol['progress']>): number | undefined {
  const { at, of, doneAt, totalAt } = progress;
  if (at !== undefined) {
    const value = valueAt(body, at);
    const amount = numberOf(value);
    return amount === undefined ? shareIn(shown(value) ?? '') : amount / of;
  }
  const done = doneAt === undefined ? undefined : numberOf(valueAt(body, doneAt));
  const total = totalAt === undefined ? undefined : numberOf(valueAt(body, totalAt));
  return done === undefined || total === undefined || total <= 0 ? undefined : done / total;
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
  if (ending === 'succeeded') return successIn(response, body, descriptor, reference);
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

function successIn(
  response: HttpResponse,
  body: Json | undefined,
  descriptor: Descriptor,
  before: Reference | undefined,
): Ended {
  const protocol = protocolOf(descriptor);
  const { at, urlAt, idAt, header, none, helper } = protocol.result;
  const ended = { ending: 'succeeded', fetch: false } as const;
  if (none || response.status === 204 || response.status === 205) return ended;

  // A submit without a handle can still name its result; there is no other job to confuse it with.
  const headed = withResultHeader(before ?? { id: response.url }, response, protocol, descriptor.allowedOrigins);
  const resultId = idAt === undefined ? undefined : scalarText(valueAt(body, idAt));
  if (idAt !== undefined && resultId === undefined)
    return { ...ended, message: `the upstream gave no id of a result at ${idAt}` };
  const own = helper === undefined || resultId === undefined ? undefined : helperUrl(helper, { id: resultId });
  const url = own ?? (urlAt === undefined ? undefined : valueAt(body, urlAt));
  const hasUrl = typeof url === 'string' && url.trim() !== '';
  const reference = hasUrl ? withResultUrl(headed, url, response.url, descriptor.allowedOrigins) : headed;
  const refused = refusedIn(reference);
  const isNamed = reference.resultUrl !== undefined || refused !== undefined;
  const elsewhere = { ...ended, fetch: true, reference, ...(refused !== undefined && { message: refused }) };
  if (hasUrl || helper !== undefined || (header !== undefined && isNamed)) return elsewhere;

  const value = at === undefined || at === '' ? undefined : valueAt(body, at);
  const { unwraps = false } = protocol.result;
  const opened = (payload: Payload): Payload => (unwraps ? unwrapped(payload) : payload);
  if (value !== undefined) return { ...ended, result: opened(jsonPayload(value)) };
  // Never the status body in place of a result that is described as being elsewhere.
  const place = urlAt !== undefined ? `at ${urlAt}` : header !== undefined ? `in the header ${header}` : undefined;
  if (place !== undefined) return { ...ended, message: `the upstream gave no URL of the result ${place}` };
  if (at !== '' && isNamed) return elsewhere;
  if (at !== undefined && at !== '' && body !== undefined) return { ...ended, message: `the upstream gave no result at ${at}` };
  const result = payloadOf(response);
  return { ...ended, ...(result && { result: opened(result) }) };
}
