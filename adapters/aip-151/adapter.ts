// Long-running operations as Google's APIs and their kin have them: the submit answers with an operation, `GET {+name}` reads
// it, `done` says whether it is over, `error` or `response` how. @see https://google.aip.dev/151

import type { Adapter, Call, CancelJudgement, Observation, SubmitJudgement } from '../../src/core/adapter.ts';
import { judgeBusy } from '../../src/core/busy.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { helperRequest } from '../../src/core/helper-request.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import { judgeCancelStatus, judgeRefusedPoll, judgeRefusedSubmit } from '../../src/core/judgements.ts';
import type { Reference } from '../../src/core/operation.ts';
import { retryAfterOf } from '../../src/core/readings.ts';
import type { RetryAfter } from '../../src/core/retry-after.ts';
import { withSubmissionKey } from '../../src/core/submission-key.ts';
import { expandUrl } from '../../src/core/urls.ts';
import { paced } from '../../src/core/wish.ts';
import { askedIn, judgeInput, provideInput } from './input.ts';
import { judgeLookup, lookup, referenceOf } from './lookup.ts';
import { operationUrl } from './name.ts';
import { readOperation } from './operation.ts';
import { compile, protocolOf } from './protocol.ts';

const MAY = 'the job may have been accepted';
const isSuccess = ({ status }: HttpResponse): boolean => status >= 200 && status < 300;

function submit(call: Call, descriptor: Descriptor): HttpRequest {
  const { key } = protocolOf(descriptor);
  return key === undefined ? call.request : withSubmissionKey(descriptor.submit, call.arguments, key, call.submissionKey);
}

function judgeSubmit(response: HttpResponse, descriptor: Descriptor): SubmitJudgement {
  const protocol = protocolOf(descriptor);
  if (!isSuccess(response))
    return judgeBusy(response, protocol.busy, protocol.messageAt) ?? judgeRefusedSubmit(response, protocol.messageAt);
  const reading = readOperation(response, protocol);
  if (reading.kind === 'unreadable') return { kind: 'ambiguous', message: `${reading.message}; ${MAY}` };
  const { name } = reading;
  const statusUrl = name === undefined ? undefined : operationUrl(protocol.template, name);
  const reference: Reference | undefined = name === undefined || statusUrl === undefined ? undefined : { id: name, statusUrl };
  // An operation that is done at once may have no name at all.
  if (reading.kind === 'done') {
    const { ending, result, message } = reading;
    return {
      kind: 'finished',
      ending,
      ...(reference && { reference }),
      ...(result && { result }),
      ...(message !== undefined && { message }),
    };
  }
  if (reference === undefined) {
    return {
      kind: 'ambiguous',
      message: `accepted with ${name === undefined ? 'no name' : 'a name that can’t be read'}; ${MAY}`,
    };
  }
  return { kind: 'accepted', reference, ...(reading.progress && { progress: reading.progress }), ...retryAfterOf(response) };
}

/** Throws for a reference whose name fits nowhere: only an operator can make one. */
function poll(reference: Reference, descriptor: Descriptor, how?: { readonly wait: true }): HttpRequest {
  const protocol = protocolOf(descriptor);
  const url = reference.statusUrl ?? operationUrl(protocol.template, reference.id);
  if (url === undefined) throw new Error('the reference’s name is no name of an operation');
  const { statusSent, wait } = protocol;
  const waitUrl = how?.wait === true && wait ? expandUrl(`{statusUrl}${wait.suffix}`, { statusUrl: url }) : undefined;
  if (wait !== undefined && waitUrl !== undefined) {
    const { method, sent, holdMs } = wait;
    return { ...helperRequest({ ...securityOf(descriptor), method, sent }, waitUrl, reference), holdMs };
  }
  return helperRequest({ ...securityOf(descriptor), ...(statusSent && { sent: statusSent }) }, url, reference);
}

function judgePoll(response: HttpResponse, descriptor: Descriptor): Observation {
  const protocol = protocolOf(descriptor);
  if (!isSuccess(response)) return judgeRefusedPoll(response, protocol.messageAt);
  const reading = readOperation(response, protocol);
  if (reading.kind === 'unreadable') {
    return { kind: 'unreadable', message: `${reading.message}, when asked for the status`, ...retryAfterOf(response) };
  }
  if (reading.kind === 'done') {
    const { ending, result, message } = reading;
    return { kind: 'ended', ending, fetch: false, ...(result && { result }), ...(message !== undefined && { message }) };
  }
  const asked = askedIn(response, descriptor);
  if (asked !== undefined) return { kind: 'input', request: asked, ...retryAfterOf(response) };
  const { progress, unknownWord } = reading;
  return {
    kind: 'working',
    ...(progress && { progress }),
    ...(unknownWord !== undefined && { unknownWord }),
    ...retryAfterOf(response),
  };
}

function cancel(reference: Reference, descriptor: Descriptor): HttpRequest | undefined {
  const protocol = protocolOf(descriptor);
  const statusUrl = reference.statusUrl ?? operationUrl(protocol.template, reference.id);
  const url = protocol.cancel && expandUrl(`{statusUrl}${protocol.cancel.suffix}`, { statusUrl });
  if (protocol.cancel === undefined || url === undefined) return undefined;
  const { method } = protocol.cancel;
  const helper = {
    method,
    ...(method === 'POST' && { body: '{}' }),
    ...securityOf(descriptor),
    ...(protocol.cancelSent && { sent: protocol.cancelSent }),
  };
  return helperRequest(helper, url, reference);
}

function judgeCancel(response: HttpResponse, descriptor: Descriptor): CancelJudgement {
  const protocol = protocolOf(descriptor);
  // How it ended is for the next look to say.
  if (protocol.over?.includes(response.status) === true) return { kind: 'asked' };
  return judgeCancelStatus(response, protocol.messageAt);
}

function securityOf(descriptor: Descriptor): { readonly security?: readonly string[] } {
  const { security } = protocolOf(descriptor);
  return security === undefined ? {} : { security };
}

/** A judgement with what its answer says of when to look again. */
const asSaid = <J extends { readonly kind: string; readonly retryAfter?: RetryAfter }>(
  judgement: J,
  response: HttpResponse,
  descriptor: Descriptor,
): J => paced(judgement, response, protocolOf(descriptor).after);

export const aip151: Adapter = {
  id: 'aip-151',
  version: 1,
  contracts: ['2025-11-25', '2026-07-28'],
  compile,
  submit,
  judgeSubmit: (response, descriptor) => asSaid(judgeSubmit(response, descriptor), response, descriptor),
  poll,
  judgePoll: (response, descriptor) => asSaid(judgePoll(response, descriptor), response, descriptor),
  cancel,
  judgeCancel: (response, descriptor) => asSaid(judgeCancel(response, descriptor), response, descriptor),
  provideInput,
  judgeInput,
  lookup,
  judgeLookup: (response, descriptor, call) => asSaid(judgeLookup(response, descriptor, call), response, descriptor),
  referenceOf,
};
