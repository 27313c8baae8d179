// A gateway process of the simulator: the real engine, between ports that can be cut off. A process that is killed never
// hears another answer and asks nothing more; one that is paused hears them when it goes on, as a stopped process does.
//   P1. What a call does, it does when it is called (the ledger's order is the order of calls); only the answer takes time.
//   P2. A death `before` a call leaves it undone; a death `after` it leaves it done and unheard.
//   P3. A store that is down refuses every write, and nothing of it is done.

import { holdSecret } from '../../src/config/secret.ts';
import { adapterName } from '../../src/core/adapter.ts';
import type { Exchange, HttpRequest } from '../../src/core/http.ts';
import { silentLog } from '../../src/core/log.ts';
import type { Clock } from '../../src/core/time.ts';
import type { Catalogue } from '../../src/core/tool.ts';
import { createEngine } from '../../src/engine/create-engine.ts';
import type { Callbacks, Engine } from '../../src/engine/engine.ts';
import type { EnginePorts } from '../../src/engine/ports.ts';
import { LongshoreError } from '../../src/errors.ts';
import { BUSY, createReceiver, type Receiver } from '../../src/http/receiver.ts';
import type { GateStore } from '../../src/ledger/gates.ts';
import type { Inbox } from '../../src/ledger/inbox.ts';
import type { BlobStore, Ledger } from '../../src/ledger/ledger.ts';
import { Budget } from '../../src/upstream/budget.ts';
import type { Incoming, Reply } from '../../src/webhooks/scheme.ts';
import { callbackUrl, secretOf } from './callbacks.ts';
import { gatePorts } from './gates.ts';
import type { Fault } from './history.ts';
import type { Network } from './network.ts';
import type { Chance, HostClock, Schedule } from './time.ts';
import type { Upstreams } from './upstreams.ts';

export const POLLS_PER_SECOND = 2;
const LIMITS = {
  concurrentRequestsMax: 8,
  concurrentPollsMax: 4,
  concurrentSubmitsMax: 1,
  pollsPerSecondMax: POLLS_PER_SECOND,
} as const;

/** Of all services together; where there are several, less than theirs together, and no whole number: what comes back steadily is too much. */
export const pollsPerSecondOf = ({ all }: Upstreams): number => (all.length === 1 ? 1_000 : POLLS_PER_SECOND * 1.75);

/** Half a second's worth, so that what became due together is spread. */
export const atOnce = (perSecond: number): number => Math.max(1, Math.floor(perSecond / 2));

/** How many polls a process may begin at one instant, of all services together. */
export const pollsAtOnceOf = (upstreams: Upstreams): number =>
  Math.min(atOnce(pollsPerSecondOf(upstreams)), upstreams.all.length * atOnce(POLLS_PER_SECOND));

export const SETTINGS: EnginePorts['settings'] = {
  startGraceMs: 500,
  retentionMs: 24 * 3_600_000,
  operationsPerPrincipalMax: 100,
  inlinePayloadBytesMax: 1_024,
  workLeaseMs: 30_000,
  sweepEveryMs: 15_000,
};

/** Calls that read: a store that is full still answers them. */
const READS =
  /^(get|history|list|count|receipt|outbox|nextDueAt|work|getDescriptor|findByCallbackToken|pendingDeliveries|nextDeliveryAt|newestEventAt|send|gates|gateHistory|liveByGate|shadowOf|shadows)$/;

/** What all workers of one world share. */
export interface Ground {
  readonly schedule: Schedule;
  readonly chance: Chance;
  readonly upstreams: Upstreams;
  readonly ledger: Ledger & Inbox;
  readonly blobs: BlobStore;
  /** Absent: there are no gates. */
  readonly gates?: GateStore;
  readonly network: Network;
  readonly churn: number;
  readonly retentionMs?: number;
  readonly faults: readonly Fault[];
  /** A live process was answered by the service. */
  heard(worker: number, lives: number, exchange: Exchange, request: HttpRequest): void;
  /** A worker, in one of its lives, begins a poll. */
  pollBegins(worker: number, lives: number, upstream: string): void;
  /** A fault took hold that may touch any operation, and holds until then. */
  disturbed(until: number): void;
  /** A process could not begin, and was ended with what it held. */
  gaveUp(): void;
  /** The history has been played: what is asked now is only read, at once. */
  isOver(): boolean;
}

