// Steps: the requests that a job needs after its submit and before it runs. The submit has created it; a step brings its data,
// or says that it may begin.
//   S1. A step is sent only after a look has shown that the job still waits for it, and never before the reference is durable.
//   S2. That it may be on the wire is written down before it leaves. What got no answer is sent again: at once where it may be
//       repeated, else only on a look that began after the horizon (lease, time-out and grace are over) and still shows it waiting.
//   S3. How far it has come is kept in the reference, as one text: what an operation must remember to ask again.
//   S4. A refusal of what an earlier attempt may have done, and a conflict, say nothing: a look after the horizon decides.

import type { DueStep, OpenApiOperation, Refusal, StepJudgement } from './adapter.ts';
import { renderBody } from './body.ts';
import type { JobDescription, StepRequest } from './description.ts';
import type { Descriptor, Timing } from './descriptor.ts';
import { type CompiledHelper, compileHelper, helperRequest, helperUrl, knownOf } from './helper-request.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { isJsonObject, type Json, type JsonObject, plainJson, stringifyJson, tryParseJson, valueAt } from './json.ts';
import type { Reference } from './operation.ts';
import { answered, errorSentence, payloadOf, retryAfterOf } from './readings.ts';
import type { BodyBinding } from './request.ts';
import { securityOf } from './result.ts';
import { sentOf } from './sent.ts';
import { normaliseWord } from './states.ts';
import type { EpochMs } from './time.ts';
import { followable } from './urls.ts';

/** A step, compiled; JSON, so that a descriptor can keep it. */
export interface CompiledStep {
  /** Its URL is left out where the status names it. */
  readonly helper: Omit<CompiledHelper, 'url' | 'arguments'> & Partial<Pick<CompiledHelper, 'url' | 'arguments'>>;
  readonly urlAt?: string;
  readonly when?: readonly string[];
  /** The argument that is its body. */
  readonly body?: BodyBinding;
  /** Sending it twice does no more than sending it once. @see RFC 9110 §9.2.2 */
  readonly repeats: boolean;
}

/** Methods whose repetition does no more than the first. PATCH is not among them by itself: a step's sets members, and says so. */
const REPEATABLE: readonly string[] = ['GET', 'PUT', 'DELETE', 'PATCH'];
const BYTES = 'application/octet-stream';

/** The body that a step takes from the tool's arguments; `undefined` where it takes none. */
export function stepBody(step: StepRequest, source: OpenApiOperation): BodyBinding | undefined {
  if (step.argument === undefined) return undefined;
  const described = step.operation === undefined ? undefined : source.related(step.operation)?.request.body?.mediaType;
  return {
    mediaType: step.mediaType ?? described ?? BYTES,
    required: step.optional !== true,
    from: { kind: 'member', argument: step.argument },
  };
}

/** Compiles what is described under `submit.steps`, or says what in it can't be used; `undefined` where nothing is. */
export function compileSteps(
  source: OpenApiOperation,
  { submit, state, handle }: JobDescription,
  allowedOrigins: readonly string[],
): readonly CompiledStep[] | Refusal | undefined {
  const { steps } = submit ?? {};
  if (steps === undefined) return undefined;
  const compiled: CompiledStep[] = [];
  for (const [index, step] of steps.entries()) {
    const name = `submit/steps/${index}`;
    const refuse = (place: string, reason: string, mend: string): Refusal => ({
      refused: true,
      pointer: `${source.pointer}/x-longshore/${name}${place}`,
      reason,
      mend,
    });
    const { urlAt, when, argument, mediaType: _type, optional: _optional, ...request } = step;
    if (when !== undefined && state?.at === undefined)
      return refuse('/when', 'words are described, but not where they are', 'give `state.at`');
    const ending = when?.find((word) => isListed(word, [state?.succeeded, state?.failed, state?.cancelled, state?.input]));
    if (ending !== undefined)
      return refuse('/when', `the word ${ending} is listed under \`state\` as well`, 'leave it in one list');
    if (urlAt !== undefined && !/^(\/.*)?$/s.test(urlAt))
      return refuse('/urlAt', `${urlAt} is not a JSON Pointer`, 'write a JSON Pointer like /uploadUrl');
    if (argument !== undefined && request.body !== undefined)
      return refuse('/body', 'an argument is the body already', 'give either `argument` or `body`');
    const idFrom = handle?.id?.startsWith('$response.') === true ? 'response' : 'request';
    const named = request.operation !== undefined || request.url !== undefined;
    const method = request.method?.toUpperCase() ?? (argument === undefined ? 'POST' : 'PUT');
    const helper =
      urlAt !== undefined && !named
        ? { method, accept: '*/*', ...securityOf({ submit: source.request }) }
        : compileHelper({
            source,
            helper: request.operation === undefined ? { ...request, method } : request,
            name,
            method: 'POST',
            allowedOrigins,
            idFrom,
          });
    if ('refused' in helper) return helper;
    const repeats = REPEATABLE.includes(helper.method);
    if (!repeats && when === undefined)
      return refuse(
        '/when',
        `a ${helper.method} that got no answer can't be told from one that was taken`,
        'say by `when` which status words still wait for it',
      );
    const sent = sentOf(request);
    const body = stepBody(step, source);
    compiled.push({
      helper: sent === undefined ? helper : { ...helper, sent },
      ...(urlAt !== undefined && { urlAt }),
      ...(when !== undefined && { when }),
      ...(body !== undefined && { body }),
      repeats,
    });
  }
  return compiled;
}

