// A contract: one published version of MCP Tasks, as pure functions from calls and operations to what goes on the wire.
// It opens nothing, waits for nothing and reads no clock; the HTTP edge asks the engine and lets the contract speak.
// Wire fields keep the wire's spelling in the contracts' own files, and nowhere else.
//   C1. A contract changes nothing about an operation: two contracts show the same ending, each in its own words.
//   C2. A terminal status is shown from a receipt only (core/presentation.ts, P1).
//   C3. Adding a contract is one file beside this one and one line in index.ts.

import type { Door } from '../core/ids.ts';
import type { OpenQuestion } from '../core/input.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { Picture, ResultPicture, Subject } from '../core/presentation.ts';
import type { Tool } from '../core/tool.ts';

/** What a contract projects; the engine's OperationView is one. */
export interface TaskView extends Subject {
  readonly pollIntervalMs: number;
}

/** What the caller has shown of itself. */
export interface Client {
  /** A sign of Tasks, by the contract's own rule. */
  readonly tasks: boolean;
  /** It has said that it can put a form before a person. Nobody else is asked anything. */
  readonly forms?: boolean;
}

/** What the operator has decided that contracts must know. */
export interface Policy {
  /** `reject`: a tool that requires Tasks is refused to callers without them. */
  readonly taskless: 'serve' | 'reject';
  /** Callers are told apart: only then may tasks be listed. */
  readonly identified: boolean;
}

/** A refusal, in JSON-RPC's terms. */
export interface Refused {
  readonly as: 'refused';
  readonly code: number;
  readonly message: string;
  readonly data?: JsonObject;
}

/** How a tools/call is to be carried out. */
export type Admission =
  | { readonly as: 'task'; readonly ttlMs?: number }
  /** A job, but the caller waits on the call itself. */
  | { readonly as: 'inline' }
  /** Not a job: passed through. */
  | { readonly as: 'call' }
  | Refused;

/** What a method of Tasks answers. */
export type Reply = { readonly as: 'result'; readonly result: JsonObject } | Refused;

export interface Contract {
  /** How operations created through it are marked. */
  readonly id: Door;
  /** `session`: spoken on a connection opened by `initialize`. `request`: every request stands alone. */
  readonly leg: 'session' | 'request';
  /** Protocol versions under which this contract is spoken, newest first. */
  readonly protocolVersions: readonly string[];
  /** What the client's declared capabilities show. */
  signs(capabilities: JsonObject | undefined): Client;
  admit(tool: Tool, params: JsonObject, client: Client, policy: Policy): Admission;
  /** What a tool's list entry carries beside the common members. */
  entry(tool: Tool, client: Client, policy: Policy): JsonObject;
  /** The tool result of a call that was not made a task. */
  result(picture: ResultPicture): JsonObject;
  /** What a caller that waits on its own call is asked, by a request on its stream; absent where that is not done. */
  ask?(question: OpenQuestion): WireRequest;
  /** The answer that asks, so that the call is made again with `state` and answers; absent where that is not done. */
  askBack?(questions: readonly OpenQuestion[], state: string): JsonObject;
  /** Absent where this version has no Tasks. */
  readonly tasks?: TasksFace;
  /** What it was written against; absent: nothing is compared, and it is trusted. */
  readonly wire?: Wire;
}

/** The SDK's wire schemas that a contract's messages are made of. */
export interface Wire {
  readonly schemas: readonly string[];
  /** As they were when the contract was last read against them (`npm run pin:contracts`). */
  readonly pin: Pin;
}

/** Digests of wire schemas. */
export interface Digests {
  /** By the schema's name: `sha256:<hex>` of its JSON Schema in canonical form, or {@link ABSENT}. */
  readonly schemas: Readonly<Record<string, string>>;
  /** Of all of them together. */
  readonly digest: string;
}

/** Of a schema that is not there. */
export const ABSENT = 'absent';

export interface Pin extends Digests {
  readonly contract: string;
  /** The package whose schemas these are, at the version that was read. */
  readonly sdk: string;
}

