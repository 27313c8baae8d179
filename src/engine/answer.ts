// Answers: what a caller gives for a job that waits, recorded first, then delivered.
//   N1. An answer is recorded for the question it was given to, and the first one counts: replays, late answers and answers to
//       keys that nobody was given change nothing.
//   N2. `answer_sent` is durable before the request leaves. What was lost is found by the next look that shows the same question.
//   N3. An answer leaves within the time that the next look leaves it, or not at all: a process that stood still may come after one
//       that gave the answer again, and the service may ask something else by then.
//   N4. What the service will not take opens a new round: the question is put again, with the reason, under a new key.
//   N5. A no that the service can't be told, and a dialogue that was closed, are no answers: the question stays, and nothing is cancelled.

import type { InputJudgement } from '../core/adapter.ts';
import { type InputAnswer, inputRequestOf, openQuestions, questionsOf, readAnswer } from '../core/input.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Operation, OperationEvent } from '../core/operation.ts';
import type { EpochMs } from '../core/time.ts';
import { ASK_AGAIN_MS, type Context, evidenceId, type WorkHandler } from './context.ts';
import type { AnswerVerdict, AnswerVerdicts } from './engine.ts';
import { sendInTime } from './send.ts';

/** Records what of `given`, by key, answers an open question. `undefined`: there is no such operation. */
export async function recordAnswers(
  context: Context,
  id: Operation['id'],
  given: JsonObject,
): Promise<{ readonly operation: Operation; readonly verdicts: AnswerVerdicts } | undefined> {
  let verdicts: AnswerVerdicts = new Map();
  const decided = await context.recorder.decide(id, (row) => {
    const read = answersTo(row, given);
    verdicts = read.verdicts;
    const taken = Object.keys(read.answers).length;
    if (taken === 0) return undefined;
    return {
      type: 'input_provided',
      at: context.clock.now(),
      source: 'caller',
      round: row.round,
      answers: read.answers,
      partly: taken < openQuestions(row).length,
    };
  });
  return decided && { operation: decided.operation, verdicts };
}

function answersTo(row: Operation, given: JsonObject): { readonly answers: JsonObject; readonly verdicts: AnswerVerdicts } {
  const { declinable } = inputRequestOf(row);
  const open = new Map(openQuestions(row).map((question) => [question.key, question]));
  const answers: Record<string, Json> = {};
  const verdicts = Object.entries(given).map(([key, answer]): [string, AnswerVerdict] => {
    const question = open.get(key);
    if (question === undefined) return [key, { kind: 'not_open' }];
    const reading = readAnswer(question, declinable, answer);
    if (reading.kind === 'answer') answers[key] = { ...reading.answer };
    return [key, reading.kind === 'answer' ? { kind: 'taken' } : reading];
  });
  return { answers, verdicts: new Map(verdicts) };
}

/** Due work: give the service what was answered. */
export const answerWork: WorkHandler = async (context, before, _lease, signal) => {
  const { descriptor, adapter } = await context.descriptors.of(before);
  const { timing } = descriptor.traits;
  const startedMs = context.clock.monotonic();
  const sent = await context.recorder.intent(before, {
    type: 'answer_sent',
    at: context.clock.now(),
    round: before.round,
  });
  // Another writer came in between: whether the answer is still wanted is asked anew.
  if (sent === undefined) return { again: context.clock.now() + ASK_AGAIN_MS, failed: false };

  const { reference, answers = {} } = sent;
  const questions = questionsOf(sent);
  const given = { questions, answers: questions.map(({ key }) => answers[key] as unknown as InputAnswer) };
  const request = reference && adapter.provideInput?.(reference, given, descriptor);
  let judgement: InputJudgement = { kind: 'refused', message: 'the answer could not be sent: no URL is known for it' };
  if (request !== undefined && adapter.judgeInput !== undefined) {
    const exchange = await sendInTime(context, descriptor, request, {
      purpose: 'answer',
      startedMs,
      leaseMs: timing.readTimeoutMs,
      timeoutMs: timing.readTimeoutMs,
      signal,
    });
    judgement = exchange.ok
      ? adapter.judgeInput(exchange.response, descriptor)
      : { kind: 'unanswered', message: exchange.failure.message };
  }
  if (judgement.kind === 'unanswered') {
    context.log.warn({ operation: sent.id, upstream: sent.upstream, detail: judgement.message }, 'an answer may be lost');
    return 'done';
  }
  const event = judged(context, sent, judgement, descriptor.pace.intervalMs);
  await context.patience.through(
    () => context.recorder.decide(sent.id, (row) => ({ ...event, readAt: isStillOut(row, sent) ? row.seq : sent.seq })),
    sent.id,
  );
  return 'done';
};

/** Nothing was learned of the answer since it left. What else changed, a cancel above all, makes what the service says to it no older. */
const isStillOut = (row: Operation, sent: Operation): boolean =>
  row.input === 'SENT' && row.round === sent.round && row.answerUntil === sent.answerUntil;

function judged(
  context: Context,
  sent: Operation,
  judgement: Exclude<InputJudgement, { kind: 'unanswered' }>,
  intervalMs: number,
): OperationEvent {
  const at = context.clock.now();
  const base = { at, source: 'poll', evidenceId: evidenceId(context), pollAt: at + intervalMs } as const;
  if (judgement.kind === 'taken') return { ...base, type: 'seen_working', message: 'the service took the answer' };
  const inputRequest = { ...inputRequestOf(sent), refused: judgement.message } as unknown as JsonObject;
  return { ...base, type: 'seen_input', round: sent.round + 1, inputRequest, message: judgement.message };
}

/**
 * A look, begun then, that shows a question which was answered a moment before: the service may not have shown the answer yet, so
 * that it is no new question.
 */
export const isJustAnswered = ({ input, answers, answerUntil }: Operation, beganAt: EpochMs): boolean =>
  input === 'CLOSED' && answers !== undefined && answerUntil !== undefined && beganAt < answerUntil;
