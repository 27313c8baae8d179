// What must hold of questions and answers (I14, I15, L5), watched at every commit, at every answer that leaves, and at every one
// that the service takes.
//   Q1. A round never goes back, and what was answered in it stays as it was answered first.
//   Q2. An answer leaves only while it is recorded as sent, as often as that was recorded, and within the time that it then has.
//   Q3. The service is given what was recorded, for the question that it was recorded for, and nothing after it took an answer.
//   Q4. What is asked is shown alike by every contract, and only while it is asked.

import { inputRequestOf, openQuestions, questionsOf } from '../../src/core/input.ts';
import type { Operation, OperationEvent } from '../../src/core/operation.ts';
import { pendingAnswer, present } from '../../src/core/presentation.ts';
import { askedIn, saidIn } from './answering.ts';
import { callOf, type Report, text } from './breach.ts';
import type { Sent } from './network.ts';
import { instantOf, questionIn } from './rounds.ts';
import type { Schedule } from './time.ts';
import type { Upstreams } from './upstreams.ts';

const COMPANIONS = { get: 'get', wait: 'wait', answer: 'answer', cancel: 'cancel' };

interface Recorded {
  readonly call: number;
  readonly question: string;
  readonly said: string;
  readonly at: number;
}

export class Inquiry {
  readonly #upstreams: Upstreams;
  readonly #schedule: Schedule;
  readonly #report: Report;
  /** Answers that were made durable. */
  readonly #recorded: Recorded[] = [];
  readonly #sends = new Map<string, { intended: number; sent: number; at: number }>();
  readonly #taken = new Set<string>();
  /** Calls whose service showed or did what is not so: an answer may have been given twice for it. */
  readonly #misled = new Set<number>();
  /** Clocks were set: when an answer is off the wire is measured by clocks that disagree (A7). */
  unsteady = false;
  /** Rounds that were answered in full. */
  readonly #answered = new Map<string, { readonly questions: readonly string[]; readonly at: number }[]>();
  #given = 0;
  /** Whether what the service said of a call may have been lost on the way. */
  mayBeLost: (call: number) => boolean = () => false;

  constructor(upstreams: Upstreams, schedule: Schedule, report: Report) {
    this.#upstreams = upstreams;
    this.#schedule = schedule;
    this.#report = report;
  }

