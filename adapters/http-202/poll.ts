// Asking for the status, and what the answer says, by ordered rules: a redirect, then a refusal, then the status word, then
// the status code alone.

import type { Observation } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { helperRequest, helperUrl, knownOf } from '../../src/core/helper-request.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import { inputIn } from '../../src/core/input-helper.ts';
import { judgeRefusedPoll } from '../../src/core/judgements.ts';
import type { Reference } from '../../src/core/operation.ts';
import { readJson, retryAfterOf, unreadableBody } from '../../src/core/readings.ts';
import { securityOf } from '../../src/core/result.ts';
import { followable } from '../../src/core/urls.ts';
import { endingIn, progressIn, wordIn } from './ending.ts';
import { refusedIn, renewed, withResultUrl } from './handle.ts';
import { protocolOf } from './protocol.ts';

/** Throws for a reference that names no URL and that no template fits: only an operator can make one. */
export function poll(reference: Reference, descriptor: Descriptor): HttpRequest {
  const { status } = protocolOf(descriptor);
  const url = reference.statusUrl ?? (status && helperUrl(status, knownOf(reference))) ?? asUrl(reference.id, descriptor);
  if (url === undefined) throw new Error('the reference has no status URL, and no status request is described for its id');
  return helperRequest({ ...securityOf(descriptor), ...status }, url);
}

/** An id that is itself a URL of the upstream. */
function asUrl(id: string, { submit, allowedOrigins }: Descriptor): string | undefined {
  const followed = /^(https?:\/)?\//i.test(id) ? followable(id, `${submit.server}/`, allowedOrigins) : undefined;
  return followed?.ok ? followed.url : undefined;
}

export function judgePoll(response: HttpResponse, descriptor: Descriptor, reference: Reference): Observation {
  const protocol = protocolOf(descriptor);
  const { status } = response;
  if (status === 302 || status === 303) return judgeRedirect(response, descriptor, reference);
  if (status < 200 || status >= 300) return judgeRefusedPoll(response, protocol.messageAt);

  const reading = readJson(response);
  const body = reading.kind === 'json' ? reading.value : undefined;
  const word = body === undefined ? undefined : wordIn(body, protocol);
  const current = renewed(reference, response, descriptor);
  const moved = current === reference ? {} : { reference: current };
  switch (word?.meaning) {
    case 'working':
      return { kind: 'working', ...moved, ...progressIn(body, protocol), ...retryAfterOf(response) };
    case 'input':
      return { kind: 'input', ...moved, request: inputIn(body, protocol.input), ...retryAfterOf(response) };
    case 'succeeded':
    case 'failed':
    case 'cancelled':
      return { kind: 'ended', ...moved, ...endingIn(word.meaning, response, body, descriptor, current) };
    default:
  }
  // No word that is known. 202 and 204 speak for themselves.
  if (status === 202) {
    const unknown = word?.present === true ? { unknownWord: word.raw } : {};
    return { kind: 'working', ...moved, ...unknown, ...progressIn(body, protocol), ...retryAfterOf(response) };
  }
  if (status === 204 || status === 205) return { kind: 'ended', ...moved, ending: 'succeeded', fetch: false };
  if (word !== undefined) {
    return { kind: 'working', ...moved, unknownWord: word.raw, ...progressIn(body, protocol), ...retryAfterOf(response) };
  }
  // A body that should hold a word, or that says it is JSON, must be readable; any other is the result itself.
  if (reading.kind === 'malformed' || (reading.kind !== 'json' && protocol.stateAt !== undefined)) {
    return { kind: 'unreadable', message: `${unreadableBody(reading)}, when asked for the status`, ...retryAfterOf(response) };
  }
  return { kind: 'ended', ...moved, ...endingIn('succeeded', response, body, descriptor, current) };
}

/** "Found" and "see other" are how a status monitor says that the job is done, and where its result is. */
function judgeRedirect(response: HttpResponse, { allowedOrigins }: Descriptor, before: Reference): Observation {
  const location = response.headers['location'];
  if (location === undefined)
    return { kind: 'unreadable', message: `a ${response.status} without a Location, when asked for the status` };
  const reference = withResultUrl(before, location, response.url, allowedOrigins);
  const refused = refusedIn(reference);
  return { kind: 'ended', ending: 'succeeded', fetch: true, reference, ...(refused !== undefined && { message: refused }) };
}
