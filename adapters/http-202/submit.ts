// The answer to a submit.
//   S1. An ending in the body wins over any handle: what is over is not polled.
//   S2. 202, or a word that says "working", without anything to follow is doubt and not success.
//   S3. 200, 201 or 204 without a handle and without a word is a synchronous answer, if it is what the document declares:
//       a page where JSON was asked for comes from a proxy or a login, and says nothing of the job.

import type { Call, SubmitJudgement } from '../../src/core/adapter.ts';
import { judgeBusy } from '../../src/core/busy.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { type Exchanged, evaluate } from '../../src/core/expressions.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import { scalarText, valueAt } from '../../src/core/json.ts';
import { judgeRefusedSubmit } from '../../src/core/judgements.ts';
import { isAskedFor } from '../../src/core/media.ts';
import { readProgress } from '../../src/core/progress.ts';
import { isSet, payloadOf, readJson, retryAfterOf, unreadableBody } from '../../src/core/readings.ts';
import { withSubmissionKey } from '../../src/core/submission-key.ts';
import { endingIn } from './ending.ts';
import { findHandle, referenceNamed } from './handle.ts';
import { judgePoll } from './poll.ts';
import { protocolOf } from './protocol.ts';
import { wordIn } from './state.ts';

const MAY = 'the job may have been accepted';

export function submit(call: Call, descriptor: Descriptor): HttpRequest {
  const { key } = protocolOf(descriptor);
  return key === undefined ? call.request : withSubmissionKey(descriptor.submit, call.arguments, key, call.submissionKey);
}

export function judgeSubmit(response: HttpResponse, descriptor: Descriptor, call: Call): SubmitJudgement {
  const protocol = protocolOf(descriptor);
  const exchanged: Exchanged = {
    template: descriptor.submit,
    arguments: call.arguments,
    request: submit(call, descriptor),
    response,
  };
  if (response.status === protocol.duplicate?.status) return judgeDuplicate(exchanged, descriptor);
  const busy = judgeBusy(response, protocol.busy, protocol.messageAt);
  if (busy !== undefined) return busy;
  if (protocol.self === true && ['GET', 'HEAD'].includes(descriptor.submit.method.toUpperCase()))
    return judgeRepeatable(exchanged, descriptor);
  // "See other" to a submit names what to look at: the status monitor. @see RFC 9110 §15.4.4
  if (response.status === 302 || response.status === 303) return accepted(exchanged, descriptor, {});
  if (response.status < 200 || response.status >= 300) return judgeRefusedSubmit(response, protocol.messageAt);

  const reading = readJson(response);
  const body = reading.kind === 'json' ? reading.value : undefined;
  const word = body === undefined && protocol.stateHeader === undefined ? undefined : wordIn(body, protocol, response.headers);
  const expectsJob = response.status === 202 || word?.present === true;
  switch (word?.meaning) {
    case 'failed':
    case 'cancelled':
      return finished(word.meaning, exchanged, descriptor, word.message);
    case 'succeeded':
      // What the first of two jobs has done is to begin the second.
      if (protocol.follow === undefined || protocol.follow.when !== undefined)
        return finished('succeeded', exchanged, descriptor);
      break;
    default:
  }
  const { sync } = protocol;
  const isSync = sync?.codes?.includes(response.status) === true || (sync?.at !== undefined && isSet(valueAt(body, sync.at)));
  const isForeign = reading.kind === 'other' && !isAskedFor(reading.mediaType, descriptor.submit.accept);
  if (isSync && reading.kind !== 'malformed' && !isForeign) return finished('succeeded', exchanged, descriptor);
  const handle = findHandle(exchanged, descriptor, expectsJob);
  if (expectsJob || handle.reference !== undefined || handle.refused.length > 0) {
    return accepted(exchanged, descriptor, { handle, ...readProgress(response, body, protocol.progress) });
  }
  if (reading.kind === 'malformed' || isForeign) {
    return { kind: 'ambiguous', message: `${unreadableBody(reading)}; ${MAY}` };
  }
  return finished('succeeded', exchanged, descriptor);
}

