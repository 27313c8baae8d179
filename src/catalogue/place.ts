// Where a JSON Pointer stands in a text: needed only when something is wrong there, or to name an operation's line.
//   P1. JSON is scanned, not parsed: members are skipped over until the wanted one, and what was passed is remembered.
//   P2. A pointer that names nothing has the place of the nearest part around it.

import { type Document, isMap, isNode, isScalar, isSeq, type LineCounter } from 'yaml';
import { pointerOf, tokensOf } from './pointer.ts';

/** 1-based. */
export interface Place {
  /** Present where it is another file than the document's own: an overlay. */
  readonly file?: string;
  readonly line: number;
  readonly column: number;
}

export type FindPlace = (pointer: string) => Place;

/** The place of a character. */
export function lineAt(text: string, offset: number): Place {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}

export function yamlPlaces(document: Document, lines: LineCounter): FindPlace {
  return (pointer) => {
    let node: unknown = document.contents;
    let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
    for (const token of tokensOf(pointer)) {
      let next: unknown;
      let name: unknown;
      if (isMap(node)) {
        const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === token);
        next = pair?.value;
        name = pair?.key;
      } else if (isSeq(node)) {
        next = node.items[Number(token)];
        name = next;
      }
      if (name === undefined) break;
      if (isNode(name)) offset = name.range?.[0] ?? offset;
      node = next;
    }
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
}

/** Where a value begins, and where the name before it does. */
interface Spot {
  readonly name: number;
  readonly value: number;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN = new Set([123, 91]);
const CLOSE = new Set([125, 93]);

export function jsonPlaces(text: string): FindPlace {
  const children = new Map<string, ReadonlyMap<string, Spot>>();
  const breaks: number[] = [];
  const place = (offset: number): Place => {
    if (breaks.length === 0) {
      breaks.push(-1);
      for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) breaks.push(at);
    }
    let low = 0;
    let high = breaks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((breaks[middle] ?? 0) < offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (breaks[low] ?? 0) };
  };
  return (pointer) => {
    const tokens = tokensOf(pointer);
    let spot: Spot = { name: blank(text, 0), value: blank(text, 0) };
    for (const [depth, token] of tokens.entries()) {
      const around = pointerOf(tokens.slice(0, depth));
      let inside = children.get(around);
      if (inside === undefined) {
        inside = membersAt(text, spot.value);
        children.set(around, inside);
      }
      const next = inside.get(token);
      if (next === undefined) break;
      spot = next;
    }
    return place(spot.name);
  };
}

/** The next character that is no white space. */
function blank(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at += 1;
  return at;
}

/** Past the closing quote of the string that begins at `from`. */
function pastString(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at !== -1) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
    at = text.indexOf('"', at + 1);
  }
  return text.length;
}

/** Past the value that begins at `from`. */
function pastValue(text: string, from: number): number {
  if (text.charCodeAt(from) === QUOTE) return pastString(text, from);
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = pastString(text, at);
      continue;
    }
    if (OPEN.has(code)) depth += 1;
    else if (CLOSE.has(code)) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && code === 44) return at;
    at += 1;
  }
  return at;
}

/** Members or items of the object or array that begins at `from`. The text is known to be valid JSON. */
function membersAt(text: string, from: number): ReadonlyMap<string, Spot> {
  const members = new Map<string, Spot>();
  const isObject = text[from] === '{';
  if (!isObject && text[from] !== '[') return members;
  let at = blank(text, from + 1);
  for (let index = 0; at < text.length && !CLOSE.has(text.charCodeAt(at)); index += 1) {
    let name = String(index);
    let value = at;
    if (isObject) {
      const end = pastString(text, at);
      name = JSON.parse(text.slice(at, end)) as string;
      value = blank(text, text.indexOf(':', end) + 1);
    }
    members.set(name, { name: at, value });
    at = blank(text, pastValue(text, value));
    if (text[at] === ',') at = blank(text, at + 1);
  }
  return members;
}
