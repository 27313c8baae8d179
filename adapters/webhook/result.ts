// Reading a result that an event only points to.

import type { ResultJudgement } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { helperRequest } from '../../src/core/helper-request.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import type { Reference } from '../../src/core/operation.ts';
import { expectedOf, judgeFetched, securityOf } from '../../src/core/result.ts';
import { protocolOf } from './protocol.ts';

/** `undefined`: no event has named a URL that may be followed. */
export function fetchResult({ resultUrl }: Reference, descriptor: Descriptor): HttpRequest | undefined {
  const { accept } = expectedOf(protocolOf(descriptor).result);
  return resultUrl === undefined ? undefined : helperRequest({ ...securityOf(descriptor), accept, method: 'GET' }, resultUrl);
}

export const judgeResult = (response: HttpResponse, descriptor: Descriptor, reference: Reference): ResultJudgement =>
  judgeFetched(response, descriptor, protocolOf(descriptor).result, {
    first: fetchResult(reference, descriptor),
    reference,
  });
