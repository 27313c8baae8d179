// How large a tool's schema may be: a search language with five hundred kinds of clauses would fill a model's memory by itself.
//   B1. A schema that fits stays as it is. Of one that does not, texts are shortened first, then the parts that are farthest from
//       the arguments lose their members; what is near is kept.
//   B2. The same schema is always cut in the same way.
//   B3. What is cut is loosened: its type stays, and its description says that there is more to know.

import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { definitionName } from './schema.ts';
import { clipped } from './texts.ts';

/** Of one tool's input: about 8,000 tokens. */
export const SCHEMA_BYTES_MAX = 32 * 1024;

const TEXT_MAX = 120;
const LEFT_OUT = "What it may hold is left out here for its size: see the service's documentation.";
/** Levels of members that are kept of a root that is too large by itself; the first that fits. */
const ROOT_LEVELS = [6, 5, 4, 3, 2, 1];
/** Levels that are kept of a definition that does not fit as a whole, before all of it is left out. */
const DEFINITION_LEVELS = 1;

const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const ONES = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
]);
const VARIANTS = new Set(['allOf', 'anyOf', 'oneOf']);
const TUPLE = 'prefixItems';

/** The same schema with every schema right below it changed. `inner`: how far below; variants are the same value, and so 0. */
function mapped(schema: JsonObject, change: (part: JsonObject, inner: 0 | 1) => JsonObject): JsonObject {
  const one = (part: Json, inner: 0 | 1): Json => (isJsonObject(part) ? change(part, inner) : part);
  const entries = Object.entries(schema).map(([key, value]): [string, Json] => {
    if (MAPS.has(key) && isJsonObject(value)) {
      return [key, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, one(part, 1)]))];
    }
    if (ONES.has(key)) return [key, one(value, 1)];
    if ((VARIANTS.has(key) || key === TUPLE) && Array.isArray(value)) {
      return [key, value.map((part) => one(part as Json, key === TUPLE ? 1 : 0))];
    }
    return [key, value];
  });
  return Object.fromEntries(entries);
}

/** Texts in short, and no examples. */
function terse(schema: JsonObject): JsonObject {
  const { examples: _examples, title: _title, description, ...rest } = mapped(schema, terse);
  return typeof description === 'string' ? { ...rest, description: clipped(description, TEXT_MAX) } : rest;
}

const size = (value: JsonObject): number => JSON.stringify(value).length;
/** `,"$defs":{}`, and a definition's quotes, colon and comma. */
const DEFINITIONS_BYTES = 11;
const NAME_BYTES = 4;

/** What is left of a schema whose members are left out. */
function stub(schema: JsonObject): JsonObject {
  const { type, description } = schema;
  const said = typeof description === 'string' ? `${clipped(description, TEXT_MAX)} ` : '';
  const known = type ?? (schema['properties'] === undefined ? undefined : 'object');
  return { ...(known === undefined ? {} : { type: known }), description: `${said}${LEFT_OUT}` };
}

/** Whether there is anything below it that could be left out. */
const isDeep = (schema: JsonObject): boolean =>
  definitionName(schema) !== undefined ||
  [...MAPS, ...ONES, ...VARIANTS, TUPLE].some((key) => isJsonObject(schema[key]) || Array.isArray(schema[key]));

/** The schema with `levels` levels of members; a definition that is referred to counts as members. */
function shallow(schema: JsonObject, levels: number, target: (name: string) => JsonObject | undefined): JsonObject {
  if (levels === 0 && isDeep(schema)) {
    const name = definitionName(schema);
    return stub(name === undefined ? schema : { ...target(name), ...schema });
  }
  return mapped(schema, (part, inner) => shallow(part, Math.max(levels - inner, 0), target));
}

function usesOf(schema: Json, found = new Set<string>()): Set<string> {
  const name = definitionName(schema);
  if (name !== undefined) found.add(name);
  if (typeof schema === 'object' && schema !== null) for (const part of Object.values(schema)) usesOf(part as Json, found);
  return found;
}

export interface Fitted {
  readonly schema: JsonObject;
  /** Parts of it were left out. */
  readonly isCut: boolean;
}

/** Definitions are shared by tools: what is known of each is found out once. */
export function budget(bytesMax: number = SCHEMA_BYTES_MAX): (schema: JsonObject) => Fitted {
  const once = <T>(make: (schema: JsonObject) => T) => {
    const known = new WeakMap<JsonObject, T>();
    return (schema: JsonObject): T => {
      const earlier = known.get(schema);
      if (earlier !== undefined) return earlier;
      const made = make(schema);
      known.set(schema, made);
      return made;
    };
  };
  const bytesOf = once(size);
  const terseOf = once(terse);
  const namesIn = once((schema) => [...usesOf(schema)]);
  const stubOf = once(stub);

  const total = (root: JsonObject, definitions: Readonly<Record<string, JsonObject>>): number =>
    size(root) +
    Object.entries(definitions).reduce((sum, [name, one]) => sum + name.length + NAME_BYTES + bytesOf(one), DEFINITIONS_BYTES);

  return (schema) => {
    const { $defs, ...root } = schema;
    const whole = ($defs ?? {}) as Readonly<Record<string, JsonObject>>;
    if (total(root, whole) <= bytesMax) return { schema, isCut: false };
    const definitions = Object.fromEntries(Object.entries(whole).map(([name, one]) => [name, terseOf(one)]));
    const target = (name: string) => definitions[name];
    const short = terse(root);
    if (total(short, definitions) <= bytesMax) {
      return { schema: { ...short, ...($defs === undefined ? {} : { $defs: definitions }) }, isCut: false };
    }
    const costOf = (names: readonly string[]) =>
      names.reduce((sum, name) => sum + name.length + NAME_BYTES + bytesOf(stubOf(target(name) ?? {})), 0);
    const fits = (part: JsonObject) => size(part) + costOf(namesIn(part)) <= bytesMax;
    const levels = ROOT_LEVELS.find((count) => fits(shallow(short, count, target))) ?? 1;
    const start = fits(short) ? short : shallow(short, levels, target);

    // Breadth first: what is nearest to the arguments is kept first, and what does not fit makes room for what still does.
    const kept = new Map<string, JsonObject>();
    const waiting = [...namesIn(start)];
    const found = new Set(waiting);
    let spent = size(start) + DEFINITIONS_BYTES + costOf(waiting);
    for (const name of waiting) {
      const definition = target(name) ?? {};
      const own = stubOf(definition);
      const chosen = [definition, shallow(definition, DEFINITION_LEVELS, target)].find((form) => {
        const fresh = namesIn(form).filter((one) => !found.has(one));
        const after = spent - bytesOf(own) + bytesOf(form) + costOf(fresh);
        if (after > bytesMax) return false;
        spent = after;
        for (const one of fresh) {
          found.add(one);
          waiting.push(one);
        }
        return true;
      });
      kept.set(name, chosen ?? own);
    }
    const sorted = [...kept].sort(([one], [other]) => (one < other ? -1 : 1));
    return { schema: { ...start, ...(sorted.length === 0 ? {} : { $defs: Object.fromEntries(sorted) }) }, isCut: true };
  };
}
