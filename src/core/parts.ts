// The parts of an answer in several: `multipart/mixed`, `multipart/related`, `multipart/form-data` and their kin.
//   P1. An answer is whole when its last boundary is there: what ends before it is cut, and no answer.
//   P2. Parts keep their bytes. Only what is written as base64 is what that stands for.
//   P3. Total and bounded: whatever the bytes are, there are parts or a sentence, in one pass over them.
// @see RFC 2046 §5.1, Multipart Media Type; RFC 7578 §4.2 and RFC 2392 for the names of parts

import { bytesOfBase64 } from './files.ts';
import { endOfHead, fieldsIn } from './head.ts';

/** Most parts that are looked into; of more their number is known. */
export const PARTS_MAX = 1_000;
/** Most parts that are counted. */
const COUNT_MAX = 100_000;
/** Largest header of a part. */
const HEAD_BYTES_MAX = 16_384;
const NAME_MAX = 200;

export interface Part {
  /** Its file name, else its name in a form, its Content-ID or its Content-Location. */
  readonly name?: string;
  /** With its parameters. */
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export type Parts = { readonly parts: readonly Part[]; readonly count: number } | { readonly wrong: string };

/** The boundary that a Content-Type names, where it is one of several parts. */
export function boundaryIn(contentType: string): string | undefined {
  if (!/^\s*multipart\//i.test(contentType)) return undefined;
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted?.replace(/\\(.)/g, '$1') ?? plain;
  return boundary !== undefined && /^[\x20-\x7e]{1,200}$/.test(boundary) ? boundary : undefined;
}

/** Takes an answer apart. Of more than `max` parts only the first are there. */
export function partsOf(bytes: Uint8Array, boundary: string, max = PARTS_MAX): Parts {
  const parts: Part[] = [];
  let count = 0;
  let start: number | undefined;
  for (const line of linesOf(bytes, boundary)) {
    if (start !== undefined) {
      count += 1;
      if (count > COUNT_MAX) return { wrong: `it has more than ${COUNT_MAX} parts` };
      const part = count > PARTS_MAX ? undefined : partIn(bytes.subarray(start, Math.max(start, line.from)));
      if (typeof part === 'string') return { wrong: `part ${count} ${part}` };
      if (part !== undefined && count <= max) parts.push(part);
    }
    if (line.isLast) return { parts, count };
    start = line.to;
  }
  return { wrong: start === undefined ? 'none of its parts begins' : `it is cut in part ${count + 1}` };
}

/** A line that is a boundary: `from` is where what is before it ends, `to` where what comes after it begins. */
interface Line {
  readonly from: number;
  readonly to: number;
  readonly isLast: boolean;
}

const [LF, CR, DASH] = [10, 13, 45];
const UTF8 = new TextDecoder();
const ONE_BYTE = new TextDecoder('latin1');
const isBlank = (byte: number | undefined): boolean => byte === 32 || byte === 9;

function* linesOf(bytes: Uint8Array, boundary: string): Generator<Line> {
  // Every byte is one character here, so that places in the text are places in the bytes, and texts are searched fast.
  const text = ONE_BYTE.decode(bytes);
  const wanted = `--${boundary}`;
  const after = (from: number): number => {
    const found = text.indexOf(`\n${wanted}`, from);
    return found === -1 ? -1 : found + 1;
  };
  for (let at = text.startsWith(wanted) ? 0 : after(0); at !== -1; at = after(at)) {
    let to = at + wanted.length;
    const isLast = bytes[to] === DASH && bytes[to + 1] === DASH;
    if (isLast) to += 2;
    while (isBlank(bytes[to])) to += 1;
    if (bytes[to] === CR && bytes[to + 1] === LF) to += 2;
    else if (bytes[to] === LF) to += 1;
    // Another boundary begins with ours, or the line is cut: only the last one may end with the bytes.
    else if (to < bytes.length || !isLast) continue;
    // The line break before a boundary belongs to it.
    const breakBytes = at === 0 ? 0 : bytes[at - 2] === CR ? 2 : 1;
    yield { from: at - breakBytes, to, isLast };
  }
}

/** One part; a sentence, begun by its number, where it is none. */
function partIn(raw: Uint8Array): Part | string {
  const blank = raw[0] === LF ? 1 : raw[0] === CR && raw[1] === LF ? 2 : 0;
  const end = blank > 0 ? { at: 0, length: blank } : (endOfHead(raw) ?? { at: raw.length, length: 0 });
  if (end.at > HEAD_BYTES_MAX) return 'has too much of a header';
  const fields = fieldsIn(UTF8.decode(raw.subarray(0, end.at)));
  if (fields === undefined) return 'has a header that is none';
  const body = raw.subarray(end.at + end.length);
  const declared = Number(fields['content-length'] ?? 0);
  if (declared > body.length) return `is cut: it has ${body.length} of ${declared} bytes`;
  const bytes = decoded(body, fields['content-transfer-encoding']);
  if (bytes === undefined) return 'is no base64, as it is said to be';
  const name = nameOf(fields);
  return { contentType: fields['content-type'] ?? 'text/plain', bytes, ...(name !== undefined && { name }) };
}

const decoded = (body: Uint8Array, encoding = ''): Uint8Array | undefined =>
  encoding.toLowerCase() === 'base64' ? bytesOfBase64(ONE_BYTE.decode(body).replace(/\s+/g, '')) : body;

function nameOf(fields: Readonly<Record<string, string>>): string | undefined {
  const disposition = fields['content-disposition'] ?? '';
  const found =
    extended(disposition) ??
    parameter(disposition, 'filename') ??
    parameter(disposition, 'name') ??
    fields['content-id']?.replace(/^<|>$/g, '') ??
    fields['content-location'];
  const name = found?.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return name === undefined || name === '' ? undefined : name.slice(0, NAME_MAX).toWellFormed();
}

function parameter(disposition: string, name: string): string | undefined {
  const [, quoted, plain] =
    new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i').exec(disposition) ?? [];
  return quoted?.replace(/\\(["\\])/g, '$1').replace(/%22/g, '"') ?? plain;
}

/** `filename*=UTF-8''…`. @see RFC 8187 §3.2 */
function extended(disposition: string): string | undefined {
  const written = /;\s*filename\*\s*=\s*utf-8'[^']*'([^\s;]+)/i.exec(disposition)?.[1];
  try {
    return written === undefined ? undefined : decodeURIComponent(written);
  } catch {
    return undefined;
  }
}
