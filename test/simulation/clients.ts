// The clients of a history: they start, read, list, wait and cancel through both contracts and without one, come again when a
// process is down, and hold every answer against what they were answered before.

import type { Contract } from '../../src/contracts/contract.ts';
import { contractFor } from '../../src/contracts/index.ts';
import type { Operation } from '../../src/core/operation.ts';
import type { Cancelled, Started } from '../../src/engine/engine.ts';
import { LongshoreError } from '../../src/errors.ts';
import { Answering } from './answering.ts';
import { callOf } from './breach.ts';
import { checkShadow, startAtEdge } from './gates.ts';
import type { Action } from './history.ts';
import type { Asked } from './linear.ts';
import { Operators } from './operators.ts';
import type { Schedule } from './time.ts';
import type { Upstreams } from './upstreams.ts';
import type { Watch } from './watch.ts';
import type { Worker } from './worker.ts';

const PRINCIPAL = 'ann';

export class Clients {
  /** Calls that nobody has answered yet. */
  asking = 0;
  readonly cancelAnswersMs: number[] = [];
  readonly #upstreams: Upstreams;
  readonly #schedule: Schedule;
  readonly #watch: Watch;
  readonly #workers: readonly Worker[];
  readonly #ids = new Map<number, string>();
  readonly #asked = new Map<number, number>();
  readonly #refused = new Set<number>();
  /** Calls that a gate refused. */
  readonly #gated = new Set<number>();
  readonly #answering: Answering;
  readonly #operators: Operators;

  constructor(upstreams: Upstreams, schedule: Schedule, watch: Watch, workers: readonly Worker[]) {
    this.#upstreams = upstreams;
    this.#schedule = schedule;
    this.#watch = watch;
    this.#workers = workers;
    this.#answering = new Answering(schedule, watch);
    this.#operators = new Operators(schedule, watch, upstreams);
  }

