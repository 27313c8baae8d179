// What must hold (DESIGN §4, I1 to I15), watched at every commit, at every request that leaves, at every answer to a client,
// and once more when all is quiet. Each breach is a rule and a sentence.

import type { Gate } from '../../src/core/gates.ts';
import type { Exchange, HttpRequest } from '../../src/core/http.ts';
import { dueWork, step } from '../../src/core/machine.ts';
import type { Operation, OperationEvent } from '../../src/core/operation.ts';
import { FINAL, OWN_EVENTS, WANTING, type WorkKind } from '../../src/core/transitions.ts';
import type { OperationView } from '../../src/engine/engine.ts';
import type { Commit, Lease, LeaseRequest, Ledger } from '../../src/ledger/ledger.ts';
import { type Breach, callOf, isSame, type Report } from './breach.ts';
import { Cancels } from './cancels.ts';
import { Deadlines } from './deadlines.ts';
import { GateWatch } from './gates.ts';
import type { Fault } from './history.ts';
import { Inquiry } from './inquiry.ts';
import { Leases } from './leases.ts';
import { type Asked, Linear } from './linear.ts';
import { Mail } from './mail.ts';
import type { Sent } from './network.ts';
import { checkVerdict } from './operators.ts';
import { Wishes } from './pace.ts';
import { Quiet } from './quiet.ts';
import type { Schedule } from './time.ts';
import { Traffic } from './traffic.ts';
import { Truth } from './truth.ts';
import type { Upstream, Upstreams } from './upstreams.ts';
import { checkViews, type Shown, shownOf } from './views.ts';
import { pollsAtOnceOf } from './worker.ts';

/** Work that ends what waits: each live operation has one. */
const DEADLINES: readonly WorkKind[] = ['suspect', 'budget', 'window', 'fetch', 'accept'];
interface Known {
  row: Operation;
  shown: Shown;
  /** A 2025-11-25 client was told that its cancel took. */
  granted: boolean;
}

export class Watch {
  readonly breaches: Breach[] = [];
  /** What happened, in the order of true time. */
  readonly log: { readonly at: number; readonly line: string }[] = [];
  readonly known = new Map<string, Known>();
  /** A fault took hold that may touch any operation. */
  disturbed = false;
  /** Faults took hold that may touch any operation of these services. */
  readonly stormy = new Set<Upstream>();
  /** Unknown endings, and how many of them the operation's own history explains. */
  unknowns = 0;
  traceable = 0;
  readonly #ledger: Ledger;
  readonly #upstreams: Upstreams;
  readonly #schedule: Schedule;
  readonly truth: Truth;
  readonly leases: Leases;
  readonly quiet: Quiet;
  readonly #traffic: Traffic;
  readonly linear: Linear;
  readonly inquiry: Inquiry;
  readonly deadlines: Deadlines;
  readonly gates: GateWatch;
  readonly mail: Mail;
  readonly #cancels: Cancels;
  readonly #wishes: Wishes;
  /** There is a time at which the store takes nothing: what is kept beside an operation may then be lost. */
  readonly hasOutage: boolean;
  readonly #changed = new Set<string>();
  #hasSwept = false;

  constructor(ledger: Ledger, upstreams: Upstreams, schedule: Schedule, faults: readonly Fault[] = []) {
    this.#ledger = ledger;
    this.#upstreams = upstreams;
    this.#schedule = schedule;
    this.hasOutage = faults.some(({ what }) => what === 'store');
    this.truth = new Truth(upstreams, schedule, this.breach);
    this.quiet = new Quiet(ledger, upstreams, schedule, this.truth, this.breach);
    this.quiet.mayBeGone = (row) => this.deadlines.mayBeGone(row);
    this.leases = new Leases(this.breach);
    this.#traffic = new Traffic(upstreams, this.breach);
    this.#traffic.again = this.truth.again;
    this.linear = new Linear(this.breach);
    this.deadlines = new Deadlines(upstreams, faults, schedule, this.breach);
    this.gates = new GateWatch(upstreams, this.breach);
    this.mail = new Mail(upstreams, this.truth, this.known, this.breach);
    this.mail.mayBeGone = (row) => this.deadlines.mayBeGone(row);
    this.#cancels = new Cancels(upstreams, schedule, this.breach);
    this.#wishes = new Wishes(schedule, this.breach);
    this.#wishes.mayBeForgotten = () => this.disturbed;
    this.inquiry = new Inquiry(upstreams, schedule, this.breach);
    this.inquiry.mayBeLost = (call) => this.disturbed || this.stormy.size > 0 || this.truth.touched.has(call);
  }

