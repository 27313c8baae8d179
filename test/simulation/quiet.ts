// When all is quiet: every operation has ended and is whole in the store, nothing is due, and what no fault touched came to
// what is true without any deadline.

import type { HttpResponse } from '../../src/core/http.ts';
import { fold } from '../../src/core/machine.ts';
import type { Operation } from '../../src/core/operation.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { callOf, isSame, type Report } from './breach.ts';
import type { Fault } from './history.ts';
import { EPOCH, type Schedule } from './time.ts';
import type { Truth } from './truth.ts';
import type { Upstreams } from './upstreams.ts';

/** What a service that is in trouble may cost the jobs of another: their own pace, and no more. */
const BESIDE_OTHERS_MS = 12_000;

export class Quiet {
  readonly #ledger: Ledger;
  readonly #upstreams: Upstreams;
  readonly #schedule: Schedule;
  readonly #truth: Truth;
  readonly #report: Report;
  readonly #heard = new Set<number>();
  /** A process was ended with what it held in memory. */
  hasForgotten = false;
  /** Whether an operation may have been forgotten by now. */
  mayBeGone: (row: Operation) => boolean = () => false;
  readonly #endedAt = new Map<string, number>();

  constructor(ledger: Ledger, upstreams: Upstreams, schedule: Schedule, truth: Truth, report: Report) {
    this.#ledger = ledger;
    this.#upstreams = upstreams;
    this.#schedule = schedule;
    this.#truth = truth;
    this.#report = report;
  }

  ended(id: string): void {
    this.#endedAt.set(id, this.#schedule.now);
  }