/** The submit is the status request: what a poll would say is what is so. */
function judgeRepeatable(exchanged: Exchanged, descriptor: Descriptor): SubmitJudgement {
  const { response } = exchanged;
  const { reference } = findHandle(exchanged, descriptor, true);
  if (reference === undefined) return { kind: 'ambiguous', message: `the request has no address; ${MAY}` };
  const protocol = protocolOf(descriptor);
  const isNo = response.status >= 400 && protocol.codes?.[String(response.status)] === undefined;
  const seen = isNo ? undefined : judgePoll(response, descriptor, reference);
  switch (seen?.kind) {
    case 'working':
    case 'input':
      return {
        kind: 'accepted',
        reference: seen.reference ?? reference,
        ...('progress' in seen && seen.progress !== undefined && { progress: seen.progress }),
        ...retryAfterOf(response),
      };
    case 'ended': {
      const { ending, fetch, result, message } = seen;
      if (fetch) return { kind: 'accepted', reference: seen.reference ?? reference, ...retryAfterOf(response) };
      return { kind: 'finished', ending, reference, ...(result && { result }), ...(message !== undefined && { message }) };
    }
    default:
      return judgeRefusedSubmit(response, protocol.messageAt);
  }
}

function finished(
  ending: 'succeeded' | 'failed' | 'cancelled',
  exchanged: Exchanged,
  descriptor: Descriptor,
  said?: string,
): SubmitJudgement {
  const { response } = exchanged;
  const reading = readJson(response);
  const { reference } = findHandle(exchanged, descriptor, false);
  const ended = endingIn(ending, response, reading.kind === 'json' ? reading.value : undefined, descriptor, reference, said);
  // A result that must be fetched is fetched after a poll said so again.
  if (ended.fetch && reference !== undefined) return { kind: 'accepted', reference, ...retryAfterOf(response) };
  const result = ended.fetch
    ? payloadOf(response, 'The upstream names a location for the result here; it was not fetched.')
    : ended.result;
  return {
    kind: 'finished',
    ending,
    ...(reference && { reference }),
    ...(result && { result }),
    ...(ended.message !== undefined && { message: ended.message }),
  };
}

interface Found {
  readonly handle?: ReturnType<typeof findHandle>;
  readonly progress?: { readonly fraction?: number; readonly message?: string };
}

function accepted(
  exchanged: Exchanged,
  descriptor: Descriptor,
  { handle = findHandle(exchanged, descriptor, true), progress }: Found,
): SubmitJudgement {
  const { reference, refused } = handle;
  if (reference !== undefined)
    return {
      kind: 'accepted',
      reference,
      ...(progress && { progress }),
      ...retryAfterOf(exchanged.response),
      ...(protocolOf(descriptor).steps !== undefined && { waits: true }),
    };
  const why =
    refused.length === 0 ? 'accepted without a handle' : `the location of the status was refused: ${refused.join('; ')}`;
  return { kind: 'ambiguous', message: `${why}; ${MAY}` };
}

/** The upstream knows this submission key already: the job that it names is ours. */
function judgeDuplicate(exchanged: Exchanged, descriptor: Descriptor): SubmitJudgement {
  const { response } = exchanged;
  const protocol = protocolOf(descriptor);
  const place = protocol.duplicate?.reference;
  if (place === undefined) return accepted(exchanged, descriptor, {});
  const reading = readJson(response);
  const named = place.startsWith('$')
    ? evaluate(place, exchanged)
    : reading.kind === 'json'
      ? valueAt(reading.value, place)
      : undefined;
  const text = scalarText(named)?.trim() ?? '';
  const reference =
    text === '' ? 'does not say which job it made of it' : referenceNamed(text, response.url, exchanged.arguments, descriptor);
  return typeof reference === 'string'
    ? { kind: 'ambiguous', message: `the upstream has seen this submission before, but ${reference}; ${MAY}` }
    : { kind: 'accepted', reference, ...retryAfterOf(response) };
}
