// Random lives of operations, for what contracts show of them.

import { open, step } from '../../src/core/machine.ts';
import type { Operation } from '../../src/core/operation.ts';
import { OWN_EVENTS } from '../../src/core/transitions.ts';
import { created } from '../core/machine.fixtures.ts';
import { randomEvent, randomTraits, randomType, seededRandom } from '../core/machine.histories.ts';

/** One life: the operation after each event that applied. */
export function* lifeOf(seed: number): Generator<Operation> {
  const random = seededRandom(seed);
  const traits = randomTraits(random);
  let operation = open(created(), traits);
  yield operation;
  for (let events = 0; events < 60; events += 1) {
    const type = randomType(random);
    const event = randomEvent(random, operation, type);
    try {
      const stepped = step(operation, event, traits);
      if (stepped.disposition !== 'applied') continue;
      operation = stepped.operation;
      yield operation;
    } catch (error) {
      // Only an own event may be without a row: a worker asks before it records one.
      if (!(OWN_EVENTS as readonly string[]).includes(type)) throw error;
    }
  }
}
