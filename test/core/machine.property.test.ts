// What must hold of every history, however confused. Failures shrink to the shortest history that shows them.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Traits } from '../../src/core/descriptor.ts';
import { isEnded } from '../../src/core/guards.ts';
import { applies, dueWork, fold, open, type Stepped, step } from '../../src/core/machine.ts';
import type { DueWork, Operation, OperationEvent } from '../../src/core/operation.ts';
import { EVENTS, OWN_EVENTS, type WorkKind } from '../../src/core/transitions.ts';
import { created, eventOf, MINUTE_MS } from './machine.fixtures.ts';
import { randomEvent, randomTraits, seededRandom } from './machine.histories.ts';

interface Move extends Stepped {
  readonly before: Operation;
}
interface Life {
  readonly traits: Traits;
  readonly first: Operation;
  readonly moves: readonly Move[];
  readonly last: Operation;
}

interface History {
  readonly protocol: number;
  readonly entries: readonly { readonly choice: number; readonly details: number; readonly isApt: boolean }[];
}

/** Each entry: which event, of those that could apply or of all, and the seed of its details. */
const histories: fc.Arbitrary<History> = fc.record({
  protocol: fc.nat(),
  entries: fc.array(fc.record({ choice: fc.nat(), details: fc.nat(), isApt: fc.boolean() }), { maxLength: 40, size: 'max' }),
});

/** Lives a history: what judges as a bug (an own event out of place) never reaches the machine, because callers ask first. */
function live({ protocol, entries }: History): Life {
  const traits = randomTraits(seededRandom(protocol));
  const first = open(created(), traits);
  let operation = first;
  const moves: Move[] = [];
  for (const { choice, details, isApt } of entries) {
    const now = operation;
    const possible = EVENTS.map((type, index) => randomEvent(seededRandom(details + index), now, type)).filter((event) =>
      isApt || isOwn(event) ? applies(now, event, traits) : true,
    );
    const event = possible[choice % possible.length];
    if (event === undefined) continue;
    const stepped = step(operation, event, traits);
    moves.push({ before: operation, ...stepped });
    operation = stepped.operation;
  }
  return { traits, first, moves, last: operation };
}

const isOwn = (event: OperationEvent): boolean => (OWN_EVENTS as readonly string[]).includes(event.type);

const always = (check: (life: Life) => void) =>
  fc.assert(
    fc.property(histories, (history) => check(live(history))),
    { numRuns: 300, seed: 20260728 },
  );
/** Of every operation that a history passes through. */
const everywhere = (check: (operation: Operation, traits: Traits) => void) =>
  always(({ traits, first, moves }) => {
    for (const operation of [first, ...moves.map((move) => move.operation)]) check(operation, traits);
  });
const everyMove = (check: (move: Move, traits: Traits) => void) =>
  always(({ traits, moves }) => {
    for (const move of moves) check(move, traits);
  });

const DEADLINES: readonly WorkKind[] = ['suspect', 'budget', 'window', 'fetch', 'accept'];

