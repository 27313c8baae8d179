// What is sent after the submit, and what the service says to it.

import type { DueStep, StepJudgement } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import { type Json, type JsonObject, scalarText, valueAt } from '../../src/core/json.ts';
import type { Reference } from '../../src/core/operation.ts';
import { dueSteps, isWaitingWord, judgeStepStatus, stepRequest } from '../../src/core/steps.ts';
import { type Protocol, protocolOf } from './protocol.ts';

const wordOf = (body: Json | undefined, { stateAt }: Protocol): string =>
  stateAt === undefined ? '' : (scalarText(valueAt(body, stateAt)) ?? '');

/** Whether a status says that the job waits for us, whatever else its word may mean. */
export const waitsForStep = (body: Json | undefined, protocol: Protocol): boolean =>
  isWaitingWord(protocol.steps, wordOf(body, protocol));

/** What a job that goes on waits for. */
export function stepsDue(
  response: HttpResponse,
  body: Json | undefined,
  descriptor: Descriptor,
  reference: Reference,
): { readonly steps?: readonly DueStep[] } {
  const protocol = protocolOf(descriptor);
  if (protocol.steps === undefined) return {};
  const steps = dueSteps(protocol.steps, reference, wordOf(body, protocol), body, response.url, descriptor);
  return steps.length === 0 ? {} : { steps };
}

export function step(
  due: DueStep,
  reference: Reference,
  args: JsonObject,
  descriptor: Descriptor,
): { readonly request: HttpRequest; readonly repeats: boolean } | undefined {
  const compiled = protocolOf(descriptor).steps?.[due.index];
  const request = compiled && stepRequest(compiled, due, reference, args);
  return request === undefined || compiled === undefined ? undefined : { request, repeats: compiled.repeats };
}

export const judgeStep = (response: HttpResponse, descriptor: Descriptor): StepJudgement =>
  judgeStepStatus(response, protocolOf(descriptor).messageAt);
