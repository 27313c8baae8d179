// Jobs that wait for a person: how often, for what, for how long, and what the service makes of an answer.
//   R1. A job works, asks, and works on once it was answered or its patience is over; after the last round it works to its end.
//   R2. An answer is taken once. One that comes while nothing is asked, or that names other questions, is a conflict, and changes nothing.
//   R3. For a while after an answer the status may still show the question.

import type { JobDescription } from '../../src/core/description.ts';
import type { AnswerAction } from './answering.ts';
import type { Fault, JobPlan } from './history.ts';
import { type Chance, EPOCH } from './time.ts';

export interface RoundPlan {
  /** Of work, before it asks. */
  readonly afterMs: number;
  readonly questions: number;
  /** It goes on by itself after so long. */
  readonly patienceMs?: number;
  /** How long the status still shows what was answered. */
  readonly lagMs: number;
  /** The first answer is refused: 422. */
  readonly refuses: boolean;
}

/**
 * How a service asks. `one`: a question with a name. `unnamed`: known by its words alone. `list`: several, and the answer names
 * them. `elsewhere`: it waits, and nobody described for what.
 */
export type Asks = 'one' | 'unnamed' | 'list' | 'elsewhere';

const FORM = { type: 'object', properties: { value: { type: 'string', minLength: 3 } }, required: ['value'] } as const;
const ANSWER = { url: '/jobs/{id}/answer', message: '/question', form: FORM } as const;

/** How the gateway is told of it. */
export const INPUT: Readonly<Record<Asks, Pick<JobDescription, 'state' | 'input'>>> = {
  one: {
    state: { at: '/status', input: ['waiting'] },
    input: { ...ANSWER, id: '/asks', decline: { url: '/jobs/{id}/decline', body: { declined: true } } },
  },
  unnamed: { state: { at: '/status', input: ['waiting'] }, input: ANSWER },
  list: {
    state: { at: '/status', flags: { input: '/needs' } },
    input: {
      url: '/jobs/{id}/answer',
      list: '/needs',
      id: '/asks',
      message: '/question',
      form: '/form',
      at: '/answers',
      decline: { body: { declined: true } },
    },
  },
  elsewhere: { state: { at: '/status', input: ['waiting'] } },
};

/** Questions in words: what they are told apart by, wherever they are shown. */
const wordsOf = (round: number, index: number) => `Which ${round}.${index}?`;
export const questionIn = (message: string): string => /Which \d+\.\d+\?/.exec(message)?.[0] ?? message;
/** What is answered says to what. */
export const valueFor = (question: string, by: string): string => `${question} ${by}`;

/** An answer that the service took, or that it was told no. */
export interface Given {
  readonly call: number;
  readonly question: string;
  readonly value: string;
  readonly at: number;
  /** It is what the service refused before. */
  readonly wasRefused: boolean;
}

export const DECLINED = 'declined';

/** The dialogue of one job. */
export class Dialogue {
  readonly #call: number;
  readonly #asks: Asks;
  readonly #plans: readonly RoundPlan[];
  /** What was given for each round, and what no answer came for in time. */
  readonly passed = new Set<string>();
  readonly #given: Given[];
  /** What an answer ever came for, whatever was made of it. */
  readonly reached = new Set<string>();
  #round = 0;
  #opensAt: number;
  /** What it would not take, by round. */
  readonly #refused = new Map<number, string>();
  /** Since when it works on, after its last round. */
  #overAt: number | undefined;
  #answeredAt = Number.NEGATIVE_INFINITY;

  /** @param given Where what it takes is noted, beside what other jobs take. */
  constructor(call: number, asks: Asks, plans: readonly RoundPlan[], createdAt: number, given: Given[]) {
    this.#given = given;
    this.#call = call;
    this.#asks = asks;
    this.#plans = plans;
    this.#opensAt = createdAt + (plans[0]?.afterMs ?? 0);
  }

