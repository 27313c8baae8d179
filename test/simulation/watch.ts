// What must hold (DESIGN §4, I1 to I15), watched at every commit, at every request that leaves, at every answer to a client,
// and once more when all is quiet. Each breach is a rule and a sentence.

import type { Traits } from '../../src/core/descriptor.ts';
import { dueWork, fold, step } from '../../src/core/machine.ts';
import type { HttpResponse } from '../../src/core/http.ts';
import type { Operation, OperationEvent } from '../../src/core/operation.ts';
import { FINAL, OWN_EVENTS, type WorkKind } from '../../src/core/transitions.ts';
import { tasks20251125 } from '../../src/contracts/tasks-2025-11-25.ts';
import { tasks20260728 } from '../../src/contracts/tasks-2026-07-28.ts';
import type { TasksFace } from '../../src/contracts/contract.ts';
import type { OperationView } from '../../src/engine/engine.ts';
import type { Commit, Lease, LeaseRequest, Ledger } from '../../src/ledger/ledger.ts';
import type { Fault } from './history.ts';
import type { Sent } from './network.ts';
import { type Job, resultOf, type Service } from './service.ts';
import type { Schedule } from './time.ts';
import { POLLS_PER_SECOND } from './worker.ts';

/** The counters of the last line of a run, and the rule that raises each. */
export const COUNTERS = ['terminalDivergence', 'duplicateUpstreamJobs', 'lostOperations', 'unreceipted', 'pollsOverBudget'] as const;
export type Counter = (typeof COUNTERS)[number];

export interface Breach {
  readonly rule: string;
  readonly counter?: Counter;
  readonly message: string;
  readonly at: number;
}

const TASKS_2025 = tasks20251125.tasks as TasksFace;
const TASKS_2026 = tasks20260728.tasks as TasksFace;
/** Work that ends what waits: each live operation has one. */
const DEADLINES: readonly WorkKind[] = ['suspect', 'budget', 'window', 'fetch', 'accept'];
const isOver = (status: string) => status === 'completed' || status === 'failed' || status === 'cancelled';

/** What both contracts show of an operation. */
interface Shown {
  readonly y2025: string;
  readonly y2026: string;
  readonly isError: boolean;
}

interface Known {
  row: Operation;
  shown: Shown;
  /** A 2025-11-25 client was told that its cancel took. */
  granted: boolean;
  startedAt: number;
}

export class Watch {
  readonly breaches: Breach[] = [];
  /** What happened, in the order of true time. */
  readonly log: { readonly at: number; readonly line: string }[] = [];
  readonly known = new Map<string, Known>();
  /** Calls that a fault on the way touched. */
  readonly touched = new Set<number>();
  /** A fault took hold that may touch any operation. */
  disturbed = false;
  /** Unknown endings, and how many of them the operation's own history explains. */
  unknowns = 0;
  traceable = 0;
  readonly #ledger: Ledger;
  readonly #traits: Traits;
  readonly #service: Service;
  readonly #schedule: Schedule;
  /** Clocks were set: leases are measured by clocks that disagree. */
  unsteady = false;
  readonly #held = new Map<string, Lease>();
  readonly #tokens = new Map<string, number>();
  readonly #changed = new Set<string>();
  readonly #polls = new Map<string, number[]>();
  readonly #submits = new Map<number, string>();
  readonly #sends = new Map<number, number>();
  readonly #heard = new Set<number>();
  readonly #endedAt = new Map<string, number>();
  readonly #startedAt = new Map<string, number>();
  readonly #cancels = new Map<string, number>();
  readonly #answered = new Map<string, number>();

  constructor(ledger: Ledger, traits: Traits, service: Service, schedule: Schedule) {
    this.#ledger = ledger;
    this.#traits = traits;
    this.#service = service;
    this.#schedule = schedule;
  }

