// From a description to what this adapter keeps of it, or why it can't.

import type { Compiled, OpenApiOperation, Refusal } from '../../src/core/adapter.ts';
import type { HelperRequest, JobDescription } from '../../src/core/description.ts';
import { type CompiledHelper, compileHelper, operationName } from '../../src/core/helper-request.ts';
import { compileInput } from '../../src/core/input-helper.ts';
import type { Json } from '../../src/core/json.ts';
import { compileLookup } from '../../src/core/lookup.ts';
import { progressPlaces } from '../../src/core/progress.ts';
import { resultRules, securityOf } from '../../src/core/result.ts';
import { expressionsIn, needsId, sentOf } from '../../src/core/sent.ts';
import { normaliseWord } from '../../src/core/states.ts';
import { compileSteps } from '../../src/core/steps.ts';
import { keyPlacesOf } from '../../src/core/submission-key.ts';
import { wishPlaces } from '../../src/core/wish.ts';
import { faultIn, wordsIn, wordsOf } from './faults.ts';
import type { Protocol } from './protocol.ts';

/** Headers that hold a status URL, where the description names none; the specific ones first. */
const HEADERS = ['operation-location', 'azure-asyncoperation', 'location', 'content-location'];

const meaningByCode = (codes: NonNullable<NonNullable<JobDescription['state']>['codes']>): NonNullable<Protocol['codes']> =>
  Object.fromEntries(
    (['working', 'succeeded', 'failed', 'cancelled', 'unreadable'] as const).flatMap((meaning) =>
      (codes[meaning] ?? []).map((code) => [String(code), meaning] as const),
    ),
  );

/** Whether a helper without an address is a mistake: a status may only say how, a result only where in the answer. */
function isNeeded(name: 'status' | 'result' | 'cancel', { handle, status, cancel }: JobDescription): boolean {
  if (name === 'result') return false;
  if (name === 'cancel') return cancel !== undefined;
  const says = [status?.query, status?.headers, status?.body, status?.append, status?.follow, status?.wait, status?.method];
  return handle?.self !== true && says.every((part) => part === undefined);
}

function followOf(
  source: OpenApiOperation,
  { status }: JobDescription,
  allowedOrigins: readonly string[],
): NonNullable<Protocol['follow']> | Refusal | undefined {
  if (status?.follow === undefined) return undefined;
  const { at, url, append, when } = status.follow;
  const rest = { at, ...(append !== undefined && { append }), ...(when && { when }) };
  if (url === undefined) return rest;
  const helper = compileHelper({
    source,
    helper: { url },
    name: 'status/follow',
    method: 'GET',
    allowedOrigins,
    idFrom: 'template',
  });
  return 'refused' in helper ? helper : { ...rest, helper };
}

/** A request whose URL only the upstream says. */
function namedByUpstream(source: OpenApiOperation, { method = 'POST', ...rest }: HelperRequest): CompiledHelper {
  const sent = sentOf(rest);
  return {
    method: method.toUpperCase(),
    url: '{cancelUrl}',
    arguments: [],
    accept: 'application/json, */*;q=0.8',
    ...securityOf({ submit: source.request }),
    ...(sent && { sent }),
  };
}

/** Whether what a request wrote can be read at its own address afterwards, and whether that is where the result is. */
function selfOf(source: OpenApiOperation, { result }: JobDescription): 'first' | 'else' | undefined {
  if (result?.self !== true) return undefined;
  const method = source.method.toUpperCase();
  return method === 'PUT' ? 'first' : method === 'PATCH' ? 'else' : undefined;
}

function waitOf(
  source: OpenApiOperation,
  { status, handle }: JobDescription,
  allowedOrigins: readonly string[],
): NonNullable<Protocol['wait']> | Refusal | undefined {
  if (status?.wait === undefined) return undefined;
  const { forMs: holdMs, ...request } = status.wait;
  const sent = sentOf(request);
  const rest = { holdMs, ...(sent && { sent }) };
  if (request.operation === undefined && request.url === undefined)
    return { ...rest, ...(request.method !== undefined && { method: request.method.toUpperCase() }) };
  const idFrom = handle?.id?.startsWith('$response.') === true ? 'response' : 'request';
  const method = request.body === undefined ? 'GET' : 'POST';
  const helper = compileHelper({ source, helper: request, name: 'status/wait', method, allowedOrigins, idFrom });
  return 'refused' in helper ? helper : { ...rest, helper };
}

