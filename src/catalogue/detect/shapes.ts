// Schemas as detection looks at them: which members an object has, and whether two objects are the same.
//   S1. Each schema of the document is looked at once, whoever refers to it; what it is compared by is a hash.
//   S2. Nothing here throws or goes round in circles: a reference that can't be followed is a schema that says nothing.

import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { Uncompilable } from '../fault.ts';
import { child, type Node } from '../node.ts';
import type { Resolve } from '../references.ts';

/** `allOf` and variants inside each other. */
const DEPTH_MAX = 8;
/** An object with more members is no status answer, and is not compared. */
const MEMBERS_MAX = 400;

export interface Shape {
  /** The schema, references followed. */
  readonly node: Node;
  readonly schema: JsonObject;
  readonly types: readonly string[];
  /** Of an object: members by name, those of `allOf` and of every variant among them. */
  readonly members: ReadonlyMap<string, Node>;
  /** There are several kinds of it (`oneOf`, `anyOf`). */
  readonly variants: readonly Shape[];
  /** What `items` says. */
  readonly items?: Node;
}

export interface Shapes {
  /** What a node leads to; `undefined` where its reference can't be followed. */
  follow(node: Node): Node | undefined;
  of(node: Node | undefined): Shape | undefined;
  member(shape: Shape, name: string): Shape | undefined;
  /** The same text for two objects with members of the same names and types; `undefined` where there is too little to compare. */
  identity(shape: Shape): string | undefined;
}

const typesOf = (schema: JsonObject): readonly string[] => {
  const { type } = schema;
  const list = Array.isArray(type) ? type : [type];
  return list.filter((one): one is string => typeof one === 'string' && one !== 'null');
};

export function shapesOf(resolve: Resolve): Shapes {
  const known = new Map<string, Shape | undefined>();
  const identities = new Map<Shape, string | undefined>();

  const follow = (node: Node): Node | undefined => {
    try {
      return resolve(node);
    } catch (error) {
      if (error instanceof Uncompilable || error instanceof RangeError) return undefined;
      throw error;
    }
  };

  const read = (target: Node, depth: number): Shape | undefined => {
    const schema = target.value;
    if (!isJsonObject(schema)) return undefined;
    const members = new Map<string, Node>();
    const take = (from: ReadonlyMap<string, Node>) => {
      for (const [name, node] of from) if (!members.has(name) && members.size < MEMBERS_MAX) members.set(name, node);
    };
    const list = (key: string): Shape[] => {
      const parts = child(target, key);
      if (parts === undefined || !Array.isArray(parts.value) || depth >= DEPTH_MAX) return [];
      return [...parts.value.keys()].flatMap((index) => look(child(parts, index), depth + 1) ?? []);
    };
    const properties = child(target, 'properties');
    if (properties !== undefined && isJsonObject(properties.value)) {
      take(new Map(Object.keys(properties.value).map((name) => [name, child(properties, name) as Node])));
    }
    const all = list('allOf');
    for (const part of all) take(part.members);
    const variants = [...list('oneOf'), ...list('anyOf')];
    for (const part of variants) take(part.members);
    const items = child(target, 'items') ?? all.find((part) => part.items !== undefined)?.items;
    const own = typesOf(schema);
    const types = own.length > 0 ? own : [...new Set([...all, ...variants].flatMap((part) => part.types))];
    return { node: target, schema, types, members, variants, ...(items === undefined ? {} : { items }) };
  };

  const look = (node: Node | undefined, depth: number): Shape | undefined => {
    const target = node && follow(node);
    if (target === undefined) return undefined;
    const place = `${target.document.location}#${target.pointer}`;
    if (known.has(place)) return known.get(place);
    // A schema that is part of itself adds nothing.
    known.set(place, undefined);
    const shape = read(target, depth);
    known.set(place, shape);
    return shape;
  };

  const of = (node: Node | undefined) => look(node, 0);
  return {
    follow,
    of,
    member: (shape, name) => of(shape.members.get(name)),
    identity: (shape) => {
      if (!identities.has(shape)) identities.set(shape, identityOf(shape, of));
      return identities.get(shape);
    },
  };
}

function identityOf(shape: Shape, of: Shapes['of']): string | undefined {
  const { members } = shape;
  if (members.size < 2 || members.size >= MEMBERS_MAX) return undefined;
  const lines = [...members].map(([name, node]) => {
    const member = of(node);
    const words = member === undefined ? [] : enumOf(member);
    return `${name}:${member?.types.join('|') ?? ''}:${words.join(',')}`;
  });
  return createHash('sha256').update(lines.sort().join('\n')).digest('base64url').slice(0, 22);
}

/** The texts of an enum, those of variants among them (`anyOf: [{enum}, {type: null}]`). */
export function enumOf(shape: Shape): readonly string[] {
  const own: Json | undefined =
    shape.schema['enum'] ?? (shape.schema['const'] === undefined ? undefined : [shape.schema['const']]);
  const words = Array.isArray(own) ? own.filter((word): word is string => typeof word === 'string' && word !== '') : [];
  return words.length > 0 ? words : [...new Set(shape.variants.flatMap((part) => enumOf(part)))];
}

export const describedBy = ({ schema }: Shape): string =>
  typeof schema['description'] === 'string' ? schema['description'] : '';

export const isScalar = (shape: Shape | undefined): boolean =>
  shape !== undefined && shape.members.size === 0 && !shape.types.some((type) => ['object', 'array', 'boolean'].includes(type));

export const isText = (shape: Shape | undefined): boolean =>
  shape !== undefined && isScalar(shape) && (shape.types.includes('string') || enumOf(shape).length > 0);
