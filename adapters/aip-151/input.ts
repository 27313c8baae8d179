// An operation that waits for a person: AIP-151 has no state for it, so that a described place in the metadata says so.

import type { InputJudgement, RoundAnswers } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import type { InputRequest } from '../../src/core/input.ts';
import { inputIn, inputRequest, judgeGivenInput } from '../../src/core/input-helper.ts';
import { scalarText, valueAt } from '../../src/core/json.ts';
import type { Reference } from '../../src/core/operation.ts';
import { readJson } from '../../src/core/readings.ts';
import { meaningOf } from '../../src/core/states.ts';
import { protocolOf } from './protocol.ts';

/** What a running operation asks for; `undefined` where it asks nothing. */
export function askedIn(response: HttpResponse, descriptor: Descriptor): InputRequest | undefined {
  const { waiting, input } = protocolOf(descriptor);
  const reading = readJson(response);
  if (waiting === undefined || reading.kind !== 'json') return undefined;
  const word = scalarText(valueAt(reading.value, waiting.at));
  const waits = word !== undefined && meaningOf(word, waiting.words) === 'input';
  return waits ? inputIn(reading.value, input) : undefined;
}

export function provideInput(reference: Reference, given: RoundAnswers, descriptor: Descriptor): HttpRequest | undefined {
  const { input } = protocolOf(descriptor);
  return input && inputRequest(input, reference, given);
}

export const judgeInput = (response: HttpResponse, descriptor: Descriptor): InputJudgement =>
  judgeGivenInput(response, protocolOf(descriptor).messageAt);
