// How a job asks to be called, from what the document shows. What is expected of its duration is said elsewhere, and decides there.

import type { TaskSupport } from '../../core/tool.ts';
import type { Facts } from './facts.ts';
import type { Monitor } from './monitor.ts';
import { callbackOf } from './rules/callback.ts';
import { waitingChoice } from './rules/waiting-choice.ts';
import type { Survey } from './survey.ts';

export interface Support {
  readonly taskSupport: TaskSupport;
  readonly why: string;
}

export const SYNCHRONOUS: Support = { taskSupport: 'forbidden', why: 'nothing says that it answers later' };

/** A job that nothing more is known of: optional, so that every host can call it. */
export const UNDESCRIBED: Support = { taskSupport: 'optional', why: 'a job whose usual duration is not described' };

/** The support of an operation that starts a job. */
export function supportOf(facts: Facts, monitor: Monitor | undefined, survey: Survey): Support {
  const choice = waitingChoice(facts, survey.shapes);
  if (choice !== undefined) {
    return { taskSupport: 'optional', why: `it answers at once or later, as ${choice.name} in the ${choice.place} says` };
  }
  const later = facts.answer('202');
  const atOnce = facts.answer('200', '201', '204');
  if (later !== undefined && atOnce !== undefined) {
    return { taskSupport: 'optional', why: `it answers at once (${atOnce.status}) or later (202)` };
  }
  const callback = callbackOf(facts, survey);
  if (callback !== undefined && monitor === undefined) {
    // With an address it answers later; without one it may do the work at once.
    return callback.place === 'query' || callback.place === 'body'
      ? { taskSupport: 'optional', why: `it answers at once, or calls back where ${callback.name} says so` }
      : { taskSupport: 'required', why: 'the end is only ever told by a callback' };
  }
  return UNDESCRIBED;
}
