// Quirks of the cancel.

import { quirkOf, type Spoiling, spoiling } from './name.ts';

/** What a cancel does to a job that runs, and how the answer to it is spoilt. */
export interface Cancelling {
  readonly does: 'stop' | 'nothing' | 'too_late' | 'delete_too_late';
  readonly spoilt?: Spoiling;
}

/** @param cancels that came before this one */
export function cancelling(name: string, cancels: number): Cancelling {
  const quirk = quirkOf(name);
  if (quirk === 'cancel-hangup') return { does: 'stop', spoilt: 'hangup' };
  if (quirk === 'cancel-lost') return cancels === 0 ? { does: 'nothing', spoilt: 'hangup' } : { does: 'stop' };
  if (quirk === 'cancel-deletes-late') return { does: 'delete_too_late' };
  const late = spoiling(name, 'cancel-late-');
  if (quirk === 'cancel-late') return { does: 'too_late' };
  if (late !== undefined) return { does: 'too_late', spoilt: late };
  const refused = spoiling(name, 'cancel-');
  return refused === undefined ? { does: 'stop' } : { does: 'nothing', spoilt: refused };
}
