// Bodies: as arguments, whole or member by member, and in which media type they are sent.

import { isJsonType, isTextType } from '../core/body.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { BodyBinding } from '../core/request.ts';
import type { Argument } from './arguments.ts';
import type { Fixed, RequestContext } from './context.ts';
import { problem } from './fault.ts';
import type { Dialect } from './load.ts';
import { child, type Node } from './node.ts';
import { bodyOf, type Content, type SourceOperation } from './operations.ts';
import { fileArgument, MULTIPART, partsOf } from './parts.ts';
import { definitionName, type SchemaReader } from './schema.ts';

const FORM = 'application/x-www-form-urlencoded';
const FORM_STYLES = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const;
/** Methods that have no body anywhere: HTTP clients refuse to send one. */
const BODILESS = new Set(['GET', 'HEAD', 'TRACE']);

export interface BodyArguments {
  readonly encoding?: NonNullable<BodyBinding['encoding']>;
  readonly parts?: NonNullable<BodyBinding['parts']>;
  readonly mediaType: string;
  readonly required: boolean;
  /** One argument for the whole, or one for each member. */
  readonly kind: 'member' | 'spread';
  readonly arguments: readonly Argument[];
}

/** JSON first, then forms, then parts, then text, then bytes. */
export function preferred(content: readonly Content[]): Content | undefined {
  const is = (test: (mediaType: string) => boolean) => content.find(({ mediaType }) => test(mediaType));
  return (
    is((type) => type === 'application/json') ??
    is((type) => isJsonType(type)) ??
    is((type) => type === FORM) ??
    is((type) => type === MULTIPART) ??
    is((type) => isTextType(type)) ??
    is((type) => !type.startsWith('multipart/'))
  );
}

/** The arguments that a body makes; `undefined` where there is none. Throws {@link Uncompilable} where it can't be sent. */
export function bodyArguments(
  operation: SourceOperation,
  context: RequestContext,
  parameters: readonly Node[],
  fixed: Fixed,
): BodyArguments | undefined {
  const { document, resolve, schemas } = context;
  const body = bodyOf(document, operation, parameters, resolve);
  if (body === undefined || body.content.length === 0) return undefined;
  const at = child(operation.node, document.dialect === '2.0' ? 'parameters' : 'requestBody') ?? operation.node;
  if (BODILESS.has(operation.method)) {
    if (!body.required) return undefined;
    throw problem(at, `requires a body with ${operation.method}, which can't be sent`, 'describe a POST that does the same');
  }
  const chosen = preferred(body.content);
  if (chosen === undefined) {
    const types = body.content.map(({ mediaType }) => mediaType).join(', ');
    throw problem(
      at,
      `takes its body only as ${types}, whose parts have no names that arguments could have`,
      'offer a JSON, form, multipart/form-data, text or binary body, or exclude the operation',
    );
  }
  // A wildcard names no type: what it is follows from the schema.
  const wild = chosen.mediaType.includes('*');
  const whole = chosen.schema === undefined ? {} : schemas.convert(chosen.schema, 'input');
  const mediaType = !wild ? chosen.mediaType : whole['type'] === 'string' ? 'application/octet-stream' : 'application/json';
  const hidden = new Set([...Object.keys(fixed.body), ...fixed.hidden.flatMap(({ body: at }) => at?.split('/')[1] ?? [])]);
  const isMembers = isJsonType(mediaType) || mediaType === FORM || mediaType === MULTIPART;
  const members = isMembers ? membersOf(whole, schemas) : undefined;
  const isParts = mediaType === MULTIPART;
  const shared = { mediaType, required: body.required, ...encodingOf(mediaType, chosen, document.dialect) };
  if (members !== undefined) {
    const { properties, parts } = isParts
      ? partsOf(members.properties, chosen.encoding, schemas)
      : { properties: members.properties, parts: undefined };
    const required = new Set(members.required);
    const shown = Object.entries(properties).filter(([name]) => !hidden.has(name));
    const list = shown.map(([name, schema]): Argument => ({ place: 'body', name, required: required.has(name), schema }));
    return { ...shared, kind: 'spread', arguments: list, ...(parts === undefined ? {} : { parts }) };
  }
  const described =
    whole['description'] === undefined && body.description !== undefined ? { ...whole, description: body.description } : whole;
  const { schema, parts } = isParts
    ? wholeParts(at, described, chosen, schemas)
    : {
        schema: isMembers ? described : isTextType(mediaType) ? asText(described) : bytes(described),
        parts: undefined,
      };
  return {
    ...shared,
    kind: 'member',
    arguments: [{ place: 'body', name: 'body', required: body.required, schema }],
    ...(parts === undefined ? {} : { parts }),
  };
}

/** A multipart body in one piece: an object that says more than its members. */
function wholeParts(at: Node, whole: JsonObject, { encoding }: Content, schemas: SchemaReader) {
  const types = [whole['type']].flat();
  if (whole['type'] !== undefined && !types.includes('object')) {
    throw problem(at, `has a ${MULTIPART} body that is no object`, 'describe it as an object with a property for each part');
  }
  const own = (isJsonObject(whole['properties']) ? whole['properties'] : {}) as Record<string, JsonObject>;
  const { properties, parts } = partsOf({ ...variantMembers(whole, schemas), ...own }, encoding, schemas);
  const shown = Object.fromEntries(Object.keys(own).map((name) => [name, properties[name] as JsonObject]));
  const files = Object.entries(parts ?? {}).flatMap(([name, { file }]) => (file ? [`"${name}"`] : []));
  const note = files.length === 0 ? '' : ` Files (${files.join(', ')}) in base64, or as data: URLs.`;
  const description = `${String(whole['description'] ?? 'The form.')}${note}`;
  return {
    schema: { ...whole, type: 'object', description, ...(whole['properties'] === undefined ? {} : { properties: shown }) },
    parts,
  };
}

