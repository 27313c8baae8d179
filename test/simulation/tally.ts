// What a run adds up to.

import { type Breach, COUNTERS, type Counter } from './breach.ts';
import type { Open } from './deadlines.ts';
import { historyOf } from './history.ts';
import { type OpenStore, type Played, play } from './play.ts';

export interface Tally {
  histories: number;
  steps: number;
  operations: number;
  unknowns: number;
  traceable: number;
  readonly counters: Record<Counter, number>;
  readonly outcomes: Record<string, number>;
  readonly cancelAnswersMs: number[];
  readonly open: Open[];
  /** The histories that broke a rule. */
  readonly failures: Failure[];
}

/** A history, by its seed, and the first rule that it broke. */
export interface Failure {
  readonly seed: number;
  readonly breach: Breach;
}

export const nothing = (): Tally => ({
  histories: 0,
  steps: 0,
  operations: 0,
  unknowns: 0,
  traceable: 0,
  counters: Object.fromEntries(COUNTERS.map((counter) => [counter, 0])) as Record<Counter, number>,
  outcomes: {},
  cancelAnswersMs: [],
  open: [],
  failures: [],
});

export function add(tally: Tally, played: Played, seed: number): void {
  tally.histories += 1;
  tally.steps += played.steps;
  tally.operations += played.operations;
  tally.unknowns += played.unknowns;
  tally.traceable += played.traceable;
  for (const outcome of played.outcomes) tally.outcomes[outcome] = (tally.outcomes[outcome] ?? 0) + 1;
  // A sample is enough for a percentile.
  if (tally.cancelAnswersMs.length < 100_000) tally.cancelAnswersMs.push(...played.cancelAnswersMs);
  if (tally.open.length < 100_000) tally.open.push(...played.open);
  for (const { counter } of played.breaches) if (counter !== undefined) tally.counters[counter] += 1;
  const [breach] = played.breaches;
  if (breach !== undefined) tally.failures.push({ seed, breach });
}

export function merge(one: Tally, other: Tally): Tally {
  const outcomes = { ...one.outcomes };
  for (const [outcome, count] of Object.entries(other.outcomes)) outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
  return {
    histories: one.histories + other.histories,
    steps: one.steps + other.steps,
    operations: one.operations + other.operations,
    unknowns: one.unknowns + other.unknowns,
    traceable: one.traceable + other.traceable,
    counters: Object.fromEntries(COUNTERS.map((name) => [name, one.counters[name] + other.counters[name]])) as Record<
      Counter,
      number
    >,
    outcomes,
    cancelAnswersMs: [...one.cancelAnswersMs, ...other.cancelAnswersMs],
    open: [...one.open, ...other.open],
    failures: [...one.failures, ...other.failures],
  };
}

/** Plays the histories of some seeds, up to the first that breaks a rule unless it `keepsGoing`. */
export async function playSeeds(seeds: Iterable<number>, openStore?: OpenStore, keepsGoing = false): Promise<Tally> {
  const tally = nothing();
  for (const seed of seeds) {
    add(tally, await play(historyOf(seed), openStore), seed);
    if (tally.failures.length > 0 && !keepsGoing) break;
  }
  return tally;
}

/**
 * Within so much simulated time 99 of 100 cancels are answered to their callers, stalls and pauses of workers among them: the
 * contracts leave it at "promptly", and clients give a request a minute.
 */
export const CANCEL_ANSWERED_MS = 1_000;
/** So many cancels are enough for a percentile to mean something. */
const CANCELS_MIN = 200;

/** The share that is at or above all but so many in a hundred; `undefined` of nothing. */
export const percentile = (values: readonly number[], share: number): number | undefined =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)];

/** Whether cancels were answered as promptly as is claimed, as far as there were enough to tell. */
export const areCancelsPrompt = ({ cancelAnswersMs }: Tally): boolean =>
  cancelAnswersMs.length < CANCELS_MIN || (percentile(cancelAnswersMs, 0.99) ?? 0) <= CANCEL_ANSWERED_MS;

/** The last line of a run. */
export function lastLine(tally: Tally, seed: number): string {
  const share = tally.unknowns === 0 ? 100 : Math.floor((tally.traceable / tally.unknowns) * 100);
  return JSON.stringify({
    histories: tally.histories,
    steps: tally.steps,
    ...tally.counters,
    brokenHistories: tally.failures.length,
    unknownsTraceable: `${share}%`,
    seed,
  });
}