describe('any history', () => {
  test('gets an answer to everything that is not ours, and to what is ours when it was asked before', () =>
    always(({ last: operation, traits }) => {
      for (const type of EVENTS) {
        const event = randomEvent(seededRandom(operation.seq), operation, type);
        if (isOwn(event) && !applies(operation, event, traits))
          expect(() => step(operation, event, traits)).toThrow(event.type);
        else expect(['applied', 'late', 'refused']).toContain(step(operation, event, traits).disposition);
      }
    }));

  test('folds to the row that stepping made', () =>
    always(({ traits, moves, last }) => {
      const kept = moves.filter(({ disposition }) => disposition !== 'refused');
      expect(fold([{ event: created(), disposition: 'applied' }, ...kept], traits)).toEqual(last);
      expect(last.seq).toBe(kept.length + 1);
    }));

  test('changes nothing by late evidence but the position, and nothing at all by refused', () =>
    everyMove(({ before, operation, disposition }) => {
      if (disposition === 'late') expect(operation).toEqual({ ...before, seq: before.seq + 1 });
      if (disposition === 'refused') expect(operation).toBe(before);
    }));

  test('has a receipt exactly when it has ended, made by the one event that ended it', () =>
    always(({ moves, first, last }) => {
      for (const operation of [first, ...moves.map((move) => move.operation)]) {
        expect(operation.receipt !== undefined).toBe(isEnded(operation));
      }
      const endings = moves.filter(({ ended }) => ended);
      expect(endings).toHaveLength(isEnded(last) ? 1 : 0);
      expect(last.receipt?.seq).toBe(endings[0]?.operation.seq);
    }));

  test('never leaves its end, whatever arrives afterwards', () =>
    everyMove(({ before, operation }) => {
      if (!isEnded(before)) return;
      expect(operation.life).toBe(before.life);
      expect(operation.receipt).toBe(before.receipt);
    }));

  test('succeeds only with a result that is held, and says so in its receipt', () =>
    everywhere(({ receipt, held, seen, generation }) => {
      if (receipt === undefined) return;
      if (receipt.outcome === 'succeeded') expect([seen, held !== undefined]).toEqual(['succeeded', true]);
      expect(receipt.matched.resultDigest).toBe(receipt.result?.digest ?? null);
      if (receipt.result !== undefined) expect(receipt.result).toBe(held);
      if (receipt.by === 'caller') expect([receipt.outcome, generation > 0]).toEqual(['cancelled', true]);
      expect(receipt.reason).toMatch(/\S/);
    }));

  test('ends as cancelled at once by a sticky cancel, and stays so', () =>
    everyMove(({ before, event, operation }) => {
      if (event.type === 'cancel' && event.sticky && !isEnded(before)) expect(operation.life).toBe('CANCELLED_ACCEPTED');
    }));

  test('never lowers the cancel generation, and has one exactly when a cancel was recorded', () =>
    everyMove(({ before, operation }) => {
      expect(operation.generation).toBeGreaterThanOrEqual(before.generation);
      expect(operation.generation > 0).toBe(operation.cancellation !== 'NONE');
    }));

  test('submits nothing once a cancel is recorded, nor twice where the upstream would make two jobs', () =>
    everyMove(({ before, operation }, traits) => {
      if (operation.attempt === before.attempt) return;
      expect(before.cancellation).toBe('NONE');
      expect(before.life === 'QUEUED' || traits.deduplicates).toBe(true);
      expect(before.mayExist && !traits.deduplicates).toBe(false);
    }));

  test('never reopens a round that was answered', () =>
    always(({ moves }) => {
      const answered = new Set<number>();
      for (const { operation } of moves) {
        if (operation.input === 'ANSWERED' || operation.input === 'SENT') answered.add(operation.round);
        if (operation.input === 'OPEN') expect(answered).not.toContain(operation.round);
      }
    }));

  test('asks the caller exactly while a round is open', () =>
    everywhere(({ life, input }) => expect(input === 'OPEN').toBe(life === 'INPUT_REQUIRED')));

  test('never forgets a job that may run, and never reopens effects that are settled', () =>
    everyMove(({ before, operation: { life, effects, mayExist, seen, receipt, finding } }) => {
      const isAsSeen = life === 'ACCEPTED' && seen === receipt?.outcome;
      if (receipt !== undefined && mayExist && !isAsSeen) expect(effects).not.toBe('NONE');
      if (before.effects === 'SETTLED') expect(effects).toBe('SETTLED');
      expect(effects === 'SETTLED').toBe(finding !== undefined);
    }));

  test('says why while it is in doubt', () =>
    everywhere(({ life, trouble }) => {
      if (life === 'SUBMISSION_UNKNOWN' || life === 'NEEDS_RECONCILIATION') expect(trouble).toMatch(/\S/);
    }));

  test('never shows less progress than before', () =>
    everyMove(({ before, operation }) =>
      expect(operation.progress?.fraction ?? 0).toBeGreaterThanOrEqual(before.progress?.fraction ?? 0),
    ));
});

describe('the work due', () => {
  test('is some, with a deadline, while an operation lives; what its effects need afterwards; else none', () =>
    everywhere((operation, traits) => {
      const kinds = dueWork(operation, traits).map(({ kind }) => kind);
      expect(new Set(kinds).size).toBe(kinds.length);
      if (!isEnded(operation)) expect(kinds.filter((kind) => DEADLINES.includes(kind))).not.toEqual([]);
      else if (operation.effects !== 'REQUIRED') expect(kinds).toEqual([]);
      else {
        expect(kinds).toContain('effects');
        expect(['poll', 'lookup', 'cancel', 'cancel_suspect', 'effects']).toEqual(expect.arrayContaining(kinds));
      }
    }));

  test('always has an instant, and applies when it comes', () =>
    everywhere((operation, traits) => {
      for (const work of dueWork(operation, traits)) {
        expect(Number.isFinite(work.dueAt), work.kind).toBe(true);
        const event = intentOf(work, operation, traits);
        if (event !== undefined) expect(applies(operation, event, traits), `${work.kind} in ${operation.life}`).toBe(true);
      }
    }));

  test('leads to an end, and to settled or escalated effects, by time alone', () =>
    always(({ last, traits }) => {
      let operation = last;
      for (let turns = 0; turns < 20; turns++) {
        const deadline = dueWork(operation, traits).findLast(({ kind }) => [...DEADLINES, 'effects'].includes(kind));
        if (deadline === undefined) break;
        const event = intentOf(deadline, operation, traits) ?? eventOf('result_bad', { at: deadline.dueAt });
        operation = step(operation, event, traits).operation;
      }
      expect(isEnded(operation)).toBe(true);
      expect(operation.effects).not.toBe('REQUIRED');
    }));
});

/** What a worker records before it does this work; nothing for reads. */
function intentOf({ kind, dueAt }: DueWork, operation: Operation, traits: Traits): OperationEvent | undefined {
  const at = Math.max(dueAt, operation.updatedAt);
  switch (kind) {
    case 'submit':
      return eventOf('submit_started', { at: dueAt, attempt: operation.attempt + 1 });
    case 'suspect':
      return eventOf('lease_ended', { at, attempt: operation.attempt });
    case 'accept':
      return eventOf('accept', { at });
    case 'answer':
      return eventOf('answer_sent', { at, round: operation.round });
    case 'cancel':
      return traits.cancel === 'none' ? eventOf('cancel_unsupported', { at }) : eventOf('cancel_sent', { at });
    case 'cancel_suspect':
      return eventOf('cancel_unanswered', { at, retryAt: at + MINUTE_MS });
    case 'budget':
      return eventOf('budget_over', { at });
    case 'window':
      return eventOf('window_over', { at });
    case 'effects':
      return eventOf('effects_over', { at });
    default:
      return undefined;
  }
}
