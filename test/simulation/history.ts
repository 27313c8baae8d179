// A history to be played: what clients do, how the jobs behave, and what goes wrong, as data, so that it can be written
// down, replayed and shrunk. A seed makes one; the corpus keeps those that once found something.

import type { Door } from '../../src/core/ids.ts';
import type { AnswerAction } from './answering.ts';
import { withPost } from './calling.ts';
import { retentionOf } from './deadlines.ts';
import { DIALECTS, type Dialect, dialectOf } from './dialects.ts';
import { type GateAction, gateActionsOf } from './gates.ts';
import { withHolds } from './holds.ts';
import { type SettleAction, settlementsOf } from './operators.ts';
import type { PostFault } from './post.ts';
import { answersOf, doesAsk, faultOfAnswers, type RoundPlan, roundsOf } from './rounds.ts';
import { withOthers } from './several.ts';
import { withSteps } from './stages.ts';
import { Chance } from './time.ts';

/** How the service treats one call. Milliseconds count from the job's creation. */
export interface JobPlan {
  /** `finishes`: the answer to the submit is the ending. `rejects`: 422, and no job. */
  readonly answer: 'accepts' | 'finishes' | 'rejects';
  readonly durationMs: number;
  readonly ending: 'succeeded' | 'failed';
  /** Not to be seen before. */
  readonly lagMs: number;
  /** How long the service keeps it once it ended; its id may then be given to another job. */
  readonly keptMs: number;
  /** `claims`: says that it is cancelled, and goes on. */
  readonly onCancel: 'stops' | 'ignores' | 'refuses' | 'claims';
  /** The result is larger than what travels inside an event. */
  readonly big: boolean;
  /** What it asks on its way, where its service asks at all. */
  readonly rounds?: readonly RoundPlan[];
}

export type Action =
  | {
      readonly do: 'start';
      readonly at: number;
      readonly worker: number;
      readonly call: number;
      /** Which service, where there are others; the first. */
      readonly upstream?: number;
      readonly door: Door;
      readonly key?: string;
      readonly job: JobPlan;
      /** Calls again after so long when nobody answered, as a client with a key may. */
      readonly againMs?: number;
      /** Asks for it to be kept so long. */
      readonly ttlMs?: number;
    }
  | { readonly do: 'read' | 'list'; readonly at: number; readonly worker: number; readonly call: number }
  | {
      readonly do: 'wait';
      readonly at: number;
      readonly worker: number;
      readonly call: number;
      readonly forMs: number;
      readonly until: 'end' | 'change';
    }
  | { readonly do: 'cancel'; readonly at: number; readonly worker: number; readonly call: number; readonly sticky: boolean }
  | AnswerAction
  | SettleAction
  | GateAction;

export const ROUTES = ['submit', 'poll', 'fetch', 'cancel', 'lookup', 'answer', 'step'] as const;
export type Route = (typeof ROUTES)[number];

/** What becomes of one exchange. `before`: the service never sees the request; `after`: it did what was asked. */
export const FATES = [
  'unreachable', // before; certain that nothing left
  'lost-request', // before, and nobody knows
  'lost-response', // after, the connection broke
  'no-answer', // after, and the client waited in vain
  'late-request', // the client gave up, and then it arrived
  'slow', // after, the answer just in time
  'truncated', // after, half the body
  'wrong-type', // after, a page of a proxy
  'empty', // after, 200 and nothing
  'bad-gateway', // after, 502
  'unavailable', // before, 503
  'throttled', // before, 429
  'forbidden', // before, 403
  'too-large', // after, more than is read
] as const;
/** Only where reading is asked for: the service itself says what is not so. */
export const LIES = ['missing', 'stale', 'unknown-word', 'contradicts', 'names-another'] as const;
/** Only where a job is asked for: the service gives it the id of one that goes on. */
export const GIFTS = ['used-id'] as const;
/** `slow-request`: on the way for as long as the client waits, and answered in the last moment. */
export type Fate = (typeof FATES)[number] | (typeof LIES)[number] | (typeof GIFTS)[number] | 'slow-request';

