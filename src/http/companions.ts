// Companion tools: how a caller goes on with an operation that outlasted its call. Shown to every caller that may be told to use them:
// one without Tasks, and one with Tasks that may call without a task.

import { isJsonObject, type JsonObject } from '../core/json.ts';
import { type Companions, toolError } from '../core/presentation.ts';
import type { Catalogue } from '../core/tool.ts';

export type CompanionKind = keyof Companions;
type Names = Required<Companions>;

/** What a model may ask a companion for, checked by hand: three members do not need a schema compiler. */
export interface CompanionArguments {
  readonly operation: string;
  readonly waitMs?: number;
  /** As elicitation spells it. */
  readonly answer?: JsonObject;
  /** Key of the question that is answered; absent: the only one. */
  readonly question?: string;
}

const OPERATION: JsonObject = { type: 'string', description: 'The operation id from the pending answer, such as op_3m….' };

const FACES: Readonly<Record<CompanionKind, JsonObject>> = {
  get: {
    title: 'Look at an operation',
    description:
      'Says how an operation stands, without waiting: its result if it has ended, otherwise that it is not finished. Starts nothing.',
    inputSchema: { type: 'object', properties: { operation: OPERATION }, required: ['operation'], additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  wait: {
    title: 'Wait for an operation',
    description:
      'Waits for an operation to end and gives its result. If it is still not finished when the wait is over, it says so: call it again then. Starts nothing.',
    inputSchema: {
      type: 'object',
      properties: {
        operation: OPERATION,
        seconds: {
          type: 'number',
          exclusiveMinimum: 0,
          description: 'How long to wait at most; no wait is longer than 50 seconds.',
        },
      },
      required: ['operation'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  answer: {
    title: 'Answer what an operation asks',
    description:
      'Gives the answer that an operation waits for, then waits like the waiting tool does. Ask the user first: an answer may approve something, and can not be taken back.',
    inputSchema: {
      type: 'object',
      properties: {
        operation: OPERATION,
        question: { type: 'string', description: 'Which question is answered, as the pending answer names it.' },
        action: {
          type: 'string',
          enum: ['accept', 'decline'],
          default: 'accept',
          description: 'decline: the user says no.',
        },
        answer: { type: 'object', description: 'What the user answered; it fits the answerSchema of the question.' },
      },
      required: ['operation'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  },
  list: {
    title: 'List operations',
    description:
      'Lists your operations, newest first: which are not finished, and how the others ended. For finding one whose id was lost. Starts nothing.',
    inputSchema: {
      type: 'object',
      properties: { cursor: { type: 'string', description: 'Where an earlier list said that there are more.' } },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  cancel: {
    title: 'Cancel an operation',
    description:
      'Asks for an operation to be cancelled. The service may refuse, or finish first: the answer says how the operation stands.',
    inputSchema: { type: 'object', properties: { operation: OPERATION }, required: ['operation'], additionalProperties: false },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  },
};

const WANTED: Names = {
  get: 'get_operation',
  wait: 'wait_for_operation',
  answer: 'answer_operation',
  cancel: 'cancel_operation',
  list: 'list_operations',
};

/** Names that no tool of the catalogue has; of the companions that there are where callers are told apart, or are not. */
export function companionNames(catalogue: Catalogue, identified: boolean): Companions {
  const free = (name: string): string => (catalogue.tools.has(name) ? free(`longshore_${name}`) : name);
  const { list, ...others } = WANTED;
  const named = { get: free(others.get), wait: free(others.wait), answer: free(others.answer), cancel: free(others.cancel) };
  return identified ? { ...named, list: free(list) } : named;
}

/** Their entries in tools/list. */
export function companionEntries(names: Companions): readonly JsonObject[] {
  return (Object.keys(names) as CompanionKind[]).map((kind) => ({ name: names[kind] as string, ...FACES[kind] }));
}

/** The arguments of a companion, or the tool error that says what is wrong with them. */
export function companionArguments(args: JsonObject): CompanionArguments | ReturnType<typeof toolError> {
  const { operation, seconds, question, action = 'accept', answer = {} } = args;
  if (typeof operation !== 'string' || operation === '') return toolError('/operation: must be the id of an operation.');
  if (question !== undefined && typeof question !== 'string') return toolError('/question: must be the key of a question.');
  if (!isJsonObject(answer)) return toolError('/answer: must be an object.');
  const given = { answer: { action, content: answer }, ...(question !== undefined && { question }) };
  if (seconds === undefined) return { operation, ...given };
  if (typeof seconds !== 'number' || !(seconds > 0)) return toolError('/seconds: must be a positive number.');
  return { operation, waitMs: seconds * 1000, ...given };
}
