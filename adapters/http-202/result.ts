// Fetching a result that is not in the status body.

import type { ResultJudgement } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { helperRequest, helperUrl, knownOf } from '../../src/core/helper-request.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import type { Reference } from '../../src/core/operation.ts';
import { judgeFetched, securityOf } from '../../src/core/result.ts';
import { refusedIn } from './handle.ts';
import { protocolOf } from './protocol.ts';

/** `undefined`: there is nothing to ask; `reference.extra.resultRefused` says why where a URL was refused. */
export function fetchResult(reference: Reference, descriptor: Descriptor): HttpRequest | undefined {
  const { helper } = protocolOf(descriptor).result;
  if (refusedIn(reference) !== undefined) return undefined;
  const url = reference.resultUrl ?? (helper && helperUrl(helper, knownOf(reference)));
  return url === undefined ? undefined : helperRequest({ ...securityOf(descriptor), accept: '*/*', ...helper }, url, reference);
}

export const judgeResult = (response: HttpResponse, descriptor: Descriptor): ResultJudgement =>
  judgeFetched(response, descriptor, protocolOf(descriptor).result.at, protocolOf(descriptor).result.unwraps);
