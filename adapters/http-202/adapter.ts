// HTTP's status monitor in its plain forms: 202 and a Location, and the plain status resource (`POST /jobs` gives an id,
// `GET /jobs/{id}` its state). What varies between services is data of the description, never a provider's name.
// @see RFC 9110 §15.3.3 202 Accepted

import type { Adapter } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import type { HttpResponse } from '../../src/core/http.ts';
import type { RetryAfter } from '../../src/core/retry-after.ts';
import { paced } from '../../src/core/wish.ts';
import { cancel, judgeCancel } from './cancel.ts';
import { compile } from './compile.ts';
import { readDelivery } from './delivery.ts';
import { judgeInput, provideInput } from './input.ts';
import { judgeLookup, lookup, referenceOf } from './lookup.ts';
import { judgePoll, poll } from './poll.ts';
import { protocolOf } from './protocol.ts';
import { fetchResult, judgeResult } from './result.ts';
import { judgeStep, step } from './steps.ts';
import { judgeSubmit, submit } from './submit.ts';

/** A judgement with what its answer says of when to look again. */
const asSaid = <J extends { readonly kind: string; readonly retryAfter?: RetryAfter }>(
  judgement: J,
  response: HttpResponse,
  descriptor: Descriptor,
): J => paced(judgement, response, protocolOf(descriptor).after);

export const http202: Adapter = {
  id: 'http-202',
  version: 1,
  contracts: ['2025-11-25', '2026-07-28'],
  compile,
  submit,
  judgeSubmit: (response, descriptor, call) => asSaid(judgeSubmit(response, descriptor, call), response, descriptor),
  poll,
  judgePoll: (response, descriptor, reference) => asSaid(judgePoll(response, descriptor, reference), response, descriptor),
  fetchResult,
  judgeResult,
  cancel,
  judgeCancel: (response, descriptor) => asSaid(judgeCancel(response, descriptor), response, descriptor),
  step,
  judgeStep,
  provideInput,
  judgeInput,
  lookup,
  judgeLookup: (response, descriptor, call) => asSaid(judgeLookup(response, descriptor, call), response, descriptor),
  referenceOf,
  readDelivery,
};