  /** The instant since which nothing will be asked any more; `undefined` while something may. */
  overAt(now: number): number | undefined {
    for (let plan = this.#plans[this.#round]; plan !== undefined; plan = this.#plans[this.#round]) {
      const { patienceMs } = plan;
      if (patienceMs === undefined || now < this.#opensAt + patienceMs) break;
      for (const question of this.#questions(this.#round)) this.passed.add(question);
      this.#next(this.#opensAt + patienceMs);
    }
    return this.#overAt;
  }

  /** When it asks next, as far as it is known by now. */
  asksAt(now: number): number | undefined {
    return this.overAt(now) === undefined && this.#opensAt > now ? this.#opensAt : undefined;
  }

  /** What the status shows to be asked. A replay shows what was asked last, whatever became of it. */
  shows(now: number, isReplay: boolean): Readonly<Record<string, unknown>> | undefined {
    this.overAt(now);
    const isOpen = this.#round < this.#plans.length && now >= this.#opensAt;
    const before = this.#plans[this.#round - 1];
    const isLagging = before !== undefined && now < this.#answeredAt + before.lagMs;
    const showsOld = (isReplay || isLagging) && this.#round > 0;
    const round = showsOld ? this.#round - 1 : isOpen ? this.#round : -1;
    if (round < 0) return undefined;
    const questions = this.#questions(round);
    const asked = questions.map((question) => ({ asks: `q-${question}`, question, form: FORM }));
    switch (this.#asks) {
      case 'list':
        return { status: 'running', needs: asked };
      case 'one':
        return { status: 'waiting', ...asked[0] };
      case 'unnamed':
        return { status: 'waiting', question: questions[0] };
      case 'elsewhere':
        return { status: 'waiting' };
    }
  }

  /** The status code of the answer to an answer. */
  give(body: unknown, now: number, declines: boolean): number {
    this.overAt(now);
    const plan = this.#plans[this.#round];
    if (plan === undefined || now < this.#opensAt || this.#asks === 'elsewhere') return 409;
    const questions = this.#questions(this.#round);
    const values = this.#asks === 'list' ? (body as { answers: Record<string, unknown> }).answers : { only: body };
    const names = this.#asks === 'list' ? questions.map((question) => `q-${question}`) : ['only'];
    if (Object.keys(values).sort().join() !== [...names].sort().join()) return 409;
    for (const question of questions) this.reached.add(question);
    const said = questions.map((_question, index) => {
      const value = values[names[index] as keyof typeof values] as { readonly value?: string; readonly declined?: true };
      return declines || value.declined === true ? DECLINED : (value.value ?? '');
    });
    if (plan.refuses && !this.#refused.has(this.#round)) {
      this.#refused.set(this.#round, said.join());
      return 422;
    }
    // A no may well be said twice by who is asked twice.
    const wasRefused = this.#refused.get(this.#round) === said.join() && !said.includes(DECLINED);
    for (const [index, question] of questions.entries())
      this.#given.push({ call: this.#call, question, value: said[index] ?? '', at: now, wasRefused });
    this.#answeredAt = now;
    this.#next(now);
    return 200;
  }

  #questions(round: number): readonly string[] {
    const count = this.#asks === 'list' ? (this.#plans[round]?.questions ?? 1) : 1;
    return Array.from({ length: count }, (_, index) => wordsOf(round + 1, index + 1));
  }

  #next(from: number): void {
    this.#round += 1;
    const plan = this.#plans[this.#round];
    if (plan === undefined) this.#overAt = from;
    else this.#opensAt = from + plan.afterMs;
  }
}

/** The rounds of a job, as chance has it. */
export function roundsOf(chance: Chance, asks: Asks): readonly RoundPlan[] {
  const goesOn = asks === 'elsewhere' || (asks === 'list' && chance.chance(0.4));
  return Array.from(
    { length: chance.pick([0, 1, 1, 1, 2, 2, 3]) },
    (): RoundPlan => ({
      afterMs: chance.pick([0, 500, 2_000, 6_000]),
      questions: chance.between(1, 2),
      ...(goesOn && { patienceMs: chance.pick([1_000, 6_000, 25_000]) }),
      lagMs: chance.pick([0, 0, 900, 2_500]),
      refuses: chance.chance(0.2),
    }),
  );
}

/** What clients do about it. */
export function answersOf(chance: Chance, call: number, at: number, workers: number): readonly AnswerAction[] {
  return Array.from({ length: chance.between(0, 5) }, (): AnswerAction => {
    const how = chance.pick(['accept', 'accept', 'accept', 'accept', 'decline', 'dismiss', 'misfit', 'old', 'again'] as const);
    return {
      do: 'answer',
      at: at + chance.pick([0, 500, 2_000, 5_000, 12_000, chance.between(0, 60_000)]),
      worker: chance.between(0, workers - 1),
      call,
      how,
      thinksMs: chance.pick([0, 0, 0, 300, 4_000, 20_000]),
      partly: chance.chance(0.25),
    };
  });
}

/** What goes wrong with answers, and with the looks around them. */
export function faultOfAnswers(chance: Chance, fates: readonly string[], asks: Asks): Fault {
  // A service that can't tell which question an answer is for is not to be given one after it was asked again (A10).
  const own = ['slow-request', ...fates.filter((fate) => asks === 'list' || fate !== 'late-request')];
  const replays = asks === 'list' && chance.chance(0.3);
  return replays
    ? { what: 'exchange', route: 'poll', nth: chance.between(2, 14), fate: 'stale' }
    : { what: 'exchange', route: 'answer', nth: chance.between(1, 4), fate: chance.pick(own) as 'slow-request' };
}

/** Whether a job asks anything. */
export const doesAsk = ({ rounds, answer }: JobPlan): boolean => answer === 'accepts' && (rounds ?? []).length > 0;

/** The instant of an event, in milliseconds since the world began. */
export const instantOf = (at: number): number => at - EPOCH;
