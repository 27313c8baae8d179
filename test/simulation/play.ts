// Playing a history: several gateway processes over one ledger, their clients, the service and the network, on one schedule.
// What clients do and what goes wrong come from the history; the rest comes from its seed, so the same history plays the same.

import type { Contract } from '../../src/contracts/contract.ts';
import { contractFor } from '../../src/contracts/index.ts';
import type { Started } from '../../src/engine/engine.ts';
import { LongshoreError } from '../../src/errors.ts';
import type { BlobStore, Ledger } from '../../src/ledger/ledger.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite.ts';
import { type Breach, callOf } from './breach.ts';
import { dialectOf, toolOf } from './dialects.ts';
import type { Action, History } from './history.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { callIn, Network } from './network.ts';
import { Service } from './service.ts';
import { Chance, HostClock, Schedule } from './time.ts';
import { Watch } from './watch.ts';
import { type Ground, Worker } from './worker.ts';

/** By then every operation has ended and its effects are settled or escalated, whatever happened before. */
const QUIET_BY_MS = 15 * 60_000;
const PRINCIPAL = 'ann';

export interface Played {
  readonly breaches: readonly Breach[];
  readonly steps: number;
  readonly operations: number;
  readonly unknowns: number;
  readonly traceable: number;
  /** What became of the operations, for who wants to see that a run reaches everything. */
  readonly outcomes: readonly string[];
  readonly cancelAnswersMs: readonly number[];
  /** What happened, line by line; only where something is wrong. */
  readonly timeline: readonly string[];
}

export interface Store {
  readonly ledger: Ledger;
  readonly blobs: BlobStore;
  close(): Promise<void>;
}

export type OpenStore = (clock: HostClock) => Promise<Store>;

export const inMemory: OpenStore = async () => {
  const ledger = new MemoryLedger();
  return { ledger, blobs: ledger.blobs, close: () => ledger.close() };
};

/** The store that the gateway is shipped with. Slower: it commits in turns of the event loop. */
export const inSqlite: OpenStore = async (clock) => {
  const ledger = await openSqliteLedger({ path: ':memory:', clock });
  return { ledger, blobs: ledger.blobs, close: () => ledger.close() };
};

/** Plays a history to its end, or to the first breach. */
export async function play(history: History, openStore: OpenStore = inMemory): Promise<Played> {
  const chance = new Chance(history.seed ^ 0x5eed);
  const schedule = new Schedule(chance);
  const store = await openStore(new HostClock(schedule));
  try {
    return await new World(history, chance, schedule, store).play();
  } finally {
    await store.close();
  }
}

class World {
  readonly #history: History;
  readonly #schedule: Schedule;
  readonly #ledger: Watched<Ledger>;
  readonly #blobs: Watched<BlobStore>;
  readonly #workers: readonly Worker[];
  readonly #watch: Watch;
  readonly #ids = new Map<number, string>();
  readonly #tool;
  readonly #cancelAnswersMs: number[] = [];
  readonly #refused = new Set<number>();
  readonly #asked = new Map<number, number>();
  #asking = 0;
  #isOver = false;
  readonly #busyUntil: number;

