// A YAML file as a plain value that remembers where each part of it stands, with the environment's values put in.
//   T1. No text of the file is repeated in a fault but member names and variable names: any value may be a secret in the wrong place.
//   T2. The work is bounded by NODES_MAX, ALIASES_MAX and DEPTH_MAX, whatever aliases unfold to.
//   T3. A member without a value (`server:` and nothing behind it) counts as absent.

import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type YAMLError, type YAMLMap } from 'yaml';
import type { Fault } from '../errors.ts';
import type { Environment } from './environment.ts';
import { fillReferences } from './references.ts';

const NODES_MAX = 50_000;
/** Each is looked for in the whole file. */
const ALIASES_MAX = 500;
const DEPTH_MAX = 32;
const QUOTE_MEND = 'check the indentation, and quote values with any of : # { } [ ] , & * ! | > % @';
const TOO_DEEP = { message: 'is nested or repeated too deeply', mend: 'write it without aliases and deep nesting' };
const REFERENCE_MEND = `write \${NAME} or \${NAME:-default}; for the characters themselves write $\${`;

export type Path = readonly (string | number)[];
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Tree {
  /** `undefined` where the text is not YAML, or says nothing. */
  readonly value: unknown;
  readonly faults: readonly Omit<Fault, 'file'>[];
  /** Of the value at `path`, or of its name; of the nearest part around it where there is none. */
  placeOf(path: Path, part?: 'name' | 'value'): Place;
}

/** @see RFC 6901 §3 */
export const pointerOf = (path: Path): string =>
  path.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Reads one YAML document. Never throws. */
export function readTree(text: string, env: Environment): Tree {
  const lines = new LineCounter();
  const places = new Map<string, { readonly name: number; readonly value: number }>();
  const faults: Omit<Fault, 'file'>[] = [];
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const placeOf: Tree['placeOf'] = (path, part = 'value') => {
    const found = places.get(pointerOf(path));
    if (found !== undefined) return place(found[part]);
    return path.length === 0 ? place(0) : placeOf(path.slice(0, -1), 'name');
  };
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false, logLevel: 'error' });
    const errors = [...document.errors, ...document.warnings];
    if (errors.length > 0) {
      return {
        value: undefined,
        faults: errors.map((error) => ({ ...place(error.pos[0]), pointer: '', ...said(error) })),
        placeOf,
      };
    }
    const walk = { document, env, faults, place, places, nodes: 0, aliases: 0 };
    const value = plain(document.contents, [], walk);
    return { value, faults, placeOf };
  } catch (error) {
    const deep = error instanceof TooLarge || error instanceof RangeError;
    const what = deep ? TOO_DEEP : { message: 'can not be read as YAML', mend: QUOTE_MEND };
    return {
      value: undefined,
      faults: [{ ...place(error instanceof TooLarge ? error.at : 0), pointer: '', ...what }],
      placeOf,
    };
  }
}

class TooLarge extends Error {
  readonly at: number;

  constructor(at: number) {
    super('the file holds more than is read');
    this.at = at;
  }
}

interface Walk {
  readonly document: Document;
  readonly env: Environment;
  readonly faults: Omit<Fault, 'file'>[];
  readonly place: (offset: number) => Place;
  readonly places: Map<string, { readonly name: number; readonly value: number }>;
  nodes: number;
  aliases: number;
}

function plain(node: unknown, path: Path, walk: Walk, nameAt?: number): unknown {
  const at = (node as { range?: readonly number[] | null } | null)?.range?.[0] ?? nameAt ?? 0;
  walk.nodes += 1;
  if (isAlias(node)) walk.aliases += 1;
  if (walk.nodes > NODES_MAX || walk.aliases > ALIASES_MAX || path.length > DEPTH_MAX) throw new TooLarge(at);
  const value = isAlias(node) ? node.resolve(walk.document) : node;
  walk.places.set(pointerOf(path), { name: nameAt ?? at, value: at });
  if (isMap(value)) return membersOf(value, path, walk);
  if (isSeq(value)) return value.items.map((item, index) => plain(item, [...path, index], walk));
  if (isScalar(value))
    return typeof value.value === 'string' ? filled(value.value, path, at, walk) : (value.value ?? undefined);
  if (isAlias(node))
    walk.faults.push({
      ...walk.place(at),
      pointer: pointerOf(path),
      message: 'is an alias of nothing',
      mend: 'define the anchor before it is used',
    });
  return undefined;
}

function membersOf(map: YAMLMap, path: Path, walk: Walk): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const { key, value } of map.items) {
    const at = (key as { range?: readonly number[] | null } | null)?.range?.[0] ?? 0;
    const fault = (name: string | undefined, message: string, mend: string) =>
      walk.faults.push({ ...walk.place(at), pointer: pointerOf(name === undefined ? path : [...path, name]), message, mend });
    const name = isScalar(key) && key.value !== null ? String(key.value) : undefined;
    if (name === undefined || name === '__proto__') {
      fault(undefined, 'has a member whose name is not text', 'write `name: value`');
      continue;
    }
    const first = walk.places.get(pointerOf([...path, name]));
    if (first !== undefined && Object.hasOwn(members, name)) {
      fault(name, `is written twice, first in line ${walk.place(first.name).line}`, 'keep one of the two');
      continue;
    }
    members[name] = plain(value, [...path, name], walk, at);
  }
  for (const name of Object.keys(members)) if (members[name] === undefined) delete members[name];
  return members;
}

function filled(text: string, path: Path, at: number, walk: Walk): string {
  const { text: value, missing, malformed } = fillReferences(text, walk.env);
  const fault = (message: string, mend: string) =>
    walk.faults.push({ ...walk.place(at), pointer: pointerOf(path), message, mend });
  for (const name of missing)
    fault(`environment variable ${name} is not set`, `set ${name}, or give a default: \${${name}:-…}`);
  if (malformed) fault('has a "${" that begins no reference', REFERENCE_MEND);
  return value;
}

/** The parser's sentence where it can't hold a piece of the file, else one of ours. */
function said(error: YAMLError): Pick<Fault, 'message' | 'mend'> {
  switch (error.code) {
    case 'TAG_RESOLVE_FAILED':
      return { message: 'has a YAML tag (!…), which means nothing here', mend: 'remove it, or quote the value' };
    case 'BAD_ALIAS':
      return {
        message: 'has an anchor or alias (& or *) that can not be read',
        mend: 'quote the value if the character belongs to it',
      };
    case 'BAD_DQ_ESCAPE':
      return { message: 'has an unknown escape (\\) between double quotes', mend: 'use single quotes, or write \\\\' };
    case 'BAD_DIRECTIVE':
      return { message: 'has a line beginning with % that can not be read', mend: 'remove it' };
    case 'MULTIPLE_DOCS':
      return { message: 'holds several YAML documents', mend: 'keep one: remove what follows the line ---' };
    // The parser is recursive, and gives up on a file of a thousand brackets.
    case 'RESOURCE_EXHAUSTION':
      return TOO_DEEP;
    case 'UNEXPECTED_TOKEN':
      return {
        message: 'is not YAML from here on',
        mend: QUOTE_MEND,
      };
    default:
      return {
        message: `is not YAML: ${error.message}`,
        mend: QUOTE_MEND,
      };
  }
}
