// Asking the upstream to stop, and what it says to that. Polls decide what became of it.

import type { CancelJudgement } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { helperRequest, helperUrl, knownOf } from '../../src/core/helper-request.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import { judgeCancelStatus } from '../../src/core/judgements.ts';
import type { Reference } from '../../src/core/operation.ts';
import { readJson } from '../../src/core/readings.ts';
import { CANCELLABLE } from './handle.ts';
import { protocolOf } from './protocol.ts';
import { wordIn } from './state.ts';

export function cancel(reference: Reference, descriptor: Descriptor): HttpRequest | 'later' | undefined {
  if (reference.extra?.[CANCELLABLE] === 'no') return 'later';
  const helper = protocolOf(descriptor).cancel;
  const url = helper && (reference.cancelUrl ?? helperUrl(helper, knownOf(reference)));
  return helper === undefined || url === undefined ? undefined : helperRequest(helper, url, reference);
}

export function judgeCancel(response: HttpResponse, descriptor: Descriptor): CancelJudgement {
  const protocol = protocolOf(descriptor);
  // How it ended is for the next look to say.
  if (protocol.over?.includes(response.status) === true) return { kind: 'asked' };
  const judged = judgeCancelStatus(response, protocol.messageAt);
  const reading = readJson(response);
  const isTaken = judged.kind === 'asked' && response.status < 300;
  const says = isTaken && reading.kind === 'json' ? wordIn(reading.value, protocol, response.headers)?.meaning : undefined;
  return says === 'cancelled' ? { kind: 'confirmed' } : judged;
}
