// Clients that are asked something: they see a question through one contract or another, think, and answer; or say no, close the
// form, answer what does not fit, what is long over, or what they have answered before.

import type { TasksFace } from '../../src/contracts/contract.ts';
import { tasks20260728 } from '../../src/contracts/tasks-2026-07-28.ts';
import { openQuestions } from '../../src/core/input.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { Answered, OperationView } from '../../src/engine/engine.ts';
import { callOf } from './breach.ts';
import { DECLINED, questionIn, valueFor } from './rounds.ts';
import type { Schedule } from './time.ts';
import type { Watch } from './watch.ts';
import type { Worker } from './worker.ts';

export interface AnswerAction {
  readonly do: 'answer';
  readonly at: number;
  readonly worker: number;
  readonly call: number;
  /** `dismiss`: closes the form. `old`: to a round that is over. `again`: what was answered before, and something else. */
  readonly how: 'accept' | 'decline' | 'dismiss' | 'misfit' | 'old' | 'again';
  /** From seeing the question to answering it. */
  readonly thinksMs: number;
  /** Only the first of several questions. */
  readonly partly: boolean;
}

/** How long somebody looks for a question, and how often. */
const LOOKS = 12;
const LOOK_EVERY_MS = 2_500;
const FORMS = { tasks: true, forms: true } as const;
const TASKS = tasks20260728.tasks as TasksFace;

/** What a view asks of a client that can put forms: words by key. */
export function askedIn(view: OperationView): Readonly<Record<string, string>> {
  const requests = (TASKS.task(view, FORMS)['inputRequests'] ?? {}) as Readonly<
    Record<string, { readonly params: { readonly message: string } }>
  >;
  return Object.fromEntries(Object.entries(requests).map(([key, { params }]) => [key, questionIn(params.message)]));
}

export class Answering {
  readonly #schedule: Schedule;
  readonly #watch: Watch;
  /** What was asked of each call, by key, as far as anybody saw it. */
  readonly #asked = new Map<number, Map<string, string>>();
  #count = 0;

  constructor(schedule: Schedule, watch: Watch) {
    this.#schedule = schedule;
    this.#watch = watch;
  }

  async act(action: AnswerAction, worker: Worker, id: string, principal: string): Promise<void> {
    const schedule = this.#schedule;
    const known = this.#asked.get(action.call) ?? new Map<string, string>();
    this.#asked.set(action.call, known);
    let open: Readonly<Record<string, string>> = {};
    const wantsOpen = action.how !== 'old' && action.how !== 'again';
    for (let looks = 0; looks < LOOKS; looks++) {
      const view = await worker.engine?.read(id, principal);
      if (view !== undefined) open = askedIn(view);
      for (const [key, question] of Object.entries(open)) known.set(key, question);
      if (Object.keys(open).length > 0 || view?.operation.receipt !== undefined) break;
      if (!wantsOpen && known.size > 0) break;
      await schedule.sleep(LOOK_EVERY_MS);
    }
    const answers = this.#answersOf(action, wantsOpen ? open : Object.fromEntries(known));
    if (Object.keys(answers).length === 0) return;
    if (action.thinksMs > 0) await schedule.sleep(action.thinksMs);
    const { engine } = worker;
    if (engine === undefined) return;
    const asked = this.#watch.asks();
    const answered = await engine.answer(id, principal, answers);
    if (answered === undefined) return this.#watch.notFound(id, `call ${action.call} can not be answered`);
    this.#watch.answered(answered.view, asked);
    if ((await engine.answer(id, 'bob', answers)) !== undefined)
      this.#watch.breach('rule 8', `call ${action.call}: another principal can answer it`);
    const written = this.#watch.linear.written(answered.view, asked, (event) => event.type === 'input_provided');
    this.#judge(action, answers, answered, written);
  }

  #answersOf({ how, partly }: AnswerAction, asked: Readonly<Record<string, string>>): JsonObject {
    const given: Record<string, Json> = {};
    for (const [key, question] of Object.entries(asked)) {
      const value = valueFor(question, `by ${++this.#count}`);
      if (how === 'decline') given[key] = { action: 'decline' };
      else if (how === 'dismiss') given[key] = { action: 'cancel' };
      else if (how === 'misfit') given[key] = { action: 'accept', content: { value: '?' } };
      else given[key] = { action: 'accept', content: { value } };
      if (partly) break;
    }
    if (how === 'old') given['input-9.1'] = { action: 'accept', content: { value: valueFor('nothing', 'by nobody') } };
    return given;
  }

  #judge({ call, how }: AnswerAction, answers: JsonObject, { verdicts, view }: Answered, written: number): void {
    const watch = this.#watch;
    const name = `call ${call}`;
    const kinds = Object.keys(answers).map((key) => verdicts.get(key)?.kind ?? 'none');
    const taken = Object.keys(answers).filter((key) => verdicts.get(key)?.kind === 'taken');
    if (kinds.includes('none')) watch.breach('input', `${name}: an answer got no verdict`);
    if (taken.length > 0 && written === 0)
      watch.breach('input', `${name}: an answer was taken, and nothing was recorded`, 'lostOperations');
    if (taken.length > 0 && (how === 'dismiss' || how === 'misfit'))
      watch.breach('input', `${name}: what is no answer (${how}) was taken for one`);
    if (how === 'accept' && kinds.includes('not_taken')) watch.breach('input', `${name}: a fitting answer was not taken`);
    if (verdicts.get('input-9.1')?.kind === 'taken') watch.breach('I14', `${name}: an answer to nothing was taken`);
    for (const key of taken) {
      watch.inquiry.taken(view.operation.id, name, key);
      const kept = view.operation.answers?.[key];
      const isOpen = openQuestions(view.operation).some((question) => question.key === key);
      if (isOpen) watch.breach('I14', `${name}: ${key} was answered, and is asked`);
      if (kept !== undefined && JSON.stringify(kept) !== JSON.stringify(answers[key]))
        watch.breach('input', `${name}: another answer to ${key} is kept than was taken`);
    }
    if (callOf(view.operation) !== call) watch.breach('rule 3', `${name} is answered with another call`);
  }
}

/** What an answer says, in the words in which the service keeps it. */
export function saidIn(answer: unknown): string {
  const { action, content } = answer as { readonly action: string; readonly content?: { readonly value?: string } };
  return action === 'accept' ? (content?.value ?? '') : DECLINED;
}
