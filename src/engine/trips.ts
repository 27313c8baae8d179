// Gates that close by themselves. At a start: a contract's pin differs from what is installed, an adapter is not qualified for a
// contract, a tool is compiled by another adapter than its live operations. While running: an upstream outside its protocol.
//   T1. A trip is made once for one cause. What a person decided after it stands, over restarts, until the cause changes.
//   T2. What was found at a start and is no longer so is opened again. What an upstream did is for a person to forgive.
//   T3. The configuration is applied at every start: what it says wins over what was said before, and what it no longer says is opened.

import type { Adapter } from '../core/adapter.ts';
import type { Descriptor } from '../core/descriptor.ts';
import { CONFIGURATION, faultOfChange, GATEWAY, type Gate, type GateChange, type GatePlace, samePlace } from '../core/gates.ts';
import type { Door, OperationId } from '../core/ids.ts';
import type { Clock, EpochMs } from '../core/time.ts';
import type { Catalogue } from '../core/tool.ts';
import type { LiveCount } from '../ledger/gates.ts';
import type { GatePorts } from './ports.ts';

const OUTSIDE = 'answers outside its protocol';
/** One job that goes wrong is that job's trouble: it takes this many to speak of the upstream. */
const OPERATIONS_MIN = 3;

export interface StartFacts extends Pick<GatePorts, 'contracts' | 'configured' | 'mistrusted'> {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly catalogue: Catalogue;
  readonly doors: readonly Door[];
  readonly known: readonly Gate[];
  /** Newest first. */
  readonly history: readonly Gate[];
  readonly live: readonly LiveCount[];
}

/** What is to be changed at a start, in this order, and what of the configuration fits nothing. */
export function atStart(facts: StartFacts): {
  readonly wanted: readonly GateChange[];
  readonly unfit: readonly { readonly place: GatePlace; readonly fault: string }[];
} {
  const { known, history, configured } = facts;
  const at = (place: GatePlace) => known.find((gate) => samePlace(gate, place));
  const causes = causesOf(facts);
  const unfit = configured.flatMap((place) => {
    const fault = faultOfChange({ ...place, actor: CONFIGURATION });
    return fault === undefined ? [] : [{ place, fault }];
  });
  const sound = configured.filter((one) => !unfit.some(({ place }) => samePlace(place, one)));

  const closed = causes
    .filter(({ place }) => at(place)?.mode !== 'drain' && !sound.some((one) => samePlace(one, place)))
    .filter(({ place, reason }) => {
      const last = history.find((gate) => gate.actor === GATEWAY && samePlace(gate, place));
      return last === undefined || last.mode !== 'drain' || last.reason !== reason;
    })
    .map(({ place, reason }): GateChange => ({ ...place, mode: 'drain', reason, actor: GATEWAY }));
  const over = known
    .filter(({ actor, mode, reason }) => actor === GATEWAY && mode !== 'open' && !reason.startsWith(OUTSIDE))
    .filter((gate) => !causes.some(({ place, reason }) => samePlace(place, gate) && reason === gate.reason))
    .map((gate): GateChange => ({ ...placeOf(gate), mode: 'open', reason: `no longer so: ${gate.reason}`, actor: GATEWAY }));
  const said = sound
    .filter((one) => at(one)?.mode !== one.mode || at(one)?.share !== one.share)
    .map((one): GateChange => ({ ...one, actor: CONFIGURATION }));
  const unsaid = known
    .filter((gate) => gate.actor === CONFIGURATION && gate.mode !== 'open' && !sound.some((one) => samePlace(one, gate)))
    .map(
      (gate): GateChange => ({
        ...placeOf(gate),
        mode: 'open',
        reason: 'no longer in the configuration',
        actor: CONFIGURATION,
      }),
    );
  return { wanted: [...over, ...unsaid, ...closed, ...said], unfit };
}

interface Cause {
  readonly place: GatePlace;
  readonly reason: string;
}

function causesOf({ adapters, contracts, mistrusted, catalogue, doors, live }: StartFacts): readonly Cause[] {
  const differing = mistrusted.flatMap(({ contract, reason }) =>
    [...adapters.keys()].map((adapter) => ({ place: { adapter, contract }, reason })),
  );
  const unqualified = [...adapters].flatMap(([name, adapter]) =>
    contracts
      .filter((contract) => !adapter.contracts.includes(contract))
      .map((contract) => ({ place: { adapter: name, contract }, reason: `${name} is not qualified for ${contract}` })),
  );
  const recompiled = live.flatMap(({ adapter: before, upstream, tool }) => {
    const compiled = catalogue.tools.get(tool);
    if (compiled?.kind !== 'job' || compiled.upstream !== upstream) return [];
    const { adapter } = compiled.descriptor;
    if (adapter === before) return [];
    const reason = `operations that ${before} follows still live, and the tool is compiled by ${adapter} now`;
    return doors.map((contract) => ({ place: { adapter, contract, upstream, tool }, reason }));
  });
  const all = [...differing, ...unqualified, ...recompiled];
  return all.filter((one, index) => all.findIndex(({ place }) => samePlace(place, one.place)) === index);
}

const placeOf = ({ adapter, contract, upstream, tool }: Gate): GatePlace => ({
  adapter,
  contract,
  ...(upstream !== undefined && { upstream }),
  ...(tool !== undefined && { tool }),
});

/** One answer of an upstream, or a delivery of it, as it was judged. */
export interface Heard {
  /** What it answers. Each is counted by itself: a status that can be read says nothing of results that can't. */
  readonly as: 'submit' | 'status' | 'result' | 'lookup' | 'delivery';
  readonly of: Pick<Descriptor, 'adapter' | 'upstream' | 'tool'>;
  readonly operation: OperationId;
  /** Of HTTP; a delivery has none. */
  readonly status?: number;
  /** Why it could not be read; absent where it could. */
  readonly misfit?: string;
}

/** Counts answers that can't be read, in a row. Bounded: a few rows for each tool, and few operations named in it. */
export function createConduct(
  { tripAfter, tripWithinMs }: Pick<GatePorts, 'tripAfter' | 'tripWithinMs'>,
  clock: Clock,
  trip: (place: Omit<GatePlace, 'contract'>, reason: string) => void,
): (answer: Heard) => void {
  const rows = new Map<string, { since: EpochMs; count: number; readonly operations: Set<OperationId> }>();
  return ({ as, of: { adapter, upstream, tool }, operation, status = 200, misfit }) => {
    const key = JSON.stringify([as, adapter, upstream, tool]);
    if (misfit === undefined) return void rows.delete(key);
    // What says by its status that it failed is trouble, and not another protocol.
    if (tripAfter === 0 || status >= 400) return;
    const now = clock.now();
    const before = rows.get(key);
    const row =
      before !== undefined && now - before.since <= tripWithinMs
        ? before
        : { since: now, count: 0, operations: new Set<string>() };
    rows.set(key, row);
    row.count += 1;
    if (row.operations.size < OPERATIONS_MIN) row.operations.add(operation);
    if (row.count < tripAfter || row.operations.size < Math.min(OPERATIONS_MIN, tripAfter)) return;
    rows.delete(key);
    trip({ adapter, upstream, tool }, `${OUTSIDE}, ${row.count} times in a row; the last: ${misfit}`);
  };
}