/** One host with the process that runs on it, life after life. */
/** A few calls of a store that is slow. */
const CATCHES_UP_MS = 2_000;

export class Worker {
  readonly index: number;
  readonly clock: HostClock;
  engine: Engine | undefined;
  /** How often the process was started. */
  lives = 0;
  readonly #ground: Ground;
  readonly #crashes: readonly Extract<Fault, { what: 'crash' }>[];
  readonly #stalls: readonly Extract<Fault, { what: 'stall' }>[];
  readonly #outages: readonly Extract<Fault, { what: 'store' }>[];
  #calls = 0;
  #pausedUntil = 0;
  #current: { alive: boolean } = { alive: false };
  #receiver: Receiver | undefined;

  constructor(index: number, ground: Ground, clock: HostClock) {
    this.index = index;
    this.clock = clock;
    this.#ground = ground;
    this.#stalls = ground.faults.filter((fault) => fault.what === 'stall').filter(({ worker }) => worker === index);
    this.#crashes = ground.faults.filter((fault) => fault.what === 'crash').filter(({ worker }) => worker === index);
    this.#outages = ground.faults.filter((fault) => fault.what === 'store');
  }

  get isAlive(): boolean {
    return this.#current.alive;
  }

  get isPaused(): boolean {
    return this.#ground.schedule.now < this.#pausedUntil;
  }

  /** It stands still, or has only just gone on and is still writing down what it knew. */
  get hasToCatchUp(): boolean {
    return this.#pausedUntil > 0 && this.#ground.schedule.now <= this.#pausedUntil + CATCHES_UP_MS;
  }

  pause(forMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#ground.schedule.now + forMs);
    this.#ground.disturbed(this.#pausedUntil);
  }

  /** Ends the process where it stands. */
  kill(): void {
    this.#current.alive = false;
    this.engine = undefined;
  }