/** Members that only some variants of an object have. */
function variantMembers(schema: JsonObject, schemas: SchemaReader, depth = 0): Record<string, JsonObject> {
  if (depth > 4) return {};
  const name = definitionName(schema);
  const target = name === undefined ? schema : (schemas.definition(name, 'input') ?? {});
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (Array.isArray(target[key]) ? (target[key] as JsonObject[]) : []));
  const inner = parts.map((part) => variantMembers(part, schemas, depth + 1));
  return Object.assign({}, ...inner, target['properties']) as Record<string, JsonObject>;
}

/** How members of a form are written where the document says so. @see OpenAPI 3.1 §4.8.15 Encoding Object */
function encodingOf(mediaType: string, { encoding }: Content, dialect: Dialect): Pick<BodyArguments, 'encoding'> {
  // OpenAPI 3.0 has no styles for multipart forms.
  const hasStyles = mediaType === FORM || (mediaType === MULTIPART && dialect !== '3.0');
  if (!hasStyles || encoding === undefined) return {};
  const described = Object.entries(encoding).flatMap(([name, how]) => {
    if (!isJsonObject(how) || (how['style'] === undefined && how['explode'] === undefined)) return [];
    const style = FORM_STYLES.find((known) => known === how['style']) ?? 'form';
    const explode = typeof how['explode'] === 'boolean' ? how['explode'] : style === 'form' || style === 'deepObject';
    return [[name, { style, explode }] as const];
  });
  return described.length === 0 ? {} : { encoding: Object.fromEntries(described) };
}

/** What a document says of XML or YAML are the members inside, which a text does not have. */
const asText = (schema: JsonObject): JsonObject => {
  if ([schema['type']].flat().includes('string')) return schema;
  return { type: 'string', ...(schema['description'] === undefined ? {} : { description: schema['description'] }) };
};

const bytes = (schema: JsonObject): JsonObject =>
  fileArgument({ ...schema, description: schema['description'] ?? 'The body.' });

/** What may stand beside `properties` in an object that is spread. */
const PLAIN = new Set([
  'type',
  'title',
  'description',
  'properties',
  'required',
  'default',
  'examples',
  'deprecated',
  'allOf',
  'additionalProperties',
  'format',
]);

interface Members {
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
}

/**
 * The members of an object schema, `allOf` merged; `undefined` where an object says more than its members (variants, free
 * members, conditions), or is none: then it stays in one piece.
 */
function membersOf(schema: JsonObject, schemas: SchemaReader, depth = 0): Members | undefined {
  if (depth > 16) return undefined;
  const name = definitionName(schema);
  if (name !== undefined) {
    const target = schemas.definition(name, 'input');
    return target === undefined ? undefined : membersOf(target, schemas, depth + 1);
  }
  const type = Array.isArray(schema['type']) ? schema['type'].filter((one) => one !== 'null') : [schema['type']];
  if (type.some((one) => one !== undefined && one !== 'object')) return undefined;
  if (Object.keys(schema).some((key) => !PLAIN.has(key))) return undefined;
  const free = schema['additionalProperties'];
  if (free !== undefined && free !== false) return undefined;
  const properties: Record<string, JsonObject> = {};
  const required = new Set<string>();
  const parts = [
    ...(Array.isArray(schema['allOf'])
      ? (schema['allOf'] as JsonObject[]).map((part) => membersOf(part, schemas, depth + 1))
      : []),
    own(schema),
  ];
  for (const part of parts) {
    if (part === undefined) return undefined;
    for (const [name, value] of Object.entries(part.properties)) {
      const earlier = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const both = earlier !== undefined && JSON.stringify(earlier) !== JSON.stringify(value);
      Object.defineProperty(properties, name, {
        value: both ? { allOf: [earlier, value] } : value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    for (const name of part.required) required.add(name);
  }
  if (depth === 0 && Object.keys(properties).length === 0) return undefined;
  return { properties, required: [...required].filter((name) => Object.hasOwn(properties, name)) };
}

const own = (schema: JsonObject): Members => ({
  properties: (isJsonObject(schema['properties']) ? schema['properties'] : {}) as Record<string, JsonObject>,
  required: Array.isArray(schema['required']) ? (schema['required'] as string[]) : [],
});

/** The body's binding, once the arguments have their names. */
export function bodyBinding(body: BodyArguments, nameOf: (argument: Argument) => string): BodyBinding {
  const { mediaType, required, encoding, parts } = body;
  const [only] = body.arguments;
  const shared = {
    mediaType,
    required,
    ...(encoding === undefined ? {} : { encoding }),
    ...(parts === undefined ? {} : { parts }),
  };
  if (body.kind === 'member' && only !== undefined) return { ...shared, from: { kind: 'member', argument: nameOf(only) } };
  return {
    ...shared,
    from: { kind: 'spread', members: body.arguments.map((one) => ({ argument: nameOf(one), name: one.name })) },
  };
}
