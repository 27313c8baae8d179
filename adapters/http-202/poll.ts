// Asking for the status, and what the answer says, by ordered rules: a described code that is no 2xx, a redirect, a refusal,
// the job that this one became, the state in the body, a described code, then the status code alone.

import type { Observation } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { answerInside } from '../../src/core/envelope.ts';
import { ACCEPT, helperRequest, helperUrl, knownOf } from '../../src/core/helper-request.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import { inputIn } from '../../src/core/input-helper.ts';
import { type Json, scalarText, valueAt } from '../../src/core/json.ts';
import { judgeRefusedPoll } from '../../src/core/judgements.ts';
import { type Expected, foreignType } from '../../src/core/media.ts';
import type { Reference } from '../../src/core/operation.ts';
import { readProgress } from '../../src/core/progress.ts';
import { answered, readJson, retryAfterOf, unreadableBody } from '../../src/core/readings.ts';
import { expectedOf, securityOf } from '../../src/core/result.ts';
import { withSent } from '../../src/core/sent.ts';
import { normaliseWord } from '../../src/core/states.ts';
import { followable } from '../../src/core/urls.ts';
import { endingIn } from './ending.ts';
import { refusedIn, renewed, withCancel, withResultUrl } from './handle.ts';
import { type Protocol, protocolOf } from './protocol.ts';
import { saysState, wordIn } from './state.ts';
import { stepsDue, waitsForStep } from './steps.ts';

/** Throws for a reference that names no URL and that no template fits: only an operator can make one. */
export function poll(reference: Reference, descriptor: Descriptor, how?: { readonly wait: true }): HttpRequest {
  const plain = look(reference, descriptor);
  const { wait } = protocolOf(descriptor);
  if (how?.wait !== true || wait === undefined) return plain;
  const { helper, holdMs, method = plain.method, sent } = wait;
  const url = helper && helperUrl(helper, knownOf({ ...reference, statusUrl: plain.url }));
  const request =
    helper === undefined || url === undefined
      ? { ...plain, method }
      : helperRequest({ ...securityOf(descriptor), ...helper }, url, reference);
  return { ...(sent === undefined ? request : withSent(request, sent, reference)), holdMs };
}

function look(reference: Reference, descriptor: Descriptor): HttpRequest {
  const { status, follow, asked, append } = protocolOf(descriptor);
  const url = reference.statusUrl ?? (status && helperUrl(status, knownOf(reference))) ?? asUrl(reference.id, descriptor);
  if (url === undefined) throw new Error('the reference has no status URL, and no status request is described for its id');
  if (isFollowed(reference) && follow?.when === undefined) {
    return helperRequest({ ...securityOf(descriptor), ...follow?.helper }, appended(url, follow?.append), reference);
  }
  const isMoved = follow?.append !== undefined && isFollowed(reference);
  return helperRequest(
    { ...securityOf(descriptor), ...asked, ...status },
    appended(url, isMoved ? follow.append : append),
    reference,
  );
}

/** A URL with more segments at the end of its path, whether or not it has a slash there already. */
function appended(url: string, more: string | undefined): string {
  if (more === undefined) return url;
  const [path = '', ...query] = url.split('?');
  return [`${path.replace(/\/+$/, '')}/${more.replace(/^\/+/, '')}`, ...query].join('?');
}

const isFollowed = (reference: Reference): boolean => reference.extra?.['followed'] === 'yes';

/** Whether a status word says that the job goes on as another. */
function saysFollow(body: Json | undefined, { follow, stateAt }: Protocol): boolean {
  const word = normaliseWord((stateAt === undefined ? undefined : scalarText(valueAt(body, stateAt))) ?? '');
  return follow?.when?.some((listed) => normaliseWord(listed) === word) === true;
}

