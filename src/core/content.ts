// Content: a payload as the blocks that a model reads, and as structured content where that is honest.
//   C1. JSON is shown as the text it came in: no digit, member or blank is changed.
//   C2. Structured content is an object that fits the published schema, or any object where none is published; else it is not given.
//   C3. What is too large to show is cut, and says so and by how much; where the whole is kept, a link says where to read it.

import type { OperationId } from './ids.ts';
import { isJsonObject, type Json, type JsonObject, tryParseJson } from './json.ts';
import type { Payload } from './outcome.ts';
import type { Tool } from './tool.ts';

/** One content block of a tool result. @see MCP 2025-11-25, ContentBlock */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly mimeType: string;
      readonly size: number;
    }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string };
    };

export interface Content {
  readonly blocks: readonly Block[];
  readonly structured?: JsonObject;
  /** Why the output schema is not met; of a published one also said in a block. */
  readonly misfit?: string;
}

/** Most bytes of one payload that are shown where nothing else is said: more would drown a model. */
export const SHOWN_BYTES_MAX = 262_144;
/** How much of a text that is too large is shown as a preview. */
const PREVIEW_BYTES_MAX = 65_536;

export const text = (value: string): Block => ({ type: 'text', text: value });

const isJsonType = (mediaType: string): boolean => /^(application|text)\/(json|[\w.+-]+\+json)$/.test(mediaType);

/** How a payload is to be shown. */
export interface Showing {
  readonly tool: Tool | undefined;
  /** Names the payload, where a block needs a name. */
  readonly uri: string;
  /** The payload can be read whole at `uri`. */
  readonly kept?: boolean;
  /** An error body is not held to the schema of an answer. */
  readonly success: boolean;
  readonly bytesMax?: number | undefined;
}

/** A payload in blocks. */
export function contentOf(
  payload: Payload,
  { tool, uri, kept = false, success, bytesMax = SHOWN_BYTES_MAX }: Showing,
): Content {
  const notes = payload.note === undefined ? [] : [text(payload.note)];
  const bytes = sizeOf(payload, bytesMax);
  if (kept && bytes > bytesMax) notes.push(linkTo(payload, uri, bytes));
  if (payload.encoding === 'base64') return { blocks: [binary(payload, uri, bytes, bytesMax), ...notes] };
  const blocks = [text(shown(payload.body, bytesMax)), ...notes];
  if (!success || tool === undefined) return { blocks };
  const value = isJsonType(payload.mediaType) ? tryParseJson(payload.body) : undefined;
  if (tool.outputSchema === undefined) return { blocks, ...unpromised(value, payload, tool, bytesMax) };
  const misfit = misfitOf(value, tool, payload.mediaType);
  if (misfit === undefined && isJsonObject(value)) return { blocks, structured: value };
  if (misfit === undefined) return { blocks };
  const note = `The service's answer does not match the schema it publishes for ${tool.name}: ${misfit}. It is shown as it came.`;
  return { blocks: [...blocks, text(note)], misfit };
}

/** Nothing was promised: a call's object is given as it is, unless it is too large; what does not fit the description is told aside. */
function unpromised(value: Json | undefined, { body }: Payload, tool: Tool, bytesMax: number): Omit<Content, 'blocks'> {
  if (tool.kind !== 'call' || value === undefined) return {};
  const misfit = tool.misfit(value);
  const isShort = body.length * 3 <= bytesMax || new TextEncoder().encode(body).length <= bytesMax;
  return {
    ...(isJsonObject(value) && isShort ? { structured: value } : {}),
    ...(misfit === undefined ? {} : { misfit }),
  };
}

function misfitOf(value: Json | undefined, tool: Tool, mediaType: string): string | undefined {
  if (value === undefined) return isJsonType(mediaType) ? 'it is not valid JSON' : `it is ${mediaType}, not JSON`;
  return tool.misfit(value) ?? (isJsonObject(value) ? undefined : 'it is not an object');
}

const RESULT_NAME = 'The whole result';
/** Where the result of an operation is read as a resource. */
export const RESULT_URI = 'longshore://results/';
export const resultUri = (id: OperationId): string => `${RESULT_URI}${id}`;
/** The operation whose result a URI names; `undefined` where it names none. */
export const operationOfResult = (uri: string): OperationId | undefined =>
  uri.startsWith(RESULT_URI) && uri.length > RESULT_URI.length ? uri.slice(RESULT_URI.length) : undefined;

/** Where the answer to a synchronous call is read as a resource, by the name that it is kept under. */
export const ANSWER_URI = 'longshore://answers/';
export const answerUri = (name: string): string => `${ANSWER_URI}${name}`;
/** The name in such a URI; `undefined` where it is none. */
export const nameOfAnswer = (uri: string): string | undefined =>
  uri.startsWith(ANSWER_URI) && uri.length > ANSWER_URI.length ? uri.slice(ANSWER_URI.length) : undefined;

/** Whether a payload is too large to be shown whole. */
export const isTooLarge = (payload: Payload, bytesMax = SHOWN_BYTES_MAX): boolean => sizeOf(payload, bytesMax) > bytesMax;

const linkTo = ({ mediaType }: Payload, uri: string, bytes: number): Block => ({
  type: 'resource_link',
  uri,
  name: RESULT_NAME,
  mimeType: mediaType,
  size: bytes,
});

/** Bytes of a payload; of a text that is plainly short enough, at most that many. */
function sizeOf({ encoding, body }: Payload, bytesMax: number): number {
  if (encoding === 'base64') return Math.floor((body.replace(/={1,2}$/, '').length * 3) / 4);
  // A UTF-16 unit is at most three bytes, so short texts need no encoding to be measured.
  return body.length * 3 <= bytesMax ? body.length : new TextEncoder().encode(body).length;
}

function binary(payload: Payload, uri: string, bytes: number, bytesMax: number): Block {
  if (bytes > bytesMax) return text(`${bytes} bytes of ${payload.mediaType}, which is too large to be shown here.`);
  const kind = payload.mediaType.split('/')[0];
  if (kind === 'image' || kind === 'audio') return { type: kind, data: payload.body, mimeType: payload.mediaType };
  return { type: 'resource', resource: { uri, mimeType: payload.mediaType, blob: payload.body } };
}

function shown(body: string, bytesMax: number): string {
  // A UTF-16 unit is at most three bytes, so short texts need no encoding to be measured.
  if (body.length * 3 <= bytesMax) return body;
  const bytes = new TextEncoder().encode(body);
  if (bytes.length <= bytesMax) return body;
  const previewBytes = Math.min(PREVIEW_BYTES_MAX, bytesMax);
  const preview = new TextDecoder().decode(bytes.subarray(0, previewBytes), { stream: true });
  return `${preview}\n[Cut here: the whole is ${bytes.length} bytes, and its first ${previewBytes} bytes are shown.]`;
}
