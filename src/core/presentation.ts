// Presentation: an operation as the honest picture that every contract shows in its own dress. With situation.ts it is the home
// of all sentences that a model reads about an operation.
//   P1. Receipt first, then life: an ending is shown from a receipt and from nothing else.
//   P2. The unknown is an isError result, never a protocol error: a host may retry those, and a retry is what must not happen.
//   P3. `message` says everything that matters by itself: many clients show nothing but a task's status message.

import { answerUri, type Block, type Content, contentOf, resultUri, type Showing, text } from './content.ts';
import { inputRequestOf, type OpenQuestion, openQuestions } from './input.ts';
import { type JsonObject, stringifyJson } from './json.ts';
import type { Operation } from './operation.ts';
import type { Payload } from './outcome.ts';
import { begun, cancelWords, effectsWords, sentences, sharedWords, situation } from './situation.ts';
import type { Tool } from './tool.ts';

/** What a picture is drawn from. */
export interface Subject {
  readonly operation: Operation;
  /** The accepted result or error body. Only needed where `content` is read. */
  readonly payload?: Payload;
  readonly tool?: Tool;
  /** Largest payload that is shown whole, in bytes. */
  readonly shownBytesMax?: number;
}

export interface ResultPicture {
  readonly kind: 'result';
  readonly content: readonly Block[];
  readonly structured?: JsonObject;
  readonly isError: boolean;
  /** The service says that the result is not all of what was asked for. */
  readonly partial?: true;
  readonly message?: string;
  /** Why a success is not as its document describes it. For logs. */
  readonly misfit?: string;
}

export type Picture =
  | { readonly kind: 'pending'; readonly status: 'working' | 'input_required'; readonly message: string }
  | ResultPicture
  /** Ours: nothing was ever started. `code` is JSON-RPC's. */
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  | { readonly kind: 'cancelled'; readonly message: string };

/** What a synchronous call came to. */
export type Answer =
  | { readonly kind: 'answered'; readonly payload?: Payload; readonly status: number }
  | { readonly kind: 'failed'; readonly payload?: Payload; readonly message: string; readonly status?: number };

const PARTIAL_WORDS = 'This result is partial: the service says that it is not all of what was asked for.';

const MESSAGE_CHARACTERS_MAX = 2_000;

/** The picture of an operation. Pure: the same facts give the same picture under every contract. */
export function present(subject: Subject): Picture {
  const { operation } = subject;
  const receipt = operation.receipt;
  if (receipt === undefined) {
    const status = operation.life === 'INPUT_REQUIRED' && operation.input === 'OPEN' ? 'input_required' : 'working';
    return { kind: 'pending', status, message: clip(pendingWords(operation)) };
  }
  switch (receipt.outcome) {
    case 'succeeded':
      return succeeded(subject);
    case 'cancelled':
      return { kind: 'cancelled', message: clip(cancelledWords(operation)) };
    case 'unknown':
      return unknown(operation);
    case 'failed':
      // No ending was ever seen: the failure is not the job's but ours.
      return operation.seen === undefined
        ? { kind: 'error', code: -32603, message: clip(neverStartedWords(operation)) }
        : failed(subject);
  }
}

const pendingWords = (operation: Operation): string =>
  sentences(situation(operation), cancelWords(operation), sharedWords(operation));

function succeeded(subject: Subject): ResultPicture {
  const { operation, payload } = subject;
  // A result that may be another call's is not shown without saying so.
  const caveat = operation.shared?.alike === false ? sharedWords(operation) : undefined;
  const aside = caveat === undefined ? [] : [text(caveat)];
  const isPartial = payload?.partial === true;
  const message = sentences(isPartial ? PARTIAL_WORDS : undefined, caveat, effectsWords(operation)) || undefined;
  if (payload === undefined) {
    const content = [text(emptyWords(operation.tool)), ...aside];
    return { kind: 'result', content, isError: false, ...optional('message', message) };
  }
  const { blocks, structured } = contentOf(payload, showing(subject, true));
  return {
    kind: 'result',
    content: [...(isPartial ? [text(PARTIAL_WORDS)] : []), ...blocks, ...aside],
    ...optional('structured', structured),
    isError: false,
    ...(isPartial && { partial: true }),
    ...optional('message', message),
  };
}

