// Every row of the table, taken: random histories are walked until each row has been the one that applies, from each of its
// states and on each of its events. A row that another one hides, or that no history can reach, fails here.

import { describe, expect, test } from 'vitest';
import type { Traits } from '../../src/core/descriptor.ts';
import { GUARDS } from '../../src/core/guards.ts';
import { rowsTaken, step } from '../../src/core/machine.ts';
import type { Operation, OperationEvent } from '../../src/core/operation.ts';
import { EVENTS, type GuardName, MACHINES, type MachineName, type Row } from '../../src/core/transitions.ts';
import { randomEvent, reachable, seededRandom } from './machine.histories.ts';

const SEED = 1;
const OPERATIONS = 12_000;

interface Witness {
  readonly operation: Operation;
  readonly event: OperationEvent;
  readonly traits: Traits;
}

/** For each row, by `state event`: an operation and an event that take it. */
const witnesses = new Map<Row<string>, Map<string, Witness>>();
const random = seededRandom(SEED);
let walked = 0;
for (const { operation, traits } of reachable(random)) {
  if (++walked > OPERATIONS) break;
  for (const type of EVENTS) {
    const event = randomEvent(random, operation, type);
    for (const { machine, row } of rowsTaken(operation, event, traits)) {
      const found = witnesses.get(row) ?? new Map<string, Witness>();
      witnesses.set(row, found.set(`${operation[machine]} ${type}`, { operation, event, traits }));
    }
  }
}

/** Cells that exist because rows name groups of states, and that a row above always takes. */
const HIDDEN = new Set(['life QUEUED cancel sticky']);
/** Events that name no job can't name another one. */
const CARRIES_REFERENCE = [
  'submit_accepted',
  'submit_finished',
  'lookup_found',
  'hint',
  'seen_working',
  'seen_input',
  'seen_ended',
];

for (const machine of Object.keys(MACHINES) as MachineName[]) {
  describe(`the ${machine} row`, () => {
    const rows = MACHINES[machine].rows as readonly Row<string>[];
    test.for(rows.map((row) => [titleOf(row), row] as const))('%s', ([, row]) => {
      const [from, on, guards, to] = row;
      const events = typeof on === 'string' ? [on] : on.filter((type) => isPlausible(guards, type));
      for (const cell of from.flatMap((state) => events.map((type) => `${state} ${type}`))) {
        if (HIDDEN.has(`${machine} ${cell} ${guards.join(' ')}`)) continue;
        const witness = witnesses.get(row)?.get(cell);
        expect(witness, `nothing ever takes this row as ${cell}`).toBeDefined();
        if (witness === undefined) continue;
        const { operation, event, traits } = witness;
        const stepped = step(operation, event, traits);
        expect(stepped.disposition).toBe('applied');
        expect(stepped.operation[machine]).toBe(expectedState(machine, operation, stepped.operation, to));
        for (const guard of guards) expect(GUARDS[guard as GuardName](operation, event, traits), guard).toBe(true);
      }
    });
  });
}

test('every state but the first is entered by some row or rule, and every event moves something', () => {
  const rows = Object.values(MACHINES).flatMap((machine) => machine.rows as readonly Row<string>[]);
  expect(new Set(rows.flatMap(([, on]) => on))).toEqual(new Set(EVENTS));
  for (const { states, rows } of Object.values(MACHINES)) {
    const entered = new Set((rows as readonly Row<string>[]).map(([, , , to]) => to));
    expect(states.filter((state) => !entered.has(state) && state !== states[0])).toEqual([]);
  }
});

function titleOf([from, on, guards, to]: Row<string>): string {
  const events = typeof on === 'string' ? on : `one of ${on.length} events (${on[0]}, …)`;
  return `${from.join(' or ')}, on ${events}${guards.length > 0 ? ` if ${guards.join(' and ')}` : ''}: ${to}`;
}

const isPlausible = (guards: readonly string[], type: string): boolean =>
  !guards.includes('namesAnotherJob') || CARRIES_REFERENCE.includes(type);

/** What the row says, but for the rules that follow from life. */
function expectedState(machine: MachineName, before: Operation, after: Operation, to: string): string {
  const state = to === '=' ? before[machine] : to;
  const endsNow = after.receipt !== undefined && before.receipt === undefined;
  if (machine === 'cancellation' && endsNow && !after.mayExist && after.life === 'CANCELLED_ACCEPTED') return 'CONFIRMED';
  return state;
}
