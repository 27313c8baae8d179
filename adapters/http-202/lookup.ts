// Finding a job that is known by something else than an answer to its submit: by our key, or because a person names it.

import type { Call, LookupJudgement } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import { type Json, scalarText, stringifyJson, valueAt } from '../../src/core/json.ts';
import { lookupRequest, readLookup } from '../../src/core/lookup.ts';
import type { Reference } from '../../src/core/operation.ts';
import { answered, readJson, retryAfterOf } from '../../src/core/readings.ts';
import { securityOf } from '../../src/core/result.ts';
import { findHandle, referenceNamed } from './handle.ts';
import { judgePoll } from './poll.ts';
import { protocolOf } from './protocol.ts';
import { submit } from './submit.ts';

/** `undefined`: no lookup is described. */
export function lookup(call: Call, descriptor: Descriptor): HttpRequest | undefined {
  const described = protocolOf(descriptor).lookup;
  return described && lookupRequest(described, call, securityOf(descriptor));
}

export function judgeLookup(response: HttpResponse, descriptor: Descriptor, call: Call): LookupJudgement {
  const described = protocolOf(descriptor).lookup;
  if (described === undefined) return { kind: 'cannot_tell', message: 'no lookup is described' };
  if (described.atStatus === true) return judgeAtStatus(response, descriptor, described.authoritative, call);
  const reading = readLookup(response, described, call.submissionKey);
  if (reading.kind !== 'job') return reading;
  const named = described.idAt === undefined ? undefined : scalarText(valueAt(reading.job, described.idAt));
  const reference =
    named === undefined
      ? fromJob(reading.job, response, descriptor, call)
      : referenceNamed(named, response.url, call.arguments, descriptor);
  if (typeof reference === 'object') return { kind: 'found', reference };
  const message = `a job with our key exists, but ${reference ?? 'it does not say where its status is'}`;
  return { kind: 'cannot_tell', message, ...(reference === undefined && { unreadable: true }) };
}

/** The address of a job whose id is our key: what can be read there as a status is ours. */
function judgeAtStatus(response: HttpResponse, descriptor: Descriptor, authoritative: boolean, call: Call): LookupJudgement {
  const { status } = response;
  const said = `${answered(response)} at the address of our key`;
  if (status === 404 || status === 410)
    return authoritative ? { kind: 'never_created' } : { kind: 'cannot_tell', message: `${said}, which proves nothing here` };
  const reading = readJson(response);
  const reference = fromJob(reading.kind === 'json' ? reading.value : {}, response, descriptor, call);
  if (status >= 400 || reference === undefined) return { kind: 'cannot_tell', message: said, ...retryAfterOf(response) };
  const seen = judgePoll(response, descriptor, reference);
  return seen.kind === 'unreadable' || seen.kind === 'missing'
    ? { kind: 'cannot_tell', message: seen.message, unreadable: true }
    : { kind: 'found', reference };
}

/** A job in a list is what a submit would have been answered with, but for the headers. */
function fromJob(job: Json, { url }: HttpResponse, descriptor: Descriptor, call: Call): Reference | undefined {
  const response = { status: 200, headers: {}, url, body: new TextEncoder().encode(stringifyJson(job)) };
  const exchanged = {
    template: descriptor.submit,
    arguments: call.arguments,
    request: submit(call, descriptor),
    response,
  };
  return findHandle(exchanged, descriptor, false).reference;
}

/** The reference of a job that a person names by its id or its status URL. */
export const referenceOf = (named: string, call: Call, descriptor: Descriptor): Reference | string =>
  referenceNamed(named, `${descriptor.submit.server}/`, call.arguments, descriptor);
