// Quirks of calling back.

import { has } from './name.ts';

/** One thing that a service calls back. */
export interface Delivery {
  readonly event: 'end' | 'news';
  /** With a secret that nobody gave it. */
  readonly forged?: true;
  /** With an id that the answer to the submit did not name. */
  readonly alias?: true;
}

/** What is called back, in order, when a job is over; each row at once. */
export function deliveries(name: string): readonly (readonly Delivery[])[] {
  if (has(name, 'lost-callback')) return [];
  if (has(name, 'twice')) return [[{ event: 'end' }], [{ event: 'end' }]];
  if (has(name, 'twice-at-once')) return [[{ event: 'end' }, { event: 'end' }]];
  if (has(name, 'reordered')) return [[{ event: 'end' }], [{ event: 'news' }]];
  if (has(name, 'forged')) return [[{ event: 'news', forged: true }], [{ event: 'end', forged: true }], [{ event: 'end' }]];
  if (has(name, 'alias')) return [[{ event: 'end', alias: true }]];
  return [[{ event: 'end' }]];
}

/** Whether it is called back before the submit is answered. */
export const isEarly = (name: string): boolean => has(name, 'early');
