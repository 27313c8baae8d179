// Gates of a history: closed, drained, opened again in the middle of everything, by people and by themselves, while processes know
// them as they were a moment ago.
//   G1. An operation is created under the epoch that its gates have at that moment, and never where one of them is drained.
//   G2. A call that is refused leaves no operation; one that repeats an earlier call by its key is given that one, whatever the gates say.
//   G3. What was admitted goes on under its own epoch: the rest of the watch holds for it as if no gate had moved.
//   G4. Every change is kept once, with its actor and reason, under a greater epoch than all before.

import type { Client, Contract } from '../../src/contracts/contract.ts';
import { contractFor } from '../../src/contracts/index.ts';
import { FIRST_EPOCH, GATEWAY, type Gate, type GateMode, type GatePlace, samePlace } from '../../src/core/gates.ts';
import type { Door } from '../../src/core/ids.ts';
import type { Operation } from '../../src/core/operation.ts';
import type { JobTool } from '../../src/core/tool.ts';
import type { Engine, StartCall, Started } from '../../src/engine/engine.ts';
import type { GatePorts } from '../../src/engine/ports.ts';
import { routeOf, startThrough } from '../../src/http/gated.ts';
import type { GateStore } from '../../src/ledger/gates.ts';
import { callOf, type Report } from './breach.ts';
import type { Action, Fault } from './history.ts';
import type { Chance } from './time.ts';
import type { Upstream, Upstreams } from './upstreams.ts';
import type { Watch } from './watch.ts';
import type { Worker } from './worker.ts';

type StartAction = Extract<Action, { do: 'start' }>;

const DOORS = ['2025-11-25', '2026-07-28', 'none'] as const;

export interface GateAction {
  readonly do: 'gate';
  readonly at: number;
  readonly worker: number;
  /** No call: gates are about all. */
  readonly call: -1;
  /** Absent: every one. */
  readonly door?: Door;
  readonly mode: GateMode;
  readonly share?: number;
  readonly narrow: 'all' | 'upstream' | 'tool';
}

/** A bound that a history can reach: two answers in a row that no adapter can read, of two operations. */
export const TRIP_AFTER = 2;

export const gatePorts = (store: GateStore): GatePorts => ({
  store,
  contracts: ['2025-11-25', '2026-07-28'],
  configured: [],
  mistrusted: [],
  tripAfter: TRIP_AFTER,
  tripWithinMs: 60_000,
});

export function gateActionsOf(chance: Chance, starts: readonly number[], workers: number): readonly GateAction[] {
  return Array.from({ length: chance.between(1, 5) }, (): GateAction => {
    const mode = chance.pick(['drain', 'drain', 'open', 'open', 'canary', 'shadow'] as const);
    const door = mode === 'canary' ? chance.pick(['2025-11-25', '2026-07-28'] as const) : chance.pick([undefined, ...DOORS]);
    return {
      do: 'gate',
      // At the very moment at which somebody calls, too.
      at: chance.chance(0.6)
        ? Math.max(0, chance.pick(starts) + chance.pick([-300, -20, -1, 0, 0, 1, 20]))
        : chance.between(0, 25_000),
      worker: chance.between(0, workers - 1),
      call: -1,
      ...(door !== undefined && { door }),
      mode,
      ...(mode === 'canary' && { share: chance.pick([0, 0.5, 1]) }),
      narrow: chance.pick(['all', 'upstream', 'tool'] as const),
    };
  });
}

const contractOf = (door: Door): Contract =>
  door === '2025-11-25'
    ? contractFor('session', '2025-11-25', ['2025-11-25'])
    : contractFor('request', '2026-07-28', ['2026-07-28']);

/** A start as the edge makes one: through the gates, where there are any. `refused`: nothing was started, and it says so. */
export async function startAtEdge(
  engine: Engine,
  call: StartCall,
): Promise<Exclude<Started, { kind: 'gated' }> | { readonly kind: 'refused'; readonly message: string }> {
  const { door, ttlMs } = call;
  const contract = contractOf(door);
  const client: Client = { tasks: door !== 'none', forms: true };
  const admission =
    door === 'none' ? ({ as: 'inline' } as const) : ({ as: 'task', ...(ttlMs !== undefined && { ttlMs }) } as const);
  const route = await routeOf(engine.gates, { contract, client }, admission, call);
  if (route.as === 'refused') return { kind: 'refused', message: route.message };
  const { ruling } = route;
  const started = await startThrough((one) => engine.start(one), engine.gates, {
    ...call,
    door: route.door,
    ...(ruling && { ruling }),
  });
  return started.kind === 'refused' ? { kind: 'refused', message: started.why.message } : started;
}

export class GateWatch {
  readonly #report: Report;
  /** Of the first service: gates are moved for it, and for what it shares with others. */
  readonly #tool: JobTool;
  /** As they became durable. */
  readonly #changes: Gate[] = [];
  readonly #asked = new Map<string, Pick<GateAction, 'mode'> & { readonly reason: string }>();
  #keepers = 0;

  constructor({ all }: Upstreams, report: Report) {
    this.#tool = (all[0] as Upstream).tool;
    this.#report = report;
  }

