// What of a description this adapter keeps in the descriptor, and how it gets there.

import type { Compiled, OpenApiOperation, Refusal } from '../../src/core/adapter.ts';
import type { BusyAnswers } from '../../src/core/busy.ts';
import type { HelperRequest, JobDescription } from '../../src/core/description.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { operationName } from '../../src/core/helper-request.ts';
import { type CompiledInput, compileInput } from '../../src/core/input-helper.ts';
import type { Json } from '../../src/core/json.ts';
import { type CompiledLookup, compileLookup } from '../../src/core/lookup.ts';
import { type ProgressPlaces, progressPlaces } from '../../src/core/progress.ts';
import { type ResultRules, resultRules } from '../../src/core/result.ts';
import { expressionsIn, type Sent, sentOf } from '../../src/core/sent.ts';
import type { StateWords } from '../../src/core/states.ts';
import { type KeyPlaces, keyFault, keyPlacesOf } from '../../src/core/submission-key.ts';
import { splitUrl } from '../../src/core/urls.ts';
import { type WishPlaces, wishPlaces } from '../../src/core/wish.ts';

/** The adapter's compiled data: JSON, inside the descriptor. */
export interface Protocol {
  /** Where an operation is read: absolute, its path ends with the name's placeholder. */
  readonly template: string;
  /** JSON Pointer of the operation in an answer: '' but for services that wrap it. */
  readonly nameAt: string;
  readonly result: ResultRules;
  readonly messageAt: string;
  readonly progress: ProgressPlaces;
  /** Sent when an operation is read, and when it is cancelled. */
  readonly statusSent?: Sent;
  readonly cancelSent?: Sent;
  /** The look as a long poll: what follows the operation's URL, and what is sent. */
  readonly wait?: Wait;
  /** What follows the operation's URL: `:cancel`. */
  readonly cancel?: { readonly method: string; readonly suffix: string };
  readonly deletes: boolean;
  /** What the answer to a cancel is where the operation is over. */
  readonly over?: readonly number[];
  /** Where answers say when to look again. */
  readonly after?: WishPlaces;
  /** Answers to the submit that say "not now". */
  readonly busy?: BusyAnswers;
  /** Where the metadata says that a person is waited for, and by which words. */
  readonly waiting?: { readonly at: string; readonly words: StateWords };
  readonly input?: CompiledInput;
  readonly key?: KeyPlaces;
  readonly lookup?: CompiledLookup;
  readonly security?: readonly string[];
}

export interface Wait {
  readonly holdMs: number;
  readonly method: string;
  readonly suffix: string;
  readonly sent: Sent;
}

export const protocolOf = (descriptor: Descriptor): Protocol => descriptor.protocol as unknown as Protocol;

/** A template of one kind of helper: its URL, its method, and the document's operation behind it. */
interface Helper {
  readonly url: string;
  readonly method: string;
  readonly operation?: OpenApiOperation;
}