function failed(subject: Subject): ResultPicture {
  const { operation, payload } = subject;
  const said = operation.endingMessage ?? operation.receipt?.reason ?? 'The job failed.';
  const message = sentences(said, sharedWords(operation), effectsWords(operation));
  const body = payload === undefined ? [] : contentOf(payload, showing(subject, false)).blocks;
  return { kind: 'result', content: [text(message), ...body], isError: true, message: clip(message) };
}

function unknown(operation: Operation): ResultPicture {
  const reason = operation.receipt?.reason ?? 'Nobody can tell how it ended.';
  // The reason usually says it all; what it leaves out is added, once.
  const unsaid = (mention: string | undefined, said: string): string | undefined =>
    mention === undefined || reason.toLowerCase().includes(mention.toLowerCase()) ? undefined : said;
  const started = !operation.mayExist
    ? 'No job is thought to exist at the service.'
    : operation.reference === undefined
      ? 'The request was sent, and the job may have been started.'
      : `The job was started (the service calls it ${operation.reference.id}), and ${operation.seen === undefined ? 'may still be running or may have finished' : 'has ended there'}.`;
  const message = sentences(
    'Outcome unknown.',
    reason,
    unsaid(operation.trouble, begun(operation.trouble ?? '')),
    unsaid(operation.unknownWord, `The last thing the service said was "${operation.unknownWord}", which is no known state.`),
    started,
    'It will not be sent again; do not call again for the same request.',
    effectsWords(operation),
  );
  const structured: JsonObject = {
    outcome: 'unknown',
    operation: operation.id,
    jobMayExist: operation.mayExist,
    ...(operation.reference === undefined ? {} : { reference: operation.reference.id }),
    safeToRepeat: false,
  };
  return { kind: 'result', content: [text(message)], structured, isError: true, message: clip(message) };
}

const cancelledWords = (operation: Operation): string =>
  sentences(
    operation.receipt?.by === 'upstream' ? 'The service says that the job was cancelled.' : 'Cancelled.',
    operation.receipt?.by === 'upstream' ? operation.endingMessage : undefined,
    effectsWords(operation),
  );

function neverStartedWords(operation: Operation): string {
  const reason = operation.receipt?.reason;
  const nothing = reason?.includes('Nothing was started') ? undefined : 'Nothing was started.';
  return sentences(reason, nothing, 'Calling again is safe.');
}

const emptyWords = (tool: string): string => `${tool} finished without a result: the service gave no value.`;

const showing = ({ operation, tool, shownBytesMax }: Subject, success: boolean): Showing => ({
  tool,
  uri: resultUri(operation.id),
  kept: true,
  success,
  bytesMax: shownBytesMax,
});

/**
 * The tool result of a synchronous call.
 * @param keptAs the name under which the whole answer can be read, where it is kept
 */
export function presentAnswer(tool: Tool, answer: Answer, shownBytesMax?: number, keptAs?: string): ResultPicture {
  const success = answer.kind === 'answered';
  const uri = keptAs === undefined ? `longshore://tools/${tool.name}/answer` : answerUri(keptAs);
  const shown = { tool, uri, kept: keptAs !== undefined, success, bytesMax: shownBytesMax };
  if (answer.kind === 'failed') {
    const status = answer.status;
    const named = status === undefined || answer.message.includes(String(status));
    const said = named ? answer.message : `HTTP ${status}: ${answer.message}`;
    const body = answer.payload === undefined ? [] : contentOf(answer.payload, shown).blocks;
    return { kind: 'result', content: [text(said), ...body], isError: true };
  }
  const content = answer.payload === undefined ? emptyAnswer(tool) : contentOf(answer.payload, shown);
  const { blocks, structured, misfit } = content;
  const aside = optional('misfit', misfit);
  if (misfit === undefined || tool.outputSchema === undefined) {
    return { kind: 'result', content: blocks, ...optional('structured', structured), isError: false, ...aside };
  }
  // A client must refuse a success that lacks the structured content its schema promises; an error it shows to the model.
  const heading = `The call was carried out (HTTP ${answer.status}); do not repeat it for this reason.`;
  return { kind: 'result', content: [text(heading), ...blocks], isError: true, ...aside };
}