  /** One client, as patient as it takes: a process that is down is asked again later, or another one is. */
  async act(action: Action): Promise<void> {
    this.asking += 1;
    const schedule = this.#schedule;
    const worker = this.#workers[action.worker];
    const engine = worker?.engine;
    if (worker === undefined || engine === undefined) {
      schedule.at(schedule.now + 700, () => {
        this.asking -= 1;
        void this.act(action);
      });
      return;
    }
    let isAnswered = false;
    const over = () => {
      if (isAnswered) return;
      isAnswered = true;
      this.asking -= 1;
    };
    // Who is never answered goes away; who holds a key asks again.
    schedule.at(schedule.now + (action.do === 'start' ? (action.againMs ?? 30_000) : 60_000), () => {
      const again = !isAnswered && action.do === 'start' && action.againMs !== undefined && !worker.isPaused;
      over();
      if (again) void this.act({ ...action, worker: (action.worker + 1) % this.#workers.length });
    });
    try {
      await this.#ask(action, worker);
    } catch (error) {
      if (!(error instanceof LongshoreError) || error.retry !== 'later') {
        this.#watch.breach(
          'no surprise',
          `${action.do}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
      } else if (action.do === 'start') this.#refused.add(action.call);
    } finally {
      over();
    }
  }

  async #ask(action: Action, worker: Worker): Promise<void> {
    const { engine } = worker;
    if (engine === undefined) return;
    const watch = this.#watch;
    if (action.do === 'start') {
      const { door, call, key } = action;
      this.#asked.set(call, (this.#asked.get(call) ?? 0) + 1);
      const asked = watch.asks();
      const earlier = this.#earlier(action);
      const moved = watch.gates.count;
      const started = await startAtEdge(engine, {
        tool: this.#upstreams.ofCall(call).tool,
        arguments: { body: { call } },
        principal: PRINCIPAL,
        door,
        ...(key !== undefined && { callerKey: key }),
        ...(action.ttlMs !== undefined && { ttlMs: action.ttlMs }),
      });
      if (started.kind === 'refused') {
        this.#gated.add(call);
        // What its key named may have gone while nobody answered.
        const named = earlier && watch.known.get(earlier.id)?.row;
        const isThere = named !== undefined && !watch.deadlines.mayBeGone(named);
        return watch.gates.refused(action, started.message, isThere ? named : undefined, moved);
      }
      this.#started(action, started, asked);
      if (started.kind === 'operation') await checkShadow(engine, started, watch);
      return;
    }
    if (action.do === 'gate') return watch.gates.act(action, worker);
    if (action.do === 'settle') return this.#operators.act(action, worker);
    const id = this.#ids.get(action.call);
    if (id === undefined) return;
    const asked = watch.asks();
    const wasGone = watch.deadlines.isGone(id);
    switch (action.do) {
      case 'answer':
        return this.#answering.act(action, worker, id, PRINCIPAL);
      case 'read': {
        const view = await engine.read(id, PRINCIPAL);
        if (view === undefined) return watch.notFound(id, `call ${action.call} is unknown`);
        if (wasGone) watch.breach('D3', `call ${action.call}: gone, and shown`);
        watch.answered(view, asked);
        watch.truth.payload(view);
        if ((await engine.read(id, 'bob')) !== undefined) watch.breach('rule 8', 'another principal can read it');
        return;
      }
      case 'list': {
        const page = await engine.list(PRINCIPAL, { limit: 50 });
        return watch.linear.listed(page.items, asked, (row) => watch.deadlines.mayBeGone(row));
      }
      case 'wait': {
        const from = this.#schedule.now;
        const view = await engine.wait(id, PRINCIPAL, { until: action.until, timeoutMs: action.forMs });
        if (view === undefined) return watch.notFound(id, `call ${action.call} is unknown`);
        watch.answered(view, asked);
        const early = this.#schedule.now - from < action.forMs;
        if (action.until === 'end' && early && view.operation.receipt === undefined)
          watch.breach('wait', `call ${action.call}: came back early, and nothing has ended`);
        return;
      }
      case 'cancel': {
        const from = this.#schedule.now;
        watch.quiet.wanted(id);
        const cancelled = await engine.cancel(id, PRINCIPAL, { sticky: action.sticky });
        if (cancelled === undefined) return watch.notFound(id, `call ${action.call} is unknown`);
        watch.answered(cancelled.view, asked);
        this.#cancelled(cancelled);
        if (!watch.disturbed && watch.stormy.size === 0) this.cancelAnswersMs.push(this.#schedule.now - from);
        const reply = this.#contract(action.sticky).tasks?.cancelled(cancelled.view, cancelled.kind === 'recorded');
        if (!action.sticky) {
          if (reply?.as !== 'result') watch.breach('contract', 'a cooperative cancel is always acknowledged');
          return;
        }
        if (reply?.as === 'result') {
          if (reply.result['status'] !== 'cancelled')
            watch.breach(
              'I5',
              `call ${action.call}: the cancel is answered with ${String(reply.result['status'])}`,
              'terminalDivergence',
            );
          watch.granted(id);
        } else if (cancelled.view.operation.receipt === undefined)
          watch.breach('I13', `call ${action.call}: a live operation’s cancel is refused`);
      }
    }
  }

  /** A cancel says of the operation what it did. */
  #cancelled({ kind, view: { operation } }: Cancelled): void {
    const isCancelled = operation.cancellation !== 'NONE' || operation.life === 'CANCELLED_ACCEPTED';
    if (kind === 'recorded' ? !isCancelled : operation.receipt === undefined)
      this.#watch.breach('linear', `call ${callOf(operation)}: a cancel is ${kind}, and it is ${operation.life}`);
  }

  /** The operation that a call's key names already. */
  #earlier({ key, call }: Extract<Action, { do: 'start' }>): Operation | undefined {
    const rows = [...this.#watch.known.values()].map(({ row }) => row);
    return key === undefined ? undefined : rows.find((row) => row.callerKey === key && callOf(row) === call);
  }

  #started(action: Extract<Action, { do: 'start' }>, started: Exclude<Started, { kind: 'gated' }>, asked: Asked): void {
    const watch = this.#watch;
    if (started.kind === 'invalid') return void watch.breach('no surprise', 'valid arguments are called invalid');
    if (started.kind === 'conflict') {
      const earlier = watch.known.get(started.earlier)?.row;
      if (action.key === undefined || earlier?.callerKey !== action.key || callOf(earlier) === action.call)
        watch.breach('rule 3', `call ${action.call}: refused for a conflict that is none`);
      return;
    }
    const { operation } = started.view;
    if (callOf(operation) !== action.call)
      return void watch.breach('rule 3', `call ${action.call} is answered with call ${callOf(operation)}`);
    const known = this.#ids.get(action.call);
    if (known !== undefined && known !== operation.id && !watch.truth.again.has(action.call))
      watch.breach('rule 3', `call ${action.call}: one key, two operations`);
    this.#ids.set(action.call, operation.id);
    watch.answered(started.view, asked);
    const created = this.#contract(action.door === '2025-11-25').tasks?.created(started.view);
    if (action.door === '2025-11-25' && (created?.['task'] as { readonly status?: string } | undefined)?.status !== 'working')
      watch.breach('I2', `call ${action.call}: a task does not begin as working`);
  }

  #contract(is2025: boolean): Contract {
    return is2025 ? contractFor('session', '2025-11-25', ['2025-11-25']) : contractFor('request', '2026-07-28', ['2026-07-28']);
  }

  /** When all is quiet every client can still read what it was promised, and the results are the jobs' own. */
  async readEverything(): Promise<void> {
    const boots = this.#workers.filter((worker) => worker.isAlive && !worker.isPaused);
    const engine = boots[0]?.engine;
    for (const [call, id] of this.#ids) {
      const view = await engine?.read(id, PRINCIPAL).catch((error: unknown) => {
        this.#watch.breach('no surprise', `call ${call} can not be read: ${String(error)}`);
        return undefined;
      });
      const row = this.#watch.known.get(id)?.row;
      const mayBeGone = row !== undefined && this.#watch.deadlines.mayBeGone(row);
      if (view === undefined && engine !== undefined && !mayBeGone)
        this.#watch.breach('rule 10', `call ${call} can no longer be read`, 'lostOperations');
      if (view !== undefined) this.#watch.truth.payload(view);
    }
    for (const call of this.#gated) {
      const isThere = [...this.#watch.known.values()].some(({ row }) => callOf(row) === call);
      if (isThere && this.#asked.get(call) === 1)
        this.#watch.breach('gate', `call ${call}: refused, and there is an operation`);
    }
    // Who was told that nothing was started, and asked no more, is right.
    for (const call of this.#refused) {
      if ((this.#asked.get(call) ?? 0) > 1) continue;
      const row = [...this.#watch.known.values()].find(({ row }) => callOf(row) === call)?.row;
      if (row !== undefined && row.attempt > 0)
        this.#watch.breach('rule 3', `call ${call}: refused with "try again", and started all the same`);
    }
  }
}