/** Compiles a description, or says what in it can't be used, where, and the way out. */
export function compile(
  source: OpenApiOperation,
  description: JobDescription,
  allowedOrigins: readonly string[],
): Compiled | Refusal {
  const refuse = (place: string, reason: string, mend: string): Refusal => ({
    refused: true,
    pointer: `${source.pointer}/x-longshore/${place}`,
    reason,
    mend,
  });
  const { handle, result, error } = description;
  const foreign = foreignTo(description);
  if (foreign !== undefined)
    return refuse(foreign, 'an operation says by itself what this describes', 'leave it out, or use the adapter http-202');
  const { wait } = description.status ?? {};
  const [statusSent, cancelSent, waitSent] = [description.status, description.cancel, wait].map((part) => sentOf(part ?? {}));
  // Nothing but the operation's name is remembered.
  for (const [place, sent] of Object.entries({ status: statusSent, cancel: cancelSent, 'status/wait': waitSent })) {
    if (sent !== undefined && expressionsIn(sent).length > 0)
      return refuse(place, 'values of the submit are not remembered with an operation', 'write constants, or {id}');
  }

  const nameAt = handle?.id === undefined ? '/name' : /^\$response\.body#(\/.*)$/.exec(handle.id)?.[1];
  if (nameAt === undefined)
    return refuse('handle/id', 'an operation’s name is in the body', 'leave it out, or write $response.body#/name');
  const key = keyPlacesOf(description);
  const barred = keyFault(source.request, description);
  if (barred !== undefined) return refuse(...barred);

  const isPlaced = description.status?.operation !== undefined || description.status?.url !== undefined;
  const status =
    description.status === undefined || (!isPlaced && (statusSent !== undefined || wait !== undefined))
      ? byConvention(source)
      : resolve(source, description.status, 'GET');
  if (status === undefined)
    return refuse(
      'status/operation',
      `there is no operation ${description.status?.operation ?? ''}`,
      'name an operation of this document',
    );
  const origin = splitUrl(status.url.replace(/[{}+]/g, ''))?.origin;
  if (!allowedOrigins.some((allowed) => splitUrl(allowed)?.origin === origin)) {
    return refuse('status/url', `the origin ${origin ?? 'of this URL'} is not allowed`, 'use a path of this upstream');
  }
  if (!/\{\+?[^{}]+\}$/.test(status.url.split('?', 1)[0] ?? '')) {
    return refuse('status', 'the path of the status does not end with the operation’s name', 'end it with {+name}');
  }

  const lookup = compileLookup(source, description, allowedOrigins);
  if (lookup !== undefined && 'refused' in lookup) return lookup;
  const input = compileInput(source, description, allowedOrigins);
  if (input !== undefined && 'refused' in input) return input;
  const { state } = description;
  const cancel = cancelOf(source, description, status);
  if (cancel !== undefined && 'wrong' in cancel) return refuse('cancel', cancel.wrong, 'describe it as `{statusUrl}:cancel`');
  const after = wishPlaces(description);
  const waiting = waitOf(source, description, status);
  if (waiting !== undefined && 'wrong' in waiting)
    return refuse('status/wait', waiting.wrong, 'describe it as `{statusUrl}:wait`');
  const protocol: Protocol = {
    template: status.url,
    nameAt,
    result: { at: '/response', ...resultRules(result) },
    messageAt: error?.message ?? '/error/message',
    progress: progressPlaces(description) ?? { of: 100 },
    ...(statusSent && { statusSent }),
    ...(cancelSent && { cancelSent }),
    ...(waiting && { wait: waiting }),
    ...(cancel && { cancel: { method: cancel.method, suffix: cancel.suffix } }),
    deletes: description.cancel?.deletes === true,
    ...(description.cancel?.over && { over: description.cancel.over }),
    ...(after && { after }),
    ...(description.submit?.busy && { busy: description.submit.busy }),
    ...(state?.at !== undefined && state.input !== undefined && { waiting: { at: state.at, words: { input: state.input } } }),
    ...(input && { input }),
    ...(key && { key }),
    ...(lookup && { lookup }),
    ...securityOf(status.operation ?? source),
  };
  return {
    protocol: protocol as unknown as Json,
    traits: {
      status: true,
      ...(waiting && { waits: true as const }),
      lookup: lookup !== undefined,
      cancel: cancel === undefined ? 'none' : protocol.deletes ? 'deletes' : 'asks',
      deduplicates: key !== undefined && description.submissionKey?.deduplicates !== false,
    },
    helpers: [
      ...[status.operation, cancel?.operation, waitOperation(source, description, status)].flatMap((operation) =>
        operation === undefined ? [] : [operationName(operation)],
      ),
      ...[input?.helper.operation, input?.decline?.helper.operation].flatMap((name) => name ?? []),
    ],
  };
}

/** What of a description an operation leaves nothing to say about. */
function foreignTo({ handle, status, state, submit, result, cancel }: JobDescription): string | undefined {
  const parts = {
    'handle/self': handle?.self,
    'status/body': status?.body,
    'status/append': status?.append,
    'status/follow': status?.follow,
    'state/second': state?.second,
    'state/flags': state?.flags,
    'state/conditions': state?.conditions,
    'state/codes': state?.codes,
    'state/header': state?.header,
    'submit/sync': submit?.sync,
    'result/type': result?.unwrap === 'base64' ? undefined : result?.type,
    'result/pages': result?.pages,
    'submit/steps': submit?.steps,
    'result/partial': typeof result?.partial === 'object' ? result.partial : undefined,
    'cancel/urlAt': cancel?.urlAt,
    'cancel/allowedWhen': cancel?.allowedWhen,
    'result/self': result?.self,
    'result/required': result?.required,
  };
  return Object.entries(parts).find(([, part]) => part !== undefined)?.[0];
}