  breach(rule: string, message: string, counter?: Counter): void {
    this.breaches.push({ rule, message, at: this.#schedule.now, ...(counter !== undefined && { counter }) });
  }

  note(line: string): void {
    this.log.push({ at: this.#schedule.now, line });
  }

  /** An operation was made durable. */
  #created(row: Operation): void {
    const call = callOf(row);
    const twin = [...this.known.values()].find((other) => callOf(other.row) === call);
    if (twin !== undefined) this.breach('rule 3', `call ${call} is two operations`);
    const shown = this.#show(row);
    if (shown.y2025 !== 'working' || shown.y2026 !== 'working') this.breach('I2', `${row.id} does not begin as working`);
    this.#changed.add(row.id);
    this.known.set(row.id, { row, shown, granted: false, startedAt: this.#schedule.now });
    this.#dueWork(row);
  }

  /** The store answered a call. */
  stored(name: string, args: readonly unknown[], answer: unknown): void {
    if (name === 'create') {
      const { operation, created } = answer as Awaited<ReturnType<Ledger['create']>>;
      if (created) this.#created(operation);
    } else if (name === 'append') {
      if (answer === 'committed') this.#committed(args[0] as Commit);
    } else if (name === 'lease') {
      for (const lease of answer as readonly Lease[]) this.#leased(lease, (args[0] as LeaseRequest).now);
    } else if (name === 'reschedule' && answer === true) {
      const { operationId, kind, token } = args[0] as Lease;
      if (this.#tokens.get(`${operationId} ${kind}`) !== token) this.breach('L8', `${kind} is given back by one who does not hold it`);
      this.#held.delete(`${operationId} ${kind}`);
    }
  }

  /** L8: one holder at a time, each with a greater token. */
  #leased(lease: Lease, now: number): void {
    const key = `${lease.operationId} ${lease.kind}`;
    const held = this.#held.get(key);
    if (held !== undefined && held.until > now && !this.unsteady) this.breach('L8', `${key} is leased twice`);
    const last = this.#tokens.get(key) ?? 0;
    if (lease.token <= last) this.breach('L8', `${key}: token ${lease.token} after ${last}`);
    if (lease.dueAt > now) this.breach('L7', `${key}: leased before it is due`);
    this.#tokens.set(key, lease.token);
    this.#held.set(key, lease);
  }

  /** What the store holds of everything that changed since the last step is what was committed (L6, L7). */
  async audit(): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const id of changed) {
      const row = this.known.get(id)?.row;
      const stored = await this.#ledger.get(id);
      if (row === undefined) continue;
      if (text(stored) !== text(row)) this.breach('L6', `call ${callOf(row)}: the store holds another row than was committed`, 'lostOperations');
      const kinds = (await this.#ledger.work(id)).map(({ kind }) => kind).sort();
      const derived = dueWork(row, this.#traits).map(({ kind }) => kind).sort();
      if (text(kinds) !== text(derived)) this.breach('L7', `call ${callOf(row)}: due is ${kinds.join(', ')}, and should be ${derived.join(', ')}`, 'lostOperations');
    }
  }

  /** One event was made durable. */
  #committed(commit: Commit): void {
    const known = this.known.get(commit.operation.id);
    if (known === undefined) return this.breach('L2', `${commit.operation.id} is written to and was never created`);
    const { row: before } = known;
    const { operation: row, event } = commit;
    const name = `call ${callOf(row)}`;
    known.row = row;
    this.#changed.add(row.id);
    const earlier = new Map(dueWork(before, this.#traits).map(({ kind, dueAt }) => [kind, dueAt]));
    for (const { kind, dueAt } of commit.work) if (earlier.get(kind) !== dueAt) this.#held.delete(`${row.id} ${kind}`); // L11
    for (const kind of earlier.keys()) if (!commit.work.some((work) => work.kind === kind)) this.#held.delete(`${row.id} ${kind}`);
    this.note(`${name}: ${event.type} (${commit.disposition}) → ${row.life} cancellation ${row.cancellation} effects ${row.effects}`);

    const stepped = step(before, event, this.#traits);
    if (stepped.disposition !== commit.disposition) this.breach('I12', `${name}: ${event.type} is ${commit.disposition}, not ${stepped.disposition}`);
    if (text(stepped.operation) !== text(row)) this.breach('L6', `${name}: the row after ${event.type} is not what the machine makes of it`);
    if (text(commit.work) !== text(dueWork(row, this.#traits))) this.breach('I10', `${name}: the due work after ${event.type} is not derived from the row`);
    this.#aboutEvent(before, row, event, name);
    this.#aboutEnding(before, row, name);
    this.#dueWork(row);

    const shown = this.#show(row);
    this.#aboutViews(known, shown, row, name);
    known.shown = shown;
  }

  #aboutEvent(before: Operation, row: Operation, event: OperationEvent, name: string): void {
    if (event.type === 'submit_started') {
      this.#startedAt.set(row.id, this.#schedule.now);
      if (before.cancellation !== 'NONE') this.breach('I8', `${name}: a submit is intended although a cancel is recorded`);
      if (before.doubted || before.life === 'SUBMISSION_UNKNOWN') {
        const safe = this.#traits.deduplicates;
        if (!safe) this.breach('rule 2', `${name}: submitted again in doubt, and the service does not deduplicate`);
      }
    }
    if (row.generation < before.generation) this.breach('I9', `${name}: the generation falls`);
    if (row.generation > before.generation && event.type !== 'cancel') this.breach('I9', `${name}: ${event.type} raises the generation`);
    if ((row.generation > 0) !== (row.cancellation !== 'NONE') && row.life !== 'CANCELLED_ACCEPTED')
      this.breach('I9', `${name}: generation ${row.generation} with cancellation ${row.cancellation}`);
    if (before.submissionKey !== row.submissionKey) this.breach('rule 2', `${name}: another submission key`);
    if (before.input !== 'NONE' && before.round === row.round && before.input !== 'OPEN' && row.input === 'OPEN') this.breach('I14', `${name}: an answered round opens again`);
    if ((event.source === undefined || event.source === 'timer') !== (OWN_EVENTS as readonly string[]).includes(event.type) && event.source === 'timer' && event.type !== 'cancel_unanswered')
      this.breach('I12', `${name}: ${event.type} comes from a timer`);
  }

  #aboutEnding(before: Operation, row: Operation, name: string): void {
    const { receipt } = row;
    const ended = (FINAL as readonly string[]).includes(row.life);
    if (ended !== (receipt !== undefined)) this.breach('I3', `${name}: ${row.life} ${receipt ? 'with' : 'without'} a receipt`, 'unreceipted');
    if (before.receipt !== undefined) {
      if (text(before.receipt) !== text(receipt)) this.breach('I3', `${name}: its receipt changes`, 'terminalDivergence');
      if (before.life !== row.life) this.breach('I3', `${name}: ${before.life} becomes ${row.life}`, 'terminalDivergence');
    }
    if (before.effects === 'SETTLED' && row.effects !== 'SETTLED') this.breach('I7', `${name}: settled effects open again`);
    if (before.receipt !== undefined && before.effects !== 'SETTLED' && row.effects === 'SETTLED') this.#finding(row, name);
    if (receipt === undefined || before.receipt !== undefined) return;
    if (row.effects === 'SETTLED') this.#finding(row, name);
    const { matched } = receipt;
    if (
      matched.requestDigest !== row.requestDigest ||
      matched.descriptorDigest !== row.descriptorDigest ||
      matched.epoch !== row.epoch ||
      matched.generation !== row.generation ||
      matched.referenceId !== (row.reference?.id ?? null) ||
      matched.resultDigest !== (receipt.result?.digest ?? null)
    )
      this.breach('rule 5', `${name}: the receipt matches another operation`);
    if (receipt.outcome === 'succeeded' && row.held === undefined) this.breach('I4', `${name}: completed without a held result`, 'unreceipted');
    if (receipt.outcome === 'unknown') {
      this.unknowns += 1;
      if (receipt.reason !== '' && row.trouble !== undefined) this.traceable += 1;
      else this.breach('unknown is named', `${name}: ends as unknown, and nothing says why`);
    }
    this.#endedAt.set(row.id, this.#schedule.now);
    this.#truth(row, name);
    if (row.effects === 'NONE' && row.mayExist && row.seen === undefined) this.breach('I7', `${name}: ended with effects NONE although a job may exist`);
    const job = this.#jobOf(row);
    const ending = job && this.#service.endingOf(job, this.#schedule.now);
    // What a cancel that deletes removed may have come to its end a moment before: nobody can tell.
    const isDeleted = receipt.outcome === 'cancelled' && job?.deletedAt !== undefined;
    if (row.effects === 'NONE' && job !== undefined && ending !== receipt.outcome && !isDeleted && !this.#lied(row, receipt.outcome))
      this.breach('I7', `${name}: ended as ${receipt.outcome} with effects NONE, and its job ${ending ?? 'runs'}`);
  }

  /** I6: what a receipt says is what is so. */
  #truth(row: Operation, name: string): void {
    const { receipt } = row;
    const truth = this.#service.truth(callOf(row));
    const job = this.#jobOf(row);
    const ending = job && this.#service.endingOf(job, this.#schedule.now);
    switch (receipt?.outcome) {
      case 'succeeded':
        if (ending !== 'succeeded' && !this.#lied(row, 'succeeded')) this.breach('I6', `${name}: succeeded, it says; the job ${ending ?? 'is not over'}`);
        break;
      case 'failed':
        if (row.seen === undefined) {
          if (truth.jobs.length > 0) this.breach('I6', `${name}: never sent, it says, and there is a job`);
        } else if (truth.jobs.length === 0) {
          if (truth.rejections === 0) this.breach('I6', `${name}: refused, it says, and the service refused nothing`);
        } else if (ending !== 'failed' && !this.#lied(row, 'failed')) this.breach('I6', `${name}: failed, it says; the job ${ending ?? 'is not over'}`);
        break;
      case 'cancelled':
        if (receipt.by === 'caller' && row.generation === 0) this.breach('I6', `${name}: cancelled, and nobody asked`);
        if (receipt.by === 'upstream' && ending !== 'cancelled' && job?.deletedAt === undefined && !this.#lied(row, 'cancelled'))
          this.breach('I6', `${name}: cancelled by the service, it says; the job ${ending ?? 'is not over'}`);
        break;
      default:
    }
  }

  #finding(row: Operation, name: string): void {
    const truth = this.#service.truth(callOf(row));
    const job = this.#jobOf(row);
    const ending = job && this.#service.endingOf(job, this.#schedule.now);
    const { finding } = row;
    if (finding === 'never created') {
      if (truth.jobs.length > 0) this.breach('I7', `${name}: never created, it finds, and there is a job`);
    } else if (finding === 'deleted by the cancel') {
      if (job?.deletedAt === undefined) this.breach('I7', `${name}: deleted, it finds; nobody deleted it`);
    } else if (ending !== finding && job?.deletedAt === undefined && !this.#lied(row, finding ?? '')) {
      this.breach('I7', `${name}: ${finding}, it finds; the job ${ending ?? 'still runs'}`);
    }
  }

  /** The service itself showed this ending, though it was not so, or showed another's job under the id. */
  #lied(row: Operation, outcome: string): boolean {
    const call = callOf(row);
    const { shown } = this.#service.truth(call);
    if (this.touched.has(call) && (shown as ReadonlySet<string>).has(outcome)) return true;
    const reused = [...this.#service.truths.values()]
      .flatMap(({ jobs }) => jobs)
      .some((job) => job.call !== call && row.reference?.id.endsWith(job.id) === true);
    return reused;
  }

  #jobOf(row: Operation): Job | undefined {
    return this.#service.truth(callOf(row)).jobs[0];
  }

  #show(row: Operation): Shown {
    const view = { operation: row, pollIntervalMs: 1_000 };
    const y2025 = TASKS_2025.task(view);
    const y2026 = TASKS_2026.task(view);
    const result = y2026['result'] as { readonly isError?: boolean } | undefined;
    return { y2025: String(y2025['status']), y2026: String(y2026['status']), isError: result?.isError === true };
  }

  #aboutViews(known: Known, shown: Shown, row: Operation, name: string): void {
    for (const year of ['y2025', 'y2026'] as const) {
      if (isOver(known.shown[year]) && known.shown[year] !== shown[year])
        this.breach('I2', `${name}: ${year} goes from ${known.shown[year]} to ${shown[year]}`, 'terminalDivergence');
      if (isOver(shown[year]) && row.receipt === undefined)
        this.breach('I4', `${name}: ${year} shows ${shown[year]} without a receipt`, 'unreceipted');
    }
    const agree =
      shown.y2025 === 'failed'
        ? shown.y2026 === 'failed' || (shown.y2026 === 'completed' && shown.isError)
        : shown.y2025 === shown.y2026 && !shown.isError;
    if (!agree) this.breach('I13', `${name}: one contract shows ${shown.y2025}, the other ${shown.y2026}`, 'terminalDivergence');
    const { outcome } = row.receipt ?? {};
    const due = outcome === undefined ? undefined : outcome === 'succeeded' ? 'completed' : outcome === 'cancelled' ? 'cancelled' : 'failed';
    if (due !== undefined && shown.y2025 !== due) this.breach('I13', `${name}: the receipt says ${outcome}, and ${shown.y2025} is shown`, 'terminalDivergence');
    if (outcome === 'unknown' && shown.y2026 === 'failed') this.breach('I13', `${name}: unknown is shown as an error of the protocol`);
    if (known.granted && (shown.y2025 !== 'cancelled' || shown.y2026 !== 'cancelled'))
      this.breach('I5', `${name}: cancelled was promised, and ${shown.y2025} is shown`, 'terminalDivergence');
  }

  /** I10, and L7 of the ledger: what is due is what the row says. */
  #dueWork(row: Operation): void {
    const derived = dueWork(row, this.#traits);
    const isLive = row.receipt === undefined;
    if (isLive && !derived.some(({ kind }) => DEADLINES.includes(kind)))
      this.breach('I10', `call ${callOf(row)}: ${row.life} without a deadline`, 'lostOperations');
    if (row.cancellation !== 'NONE' && derived.some(({ kind }) => kind === 'submit')) this.breach('I8', `call ${callOf(row)}: a submit is due although a cancel is recorded`);
    if (!isLive && row.effects !== 'REQUIRED' && derived.length > 0) this.breach('I10', `call ${callOf(row)}: ended, and something is due`);
    if (!isLive && derived.some(({ kind }) => kind === 'submit' || kind === 'fetch' || kind === 'answer'))
      this.breach('I10', `call ${callOf(row)}: ended, and would still be sent`);
  }

  /** A request leaves. */
  sent({ worker, route, request, at, call, fate }: Sent, lives: number): void {
    this.note(`worker ${worker} sends ${route}${call === undefined ? '' : ` of call ${call}`} ${request.method} ${request.url}${fate === undefined ? '' : ` (${fate})`}`);
    if (route === 'poll') this.#pollRate(`${worker}/${lives}`, at);
    if (fate !== undefined) this.#touch(call, request.url);
    if (route === 'cancel') {
      const rows = this.#byUrl(request.url);
      if (rows.every(({ generation }) => generation === 0)) this.breach('I9', `a cancel of ${request.url} leaves, and none is recorded`);
      const sends = (this.#cancels.get(request.url) ?? 0) + 1;
      this.#cancels.set(request.url, sends);
      const tries = rows.reduce((sum, { cancelTries }) => sum + cancelTries, 0);
      if (sends > tries) this.breach('I9', `a cancel of ${request.url} is sent ${sends} times and recorded ${tries} times`);
    }
    if (route !== 'submit' || call === undefined) return;
    const known = [...this.known.values()].find(({ row }) => callOf(row) === call);
    if (known === undefined || known.row.attempt === 0) return this.breach('rule 1', `call ${call}: sent before it was written`);
    const sends = (this.#sends.get(call) ?? 0) + 1;
    this.#sends.set(call, sends);
    if (sends > known.row.attempt) this.breach('rule 1', `call ${call}: sent ${sends} times in ${known.row.attempt} attempts`);
    if (at - (this.#startedAt.get(known.row.id) ?? at) > this.#traits.timing.submitLeaseMs)
      this.breach('I11', `call ${call}: sent after the lease of its attempt`);
    const bytes = text(request);
    const first = this.#submits.get(call) ?? bytes;
    this.#submits.set(call, first);
    if (first !== bytes) this.breach('S4', `call ${call}: two attempts differ`);
  }

  /** A submit was made durable as intended, at this true instant: its lease runs from here. */
  #pollRate(process: string, at: number): void {
    const times = this.#polls.get(process) ?? [];
    this.#polls.set(process, times);
    times.push(at);
    const recent = times.filter((time) => time > at - 1_000);
    this.#polls.set(process, recent);
    if (recent.length > POLLS_PER_SECOND * 1.5) this.breach('rule 9', `${recent.length} polls within a second`, 'pollsOverBudget');
  }

  /** The operations that a URL is about: more than one where an id was given away again. */
  #byUrl(url: string): Operation[] {
    const path = new URL(url).pathname.replace(/(:|\/)(cancel|result)$/, '');
    return [...this.known.values()].map(({ row }) => row).filter(({ reference }) => reference?.statusUrl?.endsWith(path) === true);
  }

  #touch(call: number | undefined, url: string): void {
    const touched = call === undefined ? this.#byUrl(url).map(callOf) : [call];
    if (touched.length === 0) this.disturbed = true;
    for (const one of touched) this.touched.add(one);
  }

  /** A client was answered with a view that was asked for at `askedSeq` (what it had been shown before it asked). */
  answered(view: OperationView, askedSeq: number): void {
    const { operation } = view;
    if (operation.seq < askedSeq) this.breach('linear', `call ${callOf(operation)}: seen at ${operation.seq} after ${askedSeq}`);
    this.#answered.set(operation.id, Math.max(this.#answered.get(operation.id) ?? 0, operation.seq));
    const known = this.known.get(operation.id);
    if (known === undefined) return this.breach('rule 10', `${operation.id} was answered and is not durable`, 'lostOperations');
    if (known.row.seq < operation.seq) this.breach('rule 10', `call ${callOf(operation)}: answered before it was durable`, 'lostOperations');
  }

  /** The latest position that any client was shown. */
  seen(id: string): number {
    return this.#answered.get(id) ?? 0;
  }

  granted(id: string): void {
    const known = this.known.get(id);
    if (known === undefined) return;
    known.granted = true;
    if (known.shown.y2025 !== 'cancelled') this.breach('I5', `call ${callOf(known.row)}: a 2025 cancel was granted, and ${known.shown.y2025} is shown`, 'terminalDivergence');
  }

  /** A live process was answered to a submit. Where that named the job, the answer is not lost any more. */
  heard(call: number, { status, headers, body }: HttpResponse): void {
    const named = headers['location'] ?? /"(?:id|name)":"([^"]+)"/.exec(new TextDecoder().decode(body))?.[1];
    const isWhole = headers['location'] !== undefined || new TextDecoder().decode(body).endsWith('}');
    if (status >= 200 && status < 300 && named !== undefined && isWhole) this.#heard.add(call);
  }

  /** I1, after every step. */
  jobs(): void {
    for (const [call, { jobs }] of this.#service.truths) {
      if (jobs.length > 1) this.breach('I1', `call ${call}: ${jobs.length} jobs`, 'duplicateUpstreamJobs');
    }
  }

  /** When all is quiet. */
  async atTheEnd(faults: readonly Fault[]): Promise<void> {
    const outbox = await this.#ledger.outbox(0, 10_000);
    const calm = faults.length === 0;
    const mayForget = faults.some(({ what }) => what === 'crash' || what === 'store');
    for (const [id, { row }] of this.known) {
      const name = `call ${callOf(row)}`;
      const stored = await this.#ledger.get(id);
      const history = await this.#ledger.history(id);
      if (stored === undefined) {
        this.breach('rule 10', `${name} is gone`, 'lostOperations');
        continue;
      }
      if (text(fold(history, this.#traits)) !== text(stored)) this.breach('L6', `${name}: the fold of its history is not its row`);
      if (history.some(({ seq }, index) => seq !== index + 1)) this.breach('L2', `${name}: its positions are not dense`);
      const rows = outbox.filter(({ receipt }) => receipt.operationId === id);
      if (stored.receipt === undefined) this.breach('L1', `${name} never ended: ${stored.life}`, 'lostOperations');
      else if (rows.length !== 1) this.breach('rule 5', `${name}: ${rows.length} outbox rows`, 'unreceipted');
      if (text(await this.#ledger.receipt(id)) !== text(stored.receipt)) this.breach('L4', `${name}: two receipts`, 'unreceipted');
      if (stored.effects === 'REQUIRED') this.breach('L2', `${name}: its effects are still open`);
      const due = await this.#ledger.work(id);
      if (due.length > 0) this.breach('I10', `${name}: still due: ${due.map(({ kind }) => kind).join(', ')}`);
      if (!mayForget && this.#heard.has(callOf(stored)) && stored.reference === undefined && stored.effects !== 'SETTLED')
        this.breach('late evidence', `${name}: the service named its job, and that is not known any more`);
      this.#live(stored, name, calm);
    }
    for (const [call, { jobs }] of this.#service.truths) {
      if (jobs.length > 0 && ![...this.known.values()].some(({ row }) => callOf(row) === call))
        this.breach('rule 1', `call ${call} has a job and no operation`, 'lostOperations');
    }
  }

  /** L3 and L4: without a fault in its way an operation comes to what is true, and a wanted cancel is sent. */
  #live(row: Operation, name: string, calm: boolean): void {
    const call = callOf(row);
    const truth = this.#service.truth(call);
    const job = this.#jobOf(row);
    if (row.receipt?.outcome === 'failed' && row.seen === undefined && truth.jobs.length > 0) this.breach('I6', `${name}: never sent, it said, and there is a job`);
    if (row.finding === 'never created' && truth.jobs.length > 0) this.breach('I7', `${name}: never created, it found, and there is a job`);
    if (!calm && (this.disturbed || this.touched.has(call))) return;
    const followed = job !== undefined && job.endsAt - job.createdAt < 60_000 && job.plan.keptMs > 60_000;
    if (row.generation === 0 && followed) {
      if (row.receipt?.outcome !== job.ending) this.breach('L3', `${name}: nothing was in its way, its job ${job.ending}, and it ended as ${row.receipt?.outcome}`);
      // By looking, not by giving up.
      const lateMs = (this.#endedAt.get(row.id) ?? 0) - job.endsAt;
      if (lateMs > 30_000) this.breach('L3', `${name}: nothing was in its way, and its end was seen ${lateMs} ms late`);
    }
    if (row.generation === 0 && job === undefined && truth.rejections === 0 && row.attempt === 0 && row.receipt?.outcome !== 'failed')
      this.breach('L3', `${name}: never sent`);
    const cancelable = this.#traits.cancel !== 'none' && job !== undefined && row.reference !== undefined;
    if (row.generation > 0 && cancelable && row.seen === undefined && truth.cancels.length === 0 && row.effects === 'SETTLED' && row.finding === 'cancelled')
      this.breach('L4', `${name}: a wanted cancel was never sent`);
    if (row.generation > 0 && cancelable && truth.cancels.length === 0 && this.#wantedAt(row) + 15_000 < job.endsAt)
      this.breach('L4', `${name}: a wanted cancel never reached the service`);
    if (row.effects === 'ESCALATED' && followed) this.breach('L2', `${name}: nothing was in the way, and an operator is asked`);
  }

  /** When a cancel was first wanted, in true time. */
  readonly #wanted = new Map<string, number>();
  wanted(id: string): void {
    if (!this.#wanted.has(id)) this.#wanted.set(id, this.#schedule.now);
  }
  #wantedAt(row: Operation): number {
    return this.#wanted.get(row.id) ?? Number.POSITIVE_INFINITY;
  }

  /** What a client may read of an ended operation: the payload is the job's own. */
  payload(view: OperationView): void {
    const { operation, payload } = view;
    if (operation.receipt?.outcome !== 'succeeded') return;
    const job = this.#jobOf(operation);
    if (job === undefined || this.#lied(operation, 'succeeded')) return;
    const expected = text(resultOf(job));
    if (payload?.body !== expected) this.breach('rule 5', `call ${job.call}: its result is ${payload?.body.slice(0, 80) ?? 'nothing'}`);
  }
}

/** The number of the call that an operation is. */
export const callOf = (row: Operation): number => Number((row.arguments['body'] as { readonly call: number }).call);

const text = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
