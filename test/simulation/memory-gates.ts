// Gates without a disk, by the laws of gates in a ledger (L15 to L18). Every call takes effect at once.

import { FIRST_EPOCH, type Gate, type GateChange, samePlace } from '../../src/core/gates.ts';
import type { Operation } from '../../src/core/operation.ts';
import type { EpochMs } from '../../src/core/time.ts';
import type { GateExpectation, GateStore, LiveCount, ShadowAnswer, ShadowRow } from '../../src/ledger/gates.ts';

/** What is stored. */
export class GateMemory {
  /** Oldest first. */
  readonly changes: Gate[] = [];
  readonly shadows = new Map<string, ShadowAnswer>();
}

/** Whether any expectation no longer holds (L16). */
export const hasMoved = ({ changes }: GateMemory, expected: readonly GateExpectation[]): boolean =>
  expected.some(({ adapter, contract, upstream, tool, epoch }) => {
    const last = changes.findLast(
      (gate) =>
        gate.adapter === adapter &&
        gate.contract === contract &&
        (gate.upstream ?? upstream) === upstream &&
        (gate.tool ?? tool) === tool,
    );
    return (last?.epoch ?? FIRST_EPOCH) !== epoch;
  });

/** @param operations Everything that is kept. */
export function memoryGates(memory: GateMemory, operations: () => readonly Operation[]): GateStore {
  return {
    async gates() {
      const placeOf = ({ adapter, contract, upstream = '', tool = '' }: Gate) => [adapter, contract, upstream, tool].join(' ');
      return memory.changes
        .filter((gate, index) => !memory.changes.slice(index + 1).some((later) => samePlace(later, gate)))
        .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
    },
    async changeGate({ at, ...change }: GateChange & { readonly at: EpochMs }) {
      const gate = Object.freeze({ ...change, epoch: FIRST_EPOCH + 1 + memory.changes.length, since: at });
      memory.changes.push(gate);
      return gate;
    },
    async gateHistory({ before = Number.POSITIVE_INFINITY, limit }) {
      return memory.changes
        .filter(({ epoch }) => epoch < before)
        .reverse()
        .slice(0, limit);
    },
    async liveByGate() {
      const counts = new Map<string, LiveCount>();
      for (const { adapter, contract, upstream, tool, receipt } of operations()) {
        if (receipt !== undefined) continue;
        const key = JSON.stringify([adapter, contract, upstream, tool]);
        counts.set(key, { adapter, contract, upstream, tool, live: (counts.get(key)?.live ?? 0) + 1 });
      }
      return [...counts.values()];
    },
    async keepShadow(answer) {
      if (!memory.shadows.has(answer.operationId)) memory.shadows.set(answer.operationId, answer);
    },
    async shadowOf(id) {
      return memory.shadows.get(id);
    },
    async shadows(limit) {
      const rows = operations().flatMap(({ id, tool, upstream, contract, life, receipt }): ShadowRow[] => {
        const answer = memory.shadows.get(id);
        const outcome = receipt && { outcome: receipt.outcome };
        return answer === undefined ? [] : [{ ...answer, tool, upstream, contract, life, ...outcome }];
      });
      return rows.sort((one, other) => other.at - one.at).slice(0, limit);
    },
  };
}
