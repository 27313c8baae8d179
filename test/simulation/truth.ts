// Receipts and findings held against what the service knows to be so (I6, I7).

import type { Operation } from '../../src/core/operation.ts';
import type { Ending } from '../../src/core/outcome.ts';
import type { OperationView } from '../../src/engine/engine.ts';
import { callOf, type Report, text } from './breach.ts';
import { type Job, resultOf } from './service.ts';
import type { Schedule } from './time.ts';
import type { Upstreams } from './upstreams.ts';

export class Truth {
  /** Calls that a fault on the way touched. */
  readonly touched = new Set<number>();
  /** Calls of which an operator said what is not so, or may not be. */
  readonly told = new Set<number>();
  /** Calls that are a second operation, after the first had gone. */
  readonly again = new Set<number>();
  /** Calls that a service itself told of another's job, before they knew their own. */
  readonly strayed = new Set<number>();
  readonly #upstreams: Upstreams;
  readonly #schedule: Schedule;
  readonly #report: Report;

  constructor(upstreams: Upstreams, schedule: Schedule, report: Report) {
    this.#upstreams = upstreams;
    this.#schedule = schedule;
    this.#report = report;
  }

  /** I6: what a receipt says is what is so. */
  receipt(row: Operation): void {
    if (this.again.has(callOf(row))) return;
    const name = `call ${callOf(row)}`;
    const { receipt } = row;
    const truth = this.#upstreams.truth(callOf(row));
    const job = this.jobOf(row);
    const ending = this.endingOf(row);
    switch (receipt?.outcome) {
      case 'succeeded':
        if (ending !== 'succeeded' && !this.lied(row, 'succeeded'))
          this.#report('I6', `${name}: succeeded, it says; the job ${ending ?? 'is not over'}`);
        break;
      case 'failed':
        if (row.seen === undefined) {
          if (truth.jobs.length > 0 && !this.told.has(callOf(row)))
            this.#report('I6', `${name}: never sent, it says, and there is a job`);
        } else if (truth.jobs.length === 0) {
          if (truth.rejections === 0 && !this.told.has(callOf(row)) && !this.strayed.has(callOf(row)))
            this.#report('I6', `${name}: refused, it says, and the service refused nothing`);
        } else if (ending !== 'failed' && !this.lied(row, 'failed'))
          this.#report('I6', `${name}: failed, it says; the job ${ending ?? 'is not over'}`);
        break;
      case 'cancelled':
        if (receipt.by === 'caller' && row.generation === 0) this.#report('I6', `${name}: cancelled, and nobody asked`);
        if (receipt.by === 'upstream' && ending !== 'cancelled' && job?.deletedAt === undefined && !this.lied(row, 'cancelled'))
          this.#report('I6', `${name}: cancelled by the service, it says; the job ${ending ?? 'is not over'}`);
        break;
      default:
    }
  }

  /** I7: what settles effects is what is so. */
  finding(row: Operation): void {
    const name = `call ${callOf(row)}`;
    const truth = this.#upstreams.truth(callOf(row));
    const job = this.jobOf(row);
    const ending = this.endingOf(row);
    const { finding } = row;
    if (this.told.has(callOf(row)) || this.again.has(callOf(row))) return;
    if (finding === 'given up') return;
    if (finding === 'never created') {
      if (truth.jobs.length > 0) this.#report('I7', `${name}: never created, it finds, and there is a job`);
    } else if (finding === 'deleted by the cancel') {
      if (job?.deletedAt === undefined && !this.lied(row, 'cancelled'))
        this.#report('I7', `${name}: deleted, it finds; nobody deleted it`);
    } else if (ending !== finding && job?.deletedAt === undefined && !this.lied(row, finding ?? '')) {
      this.#report('I7', `${name}: ${finding}, it finds; the job ${ending ?? 'still runs'}`);
    }
  }

  /** The service itself showed this ending, though it was not so, or showed another's job under the id. */
  lied(row: Operation, outcome: string): boolean {
    const call = callOf(row);
    const { shown } = this.#upstreams.truth(call);
    if (this.told.has(call) || this.again.has(call) || this.strayed.has(call)) return true;
    return this.isShared(row) || (this.touched.has(call) && (shown as ReadonlySet<string>).has(outcome));
  }

  /** The service gave the id of this job to another one, too. */
  isShared(row: Operation): boolean {
    const call = callOf(row);
    // A job whose name was lost with the answer is known by its callback URL, and its result by the id in the event.
    const isUnnamed = row.reference?.extra?.['unnamed'] !== undefined;
    return this.#upstreams.namesAnother(isUnnamed ? this.jobOf(row)?.id : row.reference?.id, call);
  }

  jobOf(row: Operation): Job | undefined {
    const [job] = this.#upstreams.truth(callOf(row)).jobs;
    if (job !== undefined) this.#upstreams.endingOf(job, this.#schedule.now);
    return job;
  }

  /** How the job of an operation ended by now; `undefined` while it runs, and where there is none. */
  endingOf(row: Operation): Ending | undefined {
    const job = this.jobOf(row);
    return job && this.#upstreams.endingOf(job, this.#schedule.now);
  }

  /** What a client may read of an ended operation: the payload is the job's own. */
  payload(view: OperationView): void {
    const { operation, payload } = view;
    if (operation.receipt?.outcome !== 'succeeded') return;
    const job = this.jobOf(operation);
    if (job === undefined || this.isShared(operation)) return;
    if (this.told.has(job.call) || this.again.has(job.call) || this.strayed.has(job.call)) return;
    const expected = text(resultOf(job));
    if (payload?.body !== expected)
      this.#report('rule 5', `call ${job.call}: its result is ${payload?.body.slice(0, 80) ?? 'nothing'}`);
  }
}
