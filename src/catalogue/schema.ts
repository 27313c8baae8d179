// Schemas: from OpenAPI's three dialects to JSON Schema 2020-12, for what goes in and for what comes out.
//   S1. Only keywords that 2020-12 knows, with values that it allows: whatever a document holds, the outcome compiles.
//   S2. What is referred to stands once under `$defs`, so cycles stay finite; only what is reachable is there.
//   S3. What can't be translated is loosened, never tightened: the upstream has the last word on its own input.
//   S4. Inputs lose what is read-only, outputs what is write-only, in `properties` and in `required`.

import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { OpenApiDocument } from './load.ts';
import { child, type Node, refOf, type SourceDocument } from './node.ts';
import type { Resolve } from './references.ts';
import { clipped } from './texts.ts';

const DEFINITION = '#/$defs/';

export type Direction = 'input' | 'output';

const TYPES = new Set(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']);
const TEXTS = ['title', 'format', 'contentEncoding', 'contentMediaType'];
/** They say how a program may hold a number, and nothing to whoever writes it. */
const NUMBER_FORMATS = new Set(['int32', 'int64', 'float', 'double']);
/** Those that validators know. */
const FORMATS = new Set(
  'date-time date time duration email hostname ipv4 ipv6 uri uri-reference uri-template uuid json-pointer relative-json-pointer regex byte binary password'.split(
    ' ',
  ),
);
const COUNTS = [
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'maxProperties',
  'minProperties',
  'minContains',
  'maxContains',
];
const SCHEMAS = [
  'additionalProperties',
  'not',
  'contains',
  'propertyNames',
  'if',
  'then',
  'else',
  'unevaluatedProperties',
  'unevaluatedItems',
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['patternProperties', 'dependentSchemas'];
/** Beside a `$ref` these say something to people and change nothing. */
const ANNOTATIONS = new Set([
  'description',
  'title',
  'summary',
  'default',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);
/** A schema of a single value that is smaller than this is written where it is used instead of under `$defs`. */
const LEAF_BYTES_MAX = 400;
const EXAMPLE_BYTES_MAX = 200;
const EXAMPLES_MAX = 3;
/** Of a member or a parameter; a tool's own may be longer. */
export const DESCRIPTION_CHARACTERS_MAX = 600;

interface Definition {
  readonly node: Node;
  converted?: { readonly schema: JsonObject; readonly uses: ReadonlySet<string>; readonly bytes: number };
}

export interface SchemaReader {
  /** The schema of a node, itself followed, with references into `$defs`, which {@link close} puts there. */
  convert(node: Node, direction: Direction): JsonObject;
  /** What `#/$defs/<name>` stands for. */
  definition(name: string, direction: Direction): JsonObject | undefined;
  /** The schema with every definition that is reachable from it. Throws where one can't be translated. */
  close(schema: JsonObject, direction: Direction): JsonObject;
  /** About how many bytes the closed schema takes, counted until `limit` is passed. */
  bytes(schema: JsonObject, direction: Direction, limit: number): number;
}

/** Reads the schemas of a document, and of those that it refers to. */
export function schemaReader(document: OpenApiDocument, resolve: Resolve): SchemaReader {
  const known: Record<Direction, Map<string, Definition>> = { input: new Map(), output: new Map() };

  const converted = (name: string, direction: Direction) => {
    const definition = known[direction].get(name);
    if (definition === undefined) return undefined;
    if (definition.converted === undefined) {
      const schema = keywords(definition.node, direction);
      definition.converted = { schema, uses: usesOf(schema), bytes: JSON.stringify(schema).length };
    }
    return definition.converted;
  };

  /** Definitions reachable from a schema, each once; ends early where `visit` says so. */
  const reach = (
    schema: JsonObject,
    direction: Direction,
    visit: (name: string, found: { schema: JsonObject; bytes: number }) => boolean,
  ) => {
    const seen = usesOf(schema);
    for (const name of seen) {
      const definition = converted(name, direction);
      if (definition === undefined) continue;
      if (!visit(name, definition)) return;
      for (const next of definition.uses) seen.add(next);
    }
  };

  /** A schema where it is used. */
  const use = (node: Node, direction: Direction): JsonObject => {
    if (typeof node.value === 'boolean') return node.value ? {} : { not: {} };
    if (refOf(node.value) === undefined) return keywords(node, direction);
    const target = resolve(node);
    const beside = isJsonObject(node.value)
      ? Object.entries(node.value).filter(([key]) => key !== '$ref' && key !== '$dynamicRef')
      : [];
    const notes = beside.filter(([key]) => ANNOTATIONS.has(key));
    // Before 3.1 what stands beside a reference counts for nothing; what it says to people is worth keeping.
    const more = document.dialect === '3.1' && beside.some(([key]) => !ANNOTATIONS.has(key) && !key.startsWith('x-'));
    const said = keywords({ ...node, value: Object.fromEntries(more ? beside : notes) }, direction);
    if (typeof target.value === 'boolean') return use(target, direction);
    if (isLeaf(target.value) && !more) return { ...keywords(target, direction), ...said };
    const name = nameOf(target, document.source);
    if (!known[direction].has(name)) known[direction].set(name, { node: target });
    return { $ref: `${DEFINITION}${name}`, ...said };
  };

  /** A schema object that is no reference. */
  function keywords(node: Node, direction: Direction): JsonObject {
    const raw = node.value;
    if (!isJsonObject(raw)) return {};
    const out: Record<string, Json> = {};
    const at = (token: string | number, within = node) => child(within, token) as Node;

    for (const key of TEXTS) if (typeof raw[key] === 'string') out[key] = raw[key];
    if (!isTold(out['format'], direction)) delete out['format'];
    const description = describe(raw);
    if (description !== undefined) out['description'] = description;
    const type = typeOf(raw['type']);
    if (type !== undefined) out['type'] = type;
    if (raw['type'] === 'file') out['format'] = 'binary';
    numbers(raw, out);
    if (typeof raw['pattern'] === 'string' && isPattern(raw['pattern'])) out['pattern'] = raw['pattern'];
    if (raw['uniqueItems'] === true) out['uniqueItems'] = true;
    if (raw['deprecated'] === true) out['deprecated'] = true;
    if (Array.isArray(raw['enum']) && raw['enum'].length > 0) out['enum'] = distinct(raw['enum'] as Json[], type);
    if (raw['const'] !== undefined) out['const'] = raw['const'];
    if (raw['default'] !== undefined) out['default'] = raw['default'];
    const examples = direction === 'input' ? examplesOf(raw) : [];
    if (examples.length > 0) out['examples'] = examples;

    for (const key of SCHEMAS) {
      const value = raw[key];
      if (typeof value === 'boolean' && key !== 'not' && key !== 'if') out[key] = value;
      else if (isJsonObject(value)) out[key] = use(at(key), direction);
    }
    for (const key of LISTS) {
      const list = raw[key];
      if (Array.isArray(list) && list.length > 0) out[key] = list.map((_item, index) => use(at(index, at(key)), direction));
    }
    for (const key of MAPS) {
      const map = raw[key];
      if (!isJsonObject(map)) continue;
      const names = Object.keys(map).filter((name) => key !== 'patternProperties' || isPattern(name));
      out[key] = Object.fromEntries(names.map((name) => [name, use(at(name, at(key)), direction)]));
    }
    if (isJsonObject(raw['dependentRequired'])) {
      const lists = Object.entries(raw['dependentRequired']).filter(([, list]) => Array.isArray(list));
      out['dependentRequired'] = Object.fromEntries(lists.map(([name, list]) => [name, strings(list)]));
    }
    // A list under `items` is how older drafts wrote a tuple.
    if (Array.isArray(raw['items'])) {
      const tuple = raw['items'].map((_item, index) => use(at(index, at('items')), direction));
      if (tuple.length > 0 && out['prefixItems'] === undefined) out['prefixItems'] = tuple;
    } else if (typeof raw['items'] === 'boolean') out['items'] = raw['items'];
    else if (isJsonObject(raw['items'])) out['items'] = use(at('items'), direction);

    const hidden = new Set<string>();
    if (isJsonObject(raw['properties'])) {
      const properties = at('properties');
      const shown: [string, Json][] = [];
      for (const name of Object.keys(raw['properties'])) {
        const property = at(name, properties);
        if (isHidden(property, direction)) hidden.add(name);
        else shown.push([name, use(property, direction)]);
      }
      out['properties'] = Object.fromEntries(shown);
    }
    const required = strings(raw['required']).filter((name) => !hidden.has(name));
    if (required.length > 0) out['required'] = required;
    return raw['nullable'] === true ? nullable(out) : out;
  }

  const isHidden = (property: Node, direction: Direction): boolean => {
    const mark = direction === 'input' ? 'readOnly' : 'writeOnly';
    if (isJsonObject(property.value) && property.value[mark] === true) return true;
    if (refOf(property.value) === undefined) return false;
    const target = resolve(property).value;
    return isJsonObject(target) && target[mark] === true;
  };

  return {
    convert: (node, direction) => {
      const target = resolve(node);
      return typeof target.value === 'boolean' ? use(target, direction) : keywords(target, direction);
    },
    definition: (name, direction) => converted(name, direction)?.schema,
    close: (schema, direction) => {
      const found: [string, Json][] = [];
      reach(schema, direction, (name, definition) => found.push([name, definition.schema]) > 0);
      if (found.length === 0) return schema;
      return { ...schema, $defs: Object.fromEntries(found.sort(([one], [other]) => (one < other ? -1 : 1))) };
    },
    bytes: (schema, direction, limit) => {
      let total = JSON.stringify(schema).length;
      reach(schema, direction, (_name, { bytes }) => {
        total += bytes;
        return total <= limit;
      });
      return total;
    },
  };
}

/** The name in a reference into `$defs`. */
export const definitionName = (schema: Json | undefined): string | undefined => {
  const ref = refOf(schema);
  return ref?.startsWith(DEFINITION) === true ? ref.slice(DEFINITION.length) : undefined;
};

/** The names in `$defs` that a translated schema refers to. */
function usesOf(schema: Json, found = new Set<string>()): Set<string> {
  const name = definitionName(schema);
  if (name !== undefined) found.add(name);
  if (typeof schema === 'object' && schema !== null) for (const part of Object.values(schema)) usesOf(part as Json, found);
  return found;
}

/** `#/components/schemas/Item` → `Item`; anything else gets a hash of where it stands, so that no two share a name. */
function nameOf(node: Node, main: SourceDocument): string {
  const last = node.pointer.slice(node.pointer.lastIndexOf('/') + 1);
  const name = last.replaceAll('~1', '/').replace(/[^A-Za-z0-9._-]+/g, '_');
  const isComponent = /^\/(components\/schemas|definitions)\/[^/]+$/.test(node.pointer);
  const isPlain = name === last && isComponent && node.document.location === main.location;
  if (isPlain) return name;
  return `${name.slice(0, 40)}_${createHash('sha256').update(`${node.document.location}#${node.pointer}`).digest('hex').slice(0, 7)}`;
}

/** Clients compile the schemas of answers, and some complain aloud of each format that they don't know. */
const isTold = (format: Json | undefined, direction: Direction): boolean =>
  !NUMBER_FORMATS.has(String(format)) && (direction === 'input' || FORMATS.has(String(format)));

function isLeaf(raw: Json): boolean {
  if (!isJsonObject(raw)) return false;
  const nested = ['properties', 'items', 'additionalProperties', 'not', 'if', ...LISTS, ...MAPS].some(
    (key) => raw[key] !== undefined,
  );
  return !nested && raw['type'] !== 'object' && JSON.stringify(raw).length <= LEAF_BYTES_MAX;
}

function describe(raw: JsonObject): string | undefined {
  const text = typeof raw['description'] === 'string' ? clipped(raw['description'].trim(), DESCRIPTION_CHARACTERS_MAX) : '';
  const discriminator = raw['discriminator'];
  // In Swagger 2.0 it is the member's name itself.
  const member = isJsonObject(discriminator) ? discriminator['propertyName'] : discriminator;
  const parts = [text, ...(typeof member === 'string' ? [`The member "${member}" tells which variant it is.`] : [])];
  return parts.filter((part) => part !== '').join('\n') || undefined;
}

function typeOf(raw: Json | undefined): string | string[] | undefined {
  const read = (type: Json) => {
    const name = String(type).toLowerCase();
    return name === 'file' ? 'string' : TYPES.has(name) ? name : undefined;
  };
  if (typeof raw === 'string') return read(raw);
  if (!Array.isArray(raw)) return undefined;
  const names = [...new Set(raw.map((type) => read(type as Json)))];
  // A type that 2020-12 doesn't know could be anything.
  return names.length === 0 || names.includes(undefined) ? undefined : (names as string[]);
}

function numbers(raw: JsonObject, out: Record<string, Json>): void {
  const finite = (key: string) => (typeof raw[key] === 'number' && Number.isFinite(raw[key]) ? raw[key] : undefined);
  const step = finite('multipleOf');
  if (step !== undefined && step > 0) out['multipleOf'] = step;
  for (const [limit, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const value = finite(limit);
    // In OpenAPI 3.0 `exclusiveMinimum: true` says how `minimum` is meant.
    if (raw[exclusive] === true && value !== undefined) out[exclusive] = value;
    else if (value !== undefined) out[limit] = value;
    const own = finite(exclusive);
    if (own !== undefined) out[exclusive] = own;
  }
  for (const key of COUNTS) {
    const value = finite(key);
    if (value !== undefined && value >= 0 && Number.isInteger(value)) out[key] = value;
  }
}

const strings = (raw: Json | undefined): string[] =>
  Array.isArray(raw) ? [...new Set(raw.filter((item): item is string => typeof item === 'string'))] : [];

/** Members of an enum, each once. YAML reads `1.0` as a number where a string is meant. */
function distinct(values: readonly Json[], type: string | string[] | undefined): Json[] {
  const read = (value: Json) => (type === 'string' && value !== null && typeof value !== 'object' ? String(value) : value);
  return [...new Map(values.map((value) => [JSON.stringify(read(value)), read(value)])).values()];
}

/** Validators compile patterns in Unicode mode; what doesn't compile there is of another dialect. */
function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') !== undefined;
  } catch {
    return false;
  }
}

function examplesOf(raw: JsonObject): Json[] {
  const many = Array.isArray(raw['examples']) ? (raw['examples'] as Json[]) : [];
  const all = raw['example'] === undefined ? many : [raw['example'], ...many];
  // A reference to an example leads nowhere from a schema that stands alone.
  const isFit = (text: string) => text.length <= EXAMPLE_BYTES_MAX && !text.includes('"$ref"');
  // A number or a truth value shows nothing that its type does not say.
  const isTelling = (value: Json) => typeof value !== 'number' && typeof value !== 'boolean';
  return all.filter((value) => isTelling(value) && isFit(JSON.stringify(value))).slice(0, EXAMPLES_MAX);
}

/** The same schema, and null. @see OpenAPI 3.0.3 §4.7.24, `nullable` */
function nullable(schema: Record<string, Json>): JsonObject {
  const { type, enum: values } = schema;
  if (type === undefined) {
    const { title, description, default: initial, ...rest } = schema;
    const notes = Object.fromEntries(
      Object.entries({ title, description, default: initial }).filter(([, value]) => value !== undefined),
    );
    return (Object.keys(rest).length === 0 ? schema : { ...notes, anyOf: [rest, { type: 'null' }] }) as JsonObject;
  }
  const types = [...new Set([...(Array.isArray(type) ? (type as string[]) : [type as string]), 'null'])];
  const more = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] as Json[] } : {};
  const composed = ['allOf', 'anyOf', 'oneOf', 'not', 'const'].some((key) => schema[key] !== undefined);
  return composed ? { anyOf: [schema, { type: 'null' }] } : { ...schema, type: types, ...more };
}
