// Giving input, shared by adapters: where a status body holds its questions, the request that carries an answer, and what the
// service says to it.
//   G1. What is asked is read once, when it is first seen, and kept with the operation: an answer goes to what was shown.
//   G2. A 2xx says that the answer arrived, a refusal (400, 413, 422) that it was not taken and is still wanted. Anything else
//       says nothing: the polls find out whether the question still stands.

import type { InputJudgement, OpenApiOperation, Refusal, RoundAnswers } from './adapter.ts';
import type { JobDescription } from './description.ts';
import { type Form, formOf } from './form.ts';
import { type CompiledHelper, compileHelper, helperRequest, helperUrl, knownOf } from './helper-request.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { DEFAULT_FORM, type InputRequest, type Question, valueOfAnswer } from './input.ts';
import { isJsonObject, type Json, type JsonObject, scalarText, stringifyJson, valueAt } from './json.ts';
import type { Reference } from './operation.ts';
import { answered, errorSentence, shown } from './readings.ts';

/** How input is asked for and given, compiled; JSON, so that a descriptor can keep it. */
export interface CompiledInput {
  readonly helper: CompiledHelper;
  /** JSON Pointer of the questions in the status body, where there may be several; the next three are then inside each. */
  readonly list?: string;
  readonly id?: string;
  readonly message?: string;
  /** A JSON Pointer of the form's schema. */
  readonly formAt?: string;
  /** The form where the body holds none. */
  readonly form: Form;
  /** JSON Pointer of where the answer goes in the request's body; '' is the whole. */
  readonly at: string;
  readonly body: JsonObject;
  readonly decline?: { readonly helper: CompiledHelper; readonly body: JsonObject };
}

const POINTER = /^(\/.*)?$/s;

/** Compiles a described input, or says what in it can't be used; `undefined` where none is described. */
export function compileInput(
  source: OpenApiOperation,
  description: JobDescription,
  allowedOrigins: readonly string[],
): CompiledInput | Refusal | undefined {
  const { input, handle } = description;
  if (input === undefined) return undefined;
  const { list, id, message, form, at = '', body = {}, decline, ...request } = input;
  const refuse = (place: string, reason: string, mend: string): Refusal => ({
    refused: true,
    pointer: `${source.pointer}/x-longshore/input${place}`,
    reason,
    mend,
  });
  const formAt = typeof form === 'string' ? form : undefined;
  for (const [place, pointer] of Object.entries({
    '/list': list,
    '/id': id,
    '/message': message,
    '/form': formAt,
    '/at': at,
  })) {
    if (pointer !== undefined && !POINTER.test(pointer))
      return refuse(place, `${pointer} is not a JSON Pointer`, 'write a JSON Pointer like /question');
  }
  if (list !== undefined && decline !== undefined && (decline.operation ?? decline.url) !== undefined)
    return refuse('/decline', 'several questions are answered by one request', 'describe a decline by its body only');
  const idFrom = handle?.id?.startsWith('$response.') === true ? 'response' : 'request';
  const common = { source, method: 'POST', allowedOrigins, idFrom } as const;
  const helper = compileHelper({ ...common, helper: request, name: 'input' });
  if ('refused' in helper) return helper;
  const { body: declineBody = {}, ...declineRequest } = decline ?? {};
  const isOwn = declineRequest.operation !== undefined || declineRequest.url !== undefined;
  const declining = isOwn ? compileHelper({ ...common, helper: declineRequest, name: 'input/decline' }) : helper;
  if ('refused' in declining) return declining;
  return {
    helper,
    ...(list !== undefined && { list }),
    ...(id !== undefined && { id }),
    ...(message !== undefined && { message }),
    ...(formAt !== undefined && { formAt }),
    form: isJsonObject(form) ? formOf(form) : formOfOperation(source, request, at),
    at,
    body,
    ...(decline !== undefined && { decline: { helper: declining, body: declineBody } }),
  };
}

/** The form that the input operation's own request body makes. */
function formOfOperation(source: OpenApiOperation, request: { readonly operation?: string }, at: string): Form {
  const operation = request.operation === undefined ? undefined : source.related(request.operation);
  const whole = valueAt(operation?.object, '/requestBody/content/application~1json/schema');
  const schema = at
    .split('/')
    .slice(1)
    .reduce<Json | undefined>((outer, member) => valueAt(outer, `/properties/${member}`), whole);
  return schema === undefined ? DEFAULT_FORM : formOf(schema);
}

/** What a status body asks for. `input` absent: it waits, and nobody described for what. */
export function inputIn(body: Json | undefined, input: CompiledInput | undefined): InputRequest {
  if (input === undefined) return { questions: [], declinable: false };
  const listed = input.list === undefined ? [body ?? null] : valueAt(body, input.list);
  const questions = (Array.isArray(listed) ? listed : []).map((place: Json): Question => {
    const id = input.id === undefined ? undefined : scalarText(valueAt(place, input.id));
    const form = input.formAt === undefined ? undefined : valueAt(place, input.formAt);
    const message = input.message === undefined ? undefined : shown(valueAt(place, input.message));
    return {
      ...(id !== undefined && { id }),
      message: message ?? 'The service needs an answer before it goes on.',
      form: form === undefined ? input.form : formOf(form),
    };
  });
  return { questions, declinable: input.decline !== undefined };
}

/** The request that gives a round's answers; `undefined` where a URL can't be made. */
export function inputRequest(
  input: CompiledInput,
  reference: Reference,
  { questions, answers }: RoundAnswers,
): HttpRequest | undefined {
  const { decline } = input;
  const isDeclined = input.list === undefined && answers[0]?.action === 'decline' && decline !== undefined;
  const helper = isDeclined ? decline.helper : input.helper;
  const url = helperUrl(helper, knownOf(reference));
  if (url === undefined) return undefined;
  const values = questions.map((question, index): Json => {
    const answer = answers[index];
    return answer?.action === 'accept' ? valueOfAnswer(question, answer.content) : (decline?.body ?? {});
  });
  const given = input.list === undefined ? values[0] : byId(questions, values);
  const body = isDeclined ? decline.body : placed(input, given ?? {});
  const hasBody = helper.method !== 'GET' && helper.method !== 'DELETE';
  return helperRequest({ ...helper, ...(hasBody && { body: stringifyJson(body) }) }, url);
}

/** Several answers: by the questions' ids, or in their order where none are described. */
const byId = (questions: readonly Question[], values: readonly Json[]): Json =>
  questions.every(({ id }) => id !== undefined)
    ? Object.fromEntries(questions.map(({ id }, index) => [id, values[index] ?? null]))
    : values;

/** The answer in its place, among what is sent beside it. */
function placed({ at, body }: CompiledInput, answer: Json): Json {
  const names = at.split('/').slice(1).reverse();
  const inside = names.reduce<Json>((value, name) => ({ [name.replaceAll('~1', '/').replaceAll('~0', '~')]: value }), answer);
  return isJsonObject(inside) ? { ...body, ...inside } : inside;
}

/** What the service says to an answer. */
export function judgeGivenInput(response: HttpResponse, messageAt?: string): InputJudgement {
  const { status } = response;
  if (status >= 200 && status < 300) return { kind: 'taken' };
  if (status === 400 || status === 413 || status === 422)
    return { kind: 'refused', message: errorSentence(response, messageAt) ?? `${answered(response)} to the answer` };
  return { kind: 'unanswered', message: `${answered(response)} to the answer` };
}