  #isMisled(call: number): boolean {
    const [job] = this.#upstreams.truth(call).jobs;
    // Whose job has an id that was given away again sees the other's questions under it.
    return this.unsteady || this.#misled.has(call) || (job !== undefined && this.#upstreams.isShared(job));
  }

  /** A client was told that its answer to a question is the one that counts. */
  taken(id: string, name: string, key: string): void {
    const answer = `${id} ${key}`;
    if (this.#taken.has(answer)) this.#report('I14', `${name}: two answers to ${key} were taken`);
    this.#taken.add(answer);
  }

  committed(before: Operation, row: Operation, event: OperationEvent): void {
    if (row.round === 0 && row.input === 'NONE') return;
    const name = `call ${callOf(row)}`;
    if (row.round < before.round) this.#report('I14', `${name}: round ${row.round} after ${before.round}`);
    if (
      row.round === before.round &&
      text({ ...row.answers, ...before.answers }) !== text({ ...before.answers, ...row.answers })
    )
      this.#report('I14', `${name}: an answer changes after it was recorded`);
    if (event.type === 'input_provided') {
      const questions = new Map(questionsOf(row).map(({ key, message }) => [key, questionIn(message)]));
      for (const [key, answer] of Object.entries(row.answers ?? {})) {
        if (before.answers?.[key] !== undefined) continue;
        const question = questions.get(key);
        if (question === undefined) this.#report('I14', `${name}: an answer to ${key}, which round ${row.round} does not ask`);
        else this.#recorded.push({ call: callOf(row), question, said: saidIn(answer), at: this.#schedule.now });
      }
    }
    if (event.type === 'input_provided' && row.input === 'ANSWERED') {
      const answered = { questions: questionsOf(row).map(({ message }) => questionIn(message)), at: this.#schedule.now };
      this.#answered.set(row.id, [...(this.#answered.get(row.id) ?? []), answered]);
    }
    if (event.type === 'answer_sent') {
      const sends = this.#sends.get(row.id) ?? { intended: 0, sent: 0, at: 0 };
      this.#sends.set(row.id, { ...sends, intended: sends.intended + 1, at: this.#schedule.now });
    }
    if (row.round > before.round && row.input === 'OPEN') this.#opened(row, name);
    this.#shown(row, name);
  }

  /** A round opens: not with what the service took a moment ago, which its status may not show yet. */
  #opened(row: Operation, name: string): void {
    const { refused } = inputRequestOf(row);
    const asked = questionsOf(row).map(({ message }) => questionIn(message));
    const graceMs = this.#upstreams.traitsOf(row).timing.consistencyGraceMs;
    const justTaken = this.#upstreams.given.filter(
      ({ call, question, at }) => call === callOf(row) && asked.includes(question) && this.#schedule.now < at + graceMs,
    );
    if (refused === undefined && justTaken.length > 0 && !this.#isMisled(callOf(row)))
      this.#report('I14', `${name}: ${justTaken[0]?.question} was answered, and is put again`);
  }

  #shown(row: Operation, name: string): void {
    const keys = openQuestions(row).map(({ key }) => key);
    const view = { operation: row, pollIntervalMs: 1_000 };
    const tasks = Object.keys(askedIn(view));
    if (text(keys) !== text(tasks)) this.#report('I13', `${name}: asked is ${keys.join()}, and ${tasks.join()} is shown`);
    const picture = present({ operation: row });
    if (picture.kind !== 'pending') {
      if (keys.length > 0) this.#report('I13', `${name}: ended, and asks ${keys.join()}`);
      return;
    }
    const answer = pendingAnswer({ operation: row }, picture, COMPANIONS);
    const said = answer.content.map((block) => ('text' in block ? block.text : '')).join(' ');
    if (keys.some((key) => !said.includes(key)))
      this.#report('I13', `${name}: a caller without Tasks is not asked ${keys.join()}`);
    if (keys.length === 0 && answer.structured?.['input'] !== undefined)
      this.#report('I13', `${name}: a caller without Tasks is asked what nobody asks`);
    if ((keys.length > 0 || row.input === 'OPEN') !== (picture.status === 'input_required'))
      this.#report('I13', `${name}: ${row.input} is shown as ${picture.status}`);
  }

  /** An answer leaves a process. */
  leaves({ route, fate }: Sent, rows: readonly Operation[]): void {
    if (fate === 'stale' || fate === 'missing' || fate === 'late-request')
      for (const row of rows) this.#misled.add(callOf(row));
    if (route !== 'answer') return;
    // An id that was given to another job, too: nobody can tell whose the answer is.
    if (rows.length > 1) for (const row of rows) this.#misled.add(callOf(row));
    const row = rows.find(({ input }) => input === 'SENT') ?? rows[0];
    if (row === undefined) {
      this.#report('input', 'an answer leaves for a job that nobody follows');
      return;
    }
    const name = `call ${callOf(row)}`;
    const sends = this.#sends.get(row.id) ?? { intended: 0, sent: 0, at: 0 };
    sends.sent += 1;
    this.#sends.set(row.id, sends);
    const lateMs = this.#schedule.now - sends.at - this.#upstreams.traitsOf(row).timing.readTimeoutMs;
    if (lateMs > 0 && rows.length === 1) this.#report('I15', `${name}: an answer leaves ${lateMs} ms too late`);
    if (sends.sent > sends.intended && rows.length === 1)
      this.#report('I15', `${name}: an answer is sent ${sends.sent} times and recorded ${sends.intended} times`);
    const asked = questionsOf(row).map(({ message }) => questionIn(message));
    const had = this.#upstreams.given.some(({ call, question }) => call === callOf(row) && asked.includes(question));
    if (had && !this.#isMisled(callOf(row)) && row.input === 'SENT')
      this.#report('I15', `${name}: an answer that arrived is sent again`);
  }

  /** After every step: what the service was given. */
  given(): void {
    const all = this.#upstreams.given;
    if (all.length === this.#given) return;
    this.#given = all.length;
    for (const { call, question, value: said, wasRefused } of all) {
      if (wasRefused && !this.mayBeLost(call)) this.#report('I15', `call ${call}: "${said}" was refused, and is given again`);
      const isOurs = this.#recorded.some(
        (one) => this.#upstreams.haveOneId(one.call, call) && one.said === said && one.question === question,
      );
      if (!isOurs && !this.#isMisled(call))
        this.#report('input', `call ${call}: ${question} is answered with "${said}", which nobody recorded for it`);
    }
  }

  /** L5: what was answered in full reaches the service while the job waits for it, where nothing is in the way. */
  delivered(row: Operation): void {
    const [job] = this.#upstreams.truth(callOf(row)).jobs;
    const dialogue = job?.dialogue;
    const answered = this.#answered.get(row.id);
    if (job === undefined || dialogue === undefined || answered === undefined || row.generation > 0) return;
    // Whoever has the id of another's job answers that one.
    if (this.#upstreams.isShared(job)) return;
    const endedAt = instantOf(row.receipt?.at ?? Number.POSITIVE_INFINITY);
    for (const { questions, at } of answered) {
      const missed = questions.find((question) => !dialogue.reached.has(question) && !dialogue.passed.has(question));
      if (missed !== undefined && at + 20_000 < endedAt)
        this.#report('L5', `call ${callOf(row)}: an answer to ${missed} was recorded, and never reached the service`);
    }
  }
}