  readonly breach: Report = (rule, message, counter) => {
    this.breaches.push({ rule, message, at: this.#schedule.now, ...(counter !== undefined && { counter }) });
  };

  note(line: string): void {
    this.log.push({ at: this.#schedule.now, line });
  }

  /** An operation was made durable. */
  #created(row: Operation): void {
    const call = callOf(row);
    const twin = [...this.known.values()].find((other) => callOf(other.row) === call);
    // A key that named what has gone names something new.
    if (twin !== undefined && this.deadlines.mayBeGone(twin.row)) this.truth.again.add(call);
    else if (twin !== undefined) this.breach('rule 3', `call ${call} is two operations`);
    const shown = shownOf(row);
    if (shown.y2025 !== 'working' || shown.y2026 !== 'working') this.breach('I2', `${row.id} does not begin as working`);
    this.#changed.add(row.id);
    this.known.set(row.id, { row, shown, granted: false });
    this.linear.created(row);
    this.gates.created(row);
    this.#dueWork(row);
  }

  /** The store answered a call. */
  stored(name: string, args: readonly unknown[], answer: unknown): void {
    this.mail.stored(name, args, answer);
    if (name === 'create') {
      const { operation, created } = answer as Awaited<ReturnType<Ledger['create']>>;
      if (created) this.#created(operation);
    } else if (name === 'append') {
      if (answer === 'committed') this.#committed(args[0] as Commit);
    } else if (name === 'expire') {
      this.#hasSwept ||= (answer as number) > 0;
    } else if (name === 'changeGate') {
      this.gates.changed(answer as Gate);
    } else if (name === 'lease') {
      this.leases.asked(answer as readonly Lease[], pollsAtOnceOf(this.#upstreams));
      for (const lease of answer as readonly Lease[]) {
        this.leases.taken(lease, (args[0] as LeaseRequest).now);
        this.#wishes.taken(lease);
      }
    } else if (name === 'reschedule' && answer === true) {
      this.leases.givenBack(args[0] as Lease);
    }
  }

  /** What the store holds of everything that changed since the last step is what was committed (L6, L7). */
  async audit(): Promise<void> {
    if (this.#hasSwept || this.deadlines.isTimeToLook()) {
      const rows = [...this.known.values()].map(({ row }) => row);
      if (this.#hasSwept) await this.deadlines.swept(rows, this.#ledger);
      this.#hasSwept = false;
      if (this.deadlines.isTimeToLook()) await this.deadlines.overdue(rows, this.#ledger);
    }
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const id of changed) {
      const row = this.known.get(id)?.row;
      const stored = await this.#ledger.get(id);
      if (row === undefined || this.deadlines.isGone(id)) continue;
      if (!isSame(stored, row))
        this.breach('L6', `call ${callOf(row)}: the store holds another row than was committed`, 'lostOperations');
      const kinds = (await this.#ledger.work(id)).map(({ kind }) => kind).sort();
      const derived = dueWork(row, this.#upstreams.traitsOf(row))
        .map(({ kind }) => kind)
        .sort();
      if (!isSame(kinds, derived))
        this.breach(
          'L7',
          `call ${callOf(row)}: due is ${kinds.join(', ')}, and should be ${derived.join(', ')}`,
          'lostOperations',
        );
    }
  }

  /** One event was made durable. */
  #committed(commit: Commit): void {
    const known = this.known.get(commit.operation.id);
    if (known === undefined) {
      this.breach('L2', `${commit.operation.id} is written to and was never created`);
      return;
    }
    const { row: before } = known;
    const { operation: row, event } = commit;
    const name = `call ${callOf(row)}`;
    known.row = row;
    this.#changed.add(row.id);
    this.linear.committed(row, event);
    this.mail.committed(before, row, event);
    const traits = this.#upstreams.traitsOf(row);
    this.leases.settled(row.id, dueWork(before, traits), commit.work);
    this.note(
      `${name}: ${event.type} (${commit.disposition}) → ${row.life} cancellation ${row.cancellation} effects ${row.effects}`,
    );

    const stepped = step(before, event, traits);
    if (stepped.disposition !== commit.disposition)
      this.breach('I12', `${name}: ${event.type} is ${commit.disposition}, not ${stepped.disposition}`);
    if (!isSame(stepped.operation, row))
      this.breach('L6', `${name}: the row after ${event.type} is not what the machine makes of it`);
    if (!isSame(commit.work, dueWork(row, traits)))
      this.breach('I10', `${name}: the due work after ${event.type} is not derived from the row`);
    this.#aboutEvent(before, row, event, name);
    this.#aboutSharing(row, event, name);
    this.#aboutEnding(before, row, name);
    this.inquiry.committed(before, row, event);
    this.#cancels.committed(before, row, event);
    this.#wishes.committed(before, row);
    checkVerdict(before, row, event, this.breach);
    this.deadlines.committed(before, row, event);
    if (row.receipt !== undefined && before.receipt === undefined) this.deadlines.ended(row);
    this.#dueWork(row);

    const shown = shownOf(row);
    checkViews(known.shown, shown, row, known.granted, this.breach);
    known.shown = shown;
  }

  #aboutEvent(before: Operation, row: Operation, event: OperationEvent, name: string): void {
    if (event.type === 'submit_started') {
      this.#traffic.intended(row, this.#schedule.now);
      if (before.cancellation !== 'NONE') this.breach('I8', `${name}: a submit is intended although a cancel is recorded`);
      if (before.doubted || before.life === 'SUBMISSION_UNKNOWN') {
        const safe = this.#upstreams.traitsOf(row).deduplicates;
        if (!safe) this.breach('rule 2', `${name}: submitted again in doubt, and the service does not deduplicate`);
      }
    }
    if (row.generation < before.generation) this.breach('I9', `${name}: the generation falls`);
    if (row.generation > before.generation && event.type !== 'cancel')
      this.breach('I9', `${name}: ${event.type} raises the generation`);
    if (row.generation > 0 !== (row.cancellation !== 'NONE') && row.life !== 'CANCELLED_ACCEPTED')
      this.breach('I9', `${name}: generation ${row.generation} with cancellation ${row.cancellation}`);
    if (before.epoch !== row.epoch) this.breach('gate', `${name}: another epoch than it was created under`);
    if (before.submissionKey !== row.submissionKey) this.breach('rule 2', `${name}: another submission key`);
    if (before.input !== 'NONE' && before.round === row.round && before.input !== 'OPEN' && row.input === 'OPEN')
      this.breach('I14', `${name}: an answered round opens again`);
    if (
      (event.source === undefined || event.source === 'timer') !== (OWN_EVENTS as readonly string[]).includes(event.type) &&
      event.source === 'timer' &&
      event.type !== 'cancel_unanswered'
    )
      this.breach('I12', `${name}: ${event.type} comes from a timer`);
  }

  /** One job that two open operations follow is known to both, and no caller's cancel takes it from the other. */
  #aboutSharing(row: Operation, event: OperationEvent, name: string): void {
    const follows = ({ reference, contested }: Operation) => (contested ? undefined : reference?.id);
    const others = [...this.known.values()]
      .map((known) => known.row)
      .filter((other) => other.id !== row.id && other.upstream === row.upstream && !this.deadlines.mayBeGone(other))
      .filter((other) => follows(row) !== undefined && follows(other) === follows(row))
      .filter(({ receipt, effects }) => receipt === undefined || effects === 'REQUIRED' || effects === 'ESCALATED');
    const isOpen = row.receipt === undefined || row.effects === 'REQUIRED' || row.effects === 'ESCALATED';
    for (const other of isOpen ? others : []) {
      if (row.shared === undefined || other.shared === undefined)
        this.breach('shared jobs', `${name}: follows the job of call ${callOf(other)}, and not both are told`);
      const wants = other.cancellation === 'NONE' && (WANTING as readonly string[]).includes(other.life);
      if (event.type === 'cancel_sent' && row.cancelledBy === 'caller' && wants)
        this.breach('shared jobs', `${name}: its cancel would stop call ${callOf(other)}`);
    }
  }

  #aboutEnding(before: Operation, row: Operation, name: string): void {
    const { receipt } = row;
    const ended = (FINAL as readonly string[]).includes(row.life);
    if (ended !== (receipt !== undefined))
      this.breach('I3', `${name}: ${row.life} ${receipt ? 'with' : 'without'} a receipt`, 'unreceipted');
    if (before.receipt !== undefined) {
      if (!isSame(before.receipt, receipt)) this.breach('I3', `${name}: its receipt changes`, 'terminalDivergence');
      if (before.life !== row.life) this.breach('I3', `${name}: ${before.life} becomes ${row.life}`, 'terminalDivergence');
    }
    if (before.effects === 'SETTLED' && row.effects !== 'SETTLED') this.breach('I7', `${name}: settled effects open again`);
    if (before.receipt !== undefined && before.effects !== 'SETTLED' && row.effects === 'SETTLED') this.truth.finding(row);
    if (receipt === undefined || before.receipt !== undefined) return;
    if (row.effects === 'SETTLED') this.truth.finding(row);
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
    if (row.shared !== undefined && matched.shared === undefined)
      this.breach('shared jobs', `${name}: its job was given to another call, too, and its receipt does not say so`);
    if (receipt.outcome === 'succeeded' && row.held === undefined)
      this.breach('I4', `${name}: completed without a held result`, 'unreceipted');
    if (receipt.outcome === 'unknown') {
      this.unknowns += 1;
      if (receipt.reason !== '' && row.trouble !== undefined) this.traceable += 1;
      else this.breach('unknown is named', `${name}: ends as unknown, and nothing says why`);
    }
    this.quiet.ended(row.id);
    this.truth.receipt(row);
    if (row.effects === 'NONE' && row.mayExist && row.seen === undefined)
      this.breach('I7', `${name}: ended with effects NONE although a job may exist`);
    const job = this.truth.jobOf(row);
    const ending = this.truth.endingOf(row);
    // What a cancel that deletes removed may have come to its end a moment before: nobody can tell.
    const isDeleted = receipt.outcome === 'cancelled' && job?.deletedAt !== undefined;
    if (
      row.effects === 'NONE' &&
      job !== undefined &&
      ending !== receipt.outcome &&
      !isDeleted &&
      !this.truth.lied(row, receipt.outcome)
    )
      this.breach('I7', `${name}: ended as ${receipt.outcome} with effects NONE, and its job ${ending ?? 'runs'}`);
  }

  /** I10, and L7 of the ledger: what is due is what the row says. */
  #dueWork(row: Operation): void {
    const derived = dueWork(row, this.#upstreams.traitsOf(row));
    const isLive = row.receipt === undefined;
    if (isLive && !derived.some(({ kind }) => DEADLINES.includes(kind)))
      this.breach('I10', `call ${callOf(row)}: ${row.life} without a deadline`, 'lostOperations');
    if (row.cancellation !== 'NONE' && derived.some(({ kind }) => kind === 'submit'))
      this.breach('I8', `call ${callOf(row)}: a submit is due although a cancel is recorded`);
    if (row.input === 'SENT' && derived.some(({ kind, dueAt }) => kind === 'poll' && dueAt < (row.answerUntil ?? 0)))
      this.breach('I15', `call ${callOf(row)}: a look is due while its answer is on the wire`);
    if (!isLive && row.effects !== 'REQUIRED' && derived.length > 0)
      this.breach('I10', `call ${callOf(row)}: ended, and something is due`);
    if (!isLive && derived.some(({ kind }) => kind === 'submit' || kind === 'fetch' || kind === 'answer'))
      this.breach('I10', `call ${callOf(row)}: ended, and would still be sent`);
  }

  /** A poll begins in a process: it has its share of the budget. */
  pollBegins(worker: number, lives: number, upstream: string): void {
    this.#traffic.begins(`${worker}/${lives}`, upstream, this.#schedule.now);
  }

  /** A live process was answered by a service. */
  heard(worker: number, lives: number, exchange: Exchange, request: HttpRequest): void {
    this.#cancels.heard(`${worker}/${lives}`, exchange, request);
    this.#wishes.heard(request, exchange);
  }

  /** A request leaves. */
  sent(sent: Sent, lives: number): void {
    const { worker, route, request, call, fate } = sent;
    const about = call === undefined ? '' : ` of call ${call}`;
    this.note(
      `worker ${worker} sends ${route}${about} ${request.method} ${request.url}${fate === undefined ? '' : ` (${fate})`}`,
    );
    const rows = [...this.known.values()].map(({ row }) => row);
    const touched = this.#traffic.leaves(sent, `${worker}/${lives}`, rows);
    const concerned = rows.filter((row) => touched.includes(callOf(row)));
    this.inquiry.leaves(sent, concerned);
    this.#cancels.leaves(sent, `${worker}/${lives}`, concerned);
    this.#wishes.leaves(sent, concerned);
    if (fate === undefined) return;
    if (touched.length === 0) this.stormy.add(sent.upstream);
    for (const one of touched) this.truth.touched.add(one);
  }

  /** Before a question is put. */
  asks(): Asked {
    return this.linear.asks();
  }

  /** A client was answered with a view that it had asked for then. */
  answered(view: OperationView, asked: Asked): void {
    this.linear.shown(view, asked);
  }

  /** A client was told that there is no such operation. */
  notFound(id: string, message: string): void {
    const row = this.known.get(id)?.row;
    if (row !== undefined && !this.deadlines.mayBeGone(row)) this.breach('rule 10', message, 'lostOperations');
  }

  /** Whether any fault may have had a hand in an operation. */
  isTouched(row: Operation): boolean {
    return this.disturbed || this.stormy.has(this.#upstreams.of(row)) || this.truth.touched.has(callOf(row));
  }

  granted(id: string): void {
    const known = this.known.get(id);
    if (known === undefined) return;
    known.granted = true;
    if (known.shown.y2025 !== 'cancelled')
      this.breach(
        'I5',
        `call ${callOf(known.row)}: a 2025 cancel was granted, and ${known.shown.y2025} is shown`,
        'terminalDivergence',
      );
  }

  /** I1 and what jobs were given, after every step. */
  jobs(): void {
    this.inquiry.given();
    for (const [call, { jobs }] of this.#upstreams.truths) {
      if (jobs.length > 1 && !this.truth.again.has(call))
        this.breach('I1', `call ${call}: ${jobs.length} jobs`, 'duplicateUpstreamJobs');
      for (const job of jobs) {
        if (job.stages !== undefined && job.stages.begun > 1 && !this.#upstreams.isShared(job))
          this.breach('I1', `call ${call}: its job was begun ${job.stages.begun} times`, 'duplicateUpstreamJobs');
      }
    }
  }
}
