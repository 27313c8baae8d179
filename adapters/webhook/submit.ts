// The submit and its answer. What the service answers says that it took the job, never how the job ended: that is called back.

import type { Call, SubmitJudgement } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { evaluate } from '../../src/core/expressions.ts';
import { helperUrl } from '../../src/core/helper-request.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import { scalarText } from '../../src/core/json.ts';
import { judgeRefusedSubmit } from '../../src/core/judgements.ts';
import type { Reference } from '../../src/core/operation.ts';
import { withSubmissionKey } from '../../src/core/submission-key.ts';
import { protocolOf } from './protocol.ts';

/** Marks a reference that the service gave no name to: the submission key stands for it, and no event can name it. */
export const UNNAMED = 'unnamed';

export function submit(call: Call, descriptor: Descriptor): HttpRequest {
  const { key } = protocolOf(descriptor);
  return key === undefined ? call.request : withSubmissionKey(descriptor.submit, call.arguments, key, call.submissionKey);
}

export function judgeSubmit(response: HttpResponse, descriptor: Descriptor, call: Call): SubmitJudgement {
  const protocol = protocolOf(descriptor);
  if (response.status < 200 || response.status >= 300) return judgeRefusedSubmit(response, protocol.messageAt);
  const exchanged = { template: descriptor.submit, arguments: call.arguments, request: submit(call, descriptor), response };
  const id = scalarText(evaluate(protocol.id, exchanged))?.trim() ?? '';
  return { kind: 'accepted', reference: id === '' ? unnamed(call) : named(id, call, descriptor) };
}

const unnamed = (call: Call): Reference => ({ id: call.submissionKey, extra: { [UNNAMED]: 'true' } });

/** The reference of the job of that id. */
export function named(id: string, call: Call, descriptor: Descriptor): Reference {
  const { cancel } = protocolOf(descriptor);
  const cancelUrl = cancel && helperUrl(cancel, { id }, call.arguments);
  return { id, ...(cancelUrl !== undefined && { cancelUrl }) };
}