/** The reference to the job that this one became; `undefined` while it has not. */
function followed(
  response: HttpResponse,
  body: Json | undefined,
  descriptor: Descriptor,
  reference: Reference,
): Reference | undefined {
  const protocol = protocolOf(descriptor);
  const { follow } = protocol;
  if (follow === undefined || !(follow.when === undefined ? !isFollowed(reference) : saysFollow(body, protocol)))
    return undefined;
  const named = scalarText(valueAt(body, follow.at))?.trim() ?? '';
  if (named === '') return undefined;
  // Every one of a row of jobs is named below the first one's address.
  const first = reference.extra?.['first'] ?? reference.statusUrl;
  const known = { id: named, ...(first !== undefined && { statusUrl: first }) };
  const to =
    follow.helper === undefined
      ? followable(named, response.url, descriptor)
      : { ok: true as const, url: helperUrl(follow.helper, known) };
  if (!to.ok || to.url === undefined || to.url === reference.statusUrl) return undefined;
  const extra = { ...reference.extra, followed: 'yes', ...(follow.when !== undefined && first !== undefined && { first }) };
  return { ...reference, statusUrl: to.url, ...(reference.home !== undefined && { home: to.url }), extra };
}

/** An id that is itself a URL of the upstream. */
function asUrl(id: string, descriptor: Descriptor): string | undefined {
  const followed = /^(https?:\/)?\//i.test(id) ? followable(id, `${descriptor.submit.server}/`, descriptor) : undefined;
  return followed?.ok ? followed.url : undefined;
}

export function judgePoll(response: HttpResponse, descriptor: Descriptor, reference: Reference): Observation {
  const inside = answerInside(response);
  if (inside !== undefined) return judgeInside(inside, response, descriptor, reference);
  const protocol = protocolOf(descriptor);
  const { status } = response;
  const code = protocol.codes?.[String(status)];
  const isSuccess = status >= 200 && status < 300;
  if (code === 'unreadable')
    return {
      kind: 'unreadable',
      message: `${answered(response)}, which says nothing of the job here`,
      ...retryAfterOf(response),
    };
  if (!isSuccess && code === undefined) {
    return status === 302 || status === 303
      ? judgeRedirect(response, descriptor, reference)
      : judgeRefusedPoll(response, protocol.messageAt);
  }

  // Where a header says the state, there may be no body: a HEAD has none.
  const isBare = protocol.stateHeader !== undefined && response.body.length === 0;
  const reading = isBare ? ({ kind: 'empty' } as const) : readJson(response);
  const body = reading.kind === 'json' ? reading.value : undefined;
  const next = isSuccess ? followed(response, body, descriptor, reference) : undefined;
  if (next !== undefined) return { kind: 'working', reference: next, ...retryAfterOf(response) };
  const isWordless = !isSuccess || (body === undefined && protocol.stateHeader === undefined);
  const word = isWordless ? undefined : wordIn(body, protocol, response.headers);
  const current = isSuccess ? withCancel(renewed(reference, response, descriptor), body, response.url, descriptor) : reference;
  const moved = current === reference ? {} : { reference: current };
  const going = { ...moved, ...readProgress(response, body, protocol.progress), ...retryAfterOf(response) };
  const meaning =
    waitsForStep(body, protocol) || saysFollow(body, protocol)
      ? 'working'
      : (word?.meaning ?? (word === undefined || word.present === false ? code : undefined));
  // The first of two jobs has only begun the second, whatever it calls that.
  const isFirst = protocol.follow !== undefined && protocol.follow.when === undefined && !isFollowed(reference);
  if (isFirst && meaning !== 'failed' && meaning !== 'cancelled')
    return { kind: 'working', ...going, ...stepsDue(response, body, descriptor, current) };
  if (meaning === 'working') return { kind: 'working', ...going, ...stepsDue(response, body, descriptor, current) };
  if (meaning === 'input')
    return { kind: 'input', ...moved, request: inputIn(body, protocol.input), ...retryAfterOf(response) };
  const foreign = isSuccess && word === undefined ? foreignType(response, expectedIn(protocol)) : undefined;
  const isReadable = reading.kind !== 'malformed' && foreign === undefined;
  if (meaning === 'failed' || meaning === 'cancelled' || (meaning === 'succeeded' && isReadable))
    return { kind: 'ended', ...moved, ...endingIn(meaning, response, body, descriptor, current, word?.message) };
  // No word that is known. 202 and 204 speak for themselves.
  const unknown = {
    ...stepsDue(response, body, descriptor, current),
    ...((word?.present === true || (word !== undefined && status !== 202)) && { unknownWord: word.raw }),
  };
  if (status === 202) return { kind: 'working', ...unknown, ...going };
  if (status === 204 || status === 205)
    return { kind: 'ended', ...moved, ...endingIn('succeeded', response, body, descriptor, current) };
  if (word !== undefined) return { kind: 'working', ...unknown, ...going };
  // A body that should hold a word, or that says it is JSON, must be readable; any other is the result itself.
  if (protocol.stateHeader !== undefined)
    return { kind: 'unreadable', message: `the answer has no header ${protocol.stateHeader}`, ...retryAfterOf(response) };
  if (reading.kind === 'malformed' || (reading.kind !== 'json' && saysState(protocol))) {
    return { kind: 'unreadable', message: `${unreadableBody(reading)}, when asked for the status`, ...retryAfterOf(response) };
  }
  if (foreign !== undefined)
    return { kind: 'unreadable', message: `${foreign}, when asked for the status`, ...retryAfterOf(response) };
  return { kind: 'ended', ...moved, ...endingIn('succeeded', response, body, descriptor, current) };
}

