// The body of a request: arguments and constants as bytes or text of a media type.

import { fileOf } from './files.ts';
import { isJsonObject, type Json, type JsonObject, pointerTokens, scalarText, stringifyJson, withValueAt } from './json.ts';
import { multipartBody } from './multipart.ts';
import type { BodyBinding } from './request.ts';
import { pairsOf } from './styles.ts';
import { encodeStrict } from './urls.ts';

export type BodyConstants = readonly { readonly pointer: string; readonly value: Json }[];

/** The body and its Content-Type; `undefined`: there is none to send; `wrong`: why it can't be written. */
export type Body =
  | { readonly contentType: string; readonly body: string | Uint8Array }
  | undefined
  | { readonly wrong: string };

const JSON_TYPE = /^(?:application|text)\/json$|\+json$/;
const TEXT_TYPE = /^text\/|\+xml$|^application\/(?:xml|yaml|x-yaml|graphql|sql|x-ndjson|jsonl|javascript)$/;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data';

/** Whether every string and name in a value can be written as UTF-8: JSON.stringify escapes just the halves of surrogate pairs. */
export const isWellFormed = (value: Json): boolean => !/(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/.test(stringifyJson(value));

export const isJsonType = (mediaType: string): boolean => JSON_TYPE.test(mediaType);

/** Sent as the text it is; what is neither this nor JSON nor a form is bytes. */
export const isTextType = (mediaType: string): boolean => TEXT_TYPE.test(mediaType);

/** What the arguments say of the body, before constants. `undefined`: nothing. */
function givenBody(binding: BodyBinding, args: JsonObject): Json | undefined {
  const argument = (name: string) => (Object.hasOwn(args, name) ? args[name] : undefined);
  if (binding.from.kind === 'member') {
    const value = argument(binding.from.argument);
    return value === null && !binding.required ? undefined : value;
  }
  const members = binding.from.members.flatMap(({ argument: from, name }) => {
    const value = argument(from);
    return value === undefined ? [] : [[name, value] as const];
  });
  return members.length === 0 && !binding.required ? undefined : Object.fromEntries(members);
}

/**
 * Space as '+', lists repeated, nested values as JSON text where no encoding says otherwise, null left out.
 * @see WHATWG URL §5.2
 */
function formText(value: JsonObject, encoding: BodyBinding['encoding'] = {}): string {
  const encode = (text: string) => encodeStrict(text).replaceAll('%20', '+');
  const pairs = (name: string, member: Json): (readonly [string, string])[] => {
    const described = Object.hasOwn(encoding, name) ? encoding[name] : undefined;
    if (described !== undefined) return pairsOf(described, encode(name), member, encode);
    const items = Array.isArray(member) ? (member as readonly Json[]) : [member];
    return items
      .filter((item) => item !== null && item !== undefined)
      .map((item) => [encode(name), encode(scalarText(item) ?? stringifyJson(item))]);
  };
  return Object.entries(value)
    .filter(([, member]) => member !== null)
    .flatMap(([name, member]) => pairs(name, member))
    .map((pair) => pair.join('='))
    .join('&');
}

/**
 * Writes the body that arguments and constants make. The same input gives the same bytes.
 * `undefined`: there is none to send; `wrong`: why it can't be written.
 */
export function renderBody(
  binding: BodyBinding,
  args: JsonObject,
  constants: BodyConstants,
): Body | undefined | { readonly wrong: string } {
  const { mediaType } = binding;
  let value = givenBody(binding, args);
  for (const { pointer, value: constant } of constants) {
    value = withValueAt(value, pointerTokens(pointer), constant);
    if (value === undefined) return { wrong: `the body has no place for the constant at ${pointer}` };
  }
  if (value === undefined) return binding.required ? { wrong: 'the request body is missing' } : undefined;

  if (isJsonType(mediaType)) return { contentType: mediaType, body: stringifyJson(value) };
  if (!isWellFormed(value)) return { wrong: 'the body holds half of a surrogate pair' };
  if (mediaType === FORM_TYPE) {
    return isJsonObject(value)
      ? { contentType: mediaType, body: formText(value, binding.encoding) }
      : { wrong: 'a form body must be an object' };
  }
  if (mediaType === MULTIPART_TYPE) {
    return isJsonObject(value) ? multipartBody(value, binding) : { wrong: 'a multipart body must be an object' };
  }
  if (TEXT_TYPE.test(mediaType)) {
    const text = scalarText(value);
    if (text === undefined) return { wrong: `a ${mediaType} body must be a string` };
    return { contentType: `${mediaType}; charset=utf-8`, body: text };
  }
  if (mediaType.startsWith('multipart/')) return { wrong: `a ${mediaType} body can't be sent` };
  const file = typeof value === 'string' ? fileOf(value) : undefined;
  return file === undefined
    ? { wrong: `a ${mediaType} body must be a base64 string` }
    : { contentType: mediaType, body: file.bytes };
}
