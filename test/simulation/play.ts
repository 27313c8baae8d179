// Playing a history: several gateway processes over one ledger, their clients, the service and the network, on one schedule.
// What clients do and what goes wrong come from the history; the rest comes from its seed, so the same history plays the same.

import type { GateStore } from '../../src/ledger/gates.ts';
import type { Inbox } from '../../src/ledger/inbox.ts';
import type { BlobStore, Ledger } from '../../src/ledger/ledger.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite.ts';
import type { Breach } from './breach.ts';
import { Clients } from './clients.ts';
import type { Open } from './deadlines.ts';
import type { History } from './history.ts';
import { MemoryStore } from './memory-inbox.ts';
import { callIn, Network } from './network.ts';
import { Post } from './post.ts';
import { Chance, HostClock, Schedule } from './time.ts';
import { Upstreams } from './upstreams.ts';
import { Watch } from './watch.ts';
import { type Ground, Worker } from './worker.ts';

/** By then every operation has ended and its effects are settled or escalated, whatever happened before. */
const QUIET_BY_MS = 15 * 60_000;

export interface Played {
  readonly breaches: readonly Breach[];
  readonly steps: number;
  readonly operations: number;
  readonly unknowns: number;
  readonly traceable: number;
  /** What became of the operations, for who wants to see that a run reaches everything. */
  readonly outcomes: readonly string[];
  readonly cancelAnswersMs: readonly number[];
  /** Unknowns that were settled or handed over. */
  readonly open: readonly Open[];
  /** What happened, line by line; only where something is wrong. */
  readonly timeline: readonly string[];
}

export interface Store {
  readonly ledger: Ledger & Inbox;
  readonly blobs: BlobStore;
  readonly gates: GateStore;
  close(): Promise<void>;
}

export type OpenStore = (clock: HostClock) => Promise<Store>;

export const inMemory: OpenStore = async () => {
  const ledger = new MemoryStore();
  return { ledger, blobs: ledger.blobs, gates: ledger.gateStore, close: () => ledger.close() };
};

