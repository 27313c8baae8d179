// Jobs that are only created by their submit: they wait for their data, and then for the word to begin.
//   G1. Data may come as often as it likes before the job begins. Each word to begin begins it: twice is a job that ran twice.
//   G2. For a while after a step the status may still show that it waits for it.
//   G3. A job that was stopped, or that is over, takes no step: 409.

import type { JobDescription } from '../../src/core/description.ts';
import type { Fate, Fault, History } from './history.ts';
import { Chance } from './time.ts';

/** How the gateway is told of it. */
export const STEPS: Pick<JobDescription, 'submit'> = {
  submit: {
    steps: [
      { method: 'PUT', url: '/jobs/{id}/data', when: ['created'] },
      { method: 'POST', url: '/jobs/{id}/begin', when: ['loaded'] },
    ],
  },
};

/** Clocks may differ by this much where something is measured by them. */
const SLACK_MS = 1_000;

type Stage = 'created' | 'loaded' | 'running';

/** How far a job is, and how often it was begun. */
export class Stages {
  begun = 0;
  #stage: Stage = 'created';
  /** What the status shows until then. */
  #shown: Stage = 'created';
  #shownUntil = 0;
  readonly #lagMs: number;

  constructor(lagMs: number) {
    this.#lagMs = lagMs;
  }

  /** Takes a step, or not: the status code of the answer. */
  take(step: string, now: number): number {
    if (step === 'data' && this.#stage === 'running') return 409;
    if (step === 'begin' && this.#stage === 'created') return 409;
    if (step === 'begin') this.begun += 1;
    this.#shown = this.shows(now);
    this.#shownUntil = now + this.#lagMs;
    this.#stage = step === 'data' ? 'loaded' : 'running';
    return 204;
  }

  shows(now: number): Stage {
    return now < this.#shownUntil ? this.#shown : this.#stage;
  }
}

/**
 * In some histories of a service with keys the jobs have steps, some of which go wrong. How far clocks may be set is an assumption
 * there: when a step that got no answer can't arrive any more is measured by the wall.
 */
export function withSteps(history: History, fates: readonly Fate[]): History {
  const chance = new Chance(history.seed ^ 0x57e9);
  const isSet = history.faults.some((fault) => fault.what === 'clock' && Math.abs(fault.byMs) > SLACK_MS);
  if (isSet || !['keyed', 'no-cancel'].includes(history.dialect) || !chance.chance(0.5)) return history;
  const faults =
    history.faults.length === 0
      ? []
      : Array.from(
          { length: chance.between(0, 3) },
          (): Fault => ({ what: 'exchange', route: 'step', nth: chance.between(1, 6), fate: chance.pick(fates) }),
        );
  return { ...history, dialect: 'in-steps', faults: [...history.faults, ...faults] };
}