/** A monitor that is done, with the answer that the call would have had: a refusal there is how the job failed. */
function judgeInside(
  inside: HttpResponse | 'malformed',
  response: HttpResponse,
  descriptor: Descriptor,
  reference: Reference,
): Observation {
  const unreadable = (message: string): Observation => ({ kind: 'unreadable', message, ...retryAfterOf(response) });
  if (inside === 'malformed') return unreadable('the answer inside the answer is malformed or truncated');
  const isSuccess = inside.status >= 200 && inside.status < 300 && inside.status !== 202;
  if (!isSuccess && inside.status < 400) return unreadable(`the answer inside the answer is a ${inside.status}, and no end`);
  const reading = readJson(inside);
  const foreign = isSuccess ? foreignType(inside, expectedIn(protocolOf(descriptor))) : undefined;
  if (foreign !== undefined) return unreadable(`${foreign}, when asked for the status`);
  if (isSuccess && reading.kind === 'malformed') return unreadable(`${unreadableBody(reading)}, inside the answer`);
  const body = reading.kind === 'json' ? reading.value : undefined;
  return { kind: 'ended', ...endingIn(isSuccess ? 'succeeded' : 'failed', inside, body, descriptor, reference) };
}

/** What a status answer may be. Where it is itself the result, it may be what that is described as. */
function expectedIn({ status, result }: Protocol): Expected {
  const { helper, urlAt, header, none, self, at = '' } = result;
  const isItself = (helper ?? urlAt ?? header ?? self) === undefined && !none && at === '';
  return expectedOf(isItself ? result : {}, status?.accept ?? ACCEPT);
}

/** "Found" and "see other" are how a status monitor says that the job is done, and where its result is. */
function judgeRedirect(response: HttpResponse, descriptor: Descriptor, before: Reference): Observation {
  const location = response.headers['location'];
  if (location === undefined)
    return { kind: 'unreadable', message: `a ${response.status} without a Location, when asked for the status` };
  const reference = withResultUrl(before, location, response.url, descriptor);
  const refused = refusedIn(reference);
  return { kind: 'ended', ending: 'succeeded', fetch: true, reference, ...(refused !== undefined && { message: refused }) };
}
