// A value of a document together with where it came from: what the catalogue works on.

import { isJsonObject, type Json } from '../core/json.ts';
import type { FindPlace } from './place.ts';
import { escapeToken, step } from './pointer.ts';

export interface SourceDocument {
  /** As the operator wrote it. */
  readonly file: string;
  /** Absolute path or URL that relative references are resolved against. */
  readonly location: string;
  readonly root: Json;
  /** Of a value's name, or of the nearest part around it where there is none. */
  readonly placeOf: FindPlace;
}

/** A value and where it came from. */
export interface Node {
  readonly document: SourceDocument;
  readonly pointer: string;
  readonly value: Json;
}

/** What a `$ref` or `$dynamicRef` says; `undefined` for what is no reference. */
export function refOf(value: Json | undefined): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const ref = value['$ref'] ?? value['$dynamicRef'];
  return typeof ref === 'string' ? ref : undefined;
}

/** The member or item of a node. */
export function child(node: Node, token: string | number): Node | undefined {
  const value = step(node.value, String(token));
  return value === undefined ? undefined : { document: node.document, pointer: `${node.pointer}/${escapeToken(token)}`, value };
}