/** The id in a URL template. */
const ID = /\{(\+?)id\}/g;

/** A job whose id is ours to choose is known by it, unless the service is said to have another. */
const chosenId = ({ handle, submissionKey }: JobDescription): string | undefined =>
  submissionKey?.path === undefined || handle?.id !== undefined ? undefined : `$request.path.${submissionKey.path}`;

/** The description with the lookup that follows from an id of our choosing: the job's own address is asked. */
function withOwnLookup(source: OpenApiOperation, description: JobDescription): JobDescription {
  const { lookup, status, handle } = description;
  const isWritten = (lookup?.operation ?? lookup?.url ?? lookup?.list ?? lookup?.match) !== undefined;
  if (isWritten || chosenId(description) === undefined) return description;
  const { operation, method, url = handle?.self === true ? source.path : undefined, ...rest } = status ?? {};
  const sent = sentOf(rest);
  const address = operation !== undefined ? { operation } : url !== undefined ? { url: url.replace(ID, '{$1key}') } : undefined;
  // Nothing of the submit is remembered before it was answered.
  if (address === undefined || (sent !== undefined && expressionsIn(sent).length > 0)) return description;
  return { ...description, lookup: { ...address, ...(method && { method }), ...sent, ...lookup } };
}

/** Compiles a description, or says what in it can't be used, where, and the way out. */
export function compile(
  source: OpenApiOperation,
  description: JobDescription,
  allowedOrigins: readonly string[],
): Compiled | Refusal {
  const fault = faultIn(source, description);
  if (fault !== undefined) {
    const [place, reason, mend] = fault;
    return { refused: true, pointer: `${source.pointer}/x-longshore/${place}`, reason, mend };
  }
  const { handle, state, result, error, cancel, submissionKey, submit } = description;
  const key = keyPlacesOf(description);
  const compiled: Partial<Record<'status' | 'result' | 'cancel', CompiledHelper>> = {};
  for (const name of ['status', 'result', 'cancel'] as const) {
    const helper = description[name];
    const isNamed = helper?.operation !== undefined || helper?.url !== undefined;
    if (name === 'cancel' && cancel?.urlAt !== undefined && !isNamed) {
      compiled.cancel = namedByUpstream(source, cancel);
      continue;
    }
    if (helper === undefined || (!isNamed && !isNeeded(name, description))) continue;
    const idFrom = handle?.id?.startsWith('$response.') === true ? 'response' : 'request';
    const one = compileHelper({
      source,
      helper,
      name,
      method: name === 'cancel' ? 'POST' : 'GET',
      allowedOrigins,
      idFrom,
    });
    if ('refused' in one) return one;
    const sent = sentOf(helper);
    compiled[name] = sent === undefined ? one : { ...one, sent };
  }
  // A status that only says how the URL that the upstream names is asked.
  const { method, ...rest } = description.status ?? {};
  const isAsked = compiled.status === undefined && (method !== undefined || sentOf(rest) !== undefined);
  const asked = isAsked ? { method: method?.toUpperCase() ?? 'GET', sent: sentOf(rest) ?? {} } : undefined;
  const follow = followOf(source, description, allowedOrigins);
  if (follow !== undefined && 'refused' in follow) return follow;

  const looked = withOwnLookup(source, description);
  const lookup = compileLookup(source, looked, allowedOrigins);
  if (lookup !== undefined && 'refused' in lookup) return lookup;
  const input = compileInput(source, description, allowedOrigins);
  if (input !== undefined && 'refused' in input) return input;

  const wait = waitOf(source, description, allowedOrigins);
  if (wait !== undefined && 'refused' in wait) return wait;
  const steps = compileSteps(source, description, allowedOrigins);
  if (steps !== undefined && 'refused' in steps) return steps;

  // Where nothing says which member the id of a status by id is, it is the one that is called so.
  const takesId = /\{\+?id\}/.test(compiled.status?.url ?? '') || needsId(compiled.status?.sent);
  const isById = handle?.url === undefined && takesId;
  const id = handle?.id ?? chosenId(description) ?? (isById ? '$response.body#/id' : undefined);
  const remember = [
    ...Object.values(compiled).flatMap(({ sent }) => sent ?? []),
    ...(asked ? [asked.sent] : []),
    ...(steps ?? []).flatMap(({ helper }) => helper.sent ?? []),
    ...(wait?.sent ? [wait.sent] : []),
  ].flatMap(expressionsIn);
  const places = progressPlaces(description);
  const [after, self] = [wishPlaces(description), selfOf(source, description)];
  // A GET may be sent again whatever became of the first one. @see RFC 9110 §9.2.1
  const repeats = handle?.self === true && source.method.toUpperCase() === 'GET';
  const protocol: Protocol = {
    headers: (handle?.headers ?? (handle?.self === true ? [] : HEADERS)).map((header) => header.toLowerCase()),
    headersDescribed: handle?.headers !== undefined,
    ...(id !== undefined && { id }),
    ...(handle?.url !== undefined && { url: handle.url }),
    ...(compiled.status && { status: compiled.status }),
    ...(state?.at !== undefined && { stateAt: state.at }),
    ...(state?.header !== undefined && { stateHeader: state.header.toLowerCase() }),
    ...(state?.prefix !== undefined && { prefix: normaliseWord(state.prefix) }),
    words: wordsOf(description),
    ...(state?.second && { second: { when: state.second.when, at: state.second.at, words: wordsIn(state.second) } }),
    ...(state?.flags && { flags: state.flags }),
    ...(state?.conditions && { conditions: state.conditions }),
    ...(state?.error !== undefined && { errorAt: state.error }),
    ...(state?.codes && { codes: meaningByCode(state.codes) }),
    ...(handle?.self === true && { self: true }),
    ...(submit?.sync && { sync: submit.sync }),
    ...(submit?.busy && { busy: submit.busy }),
    ...(description.status?.append !== undefined && { append: description.status.append }),
    ...(follow && { follow }),
    ...(asked && { asked }),
    ...(wait && { wait }),
    ...(remember.length > 0 && { remember }),
    result: {
      ...resultRules(result),
      ...(self && { self }),
      none: result?.none === true,
      ...(result?.id !== undefined && { idAt: result.id }),
      ...(result?.urlAt !== undefined && { urlAt: result.urlAt }),
      ...(result?.header !== undefined && { header: result.header.toLowerCase() }),
      ...(compiled.result && { helper: compiled.result }),
    },
    ...(error?.message !== undefined && { messageAt: error.message }),
    ...(places && { progress: places }),
    ...(compiled.cancel && { cancel: compiled.cancel }),
    ...(cancel?.urlAt !== undefined && { cancelUrlAt: cancel.urlAt }),
    ...(cancel?.allowedWhen !== undefined && { allowedAt: cancel.allowedWhen }),
    ...(cancel?.over && { over: cancel.over }),
    deletes: cancel?.deletes === true,
    ...(after && { after }),
    ...(input && { input }),
    ...(steps && { steps }),
    ...(key && { key }),
    ...(lookup && { lookup: { ...lookup, ...(looked !== description && { atStatus: true as const }) } }),
    ...(submissionKey?.duplicate && { duplicate: submissionKey.duplicate }),
  };
  const all = [
    ...Object.values(compiled),
    ...(input === undefined ? [] : [input.helper, ...(input.decline ? [input.decline.helper] : [])]),
  ];
  const helpers = [...all, ...(steps ?? []).map(({ helper }) => helper), ...(wait?.helper ? [wait.helper] : [])].flatMap(
    (helper) => helper.operation ?? [],
  );
  return {
    protocol: protocol as unknown as Json,
    traits: {
      status: true,
      ...(wait && { waits: true as const }),
      lookup: lookup !== undefined,
      cancel: compiled.cancel === undefined ? 'none' : protocol.deletes ? 'deletes' : 'asks',
      deduplicates: repeats || (key !== undefined && submissionKey?.deduplicates !== false),
    },
    // A service with one address for everything asks it for its status too.
    helpers: [...new Set(helpers)].filter((name) => name !== operationName(source)),
  };
}
