// Quirks of calling back.

import { has } from './name.ts';

/** One thing that a service calls back. */
export interface Delivery {
  /** `failure`: that the job failed, which it did not. */
  readonly event: 'end' | 'news' | 'failure';
  /** With a secret that nobody gave it. */
  readonly forged?: true;
  /** With an id that the answer to the submit did not name. */
  readonly alias?: true;
  /** Signed so many seconds from now. */
  readonly signedS?: number;
  /** Says after it was signed that the job failed. */
  readonly tampered?: true;
  /** By gzip. */
  readonly zipped?: true;
  /** Signed with the former secret as well. */
  readonly rolled?: true;
  /** Told again so often before, under other ids. */
  readonly emission?: number;
}

/** Whether nobody should believe it. */
export const isRefused = ({ forged, tampered, signedS }: Delivery): boolean =>
  forged === true || tampered === true || signedS !== undefined;

const TWO_HOURS = 7200;

/** What is called back, in order, when a job is over; each row at once. */
export function deliveries(name: string): readonly (readonly Delivery[])[] {
  if (has(name, 'lost-callback')) return [];
  if (has(name, 'twice')) return [[{ event: 'end' }], [{ event: 'end' }]];
  if (has(name, 'twice-at-once')) return [[{ event: 'end' }, { event: 'end' }]];
  if (has(name, 'reordered')) return [[{ event: 'end' }], [{ event: 'news' }]];
  if (has(name, 'forged')) return [[{ event: 'news', forged: true }], [{ event: 'end', forged: true }], [{ event: 'end' }]];
  if (has(name, 'alias')) return [[{ event: 'end', alias: true }]];
  // By itself, before any answer names the job, an event would be ours by its URL: the news says first which job that is.
  if (has(name, 'of-another')) return [[{ event: 'news' }], [{ event: 'failure', alias: true }], [{ event: 'end' }]];
  if (has(name, 'stale')) return [[{ event: 'failure', signedS: -TWO_HOURS }], [{ event: 'end' }]];
  if (has(name, 'from-the-future')) return [[{ event: 'failure', signedS: TWO_HOURS }], [{ event: 'end' }]];
  if (has(name, 'tampered')) return [[{ event: 'end', tampered: true }], [{ event: 'end' }]];
  if (has(name, 'zipped')) return [[{ event: 'end', zipped: true }]];
  if (has(name, 'two-secrets')) return [[{ event: 'end', rolled: true }]];
  if (has(name, 'emitted-again'))
    return [[{ event: 'news' }], [{ event: 'news', emission: 1 }], [{ event: 'end' }], [{ event: 'end', emission: 1 }]];
  return [[{ event: 'end' }]];
}

/** Whether it is called back before the submit is answered. */
export const isEarly = (name: string): boolean => has(name, 'early');
