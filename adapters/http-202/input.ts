// A job that waits for a person: what it asks in its status, and how it is answered.

import type { InputJudgement, RoundAnswers } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import { inputRequest, judgeGivenInput } from '../../src/core/input-helper.ts';
import type { Reference } from '../../src/core/operation.ts';
import { protocolOf } from './protocol.ts';

export function provideInput(reference: Reference, given: RoundAnswers, descriptor: Descriptor): HttpRequest | undefined {
  const { input } = protocolOf(descriptor);
  return input && inputRequest(input, reference, given);
}

export const judgeInput = (response: HttpResponse, descriptor: Descriptor): InputJudgement =>
  judgeGivenInput(response, protocolOf(descriptor).messageAt);
