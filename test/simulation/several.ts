// Several services in one history: what befalls one of them is not to be felt by the others' jobs.

import { DIALECTS } from './dialects.ts';
import { type Action, BUSY_MS, callOf, type Fault, faultOf, type History, measuresByTheWall } from './history.ts';
import { Chance } from './time.ts';

/** Some histories, with one or two services more, their calls, and what goes wrong with them. */
export function withOthers(history: History): History {
  const chance = new Chance(history.seed ^ 0x0e125);
  if (!chance.chance(0.15)) return history;
  const dialects = Array.from({ length: chance.pick([1, 1, 2]) }, () =>
    chance.pick(DIALECTS.filter(({ asks }) => asks === undefined)),
  );
  // Clocks may not be set far where proof is measured by them, and they are set already.
  const isSet = history.faults.some(({ what }) => what === 'clock');
  const others = dialects.map((dialect) => (isSet && measuresByTheWall(dialect) ? 'plain' : dialect.name));
  const actions: Action[] = [...history.actions];
  const faults: Fault[] = [...history.faults];
  let call = Math.max(...actions.map((action) => action.call)) + 1;
  for (const [index] of others.entries()) {
    const upstream = index + 1;
    const calls = chance.between(1, 2);
    for (let count = 0; count < calls; count++, call++) {
      const made = callOf(chance, call, history.workers);
      actions.push(...made.map((action) => (action.do === 'start' ? { ...action, upstream } : action)));
    }
    const many = chance.between(0, 3);
    for (let count = 0; count < many; count++) {
      const fault = faultOf(chance, history.workers, true, ['exchange', 'exchange', 'storm']);
      faults.push(fault.what === 'exchange' || fault.what === 'storm' ? { ...fault, upstream } : fault);
    }
  }
  // A service that does not answer at all holds on to whatever waits for it.
  if (chance.chance(0.3)) {
    const upstream = chance.between(0, others.length);
    faults.push({ what: 'storm', upstream, at: chance.between(0, BUSY_MS), forMs: chance.between(5_000, 40_000), status: 0 });
  }
  return { ...history, others, actions, faults };
}
