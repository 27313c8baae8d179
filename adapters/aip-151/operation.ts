// Reading a google.longrunning.Operation. @see AIP-151, google/longrunning/operations.proto
//   O1. `done` absent is false: proto3 leaves out what is at its default.
//   O2. An error wins over a response. Code 1 is CANCELLED; an empty error is no error.
//   O3. Done with neither is a success without a value.

import type { HttpResponse } from '../../src/core/http.ts';
import { isJsonObject, type Json, type JsonObject, scalarText, valueAt } from '../../src/core/json.ts';
import type { Progress } from '../../src/core/operation.ts';
import type { Ending, Payload } from '../../src/core/outcome.ts';
import { jsonPayload, numberOf, rawWord, readJson, sentenceIn, shown, unreadableBody } from '../../src/core/readings.ts';
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
    return { kind: 'running', ...name, ...progressIn(body, protocol), ...odd };
  }
  if (error !== undefined) {
    const message = sentenceIn(body, protocol.messageAt) ?? 'the operation failed, and the upstream gave no reason';
    const ending = error['code'] === CANCELLED ? 'cancelled' : 'failed';
    return { kind: 'done', ...name, ending, message, ...(ending === 'failed' && { result: jsonPayload(error) }) };
  }
  const value = valueAt(body, protocol.resultAt);
  return { kind: 'done', ...name, ending: 'succeeded', ...(value !== undefined && { result: jsonPayload(value) }) };
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

function progressIn(body: Json, { progress }: Protocol): { readonly progress?: Progress } {
  const amount = (progress.at === undefined ? PROGRESS : [progress.at])
    .map((at) => numberOf(valueAt(body, at)))
    .find((one) => one !== undefined);
  const message = (progress.messageAt === undefined ? PROGRESS_MESSAGE : [progress.messageAt])
    .map((at) => shown(valueAt(body, at)))
    .find((one) => one !== undefined);
  if (amount === undefined && message === undefined) return {};
  return {
    progress: {
      ...(amount !== undefined && { fraction: Math.min(1, Math.max(0, amount / progress.of)) }),
      ...(message !== undefined && { message }),
    },
  };
}