function emptyAnswer(tool: Tool): Content {
  const blocks = [text(emptyWords(tool.name))];
  return tool.outputSchema === undefined ? { blocks } : { blocks, misfit: 'there is no value' };
}

/** How a caller without Tasks goes on: the names of the companion tools. */
export interface Companions {
  readonly get: string;
  readonly wait: string;
  readonly answer: string;
  readonly cancel: string;
  /** Only where callers are told apart. */
  readonly list?: string;
}

/** The answer to a caller that stops waiting before the end. Not an error, and not to be taken for the tool's own output. */
export function pendingAnswer(
  { operation }: Subject,
  picture: Picture & { kind: 'pending' },
  companions: Companions,
): ResultPicture {
  const questions = openQuestions(operation);
  const said = sentences(
    `Not finished. The request to ${operation.tool} was accepted as operation ${operation.id} and has not ended.`,
    picture.message,
    `Nothing has been produced yet. Do not call ${operation.tool} again for the same request.`,
    ...questions.map((question) => howToAnswer(operation, question, companions)),
    `To get the result, call ${companions.wait} with {"operation": "${operation.id}"}; to stop it, call ${companions.cancel}.`,
  );
  const structured: JsonObject = {
    outcome: 'pending',
    operation: operation.id,
    doNotRepeat: true,
    ...(questions.length > 0 && { input: inputNeeded(operation, questions, companions) }),
  };
  return { kind: 'result', content: [text(said)], structured, isError: false, message: picture.message };
}

/** Nobody but the person who is asked can know the answer: a model is told to ask, not to guess. */
const howToAnswer = ({ id }: Operation, { key, message, form }: OpenQuestion, { answer }: Companions): string =>
  sentences(
    `It can't go on without an answer to "${message}": ask the user`,
    `Then call ${answer} with {"operation": "${id}", "question": "${key}", "answer": {…}}, where answer fits ${stringifyJson(form.schema)}`,
  );

const inputNeeded = (operation: Operation, questions: readonly OpenQuestion[], { answer }: Companions): JsonObject => ({
  answerWith: answer,
  declinable: inputRequestOf(operation).declinable,
  questions: questions.map(({ key, message, form }) => ({ question: key, message, answerSchema: form.schema })),
});

/** A picture as an ordinary tool result, for callers that know no Tasks. */
export function asResult(subject: Subject, picture: Picture, companions: Companions): ResultPicture {
  switch (picture.kind) {
    case 'pending':
      return pendingAnswer(subject, picture, companions);
    case 'result':
      return picture;
    case 'error':
    case 'cancelled':
      return toolError(picture.message);
  }
}

/** A caller's own operations, for callers that know no Tasks. `cursor` of a page that follows. */
export function listAnswer(subjects: readonly Subject[], cursor: string | undefined, companions: Companions): ResultPicture {
  const rows = subjects.map(({ operation }) => {
    // Results are read one by one: how it stands is all that is told here.
    const picture = present({ operation });
    const isPending = picture.kind === 'pending';
    const outcome = isPending ? 'pending' : (operation.receipt?.outcome ?? 'unknown');
    return { operation: operation.id, tool: operation.tool, outcome, ...optional('message', picture.message) };
  });
  const lines = rows.map(({ operation, tool, outcome, message }) =>
    sentences(`${operation} (${tool}): ${outcome === 'pending' ? 'not finished' : `ended, ${outcome}`}`, message),
  );
  const said = [
    rows.length === 0
      ? 'There are no operations of yours.'
      : `Newest first. ${companions.get} gives the result of one that has ended.`,
    ...lines,
    ...(cursor === undefined ? [] : [`There are more: call ${companions.list} with {"cursor": "${cursor}"}.`]),
  ];
  const structured: JsonObject = { operations: rows, ...optional('nextCursor', cursor) };
  return { kind: 'result', content: [text(said.join('\n'))], structured, isError: false };
}

/** A tool error of our own. */
export const toolError = (message: string): ResultPicture => ({
  kind: 'result',
  content: [text(message)],
  isError: true,
  message,
});

const clip = (message: string): string =>
  message.length <= MESSAGE_CHARACTERS_MAX ? message : `${message.slice(0, MESSAGE_CHARACTERS_MAX - 1)}…`;

const optional = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
