// `$ref`: following references, inside the document and, where the operator allows it, outside.
//   R1. Nothing outside the document is read unless its absolute location is under an allowed prefix.
//   R2. External documents are read once, before anything is compiled; resolving itself is pure and synchronous.
//   R3. A reference that can't be followed is the fault of the operation that uses it, and of no other.

import { dirname, resolve as resolvePath, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '../core/json.ts';
import type { Fault } from '../errors.ts';
import { namedTarget } from './anchors.ts';
import { parseSource } from './document.ts';
import { Uncompilable } from './fault.ts';
import { isUrl, locationOf, type ReadDocument, shownAs } from './load.ts';
import { child, type Node, refOf, type SourceDocument } from './node.ts';
import { tokensOfFragment } from './pointer.ts';

/** A chain of references longer than this goes in a circle. */
const CHAIN_MAX = 64;
/** External documents of one upstream. */
const DOCUMENTS_MAX = 200;

/** Follows references from a node to what they name. Throws {@link Uncompilable} where that can't be done. */
export type Resolve = (node: Node) => Node;

/** Absolute location of a reference without its fragment; `undefined` for what is neither a file nor http(s). */
function targetOf(ref: string, from: string): string | undefined {
  const [address = ''] = ref.split('#', 1);
  if (address === '') return from;
  try {
    if (isUrl(from) && !/^file:/i.test(address)) {
      const url = new URL(address, from);
      return isUrl(url.href) ? url.href : undefined;
    }
    if (isUrl(address)) return new URL(address).href;
    if (/^file:/i.test(address)) return fileURLToPath(address);
    if (/^[a-z][a-z0-9+.-]+:/i.test(address)) return undefined;
    return resolvePath(dirname(from), decodeURIComponent(address));
  } catch {
    return undefined;
  }
}

/** Whether a location is under one of the prefixes. `/a/b` allows `/a/b` and `/a/b/c`, not `/a/bc`. */
export function isAllowed(location: string, prefixes: readonly string[]): boolean {
  // An encoded slash or dot reads as another path to some servers than to us.
  if (isUrl(location) && /%2f|%5c|%2e/i.test(location)) return false;
  return prefixes.some((raw) => {
    const url = isUrl(raw);
    if (url !== isUrl(location)) return false;
    let prefix = url ? '' : locationOf(raw);
    try {
      if (url) prefix = new URL(raw).href;
    } catch {
      return false;
    }
    const separator = url ? '/' : sep;
    return location === prefix || location.startsWith(prefix.endsWith(separator) ? prefix : prefix + separator);
  });
}

/** Every external location that a value refers to. */
function externals(source: SourceDocument): Map<string, string> {
  const found = new Map<string, string>();
  const stack: Json[] = [source.root];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const ref = refOf(value);
    if (ref !== undefined && !ref.startsWith('#')) {
      const location = targetOf(ref, source.location);
      if (location !== undefined && location !== source.location) found.set(location, ref);
    }
    for (const item of Object.values(value)) if (typeof item === 'object' && item !== null) stack.push(item as Json);
  }
  return found;
}

export interface References {
  readonly resolve: Resolve;
  /** Allowed external documents that could not be read. */
  readonly warnings: readonly Fault[];
}

/** Reads every allowed external document that `main` needs, directly or through others. */
export async function loadReferences(
  main: SourceDocument,
  allowed: readonly string[],
  read: ReadDocument,
): Promise<References> {
  const documents = new Map<string, SourceDocument>([[main.location, main]]);
  const unreadable = new Map<string, string>();
  const warnings: Fault[] = [];
  const waiting = allowed.length === 0 ? [] : [main];
  for (let source = waiting.pop(); source !== undefined; source = waiting.pop()) {
    for (const [location, ref] of externals(source)) {
      if (documents.has(location) || unreadable.has(location) || !isAllowed(location, allowed)) continue;
      try {
        if (documents.size >= DOCUMENTS_MAX) throw new Error(`more than ${DOCUMENTS_MAX} documents are referred to`);
        const { text } = await read(location, { moves: false });
        const document = parseSource(text, shownAs(location), location);
        documents.set(location, document);
        waiting.push(document);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        unreadable.set(location, why);
        warnings.push({ file: source.file, pointer: '', message: `the reference ${ref} can not be read: ${why}` });
      }
    }
  }
  return { resolve: resolver(documents, unreadable), warnings };
}

function resolver(documents: ReadonlyMap<string, SourceDocument>, unreadable: ReadonlyMap<string, string>): Resolve {
  const fail = (node: Node, message: string, mend: string): never => {
    const { file, placeOf } = node.document;
    throw new Uncompilable({ file, ...placeOf(node.pointer), pointer: node.pointer, message, mend });
  };
  /** By the name that a schema gave itself, where its place is not said. */
  const byName = (node: Node, ref: string): Node | undefined => {
    const target = namedTarget(node, ref);
    if (target !== 'several') return target;
    return fail(node, `refers to ${ref}, which several schemas are called`, 'refer to the one that is meant by its place');
  };
  const one = (node: Node, ref: string): Node => {
    const location = targetOf(ref, node.document.location);
    const document = location === undefined ? undefined : documents.get(location);
    if (location === undefined || document === undefined) {
      const named = byName(node, ref);
      if (named !== undefined) return named;
      const why = location === undefined ? undefined : unreadable.get(location);
      if (why !== undefined) return fail(node, `refers to ${ref}, which can not be read: ${why}`, 'check the file or address');
      return fail(
        node,
        `refers to ${ref}, outside the document, which is not allowed`,
        'bundle the document into one file, or name its address under `allowedRefs`',
      );
    }
    const hash = ref.indexOf('#');
    const fragment = hash === -1 ? '' : ref.slice(hash + 1);
    const missing = () =>
      byName(node, ref) ?? fail(node, `refers to ${ref}, which does not exist`, 'correct the reference, or add what it names');
    if (fragment !== '' && !fragment.startsWith('/')) return missing();
    let target: Node | undefined = { document, pointer: '', value: document.root };
    for (const token of tokensOfFragment(fragment)) {
      // A path through something that is itself a reference goes on at its target.
      const through: Node = child(target, token) === undefined && refOf(target.value) !== undefined ? resolve(target) : target;
      target = child(through, token);
      if (target === undefined) return missing();
    }
    return target;
  };
  let depth = 0;
  const resolve: Resolve = (start) => {
    let node = start;
    depth += 1;
    try {
      if (depth > CHAIN_MAX) return fail(start, 'refers to itself through other references', 'break the circle of references');
      for (let hops = 0; ; hops += 1) {
        const ref = refOf(node.value);
        if (ref === undefined) return node;
        if (hops >= CHAIN_MAX)
          return fail(start, `refers to ${refOf(start.value)}, which refers back to itself`, 'break the circle of references');
        node = one(node, ref);
      }
    } finally {
      depth -= 1;
    }
  };
  return resolve;
}
