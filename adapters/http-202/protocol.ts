// What of a description this adapter keeps in the descriptor, and how it gets there.

import type { Compiled, OpenApiOperation, Refusal } from '../../src/core/adapter.ts';
import type { JobDescription } from '../../src/core/description.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { misreadExpression } from '../../src/core/expressions.ts';
import { type CompiledHelper, compileHelper } from '../../src/core/helper-request.ts';
import { type CompiledInput, compileInput } from '../../src/core/input-helper.ts';
import type { Json } from '../../src/core/json.ts';
import { type CompiledLookup, compileLookup } from '../../src/core/lookup.ts';
import { conflictingWord, MEANINGS, type StateWords } from '../../src/core/states.ts';
import { barredFromBody, type KeyPlaces, keyPlacesOf } from '../../src/core/submission-key.ts';

/** Headers that hold a status URL, where the description names none; the specific ones first. */
const HEADERS = ['operation-location', 'azure-asyncoperation', 'location', 'content-location'];

/** The adapter's compiled data: JSON, inside the descriptor. */
export interface Protocol {
  /** Lower case, in order. */
  readonly headers: readonly string[];
  /** The description named the headers: then each of them is taken at any status code. */
  readonly headersDescribed: boolean;
  readonly id?: string;
  readonly url?: string;
  readonly status?: CompiledHelper;
  readonly stateAt?: string;
  readonly words: StateWords;
  readonly result: {
    readonly at?: string;
    readonly urlAt?: string;
    /** Lower case. */
    readonly header?: string;
    readonly none: boolean;
    readonly helper?: CompiledHelper;
  };
  readonly messageAt?: string;
  readonly progress?: { readonly at?: string; readonly of: number; readonly messageAt?: string };
  readonly cancel?: CompiledHelper;
  readonly deletes: boolean;
  readonly input?: CompiledInput;
  readonly key?: KeyPlaces;
  readonly lookup?: CompiledLookup;
  readonly duplicate?: { readonly status: number; readonly reference?: string };
}

export const protocolOf = (descriptor: Descriptor): Protocol => descriptor.protocol as unknown as Protocol;

const MEND_POINTER = 'write a JSON Pointer: empty for the whole body, or /member/of/the/body';

/** What of a description can't be used: where, why, and the way out. */
type Fault = readonly [place: string, reason: string, mend: string];

function faultIn(source: OpenApiOperation, description: JobDescription): Fault | undefined {
  const { handle, state, result, error, progress } = description;
  for (const [place, expression] of Object.entries({ 'handle/id': handle?.id, 'handle/url': handle?.url })) {
    const misread = expression === undefined ? undefined : misreadExpression(expression);
    if (misread !== undefined) return [place, misread, 'see “Runtime Expressions” in the OpenAPI specification'];
  }
  const pointers = {
    'state/at': state?.at,
    'result/at': result?.at,
    'result/urlAt': result?.urlAt,
    'error/message': error?.message,
    'progress/at': progress?.at,
    'progress/message': progress?.message,
  };
  for (const [place, pointer] of Object.entries(pointers)) {
    if (pointer !== undefined && !/^(\/.*)?$/s.test(pointer)) return [place, `${pointer} is not a JSON Pointer`, MEND_POINTER];
  }
  const words = wordsOf(description);
  if (state?.at === undefined && Object.keys(words).length > 0) {
    return ['state/at', 'words are described, but not where they are', MEND_POINTER];
  }
  const conflict = conflictingWord(words);
  if (conflict !== undefined) {
    return ['state', `the word ${conflict.word} is listed as ${conflict.meanings.join(' and as ')}`, 'leave it in one list'];
  }
  const barred = barredFromBody(source.request, keyPlacesOf(description));
  return barred === undefined ? undefined : ['submissionKey/body', barred, 'send the key in a header or in the query'];
}

const wordsOf = ({ state }: JobDescription): StateWords =>
  Object.fromEntries(MEANINGS.flatMap((meaning) => (state?.[meaning] === undefined ? [] : [[meaning, state[meaning]]])));

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
  const { handle, state, result, error, progress, cancel, submissionKey } = description;
  const key = keyPlacesOf(description);
  const compiled: Partial<Record<'status' | 'result' | 'cancel', CompiledHelper>> = {};
  for (const name of ['status', 'result', 'cancel'] as const) {
    const helper = description[name];
    if (helper === undefined || (name === 'result' && helper.operation === undefined && helper.url === undefined)) continue;
    const method = name === 'cancel' ? 'POST' : 'GET';
    const idFrom = handle?.id?.startsWith('$response.') === true ? 'response' : 'request';
    const one = compileHelper({ source, helper, name, method, allowedOrigins, idFrom });
    if ('refused' in one) return one;
    compiled[name] = one;
  }

  const lookup = compileLookup(source, description, allowedOrigins);
  if (lookup !== undefined && 'refused' in lookup) return lookup;
  const input = compileInput(source, description, allowedOrigins);
  if (input !== undefined && 'refused' in input) return input;

  // Where nothing says which member the id of a status by id is, it is the one that is called so.
  const isById = handle?.url === undefined && /\{\+?id\}/.test(compiled.status?.url ?? '');
  const id = handle?.id ?? (isById ? '$response.body#/id' : undefined);
  const protocol: Protocol = {
    headers: (handle?.headers ?? HEADERS).map((header) => header.toLowerCase()),
    headersDescribed: handle?.headers !== undefined,
    ...(id !== undefined && { id }),
    ...(handle?.url !== undefined && { url: handle.url }),
    ...(compiled.status && { status: compiled.status }),
    ...(state?.at !== undefined && { stateAt: state.at }),
    words: wordsOf(description),
    result: {
      none: result?.none === true,
      ...(result?.at !== undefined && { at: result.at }),
      ...(result?.urlAt !== undefined && { urlAt: result.urlAt }),
      ...(result?.header !== undefined && { header: result.header.toLowerCase() }),
      ...(compiled.result && { helper: compiled.result }),
    },
    ...(error?.message !== undefined && { messageAt: error.message }),
    ...(progress && {
      progress: {
        of: progress.of ?? 100,
        ...(progress.at !== undefined && { at: progress.at }),
        ...(progress.message !== undefined && { messageAt: progress.message }),
      },
    }),
    ...(compiled.cancel && { cancel: compiled.cancel }),
    deletes: cancel?.deletes === true,
    ...(input && { input }),
    ...(key && { key }),
    ...(lookup && { lookup }),
    ...(submissionKey?.duplicate && { duplicate: submissionKey.duplicate }),
  };
  const all = [
    ...Object.values(compiled),
    ...(input === undefined ? [] : [input.helper, ...(input.decline ? [input.decline.helper] : [])]),
  ];
  const helpers = all.flatMap((helper) => helper.operation ?? []);
  return {
    protocol: protocol as unknown as Json,
    traits: {
      status: true,
      lookup: lookup !== undefined,
      cancel: compiled.cancel === undefined ? 'none' : protocol.deletes ? 'deletes' : 'asks',
      deduplicates: key !== undefined && submissionKey?.deduplicates !== false,
    },
    helpers: [...new Set(helpers)],
  };
}