export const RETRY_AFTER = [
  undefined,
  '0',
  '1',
  '3',
  '99999999999',
  '-5',
  '1.5',
  'soon',
  '',
  'Thu, 01 Jan 2026 00:00:20 GMT',
  'Wed, 31 Dec 2025 23:00:00 GMT',
  'Thursday, 01-Jan-26 00:01:00 GMT',
  '2, 4',
] as const;

/** Those that are whole seconds. */
const WISHES = ['1', '3', '99999999999'] as const;

export type Fault =
  | {
      readonly what: 'exchange';
      /** Of which service; the first. */
      readonly upstream?: number;
      readonly route: Route;
      /** Counted from 1 over the whole history, for each service. */
      readonly nth: number;
      readonly fate: Fate;
      readonly retryAfter?: string;
    }
  /** A service answers everything with this, before it looks; the first. 0: it answers nothing. */
  | {
      readonly what: 'storm';
      readonly upstream?: number;
      readonly at: number;
      readonly forMs: number;
      readonly status: number;
      readonly retryAfter?: string;
    }
  /** The worker is killed at its nth call to anything outside itself, before or after that took effect. */
  | {
      readonly what: 'crash';
      readonly worker: number;
      readonly call: number;
      readonly when: 'before' | 'after';
      readonly downMs: number;
    }
  /** The worker stands still from its nth call on: the answer waits. */
  | { readonly what: 'stall'; readonly worker: number; readonly call: number; readonly forMs: number }
  | { readonly what: 'pause'; readonly worker: number; readonly at: number; readonly forMs: number }
  | { readonly what: 'clock'; readonly worker: number; readonly at: number; readonly byMs: number }
  /** The service answers looks and submits with a page that nobody can read, before it looks. */
  | { readonly what: 'babble'; readonly at: number; readonly forMs: number }
  /** The store refuses every write. */
  | { readonly what: 'store'; readonly at: number; readonly forMs: number }
  | PostFault;

export interface History {
  readonly seed: number;
  readonly dialect: string;
  /** Dialects of further services. */
  readonly others?: readonly string[];
  readonly workers: number;
  /** Share of answers from the ledger that take their time, so that others come in between. */
  readonly churn: number;
  /** Calls go through gates. */
  readonly gated?: true;
  /** How long what has ended is kept; a day, where it is not said. */
  readonly retentionMs?: number;
  readonly actions: readonly Action[];
  readonly faults: readonly Fault[];
}

/** Clients start within this; faults happen within twice it; what follows is quiet. */
export const BUSY_MS = 40_000;

/** The history of a seed. */
export const historyOf = (seed: number): History => withPost(withOthers(ofOneService(seed)));

function ofOneService(seed: number): History {
  const chance = new Chance(seed);
  const dialect = chance.pick(DIALECTS);
  // One alone has the store to itself, as a gateway on a file has; several share it.
  const workers = chance.between(1, 4);
  const calls = chance.between(1, 4);
  const actions: Action[] = [];
  for (let call = 0; call < calls; call++) actions.push(...callOf(chance, call, workers));
  const faults: Fault[] = [];
  const calm = chance.chance(0.1);
  if (!calm) {
    const many = chance.between(1, 7);
    for (let count = 0; count < many; count++) faults.push(faultOf(chance, workers, measuresByTheWall(dialect)));
  }
  const churn = chance.pick([0, 0, 0.15, 0.5, 0.9]);
  const plain: History = { seed, dialect: dialect.name, workers, churn, actions, faults };
  const ofService = withHolds(withSteps(withAnswers(plain, dialect), FATES), dialectOf, WISHES);
  return withRetention(withGates(withOperators(ofService)));
}

