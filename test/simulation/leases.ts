// L8: a piece of work has one holder at a time, and each has a greater token than the one before.

import type { DueWork } from '../../src/core/operation.ts';
import type { Lease } from '../../src/ledger/ledger.ts';
import type { Report } from './breach.ts';

const keyOf = ({ operationId, kind }: Pick<Lease, 'operationId' | 'kind'>) => `${operationId} ${kind}`;

export class Leases {
  /** Clocks were set: leases are measured by clocks that disagree. */
  unsteady = false;
  readonly #held = new Map<string, Lease>();
  readonly #tokens = new Map<string, number>();
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  /** One call for work was answered: with no more polls than may begin now, so that others can have the rest. */
  asked(leases: readonly Lease[], pollsAtOnce: number): void {
    const polls = leases.filter(({ kind }) => kind === 'poll').length;
    if (polls > pollsAtOnce) this.#report('W2', `${polls} polls are leased, and ${pollsAtOnce} may begin`);
  }

  taken(lease: Lease, now: number): void {
    const key = keyOf(lease);
    const held = this.#held.get(key);
    if (held !== undefined && held.until > now && !this.unsteady) this.#report('L8', `${key} is leased twice`);
    const last = this.#tokens.get(key) ?? 0;
    if (lease.token <= last) this.#report('L8', `${key}: token ${lease.token} after ${last}`);
    if (lease.dueAt > now) this.#report('L7', `${key}: leased before it is due`);
    this.#tokens.set(key, lease.token);
    this.#held.set(key, lease);
  }

  givenBack(lease: Lease): void {
    const key = keyOf(lease);
    if (this.#tokens.get(key) !== lease.token) this.#report('L8', `${lease.kind} is given back by one who does not hold it`);
    this.#held.delete(key);
  }

  /** A commit: what has another instant than before, or is no longer due, has no holder any more (L11). */
  settled(operationId: string, before: readonly DueWork[], after: readonly DueWork[]): void {
    const instants = new Map(after.map(({ kind, dueAt }) => [kind, dueAt]));
    for (const { kind, dueAt } of before) if (instants.get(kind) !== dueAt) this.#held.delete(keyOf({ operationId, kind }));
  }
}
