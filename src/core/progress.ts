// How far a job is, as described: an amount of a whole, a count of a total, a header, or a percentage in words.

import type { JobDescription } from './description.ts';
import type { HttpResponse } from './http.ts';
import { type Json, valueAt } from './json.ts';
import type { Progress } from './operation.ts';
import { numberOf, shareIn, shown } from './readings.ts';

/** Where progress is; JSON, so that a descriptor can keep it. */
export interface ProgressPlaces {
  readonly at?: string;
  /** What is the whole of the amount `at`. */
  readonly of: number;
  readonly doneAt?: string;
  readonly totalAt?: string;
  /** Lower case. */
  readonly header?: string;
  readonly messageAt?: string;
}

/** `undefined` where nothing is described. */
export function progressPlaces({ progress }: JobDescription): ProgressPlaces | undefined {
  if (progress === undefined) return undefined;
  const { at, of = 100, done, total, header, message } = progress;
  return {
    of,
    ...(at !== undefined && { at }),
    ...(done !== undefined && { doneAt: done }),
    ...(total !== undefined && { totalAt: total }),
    ...(header !== undefined && { header: header.toLowerCase() }),
    ...(message !== undefined && { messageAt: message }),
  };
}

/** A header with nothing else is an amount, and no words for people. */
const IS_NUMBER = /^\d+(?:\.\d+)?$/;

/** What an answer says. A share beyond the whole is the whole. */
export function readProgress(
  response: HttpResponse,
  body: Json | undefined,
  places: ProgressPlaces | undefined,
): { readonly progress?: Progress } {
  if (places === undefined) return {};
  const inBody = places.messageAt === undefined ? undefined : shown(valueAt(body, places.messageAt));
  const inHeader = places.header === undefined ? undefined : shown(response.headers[places.header]);
  const amount = inHeader !== undefined && IS_NUMBER.test(inHeader) ? Number(inHeader) / places.of : undefined;
  const message = inBody ?? (amount === undefined ? inHeader : undefined);
  const share = fractionIn(body, places) ?? amount ?? (message === undefined ? undefined : shareIn(message));
  if (share === undefined && message === undefined) return {};
  return {
    progress: {
      ...(share !== undefined && { fraction: Math.min(1, Math.max(0, share)) }),
      ...(message !== undefined && { message }),
    },
  };
}

function fractionIn(body: Json | undefined, { at, of, doneAt, totalAt }: ProgressPlaces): number | undefined {
  if (at !== undefined) {
    const value = valueAt(body, at);
    const amount = numberOf(value);
    return amount === undefined ? shareIn(shown(value) ?? '') : amount / of;
  }
  const done = doneAt === undefined ? undefined : numberOf(valueAt(body, doneAt));
  const total = totalAt === undefined ? undefined : numberOf(valueAt(body, totalAt));
  return done === undefined || total === undefined || total <= 0 ? undefined : done / total;
}