/** In some, ended operations are soon forgotten; a client may ask for more. */
function withRetention(history: History): History {
  const chance = new Chance(history.seed ^ 0x7e7a);
  if (!chance.chance(0.2)) return history;
  const asked = [undefined, 500, 45_000] as const;
  const actions = history.actions.map((action): Action => {
    const ttlMs = action.do === 'start' && action.door === '2025-11-25' ? chance.pick(asked) : undefined;
    return ttlMs === undefined ? action : ({ ...action, ttlMs } as Action);
  });
  return { ...history, actions, retentionMs: retentionOf(chance) };
}

/** In some, calls go through gates that are moved meanwhile, by people and by themselves. */
function withGates(history: History): History {
  const chance = new Chance(history.seed ^ 0x6a7e);
  if (!chance.chance(0.25)) return history;
  const starts = history.actions.flatMap((action) => (action.do === 'start' ? [action.at] : []));
  const { actions, faults } = history;
  const babbles = faults.length > 0 && chance.chance(0.3);
  const babble: Fault = { what: 'babble', at: chance.between(0, BUSY_MS), forMs: chance.between(2_000, 20_000) };
  return {
    ...history,
    gated: true,
    actions: [...actions, ...gateActionsOf(chance, starts, history.workers)],
    faults: babbles ? [...faults, babble] : faults,
  };
}

/** In some, operators settle what is in doubt or left open. */
function withOperators(history: History): History {
  const chance = new Chance(history.seed ^ 0x0b5e);
  if (!chance.chance(0.3)) return history;
  const starts = history.actions.filter((action) => action.do === 'start');
  return { ...history, actions: [...history.actions, ...settlementsOf(chance, starts, history.workers)] };
}

/** Where the service asks, jobs wait for somebody, and clients answer. */
function withAnswers(history: History, { asks }: Dialect): History {
  if (asks === undefined) return history;
  const chance = new Chance(history.seed ^ 0xa5c5);
  const { workers } = history;
  const jobs = new Map<number, JobPlan>();
  const actions = history.actions.map((action): Action => {
    if (action.do !== 'start') return action;
    const job = jobs.get(action.call) ?? { ...action.job, rounds: roundsOf(chance, asks) };
    jobs.set(action.call, job);
    return { ...action, job };
  });
  const answers = history.actions.flatMap(({ do: what, call, at }, index) =>
    what === 'start' && doesAsk(jobs.get(call) as JobPlan) && history.actions.findIndex((one) => one.call === call) === index
      ? answersOf(chance, call, at, workers)
      : [],
  );
  const faults =
    history.faults.length === 0 ? [] : Array.from({ length: chance.between(0, 3) }, () => faultOfAnswers(chance, FATES, asks));
  return { ...history, actions: [...actions, ...answers], faults: [...history.faults, ...faults] };
}

