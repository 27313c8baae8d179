// Services that hold a look until there is news: a long poll, in place of the plain looks of some histories.
//   H1. A look that is held is answered with what is so when the job ends or asks, or when the time is over.
//   H2. Of what others do to the job meanwhile it may hear only when the time is over.

import type { JobDescription } from '../../src/core/description.ts';
import type { Dialect } from './dialects.ts';
import type { Fault, History } from './history.ts';
import { Chance } from './time.ts';

const HOLD_MS = 6_000;
const HELD = ', held';

/** How the gateway is told of it. */
const WAIT: Readonly<Record<Dialect['speech'], NonNullable<JobDescription['status']>>> = {
  jobs: { wait: { forMs: HOLD_MS, query: { wait: String(HOLD_MS / 1_000) } } },
  operations: { wait: { forMs: HOLD_MS, url: '{statusUrl}:wait' } },
};

/** The dialect whose looks are held, by its name; `undefined` where the name is of one that holds none. */
export function heldDialect(name: string, plain: (name: string) => Dialect): Dialect | undefined {
  if (!name.endsWith(HELD)) return undefined;
  const { description, ...rest } = plain(name.slice(0, -HELD.length));
  const status = { ...description.status, ...WAIT[rest.speech] };
  return { ...rest, name, description: { ...description, status } };
}

/** For how long a look asks to be held, in milliseconds. */
export const holdOf = ({ pathname, searchParams }: URL): number =>
  searchParams.has('wait') || pathname.endsWith(':wait') ? HOLD_MS : 0;

/** What a held look asks, in the words of the plain one. */
export const plainly = (question: string): string => question.replace(/\?wait=\d+$/, '').replace(/^POST (.*):wait$/, 'GET $1');

/** In some histories of services that can be asked, they hold looks. Few are then asked for: more of them go wrong. */
export function withHolds(history: History, dialectOf: (name: string) => Dialect, wishes: readonly string[]): History {
  const chance = new Chance(history.seed ^ 0x401d);
  const canBeAsked = dialectOf(history.dialect).calls?.role !== 'only';
  if (!canBeAsked || !chance.chance(0.2)) return history;
  const faults =
    history.faults.length === 0
      ? []
      : Array.from(
          { length: chance.between(0, 2) },
          (): Fault => ({
            what: 'exchange',
            route: 'poll',
            nth: chance.between(1, 6),
            fate: chance.pick(['throttled', 'unavailable', 'bad-gateway', 'no-answer']),
            retryAfter: chance.pick(wishes),
          }),
        );
  return { ...history, dialect: `${history.dialect}${HELD}`, faults: [...history.faults, ...faults] };
}