/** Tasks under one contract. `tasks/get` and `tasks/cancel` are always there; an optional member that is present is its method. */
export interface TasksFace {
  /** Server capabilities beside `tools`. */
  capabilities(policy: Policy): JsonObject;
  /** Why this client may not use tasks/* at all; asked before any id is looked up. */
  gate(client: Client): Refused | undefined;
  /** The answer to a call that was admitted as a task and recorded. */
  created(view: TaskView): JsonObject;
  /** The answer to a call that was admitted as a task, and refused before anything was recorded. */
  notCreated(refused: Refused): Reply;
  /**
   * What becomes of a call as a task that is given none (a gate): `inline` is waited for; `refused` is told to call without one,
   * because this version allows no other answer to what asked for a task.
   */
  readonly withheld: 'inline' | 'refused';
  /** tasks/get. */
  task(view: TaskView, client?: Client): JsonObject;
  /** What a task's caller is asked, by a request on a stream of the session. */
  ask?(question: OpenQuestion, taskId: string): WireRequest;
  /** Progress of a task under the token that its call gave, to a peer with a stream. */
  progress?(token: string | number, told: Progressed, taskId: string): WireMessage;
  /** A cancel through it ends the operation for the caller at once. */
  readonly stickyCancel: boolean;
  /** tasks/cancel. `recorded` is false where the operation had ended before. */
  cancelled(view: TaskView, recorded: boolean): Reply;
  /** tasks/result: `not_yet` while the operation lives. */
  outcome?(view: TaskView): Reply | 'not_yet';
  /** tasks/list, offered where callers are told apart. */
  listed?(views: readonly TaskView[], nextCursor: string | undefined): JsonObject;
  /** tasks/update: the acknowledgement. */
  updated?(): JsonObject;
  /** What is told of a task that changed, to a peer with a stream. */
  notification?(view: TaskView, client?: Client): WireMessage;
}

/** @see MCP 2025-11-25, ProgressNotification */
export interface Progressed {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** A notification or a request to a client, without its envelope. */
export interface WireMessage {
  readonly method: string;
  readonly params: JsonObject;
}
export type WireRequest = WireMessage;

/** Schemas of every version's tools/list and tools/call. */
export const WIRE_OF_TOOLS = [
  'CallToolRequest',
  'CallToolResult',
  'ContentBlock',
  'ListToolsResult',
  'ProgressNotification',
  'Tool',
] as const;

/** One wording for unknown, expired and foreign ids. */
export const TASK_NOT_FOUND: Refused = { as: 'refused', code: -32602, message: 'Task not found.' };

export const refuse = (code: number, message: string, data?: JsonObject): Refused => ({
  as: 'refused',
  code,
  message,
  ...(data === undefined ? {} : { data }),
});

/** Member of a result's `_meta`: the result is not all of what was asked for. */
export const PARTIAL_META = 'longshore/partial';

/** A tool result as every version of MCP spells it. */
export const toolResult = ({ content, structured, isError, partial }: ResultPicture): JsonObject => ({
  content: content as readonly JsonObject[],
  ...(structured === undefined ? {} : { structuredContent: structured }),
  ...(isError ? { isError: true } : {}),
  // Beside the content: what is structured there is what the document describes.
  ...(partial ? { _meta: { [PARTIAL_META]: true } } : {}),
});

/** Whether declared capabilities show that forms can be put. Elicitation without any mode means forms. @see MCP 2025-11-25 */
export function showsForms(capabilities: JsonObject | undefined): boolean {
  const elicitation = capabilities?.['elicitation'];
  return isJsonObject(elicitation) && (elicitation['form'] !== undefined || elicitation['url'] === undefined);
}

/** A question as a request for a form. */
export const elicitation = ({ message, form }: OpenQuestion, meta?: JsonObject): WireRequest => ({
  method: 'elicitation/create',
  params: { ...(meta && { _meta: meta }), mode: 'form', message, requestedSchema: form.schema },
});

/** Questions by key, as one answer carries them. */
export const inputRequests = (questions: readonly OpenQuestion[]): JsonObject =>
  Object.fromEntries(questions.map((question) => [question.key, { ...elicitation(question) }]));

/** An answer to a call that asks instead of ending it. @see MCP 2026-07-28, multi round-trip requests */
export const askBack = (questions: readonly OpenQuestion[], state: string): JsonObject => ({
  resultType: 'input_required',
  inputRequests: inputRequests(questions),
  requestState: state,
});

export const iso = (at: number): string => new Date(at).toISOString();

/** What a task's status message says; absent where there is nothing to add. */
export const statusMessage = (picture: Picture): JsonObject =>
  picture.message === undefined ? {} : { statusMessage: picture.message };
