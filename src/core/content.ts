// Content: a payload as the blocks that a model reads, and as structured content where that is honest.
//   C1. JSON is shown as the text it came in: no digit, member or blank is changed.
//   C2. Structured content is an object that fits the published schema, or any object where none is published; else it is not given.
//   C3. What is too large to show is cut, and says so and by how much; where the whole is kept, a link says where to read it.

import type { OperationId } from './ids.ts';
import { isJsonObject, type Json, type JsonObject, tryParseJson } from './json.ts';
import type { Payload } from './outcome.ts';
import { type PayloadParts, partsIn } from './payload-parts.ts';
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
  /** What a link to it is called; absent: the whole result. */
  readonly name?: string;
}

/** A payload in blocks. */
export function contentOf(
  payload: Payload,
  { tool, uri, kept = false, success, bytesMax = SHOWN_BYTES_MAX, name = RESULT_NAME }: Showing,
): Content {
  const notes = payload.note === undefined ? [] : [text(payload.note)];
  const bytes = sizeOf(payload, bytesMax);
  if (kept && bytes > bytesMax) notes.push(linkTo(payload, uri, bytes, name));
  const parts = partsIn(payload, PARTS_SHOWN_MAX);
  if (parts !== undefined) return { blocks: [...blocksOf(parts, { uri, kept, bytesMax }), ...notes] };
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

/** Where the answer to a synchronous call is read as a resource, by the name that it is kept under. */
export const ANSWER_URI = 'longshore://answers/';
export const answerUri = (name: string): string => `${ANSWER_URI}${name}`;

/** What a URI of ours names: a result by its operation, or an answer by its name, and one part of it. */
export interface Named {
  readonly kind: 'result' | 'answer';
  readonly name: string;
  readonly part?: number;
}

/** `undefined` where a URI is none of ours. */
export function namedBy(uri: string): Named | undefined {
  const kind = uri.startsWith(RESULT_URI) ? 'result' : uri.startsWith(ANSWER_URI) ? 'answer' : undefined;
  if (kind === undefined) return undefined;
  const rest = uri.slice((kind === 'result' ? RESULT_URI : ANSWER_URI).length);
  const [, name, part] = /^([^/]+)(?:\/([1-9]\d{0,5}))?$/.exec(rest) ?? [];
  return name === undefined ? undefined : { kind, name, ...(part !== undefined && { part: Number(part) }) };
}

/** Whether a payload is too large to be shown whole. */
export const isTooLarge = (payload: Payload, bytesMax = SHOWN_BYTES_MAX): boolean => sizeOf(payload, bytesMax) > bytesMax;

/** Most parts of a result that are shown one by one. */
const PARTS_SHOWN_MAX = 50;

/** Where a part of what is at `uri` is read by itself; they are counted from 1. */
export const partUri = (uri: string, number: number): string => `${uri}/${number}`;

/** The parts of a result, each named and shown as if it were one. What is shown of all together is bounded as one is. */
function blocksOf(
  { parts, count }: PayloadParts,
  { uri, kept, bytesMax }: { readonly uri: string; readonly kept: boolean; readonly bytesMax: number },
): readonly Block[] {
  let left = bytesMax;
  const blocks = parts.flatMap(({ name, payload, bytes }, index): readonly Block[] => {
    const number = index + 1;
    const type = payload?.mediaType ?? 'nothing';
    const heading = text(`Part ${number} of ${count}${name === undefined ? '' : `, ${name}`}: ${type}, ${bytes} bytes.`);
    if (payload === undefined) return [heading];
    const showing = {
      tool: undefined,
      uri: partUri(uri, number),
      kept,
      success: true,
      bytesMax: left,
      name: name ?? `Part ${number}`,
    };
    // What is only linked to takes no room, and a text that is cut its preview.
    left -= bytes <= left ? bytes : payload.encoding === 'base64' ? 0 : Math.min(PREVIEW_BYTES_MAX, left);
    return [heading, ...contentOf(payload, showing).blocks];
  });
  const more = count - parts.length;
  if (count === 0) return [text('It has no parts.')];
  return more === 0 ? blocks : [...blocks, text(`There are ${more} more parts, such as ${partUri(uri, parts.length + 1)}.`)];
}

const linkTo = ({ mediaType }: Payload, uri: string, bytes: number, name: string): Block => ({
  type: 'resource_link',
  uri,
  name,
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
