// What time may do: how long doubt and open effects may last before they are settled or handed to an operator, how long an operation
// may live at all, how late due work may be once nothing is in its way, and when an ended operation may go.
//   D1. Doubt ends within its window, effects are settled or escalated within theirs, and a live operation ends within its budget
//       and one more window: later only by as much as processes were down or stood still.
//   D2. When the last fault is over, due work waits at most for a lease of who is gone and for an idle process to look.
//   D3. Only what has ended, has nothing more to follow, and is past its time goes; then nobody finds it any more.

import type { Operation, OperationEvent } from '../../src/core/operation.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { callOf, type Report } from './breach.ts';
import type { Fault } from './history.ts';
import { instantOf } from './rounds.ts';
import type { Chance, Schedule } from './time.ts';
import type { Upstreams } from './upstreams.ts';

/** One exchange, one answer of a slow store, and the turns in between. */
const SLACK_MS = 15_000;
/** A lease of who is gone runs out, and whoever is idle looks again. */
const ADRIFT_MS = 30_000 + 30_000;
/** Tries of a fetch are spread over so long at most. */
const FETCHES_MS = 4 * 75_000;
const LOOK_EVERY_MS = 5_000;
const LATE_MS = ADRIFT_MS + SLACK_MS;

/** An unknown, from when it began until it was settled or handed over, in parts of its window. */
export interface Open {
  readonly forMs: number;
  readonly windowMs: number;
}

export class Deadlines {
  readonly #upstreams: Upstreams;
  readonly #schedule: Schedule;
  readonly #report: Report;
  /** How much later than due anything may be: processes that were down, stood still, could not write, or whose wall was set. */
  readonly #heldUpMs: number;
  readonly #skewMs: number;
  readonly open: Open[] = [];
  readonly #doubts = new Map<string, number>();
  readonly #effects = new Map<string, number>();
  readonly #pointedAt = new Set<string>();
  readonly #gone = new Map<string, number>();
  #calmFrom = 0;
  #lookedAt = 0;

  constructor(upstreams: Upstreams, faults: readonly Fault[], schedule: Schedule, report: Report) {
    this.#upstreams = upstreams;
    this.#schedule = schedule;
    this.#report = report;
    this.#skewMs = faults.reduce((sum, fault) => sum + (fault.what === 'clock' ? Math.abs(fault.byMs) : 0), 0);
    const stops = faults.map((fault) => {
      if (fault.what === 'crash') return fault.downMs + ADRIFT_MS;
      if (fault.what === 'stall' || fault.what === 'pause' || fault.what === 'store') return fault.forMs + ADRIFT_MS;
      return 0;
    });
    this.#heldUpMs = stops.reduce((sum, stop) => sum + stop, SLACK_MS + this.#skewMs);
  }

  /** A fault holds until then. */
  disturbed(until: number): void {
    this.#calmFrom = Math.max(this.#calmFrom, until);
  }

  committed(before: Operation, row: Operation, event: OperationEvent): void {
    const { now } = this.#schedule;
    const { id } = row;
    const { reconcileWindowMs, effectsWindowMs } = this.#upstreams.traitsOf(row).timing;
    const isDoubt = ({ life }: Operation) => life === 'SUBMISSION_UNKNOWN' || life === 'NEEDS_RECONCILIATION';
    if (event.type === 'operator_found') this.#pointedAt.add(id);
    // An ending whose result can't be had goes to and fro within one window.
    if (isDoubt(row) && !this.#doubts.has(id)) this.#doubts.set(id, now);
    if (!isDoubt(row) && row.life !== 'TERMINAL_OBSERVED')
      this.#over(this.#doubts, row, reconcileWindowMs + this.#fetches(before), 'in doubt');
    if (row.effects === 'REQUIRED' && before.effects !== 'REQUIRED') this.#effects.set(id, now);
    if (row.effects !== 'REQUIRED' || event.type === 'operator_found')
      this.#over(this.#effects, row, effectsWindowMs, 'with open effects');
    if (row.effects === 'REQUIRED' && event.type === 'operator_found') this.#effects.set(id, now);
  }

  #fetches = ({ seen }: Operation): number => (seen === undefined ? 0 : FETCHES_MS);

  #over(since: Map<string, number>, row: Operation, windowMs: number, how: string): void {
    const from = since.get(row.id);
    if (from === undefined) return;
    since.delete(row.id);
    const forMs = this.#schedule.now - from;
    this.open.push({ forMs, windowMs });
    if (forMs > windowMs + this.#heldUpMs)
      this.#report('D1', `call ${callOf(row)}: ${how} for ${forMs} ms, and its window is ${windowMs} ms`);
  }

  /** D1: the whole life, when it has ended. */
  ended(row: Operation): void {
    const { waitBudgetMs, reconcileWindowMs } = this.#upstreams.traitsOf(row).timing;
    const lifeMs = this.#schedule.now - instantOf(row.createdAt);
    const mostMs = waitBudgetMs + reconcileWindowMs + FETCHES_MS + this.#heldUpMs + this.#skewMs;
    if (lifeMs > mostMs && !this.#pointedAt.has(row.id))
      this.#report('D1', `call ${callOf(row)}: lived for ${lifeMs} ms, and may for ${mostMs} ms`);
  }

  /** Now and then, once nothing goes wrong any more. A wall that was set makes work late by as much, so there it is not looked. */
  isTimeToLook(): boolean {
    const { now } = this.#schedule;
    return this.#skewMs === 0 && now >= this.#calmFrom + LATE_MS && now >= this.#lookedAt + LOOK_EVERY_MS;
  }

  /** D2. */
  async overdue(rows: Iterable<Operation>, ledger: Ledger): Promise<void> {
    const { now } = this.#schedule;
    this.#lookedAt = now;
    for (const row of rows) {
      if (row.receipt !== undefined && row.effects !== 'REQUIRED') continue;
      for (const { kind, dueAt } of await ledger.work(row.id)) {
        // What became due anew may be due since long ago.
        const lateMs = now - instantOf(Math.max(dueAt, row.updatedAt));
        if (lateMs > LATE_MS)
          this.#report('D2', `call ${callOf(row)}: ${kind} is ${lateMs} ms late, and nothing is in its way`);
      }
    }
  }

  /** Whether an operation may have gone by now, by any clock. */
  mayBeGone({ receipt, effects, updatedAt, ttlMs }: Operation): boolean {
    if (receipt === undefined || effects === 'REQUIRED') return false;
    const from = Math.max(receipt.at, effects === 'NONE' ? 0 : updatedAt);
    return this.#schedule.now + this.#skewMs > instantOf(from) + ttlMs;
  }

  /** D3: what a sweep deleted. */
  async swept(rows: Iterable<Operation>, ledger: Ledger): Promise<void> {
    for (const row of rows) {
      if (this.#gone.has(row.id) || (await ledger.get(row.id)) !== undefined) continue;
      this.#gone.set(row.id, this.#schedule.now);
      if (!this.mayBeGone(row))
        this.#report('D3', `call ${callOf(row)}: gone while it is ${row.life} with effects ${row.effects}`, 'lostOperations');
      const left = [...(await ledger.history(row.id)), ...(await ledger.work(row.id)), await ledger.receipt(row.id)].filter(
        Boolean,
      );
      if (left.length > 0) this.#report('D3', `call ${callOf(row)}: gone, and ${left.length} of its rows are left`);
    }
  }

  isGone(id: string): boolean {
    return this.#gone.has(id);
  }
}

/** How long ended operations are kept, where that is short. */
export const retentionOf = (chance: Chance): number => chance.pick([1_000, 10_000, 30_000, 60_000]);