/** The store that the gateway is shipped with. Slower: it commits in turns of the event loop. */
export const inSqlite: OpenStore = async (clock) => {
  const ledger = await openSqliteLedger({ path: ':memory:', clock });
  return { ledger, blobs: ledger.blobs, gates: ledger, close: () => ledger.close() };
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
  readonly #upstreams: Upstreams;
  readonly #ledger: Watched<Ledger & Inbox>;
  readonly #blobs: Watched<BlobStore>;
  readonly #gates: Watched<GateStore>;
  readonly #workers: readonly Worker[];
  readonly #watch: Watch;
  readonly #clients: Clients;
  readonly #post: Post;
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
    const upstreams = new Upstreams(history);
    this.#upstreams = upstreams;
    const watch = new Watch(store.ledger, upstreams, schedule, history.faults);
    this.#watch = watch;
    this.#ledger = new Watched(store.ledger, watch, { exclusive: history.workers === 1 });
    const blobs = new Watched(store.blobs, watch, {});
    this.#blobs = blobs;
    this.#gates = new Watched(store.gates, watch, {});
    const network = new Network(schedule, chance, upstreams, history.faults, (sent) =>
      watch.sent(sent, this.#workers[sent.worker]?.lives ?? 0),
    );
    const ground: Ground = {
      schedule,
      chance,
      upstreams,
      ledger: this.#ledger.port,
      blobs: blobs.port,
      ...(history.gated === true && { gates: this.#gates.port }),
      network,
      churn: history.churn,
      faults: history.faults,
      ...(history.retentionMs !== undefined && { retentionMs: history.retentionMs }),
      pollBegins: (worker, lives, upstream) => watch.pollBegins(worker, lives, upstream),
      disturbed: (until) => {
        watch.disturbed = true;
        watch.deadlines.disturbed(until);
      },
      heard: (worker, lives, exchange, request) => {
        watch.heard(worker, lives, exchange, request);
        const call = network.routeOf(request) === 'submit' ? callIn(request) : undefined;
        if (call !== undefined && exchange.ok) watch.quiet.heard(call, exchange.response);
      },
      gaveUp: () => {
        watch.quiet.hasForgotten = true;
      },
      isOver: () => this.#isOver,
    };
    this.#workers = Array.from({ length: history.workers }, (_, index) => new Worker(index, ground, new HostClock(schedule)));
    this.#post = new Post(schedule, chance, upstreams, this.#workers, watch.mail, history.faults);
    this.#clients = new Clients(upstreams, schedule, watch, this.#workers);
  }

  async play(): Promise<Played> {
    const { actions, faults } = this.#history;
    const schedule = this.#schedule;
    for (const worker of this.#workers) schedule.at(0, () => worker.boot());
    for (const action of actions) schedule.at(action.at, () => void this.#clients.act(action));
    for (const fault of faults) {
      if (fault.what === 'pause') schedule.at(fault.at, () => this.#workers[fault.worker]?.pause(fault.forMs));
      if (fault.what === 'clock') {
        schedule.at(fault.at, () => {
          this.#watch.disturbed = true;
          this.#watch.leases.unsteady = true;
          this.#watch.inquiry.unsteady = true;
          this.#watch.mail.unsteady = true;
          this.#workers[fault.worker]?.clock.jump(fault.byMs);
        });
      }
      if (fault.what === 'storm' || fault.what === 'babble') {
        const stormy = this.#upstreams.all['upstream' in fault ? (fault.upstream ?? 0) : 0];
        if (stormy !== undefined) this.#watch.stormy.add(stormy);
      }
    }
    // A wall that is set back delays what is due by as much: late, and never wrong.
    const setBackMs = faults.reduce((sum, fault) => sum + (fault.what === 'clock' ? Math.max(0, -fault.byMs) : 0), 0);
    let answered = 0;
    while (this.#watch.breaches.length === 0 && !(await this.#isQuiet()) && (await schedule.step(QUIET_BY_MS + setBackMs))) {
      // A store that commits in turns of the event loop is given those it needs.
      while (this.#ledger.asked + this.#blobs.asked + this.#gates.asked > 0)
        await new Promise((resolve) => setImmediate(resolve));
      if (this.#upstreams.answered !== answered) this.#watch.jobs();
      answered = this.#upstreams.answered;
      await this.#watch.audit();
    }
    if (this.#watch.breaches.length === 0) {
      const rows = [...this.#watch.known.values()].map(({ row }) => row);
      await this.#watch.quiet.check(rows, faults, (row) => this.#watch.isTouched(row));
      await this.#watch.gates.check(this.#gates.port, faults);
      for (const row of rows) if (!this.#watch.isTouched(row)) this.#watch.inquiry.delivered(row);
      this.#watch.mail.check();
    }
    this.#isOver = true;
    if (this.#watch.breaches.length === 0) await this.#clients.readEverything();
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
      cancelAnswersMs: this.#clients.cancelAnswersMs,
      open: this.#watch.deadlines.open,
      timeline: breaches.length === 0 ? [] : this.#timeline(),
    };
  }

  /** Every event of every operation, and every request that left, in the order of true time. */
  #timeline(): string[] {
    return this.#watch.log.map(({ at, line }) => `${String(at).padStart(7)}  ${line}`);
  }

  /** Every client was answered, and there is nothing that anybody still has to do. */
  async #isQuiet(): Promise<boolean> {
    if (this.#clients.asking > 0 || this.#post.underway > 0 || this.#schedule.now <= this.#busyUntil) return false;
    if (this.#workers.some((worker) => worker.hasToCatchUp)) return false;
    if (this.#watch.known.size === 0) return true;
    for (const { row } of this.#watch.known.values()) if (row.receipt === undefined || row.effects === 'REQUIRED') return false;
    return !this.#upstreams.haveCallbacks || (await this.#ledger.port.nextDeliveryAt()) === undefined;
  }
}

/** A store, with the watch told of everything that it made durable and of every lease. */
class Watched<T extends object> {
  readonly port: T;
  /** Calls that are not answered yet. */
  asked = 0;

  /** @param instead Members that this world answers by itself. */
  constructor(target: T, watch: Watch, instead: Partial<T>) {
    const members = new Map<string | symbol, unknown>(Object.entries(instead));
    this.port = new Proxy(target, {
      get: (_target, name) => {
        if (members.has(name)) return members.get(name);
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        const watched = (...args: unknown[]) => {
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
        members.set(name, watched);
        return watched;
      },
    });
  }
}