const isListed = (word: string, lists: readonly (readonly string[] | undefined)[]): boolean =>
  lists.some((list) => list?.some((one) => normaliseWord(one) === normaliseWord(word)));

/** How far the steps of a job are. */
export interface StepsTaken {
  /** So many are over. */
  readonly over: number;
  /** Sends of the next one so far. */
  readonly tries: number;
  /** One of them may have been taken. */
  readonly doubted: boolean;
  /** The horizon of the last send: it is not sent again on a look that began before. 0 where it may be sent at any time. */
  readonly until: EpochMs;
}

/** So many are over, and nothing of the next has left. */
export const takenUpTo = (over: number): StepsTaken => ({ over, tries: 0, doubted: false, until: 0 });
const NONE_TAKEN = takenUpTo(0);
const KEPT_AS = 'steps';

/** What a reference remembers of its steps. */
export function stepsTaken(reference: Reference | undefined): StepsTaken {
  const text = reference?.extra?.[KEPT_AS];
  const kept = text === undefined ? undefined : tryParseJson(text);
  return isJsonObject(kept) ? { ...NONE_TAKEN, ...(plainJson(kept) as Partial<StepsTaken>) } : NONE_TAKEN;
}

/** A reference that remembers them. */
export const withSteps = (reference: Reference, taken: StepsTaken): Reference => ({
  ...reference,
  extra: { ...reference.extra, [KEPT_AS]: stringifyJson({ ...taken }) },
});

/** Whether a job that shows this word waits for a step of ours, whichever is next: then the word means work. */
export const isWaitingWord = (steps: readonly CompiledStep[] | undefined, word: string): boolean =>
  steps?.some(({ when }) => isListed(word, [when])) === true;

/**
 * The steps that a job which goes on waits for, in order.
 * @param word its status word
 * @param base what a URL in the body is resolved against
 */
export function dueSteps(
  steps: readonly CompiledStep[],
  reference: Reference,
  word: string,
  body: Json | undefined,
  base: string,
  descriptor: Descriptor,
): readonly DueStep[] {
  const taken = stepsTaken(reference);
  const due: DueStep[] = [];
  for (const [index, { when, urlAt }] of steps.entries()) {
    if (index < taken.over) continue;
    if (when !== undefined && !isListed(word, [when])) {
      // What was sent and is no longer waited for was taken, whatever became of its answer.
      if (index === taken.over && taken.doubted) continue;
      break;
    }
    if (urlAt === undefined) {
      due.push({ index });
      continue;
    }
    const named = valueAt(body, urlAt);
    const followed = typeof named === 'string' ? followable(named.trim(), base, descriptor) : undefined;
    if (followed?.ok !== true) break;
    due.push({ index, url: followed.url });
  }
  return due;
}

/** The request of a step; `undefined` where there is nothing to send: its argument may be left out, and is. */
export function stepRequest(
  { helper, body }: CompiledStep,
  { url: named }: DueStep,
  reference: Reference,
  args: JsonObject,
): HttpRequest | undefined {
  const url =
    named ??
    (helper.url === undefined
      ? undefined
      : helperUrl({ ...helper, url: helper.url, arguments: helper.arguments ?? [] }, knownOf(reference), args));
  const rendered = body && renderBody(body, args, []);
  if (url === undefined || (body !== undefined && rendered === undefined)) return undefined;
  if (rendered !== undefined && 'wrong' in rendered) throw new Error(`a step can't be written: ${rendered.wrong}`);
  const { body: _default, ...bare } = helper;
  const request = helperRequest(rendered === undefined ? helper : bare, url, reference);
  return rendered === undefined
    ? request
    : {
        ...request,
        headers: [
          ...request.headers.filter(([name]) => name.toLowerCase() !== 'content-type'),
          ['Content-Type', rendered.contentType],
        ],
        body: rendered.body,
      };
}

/** Judges the answer to a step by its status code. A 404 is a job that is not to be seen yet, a 401 a token that ran out. */
export function judgeStepStatus(response: HttpResponse, messageAt?: string): StepJudgement {
  const { status } = response;
  if ((status >= 200 && status < 300) || status === 303) return { kind: 'taken' };
  const message = `${answered(response)} to a step`;
  if ([401, 404, 407, 425, 429].includes(status))
    return { kind: 'unanswered', message, mayBeTaken: false, ...retryAfterOf(response) };
  if (status < 400 || status === 408 || status >= 500)
    return { kind: 'unanswered', message, mayBeTaken: true, ...retryAfterOf(response) };
  const result = payloadOf(response);
  const mayBeOver = status === 409 || status === 412;
  return {
    kind: 'refused',
    message: errorSentence(response, messageAt) ?? message,
    ...(result && { result }),
    ...(mayBeOver && { mayBeOver }),
  };
}

/** How long after it left a step may still arrive, and for how long its taking may stay unseen (S2). */
export const stepHorizonMs = ({ submitLeaseMs, submitTimeoutMs, consistencyGraceMs }: Timing): number =>
  submitLeaseMs + submitTimeoutMs + consistencyGraceMs;
