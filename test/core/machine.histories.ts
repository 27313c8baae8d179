// Random histories of the machine: any event at any moment, as confused as networks, upstreams and people can make them.

import type { Traits } from '../../src/core/descriptor.ts';
import { applies, open, type Stepped, step } from '../../src/core/machine.ts';
import type { Operation, OperationEvent } from '../../src/core/operation.ts';
import type { Ending } from '../../src/core/outcome.ts';
import { EVENTS, type EventType } from '../../src/core/transitions.ts';
import { created, eventOf, held, MINUTE_MS, ours, stranger, traitsOf } from './machine.fixtures.ts';

const HISTORY_MAX = 40;

/** Numbers in [0, 1) that depend on the seed alone (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pick = <T>(random: () => number, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

/** Some protocol: any mix of what protocols can do. */
export const randomTraits = (random: () => number): Traits =>
  traitsOf(
    {
      status: random() < 0.7,
      lookup: random() < 0.5,
      deduplicates: random() < 0.6,
      cancel: pick(random, ['none', 'asks', 'deletes']),
      submitAttemptsMax: pick(random, [1, 2, 3]),
      fetchTriesMax: pick(random, [1, 2, 3]),
      cancelTriesMax: pick(random, [1, 2]),
    },
    random() < 0.3 ? { unknownWordMs: MINUTE_MS } : {},
  );

const ENDINGS: readonly Ending[] = ['succeeded', 'succeeded', 'failed', 'cancelled'];

/** Mostly the round that it should be: the next where none is pending. Seldom the next before its time, or an old one. */
function randomRound(chance: (share: number) => boolean, { input, round, answers }: Operation): number {
  const isOver = input === 'NONE' || (input === 'CLOSED' && (answers === undefined || chance(0.5)));
  return isOver || chance(0.1) ? round + 1 : round;
}

/** One event of this type that could reach `operation`: perhaps stale, about another attempt, another job, another round. */
export function randomEvent(random: () => number, operation: Operation, type: EventType): OperationEvent {
  const chance = (share: number): boolean => random() < share;
  const at = operation.updatedAt + Math.floor(random() ** 3 * 5 * MINUTE_MS);
  const reference = chance(0.9) ? ours : stranger;
  const common = { at, evidenceId: `ev-${Math.floor(random() * 1e9)}` };
  const read = { readAt: chance(0.75) ? operation.seq : Math.floor(random() * operation.seq) };
  switch (type) {
    case 'submit_started':
      return eventOf(type, { at, attempt: operation.attempt + 1, leaseUntil: at + 45_000 });
    case 'submit_accepted':
    case 'submit_rejected':
    case 'submit_throttled':
    case 'submit_ambiguous':
    case 'lease_ended': {
      const attempt = chance(0.7) ? operation.attempt : Math.max(1, operation.attempt - 1);
      return eventOf(type, { ...common, attempt, ...(type === 'submit_accepted' && { reference }) });
    }
    case 'submit_finished':
    case 'seen_ended':
      return eventOf(type, { ...common, ...read, reference, ending: pick(random, ENDINGS), ...(chance(0.4) && { held }) });
    case 'lookup_absent':
      return eventOf(type, { ...common, proof: chance(0.5) });
    case 'seen_input':
      return eventOf(type, { ...common, ...read, reference, pollAt: at + 3000, round: randomRound(chance, operation) });
    case 'seen_working':
      return eventOf(type, {
        ...common,
        ...read,
        reference,
        pollAt: at + 3000,
        progress: { fraction: random() },
        ...(chance(0.2) && { unknownWord: 'PENDING_REVIEW' }),
      });
    case 'lookup_found':
    case 'hint':
    case 'operator_found':
      return eventOf(type, { ...common, reference });
    case 'seen_missing':
    case 'seen_not_visible':
      return eventOf(type, { ...common, ...read });
    case 'result_bad':
      return eventOf(type, { ...common, permanent: chance(0.3), fetchAt: at + 4000 });
    case 'cancel':
      return eventOf(type, { ...common, sticky: chance(0.3) });
    case 'input_provided':
      return eventOf(type, { ...common, round: operation.round, ...(chance(0.3) && { partly: true }) });
    case 'answer_sent':
      return eventOf(type, { ...common, round: operation.round });
    case 'operator_result':
      return eventOf(type, { ...common, ending: pick(random, ENDINGS) });
    case 'reference_shared':
      return eventOf(type, { ...common, shared: { operation: 'op_other', alike: chance(0.5) } });
    default:
      return eventOf(type, common);
  }
}

export const randomType = (random: () => number): EventType => pick(random, EVENTS);

/** One random history after another, each with its traits: the operation after every event that applied, and that event. */
export function* reachable(
  random: () => number,
): Generator<{ readonly operation: Operation; readonly traits: Traits; readonly event: OperationEvent }> {
  const visits = new Map<string, number>();
  const placeOf = ({ life, cancellation, effects, input, doubted, attempt, seen }: Operation): string =>
    [life, cancellation, effects, input, doubted, attempt > 0, seen].join(' ');
  const visitsOf = ({ operation }: Stepped): number => visits.get(placeOf(operation)) ?? 0;
  for (;;) {
    const traits = randomTraits(random);
    const event = created();
    let operation = open(event, traits);
    let last: OperationEvent = event;
    for (let length = 0; length < HISTORY_MAX; length++) {
      const now = operation;
      visits.set(placeOf(now), (visits.get(placeOf(now)) ?? 0) + 1);
      yield { operation, event: last, traits };
      const moves = EVENTS.map((type) => randomEvent(random, now, type))
        .filter((event) => applies(now, event, traits))
        .map((event) => step(now, event, traits));
      if (moves.length === 0) break;
      // Most ways lead to an end, and to the same places: they are taken less often than others.
      const onward = moves.filter(({ ended }) => !ended);
      const choices = onward.length > 0 && random() < 0.9 ? onward : moves;
      const tried = [pick(random, choices), pick(random, choices), pick(random, choices)];
      const rarest = tried.reduce((a, b) => (visitsOf(b) < visitsOf(a) ? b : a));
      operation = rarest.operation;
      last = rarest.event;
    }
  }
}