const securityOf = ({ request }: OpenApiOperation): { readonly security?: readonly string[] } =>
  request.security === undefined ? {} : { security: request.security };

/** Where nothing is described: `{+name}` below the submit's own version segment. */
function byConvention(source: OpenApiOperation): Helper {
  const version = /^\/(v\d[^/{}]*)\//.exec(source.request.path)?.[1];
  const path = `${version === undefined ? '' : `/${version}`}/{+name}`;
  for (const written of [path, path.replace('+', '')]) {
    const operation = source.related(`GET ${written}`);
    if (operation !== undefined) return fromOperation(operation);
  }
  return { url: `${source.request.server}${path}`, method: 'GET' };
}

const fromOperation = (operation: OpenApiOperation): Helper => ({
  url: `${operation.request.server}${operation.request.path}`,
  method: operation.method.toUpperCase(),
  operation,
});

/** A helper as described; `undefined` where it names an operation that isn't there. */
function resolve(source: OpenApiOperation, helper: HelperRequest, method: string): Helper | undefined {
  const name =
    helper.operation ?? (helper.url?.startsWith('/') ? `${helper.method?.toUpperCase() ?? method} ${helper.url}` : undefined);
  const operation = name === undefined ? undefined : source.related(name);
  if (operation !== undefined) return fromOperation(operation);
  if (helper.url === undefined) return undefined;
  const absolute = /^https?:\/\//i.test(helper.url) || helper.url.startsWith('{statusUrl}');
  const path = helper.url.startsWith('/') ? helper.url : `/${helper.url}`;
  return { url: absolute ? helper.url : `${source.request.server}${path}`, method: helper.method?.toUpperCase() ?? method };
}

/** The document's operation behind a wait: it is no tool of its own. */
const waitOperation = (source: OpenApiOperation, { status }: JobDescription, { operation }: Helper) =>
  status?.wait?.operation !== undefined
    ? source.related(status.wait.operation)
    : status?.wait && operation && source.related(`POST ${operation.path}:wait`);

/** A wait without an address is the document's `:wait`, where it has one: few services do. @see google/longrunning WaitOperation */
function waitOf(
  source: OpenApiOperation,
  { status: described }: JobDescription,
  status: Helper,
): Wait | { readonly wrong: string } | undefined {
  const { wait } = described ?? {};
  if (wait === undefined) return undefined;
  const isPlaced = wait.operation !== undefined || wait.url !== undefined;
  const own = status.operation && source.related(`POST ${status.operation.path}:wait`);
  if (!isPlaced && own === undefined) return undefined;
  const helper = isPlaced ? resolve(source, wait, 'POST') : fromOperation(own as OpenApiOperation);
  if (helper === undefined) return { wrong: `there is no operation ${wait.operation ?? ''}` };
  const suffix = /\}([^{}]*)$/.exec(helper.url)?.[1];
  if (suffix === undefined) return { wrong: 'the wait does not name the operation' };
  const { method } = helper;
  const body = wait.body ?? (method === 'POST' ? { timeout: `${wait.forMs / 1000}s` } : undefined);
  return { holdMs: wait.forMs, method, suffix, sent: { ...sentOf(wait), ...(body && { body }) } };
}

/** A cancel is offered only where the description or the document has one: many services have none. @see AIP-151 */
function cancelOf(
  source: OpenApiOperation,
  { cancel }: JobDescription,
  status: Helper,
):
  | { readonly suffix: string; readonly method: string; readonly operation?: OpenApiOperation }
  | { readonly wrong: string }
  | undefined {
  if (cancel === undefined) {
    const operation = status.operation && source.related(`POST ${status.operation.path}:cancel`);
    return operation && { suffix: ':cancel', method: 'POST', operation };
  }
  const described = cancel.operation !== undefined || cancel.url !== undefined;
  const helper = described ? resolve(source, cancel, 'POST') : { url: '{statusUrl}:cancel', method: 'POST' };
  if (helper === undefined) return { wrong: `there is no operation ${cancel.operation ?? ''}` };
  const suffix = /\}([^{}]*)$/.exec(helper.url)?.[1];
  if (suffix === undefined) return { wrong: 'the cancel does not name the operation' };
  return { suffix, method: helper.method, ...(helper.operation && { operation: helper.operation }) };
}
