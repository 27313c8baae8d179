// What leaves the house: written before sent, byte-identical, inside its lease, and no faster than the budget.

import type { Operation } from '../../src/core/operation.ts';
import { callOf, type Report, text } from './breach.ts';
import type { Sent } from './network.ts';
import type { Upstreams } from './upstreams.ts';
import { atOnce, POLLS_PER_SECOND, pollsPerSecondOf } from './worker.ts';

export class Traffic {
  readonly #upstreams: Upstreams;
  readonly #report: Report;
  readonly #polls = new Map<string, number[]>();
  /** How many polls each process has begun, and how many of them have left. */
  readonly #begun = new Map<string, { begun: number; left: number }>();
  readonly #submits = new Map<number, { readonly bytes: string; count: number }>();
  readonly #cancels = new Map<string, number>();
  readonly #startedAt = new Map<string, number>();
  /** Calls that are a second operation, after the first had gone. */
  again: ReadonlySet<number> = new Set();

  constructor(upstreams: Upstreams, report: Report) {
    this.#upstreams = upstreams;
    this.#report = report;
  }

  /** A submit was made durable as intended, at this true instant: its lease runs from here. */
  intended(row: Operation, at: number): void {
    this.#startedAt.set(row.id, at);
  }

  /** A request leaves a process. Answers the calls that it is about. */
  leaves(
    { upstream, route, request, purpose, at, call }: Sent,
    process: string,
    rows: readonly Operation[],
  ): readonly number[] {
    const path = new URL(request.url).pathname.replace(/(:|\/)(cancel|result|answer|decline|data|begin|wait)$/, '');
    // More than one where an id was given away again.
    const named = rows.filter(
      ({ upstream: name, reference }) =>
        name === upstream.name && (reference?.statusUrl?.endsWith(path) === true || path.endsWith(`/${reference?.id}`)),
    );
    if (purpose === 'poll') this.#pollLeaves(`${process} ${upstream.name}`);
    if (route === 'cancel') this.#cancel(request.url, named);
    if (route === 'submit' && call !== undefined && !this.again.has(call)) {
      const row = rows.find((one) => callOf(one) === call);
      this.#submit(call, row, text(request), at);
    }
    return call === undefined ? named.map(callOf) : [call];
  }

  #submit(call: number, row: Operation | undefined, bytes: string, at: number): void {
    if (row === undefined || row.attempt === 0) {
      this.#report('rule 1', `call ${call}: sent before it was written`);
      return;
    }
    const sent = this.#submits.get(call) ?? { bytes, count: 0 };
    sent.count += 1;
    this.#submits.set(call, sent);
    if (sent.count > row.attempt) this.#report('rule 1', `call ${call}: sent ${sent.count} times in ${row.attempt} attempts`);
    if (at - (this.#startedAt.get(row.id) ?? at) > this.#upstreams.traitsOf(row).timing.submitLeaseMs)
      this.#report('I11', `call ${call}: sent after the lease of its attempt`);
    if (sent.bytes !== bytes) this.#report('S4', `call ${call}: two attempts differ`);
  }

  #cancel(url: string, rows: readonly Operation[]): void {
    if (rows.every(({ generation }) => generation === 0)) this.#report('I9', `a cancel of ${url} leaves, and none is recorded`);
    const sends = (this.#cancels.get(url) ?? 0) + 1;
    this.#cancels.set(url, sends);
    const tries = rows.reduce((sum, { cancelTries }) => sum + cancelTries, 0);
    if (sends > tries) this.#report('I9', `a cancel of ${url} is sent ${sends} times and recorded ${tries} times`);
  }

  /** A process begins a poll; how it leaves depends on the store as well. */
  begins(process: string, upstream: string, at: number): void {
    this.#countOf(`${process} ${upstream}`).begun += 1;
    this.#poll(process, at, pollsPerSecondOf(this.#upstreams));
    this.#poll(`${process} ${upstream}`, at, POLLS_PER_SECOND);
  }

  /** When, is a matter of the store: each leaves that has begun, and no other. */
  #pollLeaves(process: string): void {
    const count = this.#countOf(process);
    count.left += 1;
    if (count.left > count.begun) this.#report('rule 9', 'a poll leaves that never began', 'pollsOverBudget');
  }

  #countOf(process: string): { begun: number; left: number } {
    const count = this.#begun.get(process) ?? { begun: 0, left: 0 };
    this.#begun.set(process, count);
    return count;
  }

  #poll(process: string, at: number, perSecond: number): void {
    const recent = [...(this.#polls.get(process) ?? []), at].filter((time) => time > at - 1_000);
    this.#polls.set(process, recent);
    if (recent.length > perSecond) this.#report('rule 9', `${recent.length} polls within a second`, 'pollsOverBudget');
    const now = recent.filter((time) => time === at).length;
    if (now > atOnce(perSecond)) this.#report('rule 9', `${now} polls at one instant`, 'pollsOverBudget');
  }
}
