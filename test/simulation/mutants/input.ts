// Faults planted in what is asked and answered.

import type { Mutant } from './mutant.ts';

const ANSWER = 'src/engine/answer.ts';
const INPUT = 'src/core/input.ts';
const INSTANTS = 'src/core/instants.ts';
const POLL = 'src/engine/poll.ts';
const ASKS = ['asks-one', 'asks-unnamed', 'asks-list'];

// biome-ignore format: one mutant, one row
export const IN_THE_DIALOGUE: readonly Mutant[] = [
  { name: 'take an answer to a question of another round', file: ANSWER, find: 'const open = new Map(openQuestions(row).map((question) => [question.key, question]));', replace: "const questions = openQuestions(row);\n  const open = { get: (key: string) => questions.find((one) => one.key.split('.')[1] === key.split('.')[1]) };", dialects: ASKS },
  { name: 'take a second answer to a question', file: INPUT, find: '    .filter(({ key }) => !Object.hasOwn(answers, key))\n', replace: '', dialects: ['asks-list'] },
  { name: 'let a later answer replace the first', file: 'src/core/facts.ts', find: 'draft.answers = { ...draft.answers, ...event.answers };', replace: 'draft.answers = event.answers;', dialects: ['asks-list'] },
  { name: 'send an answer twice', file: ANSWER, find: "  if (judgement.kind === 'unanswered') {\n", replace: "  if (judgement.kind === 'unanswered' && request !== undefined) await context.transport.send(descriptor.upstream, request, { timeoutMs: timing.readTimeoutMs, bytesMax: 1_000, signal });\n  if (judgement.kind === 'unanswered') {\n", dialects: ASKS },
  { name: 'send an answer although its intent was dropped', file: ANSWER, find: '  if (sent === undefined) return', replace: '  if (sent === undefined && before.answers !== undefined) await context.transport.send(descriptor.upstream, adapter.provideInput?.(before.reference as never, { questions: questionsOf(before), answers: questionsOf(before).map(({ key }) => before.answers?.[key] as never) }, descriptor) as never, { timeoutMs: 1_000, bytesMax: 1_000, signal });\n  if (sent === undefined) return', dialects: ASKS },
  { name: 'give the answer to the first question for all', file: ANSWER, find: 'questions.map(({ key }) => answers[key] as unknown as InputAnswer)', replace: 'questions.map(() => answers[questions[0]?.key ?? ""] as unknown as InputAnswer)', dialects: ['asks-list'] },
  { name: 'never deliver an answer', file: 'src/core/due-work.ts', find: "      if (operation.input === 'ANSWERED') add('answer', undefined);\n", replace: '', dialects: ASKS },
  { name: 'take a dismissed form for a no', file: INPUT, find: "if (action === 'cancel') return { kind: 'not_taken', why: DISMISSED };", replace: "if (action === 'cancel') return { kind: 'answer', answer: { action: 'decline' } };", dialects: ASKS },
  { name: 'open the answered round again', file: 'src/core/guards.ts', find: "newRound: (operation, event) => 'round' in event && event.round > operation.round,", replace: "newRound: (operation, event) => 'round' in event && event.round >= operation.round,", dialects: ASKS },
  { name: 'put a question again that was answered a moment ago', file: POLL, find: 'if (isSame && isJustAnswered(operation, beganAt))', replace: 'if (isSame && isJustAnswered(operation, beganAt + 60_000))', dialects: ASKS },
  { name: 'look while an answer is on the wire', file: POLL, find: "  if (input === 'SENT' && context.clock.now() < answerUntil)\n", replace: "  if (input === 'SENT' && context.clock.now() < answerUntil - 1e9)\n", dialects: ASKS },
  { name: 'poll while an answer is on the wire', file: 'src/core/due-work.ts', find: "input === 'SENT' ? Math.max(pollAt ?? updatedAt, answerUntil ?? 0) :", replace: "input === 'SENT' ? (pollAt ?? updatedAt) :", dialects: ASKS },
  { name: 'look for an answer as soon as its sender gave up', file: INSTANTS, find: 'at + timing.readTimeoutMs + timing.consistencyGraceMs;', replace: 'at + timing.readTimeoutMs - 5_000;', dialects: ASKS },
  { name: 'send an answer long after it was meant to leave', file: ANSWER, find: 'leaseMs: timing.readTimeoutMs,', replace: 'leaseMs: Number.MAX_SAFE_INTEGER,', dialects: ASKS },
  { name: 'answer another principal’s question', file: 'src/engine/create-engine.ts', find: '      if ((await own(id, principal)) === undefined) return undefined;\n      const recorded', replace: '      const recorded', dialects: ASKS },
  { name: 'say that an answer counts and record nothing', file: ANSWER, find: 'if (taken === 0) return undefined;', replace: 'if (taken >= 0) return undefined;', dialects: ASKS },
  { name: 'ask through one contract what was answered', file: 'src/contracts/tasks-2026-07-28.ts', find: 'client?.forms === true ? openQuestions(view.operation) : []', replace: 'client?.forms === true ? openQuestions({ ...view.operation, answers: {} }) : []', dialects: ['asks-list'] },
  { name: 'drop the reason of a refused answer, and the question with it', file: ANSWER, find: 'round: sent.round + 1, inputRequest,', replace: 'round: sent.round, inputRequest,', dialects: ASKS },
];
