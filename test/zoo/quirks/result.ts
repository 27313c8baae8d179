// Quirks of a result that has an address of its own.

import { has, type Spoiling, spoiling } from './name.ts';

/** How fetches of the result are spoilt: the first one, or all of them. */
export const spoiltFetch = (name: string, fetches: number): Spoiling | undefined =>
  has(name, 'forgets-all') ? '404' : ((fetches === 0 ? spoiling(name, 'fetch-') : undefined) ?? spoiling(name, 'never-'));

/** Whether the status is not to be had either, once it has told of the end: the service keeps nothing any more. */
export const isForgotten = (name: string, wasTold: boolean): boolean =>
  wasTold && (has(name, 'forgets') || has(name, 'forgets-all'));

/**
 * Whether a signed URL is still good when it comes to be fetched.
 * @param signature the how-manieth that the status has named
 */
export function isSignatureGood(name: string, signature: number): boolean {
  if (has(name, 'signature-ran-out')) return signature > 1;
  return !has(name, 'signatures-run-out');
}
