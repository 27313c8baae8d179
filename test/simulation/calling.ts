// What goes wrong with deliveries, where services call back.

import { dialectOf } from './dialects.ts';
import { BUSY_MS, type Fault, type History } from './history.ts';
import { FORGERIES, LETTER_FATES } from './post.ts';
import { Chance } from './time.ts';

/** The history with faults of the post, and with people who send what they may not. */
export function withPost(history: History): History {
  const calling = [history.dialect, ...(history.others ?? [])].flatMap((name, index) => (dialectOf(name).calls ? [index] : []));
  if (calling.length === 0 || history.faults.length === 0) return history;
  const chance = new Chance(history.seed ^ 0xca11);
  const starts = history.actions.filter((action) => action.do === 'start');
  const faults: Fault[] = [];
  for (const upstream of calling) {
    const which = upstream === 0 ? {} : { upstream };
    const calls = starts.filter((action) => (action.upstream ?? 0) === upstream);
    const many = chance.between(0, 4);
    for (let count = 0; count < many; count++) {
      const fate = chance.pick(LETTER_FATES);
      const byMs = chance.pick([200, 3_000, 15_000, 60_000, 400_000]);
      faults.push({ what: 'delivery', ...which, nth: chance.between(1, 8), fate, ...(/late|again/.test(fate) && { byMs }) });
    }
    const forged = chance.between(0, 3);
    for (let count = 0; count < forged; count++) {
      const { call, at, job } = chance.pick(calls);
      // Right after the call, or around the end of its job, or whenever.
      const when = chance.pick([
        at + chance.between(0, 600),
        at + job.durationMs + chance.between(-200, 500),
        chance.between(0, BUSY_MS),
      ]);
      const ending = chance.pick(['succeeded', 'failed', 'cancelled'] as const);
      faults.push({ what: 'forgery', at: Math.max(at, when), call, how: chance.pick(FORGERIES), ending });
    }
  }
  return { ...history, faults: [...history.faults, ...faults] };
}
