// Input: what a job asks for before it goes on, as questions that a person can answer, and how an answer travels back.
// Shared by adapters, which say where the questions are, and by contracts, which put them.
//   I1. A question's form is what MCP lets a form be: an object of plain members. Any other member is asked for as JSON text.
//   I2. A key names one question of one round, and is never used again.
//   I3. Questions are the same as long as the service says so: by their ids where they are described, else by all they say.

import { answerValueOf, type Form, type FormFault, faultsOfAnswer, formOf } from './form.ts';
import { canonicalJson, isJsonObject, type Json, type JsonObject } from './json.ts';
import type { Operation } from './operation.ts';

/** One question of a round. */
export interface Question {
  /** The service's own id of it, where one is described. */
  readonly id?: string;
  /** For people. */
  readonly message: string;
  readonly form: Form;
}

/** Everything that one round asks for. It is kept in the ledger, as JSON. */
export interface InputRequest {
  /** None: the service waits for something that can't be given through us. */
  readonly questions: readonly Question[];
  /** A no can be given to the service; without it, only an answer can. */
  readonly declinable: boolean;
  /** Why the service did not take the last answer. For people. */
  readonly refused?: string;
}

/** What somebody answers: `accept` with what the form asks for, or a no. Its shape is the wire's, and it is kept so. */
export type InputAnswer = { readonly action: 'accept'; readonly content: JsonObject } | { readonly action: 'decline' };

/** A question that nobody has answered yet. */
export interface OpenQuestion extends Question {
  readonly key: string;
}

/** What of an operation's round was asked; no questions where the service did not say. */
export const inputRequestOf = ({ inputRequest }: Operation): InputRequest => {
  const questions = inputRequest?.['questions'];
  return Array.isArray(questions) ? (inputRequest as unknown as InputRequest) : { questions: [], declinable: false };
};

const keyOf = (round: number, index: number): string => `input-${round}.${index + 1}`;

/** Every question of the present round with its key. */
export const questionsOf = (operation: Operation): readonly OpenQuestion[] =>
  inputRequestOf(operation).questions.map((question, index) => ({ ...question, key: keyOf(operation.round, index) }));

/** The questions that wait for the caller right now, with why an earlier answer to them was not taken. */
export function openQuestions(operation: Operation): readonly OpenQuestion[] {
  if (operation.life !== 'INPUT_REQUIRED' || operation.input !== 'OPEN') return [];
  const { answers = {} } = operation;
  const { refused } = inputRequestOf(operation);
  const said = refused === undefined ? '' : `The service did not take the last answer (${refused}). `;
  return questionsOf(operation)
    .filter(({ key }) => !Object.hasOwn(answers, key))
    .map((question) => ({ ...question, message: `${said}${question.message}` }));
}

/** Whether a look shows the questions that the operation holds already. */
export function isSameInput(operation: Operation, seen: JsonObject | undefined): boolean {
  const sameness = (request: InputRequest): string =>
    canonicalJson(request.questions.map((question) => (question.id === undefined ? { ...question } : question.id)) as Json);
  return sameness(inputRequestOf(operation)) === sameness(inputRequestOf({ ...operation, inputRequest: seen ?? {} }));
}

/** An answer as it came in, judged against its question. */
export type AnswerReading =
  | { readonly kind: 'answer'; readonly answer: InputAnswer }
  /** It can't be passed on; the question stays open. `why` is for people. */
  | { readonly kind: 'not_taken'; readonly why: string };

const CANNOT_DECLINE =
  'The service has no way to be told no: it goes on waiting. Answer it later, or cancel the operation if it should stop.';
const DISMISSED = 'No answer was given: the service goes on waiting.';

/** Reads `{action, content}`, as elicitation spells it. @see MCP 2025-11-25, ElicitResult */
export function readAnswer(question: Question, declinable: boolean, given: Json | undefined): AnswerReading {
  const action = isJsonObject(given) ? given['action'] : undefined;
  if (action === 'decline')
    return declinable ? { kind: 'answer', answer: { action } } : { kind: 'not_taken', why: CANNOT_DECLINE };
  if (action === 'cancel') return { kind: 'not_taken', why: DISMISSED };
  if (action !== 'accept') return { kind: 'not_taken', why: 'An answer has an action: accept, decline or cancel.' };
  const content = (given as JsonObject)['content'] ?? {};
  const faults: readonly FormFault[] = isJsonObject(content)
    ? faultsOfAnswer(question.form, content)
    : [{ pointer: '', message: 'must be an object' }];
  if (faults.length === 0) return { kind: 'answer', answer: { action, content: content as JsonObject } };
  return { kind: 'not_taken', why: faults.map(({ pointer, message }) => `${pointer || '/'}: ${message}`).join('; ') };
}

/** What an accepted answer says to the service: members that were asked for as JSON text are what the text says. */
export const valueOfAnswer = (question: Question, content: JsonObject): JsonObject => answerValueOf(question.form, content);

/** A question without any description of its form. */
export const DEFAULT_FORM: Form = formOf({
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
});