  async act(action: GateAction, worker: Worker): Promise<void> {
    const { door, mode, share, narrow } = action;
    for (const contract of door === undefined ? DOORS : [door]) {
      const actor = `keeper ${++this.#keepers}`;
      const reason = `for the ${this.#keepers}th time`;
      this.#asked.set(actor, { mode, reason });
      const gate = await worker.engine?.gates?.change({
        adapter: this.#tool.descriptor.adapter,
        contract,
        ...(narrow !== 'all' && { upstream: this.#tool.upstream }),
        ...(narrow === 'tool' && { tool: this.#tool.name }),
        mode,
        ...(share !== undefined && { share }),
        reason,
        actor,
      });
      if (gate === undefined) return;
      if (gate.actor !== actor || gate.reason !== reason || gate.mode !== mode)
        this.#report('gate', `${actor} changed a gate, and is answered with ${gate.mode} by ${gate.actor}`);
      if (!this.#changes.some(({ epoch }) => epoch === gate.epoch)) this.#report('L15', `a change of ${actor} is not durable`);
    }
  }

  changed(gate: Gate): void {
    if (this.#changes.some(({ epoch }) => epoch >= gate.epoch)) this.#report('L15', `epoch ${gate.epoch} is not a new one`);
    this.#changes.push(gate);
  }

  /** G1. */
  created(row: Operation): void {
    const about = (gate: GatePlace) =>
      gate.adapter === row.adapter &&
      gate.contract === row.contract &&
      (gate.upstream ?? row.upstream) === row.upstream &&
      (gate.tool ?? row.tool) === row.tool;
    const concerned = this.#changes.filter(about);
    const epoch = concerned.at(-1)?.epoch ?? FIRST_EPOCH;
    const name = `call ${callOf(row)}`;
    if (row.epoch !== epoch) this.#report('gate', `${name}: created under epoch ${row.epoch}, and it is ${epoch}`);
    const standing = concerned.filter(
      (gate, index) =>
        !concerned.slice(index + 1).some((later) => later.upstream === gate.upstream && later.tool === gate.tool),
    );
    if (standing.some(({ mode }) => mode === 'drain')) this.#report('gate', `${name}: created behind a drained gate`);
    const isShut = standing.some(({ mode, share }) => mode === 'canary' && share === 0);
    if (row.contract !== 'none' && isShut && !this.#changes.some(({ mode }) => mode === 'shadow'))
      this.#report('gate', `${name}: a task, and its gate lets no task through`);
  }

  /** G2: refused, and nothing of it is there. */
  refused(
    { call, door }: Pick<StartAction, 'call' | 'door'>,
    message: string,
    earlier: Operation | undefined,
    asked: number,
  ): void {
    if (!/gate/i.test(message)) this.#report('gate', `call ${call}: refused, and no gate is named: ${message}`);
    const moments = Array.from({ length: this.#changes.length - asked + 1 }, (_, later) => asked + later);
    const isClosed = moments.some((until) => this.#modes(door, until).some((mode) => mode !== 'open'));
    const isDrained = moments.some((until) => this.#modes(door, until).includes('drain'));
    if (/takes no new calls/.test(message) ? !isDrained : !isClosed && moments.length === 1)
      this.#report('gate', `call ${call}: refused, and no gate was closed since it was made: ${message}`);
    if (earlier !== undefined && /takes no new calls/.test(message))
      this.#report('G3', `call ${call}: refused, and its key names an operation`);
  }

  /** How many changes are durable. */
  get count(): number {
    return this.#changes.length;
  }

  /** How the gates stood that a call through this door may meet, after so many changes. */
  #modes(door: Door, until: number): readonly GateMode[] {
    const doors: readonly Door[] = [door, 'none'];
    const changes = this.#changes.slice(0, until).filter(({ contract }) => doors.includes(contract));
    return changes
      .filter((gate, index) => !changes.slice(index + 1).some((later) => samePlace(later, gate)))
      .map(({ mode }) => mode);
  }

  /** G4, when all is quiet. */
  async check(store: GateStore, faults: readonly Fault[]): Promise<void> {
    const history = await store.gateHistory({ limit: 10_000 });
    if (history.length !== this.#changes.length)
      this.#report('L15', `${history.length} changes are kept of ${this.#changes.length}`);
    for (const { epoch, actor, reason, mode } of history) {
      const asked = this.#asked.get(actor);
      if (actor !== GATEWAY && (asked?.reason !== reason || asked.mode !== mode))
        this.#report('L15', `epoch ${epoch} is kept as ${mode} by ${actor}: ${reason}`);
      const isBabble = faults.some(
        (fault) =>
          fault.what === 'babble' ||
          (fault.what === 'delivery' && fault.fate === 'garbage') ||
          (fault.what === 'exchange' && /truncated|wrong-type|empty|unknown-word/.test(fault.fate)),
      );
      if (actor === GATEWAY && (mode !== 'drain' || !isBabble))
        this.#report('gate', `a gate was moved to ${mode} by itself, and every answer could be read: ${reason}`);
    }
    const kept = history.filter(({ actor }) => actor !== GATEWAY).map(({ actor }) => actor);
    if (new Set(kept).size !== kept.length) this.#report('L15', 'a change is kept twice');
  }
}

/** What was answered past an operation is kept beside it. */
export async function checkShadow(
  engine: Engine,
  started: Extract<Started, { kind: 'operation' }>,
  watch: Watch,
): Promise<void> {
  if (started.answer === undefined) return;
  const { id } = started.view.operation;
  const kept = (await engine.gates?.shadows(100))?.some(({ operationId }) => operationId === id);
  const row = watch.known.get(id)?.row;
  // What it is beside may have gone while nobody answered.
  const isThere = row !== undefined && !watch.deadlines.mayBeGone(row);
  if (kept !== true && isThere && !watch.hasOutage)
    watch.breach('L18', `${id}: answered in shadow, and the answer is not kept`);
}
