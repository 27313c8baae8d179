// Quirks of Retry-After: the forms in which it is sent.

import type { Answer } from '../species.ts';
import { has, quirkOf } from './name.ts';

/** What a look is told, and the instant before which nobody should look again. */
export interface Wish {
  readonly retryAfter?: string;
  readonly notBefore?: number;
}

/** Retry-After as services are known to send it. */
const SENT: Readonly<Record<string, string>> = {
  zero: '0',
  negative: '-5',
  decimal: '0.1',
  past: 'Wed, 21 Oct 2015 07:28:00 GMT',
  huge: '99999999999',
  word: 'soon',
  // What reads numbers from the left waits for some two thousand seconds.
  timestamp: '2026-07-28T12:00:00Z',
};

/** What the quirk `retry-after-…` has a look told; `looks` before this one. */
export function wishOf(name: string, looks: number, now: number): Wish {
  const form = quirkOf(name).replace(/^retry-after-/, '');
  const retryAfter = SENT[form];
  if (retryAfter !== undefined) return { retryAfter };
  if (form === 'varies') return looks === 0 ? { retryAfter: '1', notBefore: now + 1000 } : { retryAfter: '0' };
  if (looks > 0 || (form !== 'date' && form !== 'old-date')) return {};
  // A date has whole seconds: it is one to two of them away.
  const at = new Date((Math.ceil(now / 1000) + 1) * 1000);
  return { retryAfter: form === 'date' ? at.toUTCString() : asctime(at), notBefore: at.getTime() };
}

/** A first look that is refused, and says when to come again where gRPC does: among the details of the error. */
export function busyFor(
  name: string,
  looks: number,
  now: number,
): { readonly answer: Answer; readonly notBefore: number } | undefined {
  if (!has(name, 'retry-info') || looks > 0) return undefined;
  const info = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' };
  const error = { code: 8, message: 'too many looks', status: 'RESOURCE_EXHAUSTED', details: [info] };
  return { answer: { code: 429, json: { error } }, notBefore: now + 1000 };
}

/** @see RFC 9110 §5.6.7, asctime-date */
function asctime(at: Date): string {
  const [weekday = '', day = '', month, year, time] = at.toUTCString().split(' ');
  return `${weekday.slice(0, 3)} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
}