  /** A live process was answered to a submit. Where that named the job, the answer is not lost any more. */
  heard(call: number, { status, headers, body }: HttpResponse): void {
    const named = headers['location'] ?? /"(?:id|name)":"([^"]+)"/.exec(new TextDecoder().decode(body))?.[1];
    const isWhole = headers['location'] !== undefined || new TextDecoder().decode(body).endsWith('}');
    if (status >= 200 && status < 300 && named !== undefined && isWhole) this.#heard.add(call);
  }

  /** When all is quiet. */
  async check(rows: readonly Operation[], faults: readonly Fault[], isTouched: (row: Operation) => boolean): Promise<void> {
    const outbox = await this.#ledger.outbox(0, 10_000);
    const isCalm = faults.length === 0;
    const mayForget = this.hasForgotten || faults.some(({ what }) => what === 'crash');
    for (const row of rows) {
      const { id } = row;
      const name = `call ${callOf(row)}`;
      const stored = await this.#ledger.get(id);
      if (stored === undefined && this.mayBeGone(row)) continue;
      const history = await this.#ledger.history(id);
      if (stored === undefined) {
        this.#report('rule 10', `${name} is gone`, 'lostOperations');
        continue;
      }
      if (!isSame(fold(history, this.#upstreams.traitsOf(stored)), stored))
        this.#report('L6', `${name}: the fold of its history is not its row`);
      if (history.some(({ seq }, index) => seq !== index + 1)) this.#report('L2', `${name}: its positions are not dense`);
      const told = outbox.filter(({ receipt }) => receipt.operationId === id);
      if (stored.receipt === undefined) this.#report('L1', `${name} never ended: ${stored.life}`, 'lostOperations');
      else if (told.length !== 1) this.#report('rule 5', `${name}: ${told.length} outbox rows`, 'unreceipted');
      if (!isSame(await this.#ledger.receipt(id), stored.receipt)) this.#report('L4', `${name}: two receipts`, 'unreceipted');
      if (stored.effects === 'REQUIRED') this.#report('L2', `${name}: its effects are still open`);
      const due = await this.#ledger.work(id);
      if (due.length > 0) this.#report('I10', `${name}: still due: ${due.map(({ kind }) => kind).join(', ')}`);
      // What an operator has ended follows nothing: what comes late is in its history.
      const isKept = stored.receipt?.by === 'operator' && history.some(({ event }) => event.reference !== undefined);
      const isKnown = stored.reference !== undefined || stored.effects === 'SETTLED' || isKept;
      if (!mayForget && this.#heard.has(callOf(stored)) && !this.#truth.again.has(callOf(stored)) && !isKnown)
        this.#report('late evidence', `${name}: the service named its job, and that is not known any more`);
      if ((isCalm || !isTouched(stored)) && !this.#truth.isShared(stored)) this.#undisturbed(stored, name);
      this.#neverCreated(stored, name);
    }
    for (const [call, { jobs }] of this.#upstreams.truths) {
      if (jobs.length > 0 && !rows.some((row) => callOf(row) === call))
        this.#report('rule 1', `call ${call} has a job and no operation`, 'lostOperations');
    }
  }

  /** What was said of a job that never was is still so when nothing can arrive any more. */
  #neverCreated(row: Operation, name: string): void {
    if (this.#truth.told.has(callOf(row)) || this.#truth.again.has(callOf(row))) return;
    if (this.#upstreams.truth(callOf(row)).jobs.length === 0) return;
    if (row.receipt?.outcome === 'failed' && row.seen === undefined)
      this.#report('I6', `${name}: never sent, it said, and there is a job`);
    if (row.finding === 'never created') this.#report('I7', `${name}: never created, it found, and there is a job`);
  }

  /** L3 and L4: without a fault in its way an operation comes to what is true, and a wanted cancel is sent. */
  #undisturbed(row: Operation, name: string): void {
    if (this.#truth.told.has(callOf(row)) || this.#truth.again.has(callOf(row))) return;
    const truth = this.#upstreams.truth(callOf(row));
    const job = this.#truth.jobOf(row);
    const isOneOfSeveral = this.#upstreams.all.length > 1;
    const followed = job !== undefined && job.endsAt - job.createdAt < 60_000 && job.plan.keptMs > 60_000;
    if (row.generation === 0 && followed) {
      if (row.receipt?.outcome !== job.ending)
        this.#report('L3', `${name}: nothing was in its way, its job ${job.ending}, and it ended as ${row.receipt?.outcome}`);
      // By looking, not by giving up.
      const lateMs = (this.#endedAt.get(row.id) ?? 0) - job.endsAt;
      const { readTimeoutMs, consistencyGraceMs } = this.#upstreams.traitsOf(row).timing;
      // No look begins while an answer may be on the wire.
      const besideOthersMs = BESIDE_OTHERS_MS + (job.dialogue === undefined ? 0 : readTimeoutMs + consistencyGraceMs);
      if (lateMs > (isOneOfSeveral ? besideOthersMs : 30_000))
        this.#report('L3', `${name}: nothing was in its way, and its end was seen ${lateMs} ms late`);
      const heldUpMs = job.createdAt - (row.createdAt - EPOCH);
      if (isOneOfSeveral && heldUpMs > BESIDE_OTHERS_MS)
        this.#report('L3', `${name}: nothing was in its way, and it was sent ${heldUpMs} ms late`);
    }
    if (
      row.generation === 0 &&
      job === undefined &&
      truth.rejections === 0 &&
      row.attempt === 0 &&
      row.receipt?.outcome !== 'failed'
    )
      this.#report('L3', `${name}: never sent`);
    const cancelable = this.#upstreams.traitsOf(row).cancel !== 'none' && job !== undefined && row.reference !== undefined;
    if (row.generation > 0 && cancelable && truth.cancels.length === 0 && this.#wantedAt(row) + 15_000 < job.endsAt)
      this.#report('L4', `${name}: a wanted cancel never reached the service`);
    if (row.effects === 'ESCALATED' && followed)
      this.#report('L2', `${name}: nothing was in the way, and an operator is asked`);
  }

  /** When a cancel was first wanted, in true time. */
  readonly #wanted = new Map<string, number>();
  wanted(id: string): void {
    if (!this.#wanted.has(id)) this.#wanted.set(id, this.#schedule.now);
  }
  #wantedAt(row: Operation): number {
    return this.#wanted.get(row.id) ?? Number.POSITIVE_INFINITY;
  }
}