  /** Starts a process; it is started again, as by a supervisor, if it can't begin. */
  boot(): void {
    const { schedule, network, upstreams, chance } = this.#ground;
    const { all } = upstreams;
    const life = { alive: true };
    this.#current = life;
    this.lives += 1;
    const clock = this.#timekeeper(life);
    const catalogue: Catalogue = {
      tools: new Map(all.map(({ tool }) => [tool.name, tool])),
      leftOut: [],
      services: new Map(),
      warnings: [],
    };
    const ledger = this.#port(this.#ground.ledger, life);
    const engine = createEngine({
      ledger,
      blobs: this.#port(this.#ground.blobs, life),
      adapters: new Map(all.map(({ dialect: { adapter } }) => [adapterName(adapter), adapter])),
      catalogue,
      transport: this.#port(network.from(this.index), life),
      budget: this.#budget(clock),
      ...(this.#ground.gates && { gates: gatePorts(this.#port(this.#ground.gates, life)) }),
      ...(all.some(({ dialect }) => dialect.calls) && { webhooks: { inbox: ledger, callbackUrl } }),
      clock,
      random: chance,
      log: silentLog,
      settings: { ...SETTINGS, retentionMs: this.#ground.retentionMs ?? SETTINGS.retentionMs },
    });
    this.engine = engine;
    this.#receiver = engine.callbacks && this.#receive(engine.callbacks, catalogue, clock);
    engine.run().catch(() => {
      if (!life.alive) return;
      this.#ground.gaveUp();
      this.kill();
      schedule.at(schedule.now + 1_000, () => this.boot());
    });
  }

  #receive(callbacks: Callbacks, catalogue: Catalogue, clock: Clock): Receiver {
    const upstreams = this.#ground.upstreams.all.map(({ name, dialect }) => ({
      name,
      webhooks: { secrets: [holdSecret(secretOf(name, dialect.calls?.scheme))], keySets: [], allowedOrigins: [] },
    }));
    return createReceiver({ callbacks, catalogue, upstreams, log: silentLog, clock });
  }

  /** A delivery comes to this host. `undefined`: nobody listens. A process that is killed meanwhile never answers. */
  deliver(upstream: string, token: string, incoming: Incoming): Promise<Reply> | undefined {
    const life = this.#current;
    const receiver = this.#receiver;
    if (!life.alive || receiver === undefined) return undefined;
    return this.#whenAwake(life, undefined)
      .then(() => receiver.deliver(upstream, token, incoming))
      .catch(() => BUSY)
      .then((reply) => this.#whenAwake(life, reply));
  }

  #timekeeper(life: { readonly alive: boolean }): Clock {
    const { clock } = this;
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (durationMs, signal) =>
        life.alive ? clock.sleep(durationMs, signal).then(() => this.#whenAwake(life, undefined)) : never(),
    };
  }

  #budget(clock: Clock): Budget {
    const { upstreams, pollBegins } = this.#ground;
    const accounts = upstreams.all.map(({ name }) => [name, LIMITS] as const);
    const budget = new Budget(clock, accounts, pollsPerSecondOf(upstreams));
    const take = budget.take.bind(budget);
    budget.take = (kind, upstream) => {
      if (kind === 'poll') pollBegins(this.index, this.lives, upstream);
      return take(kind, upstream);
    };
    return budget;
  }

  /** The same object, each member cut off, delayed, or refused as the faults have it. */
  #port<T extends object>(target: T, life: { alive: boolean }): T {
    const port = new Map<string | symbol, unknown>();
    return new Proxy(target, {
      get: (_target, name) => {
        const made = port.get(name);
        if (made !== undefined) return made;
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function' || typeof name !== 'string') return member;
        const cut = (...args: unknown[]) => this.#call(life, name, args, () => member.apply(target, args) as Promise<unknown>);
        port.set(name, cut);
        return cut;
      },
    });
  }

  async #call(life: { alive: boolean }, name: string, args: readonly unknown[], run: () => Promise<unknown>): Promise<unknown> {
    if (!life.alive) return never();
    if (this.#ground.isOver()) return run();
    const { schedule, chance, churn } = this.#ground;
    this.#calls += 1;
    const crash = this.#crashes.find(({ call }) => call === this.#calls);
    if (crash?.when === 'before') {
      this.#crash(crash.downMs);
      return never();
    }
    const stall = this.#stalls.find(({ call }) => call === this.#calls);
    if (stall !== undefined) this.pause(stall.forMs);
    const isDown = this.#outages.some(({ at, forMs }) => schedule.now >= at && schedule.now < at + forMs) && !READS.test(name);
    if (isDown) this.#ground.disturbed(schedule.now);
    const answer = isDown ? Promise.reject(new LongshoreError('LEDGER_UNAVAILABLE', 'The disk is full.')) : run();
    if (crash?.when === 'after') {
      answer.catch(() => undefined);
      this.#crash(crash.downMs);
      return never();
    }
    try {
      const value = await answer;
      if (churn > 0 && name !== 'send' && chance.chance(churn))
        await schedule.sleep(chance.between(1, chance.chance(0.2) ? 400 : 40));
      const heard = await this.#whenAwake(life, value);
      if (name === 'send') this.#ground.heard(this.index, this.lives, heard as Exchange, args[1] as HttpRequest);
      return heard;
    } catch (error) {
      await this.#whenAwake(life, undefined);
      throw error;
    }
  }

  async #whenAwake<T>(life: { readonly alive: boolean }, value: T): Promise<T> {
    const { schedule } = this.#ground;
    while (life.alive && schedule.now < this.#pausedUntil) await schedule.sleep(this.#pausedUntil - schedule.now);
    return life.alive ? value : never();
  }

  #crash(downMs: number): void {
    const { schedule } = this.#ground;
    this.#ground.disturbed(schedule.now + downMs + 1_000);
    this.kill();
    schedule.at(schedule.now + downMs, () => this.boot());
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
