// `multipart/form-data`: the members of a body as parts.
//   M1. The same members give the same bytes: the boundary is made of what it bounds, and is nowhere in it.
//   M2. A list is as many parts of one name; what has members is a part in JSON; null is no part.
// @see RFC 7578; OpenAPI 3.1 §4.8.14.4, Special Considerations for multipart Content

import { fileName, fileOf } from './files.ts';
import { type Json, type JsonObject, scalarText, stringifyJson } from './json.ts';
import type { BodyBinding, PartBinding } from './request.ts';
import { pairsOf } from './styles.ts';
import { encodeStrict } from './urls.ts';

interface Part {
  readonly name: string;
  readonly fileName?: string;
  readonly contentType?: string;
  readonly bytes: Uint8Array;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** @see WHATWG HTML §4.10.21.8, multipart/form-data encoding algorithm */
const quoted = (text: string): string => `"${text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`;

const typed = (contentType: string | undefined): Pick<Part, 'contentType'> =>
  contentType === undefined ? {} : { contentType };

/** One item of a member as a part; a text says why it can't be one. */
function partOf(name: string, item: Json, { file, mediaType }: PartBinding): Part | string {
  if (file && typeof item === 'string') {
    const read = fileOf(item);
    if (read === undefined) return `the file ${name} is neither base64 nor a data: URL`;
    const contentType = mediaType ?? read.mediaType;
    return { name, fileName: read.name ?? fileName(name, contentType), contentType, bytes: read.bytes };
  }
  const text = scalarText(item);
  if (text !== undefined) return { name, ...typed(mediaType), bytes: utf8(text) };
  return { name, contentType: mediaType ?? 'application/json', bytes: utf8(stringifyJson(item)) };
}

function partsOf(name: string, value: Json, { parts = {}, encoding = {} }: BodyBinding): (Part | string)[] {
  const style = Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  if (style !== undefined) {
    return pairsOf(style, encodeStrict(name), value, encodeStrict).map((pair) => {
      const [own, text] = pair.map(decodeURIComponent) as [string, string];
      return { name: own, bytes: utf8(text) };
    });
  }
  const binding = (Object.hasOwn(parts, name) ? parts[name] : undefined) ?? { file: false };
  const items: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return items.filter((item) => item !== null && item !== undefined).map((item) => partOf(name, item, binding));
}

/** 53 bits of the bytes: enough to tell bodies apart, and not meant to withstand anybody. */
function digest(parts: readonly Uint8Array[], seed: number): string {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (const bytes of parts) {
    for (const byte of bytes) {
      high = Math.imul(high ^ byte, 2654435761);
      low = Math.imul(low ^ byte, 1597334677);
    }
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

function holds(bytes: Uint8Array, wanted: Uint8Array): boolean {
  for (let at = bytes.indexOf(wanted[0] as number); at !== -1; at = bytes.indexOf(wanted[0] as number, at + 1)) {
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return true;
  }
  return false;
}

function boundaryOf(parts: readonly Part[]): string {
  const bodies = parts.map(({ bytes }) => bytes);
  for (let seed = 0; ; seed += 1) {
    const boundary = `longshore-${digest(bodies, seed)}`;
    if (!bodies.some((bytes) => holds(bytes, utf8(boundary)))) return boundary;
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Writes a body of parts; `wrong`: which member can't be one. */
export function multipartBody(
  value: JsonObject,
  binding: BodyBinding,
): { readonly contentType: string; readonly body: Uint8Array } | { readonly wrong: string } {
  const parts: Part[] = [];
  for (const part of Object.entries(value).flatMap(([name, member]) => partsOf(name, member, binding))) {
    if (typeof part === 'string') return { wrong: part };
    parts.push(part);
  }
  const boundary = boundaryOf(parts);
  const chunks = parts.flatMap(({ name, fileName: shown, contentType, bytes }) => {
    const file = shown === undefined ? '' : `; filename=${quoted(shown)}`;
    const type = contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}${file}\r\n${type}\r\n`;
    return [utf8(head), bytes, utf8('\r\n')];
  });
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: joined([...chunks, utf8(`--${boundary}--\r\n`)]) };
}