export function callOf(chance: Chance, call: number, workers: number): Action[] {
  const at = chance.between(0, 15_000);
  const worker = () => chance.between(0, workers - 1);
  const job: JobPlan = {
    answer: chance.pick(['accepts', 'accepts', 'accepts', 'accepts', 'accepts', 'accepts', 'accepts', 'finishes', 'rejects']),
    durationMs: chance.chance(0.1) ? 200_000 : chance.pick([50, 800, 3_000, 8_000, 20_000, 40_000]),
    ending: chance.pick(['succeeded', 'succeeded', 'failed']),
    lagMs: chance.pick([0, 0, 0, 500, 2_000]),
    keptMs: chance.chance(0.15) ? chance.between(500, 6_000) : 1e9,
    onCancel: chance.pick(['stops', 'stops', 'ignores', 'refuses', 'claims']),
    big: chance.chance(0.15),
  };
  const keyed = chance.chance(0.4);
  const key = keyed ? `k${chance.between(0, 1)}` : undefined;
  const door = chance.pick(['2025-11-25', '2026-07-28', 'none'] as const);
  const start: Action = {
    do: 'start',
    at,
    worker: worker(),
    call,
    door,
    job,
    ...(key !== undefined && { key }),
    ...(keyed && { againMs: chance.between(500, 6_000) }),
  };
  const actions: Action[] = [start];
  // The same call again, at once or later: the same key is the same operation.
  if (keyed && chance.chance(0.5)) actions.push({ ...start, at: at + chance.pick([0, 0, 100, 5_000]), worker: worker() });
  const more = chance.between(1, 4);
  for (let count = 0; count < more; count++) {
    const when = at + chance.pick([0, 300, 1_000, chance.between(0, BUSY_MS)]);
    const what = chance.pick(['read', 'list', 'wait', 'cancel', 'cancel'] as const);
    const common = { at: when, worker: worker(), call };
    if (what === 'cancel') {
      // At the very moment at which the job ends, too.
      const moment = chance.chance(0.3) ? at + job.durationMs + chance.between(-50, 300) : when;
      actions.push({ ...common, at: Math.max(at, moment), do: 'cancel', sticky: chance.chance(0.5) });
    } else if (what === 'wait') {
      actions.push({ ...common, do: 'wait', forMs: chance.between(0, 30_000), until: chance.pick(['end', 'change']) });
    } else actions.push({ ...common, do: what });
  }
  return actions;
}

/** Proof of absence and the retention of keys are measured by the wall: how far it may be set is an assumption there. */
export const measuresByTheWall = ({ looksUp, traits }: Dialect) => looksUp === true || traits?.keyRetentionMs !== undefined;

/** What goes wrong, and how often compared with the others. */
const FAULTS = [
  'exchange',
  'exchange',
  'exchange',
  'exchange',
  'storm',
  'crash',
  'crash',
  'stall',
  'stall',
  'pause',
  'clock',
  'store',
] as const;

export function faultOf(
  chance: Chance,
  workers: number,
  steady: boolean,
  among: readonly (typeof FAULTS)[number][] = FAULTS,
): Fault {
  const at = chance.between(0, 2 * BUSY_MS);
  const worker = chance.between(0, workers - 1);
  const retryAfter = chance.pick(RETRY_AFTER);
  const wish = retryAfter === undefined ? {} : { retryAfter };
  const what = chance.pick(among);
  switch (what) {
    case 'exchange': {
      const route = chance.pick(['submit', 'submit', 'submit', 'poll', 'poll', 'fetch', 'cancel', 'lookup'] as const);
      // A lookup may fail, but not lie: that "not there" is true is the promise that makes a service one to look up in.
      const fate = chance.pick<Fate>(
        route === 'poll' ? [...FATES, ...LIES] : route === 'submit' ? [...FATES, ...GIFTS] : FATES,
      );
      const nth = chance.between(1, route === 'poll' ? 14 : 4);
      return { what, route, nth, fate, ...wish };
    }
    case 'storm':
      return { what, at, forMs: chance.between(500, 20_000), status: chance.pick([429, 503, 500, 502]), ...wish };
    case 'crash':
      return {
        what,
        worker,
        call: chance.chance(0.5) ? chance.between(1, 30) : chance.between(1, 160),
        when: chance.pick(['before', 'after']),
        downMs: chance.pick([0, 50, 2_000, 20_000]),
      };
    case 'stall':
      return { what, worker, call: chance.between(1, 60), forMs: chance.pick([300, 2_000, 12_000, 16_000, 20_000, 45_000]) };
    case 'pause':
      return { what, worker, at: chance.between(0, BUSY_MS), forMs: chance.pick([2_000, 12_000, 20_000, 45_000]) };
    case 'clock':
      return {
        what,
        worker,
        at,
        byMs: steady ? chance.between(-1_000, 1_000) : chance.pick([-3_600_000, -30_000, 5_000, 60_000, 7_200_000]),
      };
    case 'store':
      return { what, at, forMs: chance.pick([200, 2_000, 15_000]) };
  }
}