  constructor(history: History, chance: Chance, schedule: Schedule, store: Store) {
    this.#history = history;
    this.#busyUntil = Math.max(
      ...history.actions.map(({ at }) => at),
      ...history.faults.map((fault) => ('at' in fault ? fault.at + ('forMs' in fault ? fault.forMs : 0) : 0)),
      0,
    );
    this.#schedule = schedule;
    const dialect = dialectOf(history.dialect);
    this.#tool = toolOf(dialect);
    const plans = new Map(
      history.actions.flatMap((action) => (action.do === 'start' ? [[action.call, action.job] as const] : [])),
    );
    const service = new Service(dialect, plans);
    const watch = new Watch(store.ledger, this.#tool.descriptor.traits, service, schedule);
    this.#watch = watch;
    this.#ledger = new Watched(store.ledger, watch, { exclusive: history.workers === 1 });
    const blobs = new Watched(store.blobs, watch, {});
    this.#blobs = blobs;
    const network = new Network(schedule, chance, service, history.faults, (sent) =>
      watch.sent(sent, this.#workers[sent.worker]?.lives ?? 0),
    );
    const ground: Ground = {
      schedule,
      chance,
      dialect,
      tool: this.#tool,
      ledger: this.#ledger.port,
      blobs: blobs.port,
      network,
      churn: history.churn,
      faults: history.faults,
      disturbed: () => {
        watch.disturbed = true;
      },
      heard: (exchange, request) => {
        const call = network.routeOf(request) === 'submit' ? callIn(request) : undefined;
        if (call !== undefined && exchange.ok) watch.heard(call, exchange.response);
      },
      isOver: () => this.#isOver,
    };
    this.#workers = Array.from({ length: history.workers }, (_, index) => new Worker(index, ground, new HostClock(schedule)));
  }

  async play(): Promise<Played> {
    const { actions, faults } = this.#history;
    const schedule = this.#schedule;
    for (const worker of this.#workers) schedule.at(0, () => worker.boot());
    for (const action of actions) schedule.at(action.at, () => void this.#act(action));
    for (const fault of faults) {
      if (fault.what === 'pause') schedule.at(fault.at, () => this.#workers[fault.worker]?.pause(fault.forMs));
      if (fault.what === 'clock') {
        schedule.at(fault.at, () => {
          this.#watch.disturbed = true;
          this.#watch.leases.unsteady = true;
          this.#workers[fault.worker]?.clock.jump(fault.byMs);
        });
      }
      if (fault.what === 'storm') this.#watch.disturbed = true;
    }
    // A wall that is set back delays what is due by as much: late, and never wrong.
    const setBackMs = faults.reduce((sum, fault) => sum + (fault.what === 'clock' ? Math.max(0, -fault.byMs) : 0), 0);
    while (this.#watch.breaches.length === 0 && !(await this.#isQuiet()) && (await schedule.step(QUIET_BY_MS + setBackMs))) {
      // A store that commits in turns of the event loop is given those it needs.
      while (this.#ledger.asked > 0 || this.#blobs.asked > 0) await new Promise((resolve) => setImmediate(resolve));
      this.#watch.jobs();
      await this.#watch.audit();
    }
    if (this.#watch.breaches.length === 0) await this.#watch.atTheEnd(faults);
    if (this.#watch.breaches.length === 0) await this.#readEverything();
    for (const worker of this.#workers) worker.kill();
    const { breaches, known, unknowns, traceable } = this.#watch;
    return {
      breaches,
      steps: schedule.steps,
      operations: known.size,
      unknowns,
      traceable,
      outcomes: [...known.values()].map(
        ({ row }) => `${row.receipt?.outcome ?? row.life}/${row.receipt?.by ?? '-'}/${row.effects}`,
      ),
      cancelAnswersMs: this.#cancelAnswersMs,
      timeline: breaches.length === 0 ? [] : await this.#timeline(),
    };
  }

  /** Every event of every operation, and every request that left, in the order of true time. */
  async #timeline(): Promise<string[]> {
    return this.#watch.log.map(({ at, line }) => `${String(at).padStart(7)}  ${line}`);
  }

  /** Every client was answered, and there is nothing that anybody still has to do. */
  async #isQuiet(): Promise<boolean> {
    if (this.#asking > 0 || this.#schedule.now <= this.#busyUntil) return false;
    if (this.#watch.known.size === 0) return true;
    for (const { row } of this.#watch.known.values()) if (row.receipt === undefined || row.effects === 'REQUIRED') return false;
    return true;
  }

  /** One client, as patient as it takes: a process that is down is asked again later, or another one is. */
  async #act(action: Action): Promise<void> {
    this.#asking += 1;
    const { schedule } = { schedule: this.#schedule };
    const worker = this.#workers[action.worker];
    const engine = worker?.engine;
    if (worker === undefined || engine === undefined) {
      schedule.at(schedule.now + 700, () => {
        this.#asking -= 1;
        void this.#act(action);
      });
      return;
    }
    let isAnswered = false;
    const over = () => {
      if (isAnswered) return;
      isAnswered = true;
      this.#asking -= 1;
    };
    // Who is never answered goes away; who holds a key asks again.
    schedule.at(schedule.now + (action.do === 'start' ? (action.againMs ?? 30_000) : 60_000), () => {
      const again = !isAnswered && action.do === 'start' && action.againMs !== undefined && !worker.isPaused;
      over();
      if (again) void this.#act({ ...action, worker: (action.worker + 1) % this.#workers.length });
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
      const started = await engine.start({
        tool: this.#tool,
        arguments: { body: { call } },
        principal: PRINCIPAL,
        door,
        ...(key !== undefined && { callerKey: key }),
      });
      this.#started(action, started);
      return;
    }
    const id = this.#ids.get(action.call);
    if (id === undefined) return;
    const seen = watch.seen(id);
    switch (action.do) {
      case 'read': {
        const view = await engine.read(id, PRINCIPAL);
        if (view === undefined) return void watch.breach('rule 10', `call ${action.call} is unknown`, 'lostOperations');
        watch.answered(view, seen);
        watch.truth.payload(view);
        if ((await engine.read(id, 'bob')) !== undefined) watch.breach('rule 8', 'another principal can read it');
        return;
      }
      case 'list': {
        const page = await engine.list(PRINCIPAL, { limit: 50 });
        const view = page.items.find(({ operation }) => operation.id === id);
        if (view === undefined) return void watch.breach('rule 10', `call ${action.call} is not listed`, 'lostOperations');
        return void watch.answered(view, seen);
      }
      case 'wait': {
        const from = this.#schedule.now;
        const view = await engine.wait(id, PRINCIPAL, { until: action.until, timeoutMs: action.forMs });
        if (view === undefined) return void watch.breach('rule 10', `call ${action.call} is unknown`, 'lostOperations');
        watch.answered(view, seen);
        const early = this.#schedule.now - from < action.forMs;
        if (action.until === 'end' && early && view.operation.receipt === undefined)
          watch.breach('wait', `call ${action.call}: came back early, and nothing has ended`);
        return;
      }
      case 'cancel': {
        const from = this.#schedule.now;
        watch.wanted(id);
        const cancelled = await engine.cancel(id, PRINCIPAL, { sticky: action.sticky });
        if (cancelled === undefined) return void watch.breach('rule 10', `call ${action.call} is unknown`, 'lostOperations');
        watch.answered(cancelled.view, seen);
        if (!this.#watch.disturbed) this.#cancelAnswersMs.push(this.#schedule.now - from);
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

  #started(action: Extract<Action, { do: 'start' }>, started: Started): void {
    const watch = this.#watch;
    if (started.kind === 'invalid') return void watch.breach('no surprise', 'valid arguments are called invalid');
    if (started.kind === 'conflict') {
      const earlier = watch.known.get(started.earlier)?.row;
      if (action.key === undefined || earlier?.callerKey !== action.key || callOf(earlier) === action.call)
        watch.breach('rule 3', `call ${action.call}: refused for a conflict that is none`);
      return;
    }
    if (started.kind === 'gated') return void watch.breach('no surprise', 'a gate that nobody closed refuses a call');
    const { operation } = started.view;
    if (callOf(operation) !== action.call)
      return void watch.breach('rule 3', `call ${action.call} is answered with call ${callOf(operation)}`);
    const known = this.#ids.get(action.call);
    if (known !== undefined && known !== operation.id) watch.breach('rule 3', `call ${action.call}: one key, two operations`);
    this.#ids.set(action.call, operation.id);
    watch.answered(started.view, 0);
    const created = this.#contract(action.door === '2025-11-25').tasks?.created(started.view);
    if (action.door === '2025-11-25' && (created?.['task'] as { readonly status?: string } | undefined)?.status !== 'working')
      watch.breach('I2', `call ${action.call}: a task does not begin as working`);
  }

  #contract(is2025: boolean): Contract {
    return is2025 ? contractFor('session', '2025-11-25', ['2025-11-25']) : contractFor('request', '2026-07-28', ['2026-07-28']);
  }

  /** When all is quiet every client can still read what it was promised, and the results are the jobs' own. */
  async #readEverything(): Promise<void> {
    this.#isOver = true;
    const boots = this.#workers.filter((worker) => worker.isAlive && !worker.isPaused);
    const engine = boots[0]?.engine;
    for (const [call, id] of this.#ids) {
      const view = await engine?.read(id, PRINCIPAL);
      if (view === undefined && engine !== undefined)
        this.#watch.breach('rule 10', `call ${call} can no longer be read`, 'lostOperations');
      if (view !== undefined) this.#watch.truth.payload(view);
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

/** A store, with the watch told of everything that it made durable and of every lease. */
class Watched<T extends object> {
  readonly port: T;
  /** Calls that are not answered yet. */
  asked = 0;

  /** @param instead Members that this world answers by itself. */
  constructor(target: T, watch: Watch, instead: Partial<T>) {
    this.port = new Proxy(target, {
      get: (_target, name) => {
        if (Object.hasOwn(instead, name)) return instead[name as keyof T];
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          this.asked += 1;
          return (member.apply(target, args) as Promise<unknown>)
            .then((answer) => {
              watch.stored(String(name), args, answer);
              return answer;
            })
            .finally(() => {
              this.asked -= 1;
            });
        };
      },
    });
  }
}
