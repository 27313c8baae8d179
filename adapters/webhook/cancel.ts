// Asking the service to stop. What became of it is called back, or nobody can say.

import type { CancelJudgement } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { helperRequest, helperUrl, knownOf } from '../../src/core/helper-request.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import { judgeCancelStatus } from '../../src/core/judgements.ts';
import type { Reference } from '../../src/core/operation.ts';
import { protocolOf } from './protocol.ts';
import { UNNAMED } from './submit.ts';

/** `undefined` for a job that the service gave no name to. */
export function cancel(reference: Reference, descriptor: Descriptor): HttpRequest | undefined {
  const helper = protocolOf(descriptor).cancel;
  if (helper === undefined || reference.extra?.[UNNAMED] !== undefined) return undefined;
  const url = reference.cancelUrl ?? helperUrl(helper, knownOf(reference));
  return url === undefined ? undefined : helperRequest(helper, url, reference);
}

export function judgeCancel(response: HttpResponse, descriptor: Descriptor): CancelJudgement {
  return judgeCancelStatus(response, protocolOf(descriptor).messageAt);
}
