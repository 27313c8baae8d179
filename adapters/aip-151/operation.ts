// Reading a google.longrunning.Operation. @see AIP-151, google/longrunning/operations.proto
//   O1. `done` absent is false: proto3 leaves out what is at its default.
//   O2. An error wins over a response. Code 1 is CANCELLED; an empty error is no error.
//   O3. Done with neither is a success without a value.

import type { HttpResponse } from '../../src/core/http.ts';
import { isJsonObject, type Json, type JsonObject, scalarText, valueAt } from '../../src/core/json.ts';
import type { Progress } from '../../src/core/operation.ts';
import type { Ending, Payload } from '../../src/core/outcome.ts';
import { readProgress } from '../../src/core/progress.ts';
import { jsonPayload, numberOf, rawWord, readJson, sentenceIn, shown, unreadableBody } from '../../src/core/readings.ts';
import { isPartialIn, opened, partialPayload } from '../../src/core/result.ts';
import type { Protocol } from './protocol.ts';

/** google.rpc.Code.CANCELLED */
const CANCELLED = 1;

export type OperationReading =
  | { readonly kind: 'running'; readonly name?: string; readonly progress?: Progress; readonly unknownWord?: string }
  | {
      readonly kind: 'done';
      readonly name?: string;
      readonly ending: Ending;
      readonly result?: Payload;
      readonly message?: string;
    }
  | { readonly kind: 'unreadable'; readonly message: string };

/** Where services put the progress in `metadata`: there is no one name for it. */
const PROGRESS = [
  '/metadata/progressPercent',
  '/metadata/progressPercentage',
  '/metadata/progress_percent',
  '/metadata/progress',
];
const PROGRESS_MESSAGE = ['/metadata/stateMessage', '/metadata/statusMessage', '/metadata/statusDetail', '/metadata/state'];

export function readOperation(response: HttpResponse, protocol: Protocol): OperationReading {
  const reading = readJson(response);
  if (reading.kind !== 'json') return { kind: 'unreadable', message: unreadableBody(reading) };
  const body = reading.value;
  const { nameAt } = protocol;
  const named = scalarText(valueAt(body, nameAt));
  const done = valueAt(body, '/done');
  const error = errorIn(body);
  if (!isJsonObject(body) || (named === undefined && done === undefined))
    return { kind: 'unreadable', message: 'the answer is no long-running operation' };
  const name = named === undefined || named === '' ? {} : { name: named };
  if (done !== true) {
    const odd = done === undefined || done === false ? {} : { unknownWord: `done: ${rawWord(done, '/done')}` };
    return { kind: 'running', ...name, ...progressIn(response, body, protocol), ...odd };
  }
  if (error !== undefined) {
    const message = sentenceIn(body, protocol.messageAt) ?? 'the operation failed, and the upstream gave no reason';
    const ending = error['code'] === CANCELLED ? 'cancelled' : 'failed';
    return { kind: 'done', ...name, ending, message, ...(ending === 'failed' && { result: jsonPayload(error) }) };
  }
  const value = valueAt(body, protocol.result.at ?? '/response');
  const whole = value === undefined ? undefined : opened(jsonPayload(value), protocol.result);
  const result = whole && isPartialIn(body, protocol.result) ? partialPayload(whole) : whole;
  return { kind: 'done', ...name, ending: 'succeeded', ...(result && { result }) };
}

/** The google.rpc.Status of a failed operation. An empty one is proto's way to write OK. */
function errorIn(body: Json): JsonObject | undefined {
  const error = valueAt(body, '/error');
  if (typeof error === 'string' && error !== '') return { message: error };
  if (!isJsonObject(error)) return undefined;
  return Object.values(error).every(isDefault) ? undefined : error;
}

const isDefault = (value: Json): boolean =>
  value === null || value === 0 || value === '' || (Array.isArray(value) && value.length === 0);

function progressIn(response: HttpResponse, body: Json, { progress }: Protocol): { readonly progress?: Progress } {
  const isCounted = progress.doneAt !== undefined || progress.header !== undefined;
  const at = progress.at ?? (isCounted ? undefined : PROGRESS.find((place) => numberOf(valueAt(body, place)) !== undefined));
  const messageAt = progress.messageAt ?? PROGRESS_MESSAGE.find((place) => shown(valueAt(body, place)) !== undefined);
  return readProgress(response, body, {
    ...progress,
    ...(at !== undefined && { at }),
    ...(messageAt !== undefined && { messageAt }),
  });
}
