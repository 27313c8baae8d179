// Bodies: as arguments, whole or member by member, and in which media type they are sent.

import { isJsonType, isTextType } from '../core/body.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { BodyBinding } from '../core/request.ts';
import type { Argument } from './arguments.ts';
import type { Fixed, RequestContext } from './context.ts';
import { problem } from './fault.ts';
import { child, type Node } from './node.ts';
import { bodyOf, type Content, type SourceOperation } from './operations.ts';
import { definitionName, type SchemaReader } from './schema.ts';

const FORM = 'application/x-www-form-urlencoded';
const FORM_STYLES = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const;
/** Methods that have no body anywhere: HTTP clients refuse to send one. */
const BODILESS = new Set(['GET', 'HEAD', 'TRACE']);

export interface BodyArguments {
  readonly encoding?: NonNullable<BodyBinding['encoding']>;
  readonly mediaType: string;
  readonly required: boolean;
  /** One argument for the whole, or one for each member. */
  readonly kind: 'member' | 'spread';
  readonly arguments: readonly Argument[];
}

/** JSON first, then forms, then text, then bytes. */
function preferred(content: readonly Content[]): Content | undefined {
  const is = (test: (mediaType: string) => boolean) => content.find(({ mediaType }) => test(mediaType));
  return (
    is((type) => type === 'application/json') ??
    is((type) => isJsonType(type)) ??
    is((type) => type === FORM) ??
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
      `takes its body only as ${types}, which is not supported yet`,
      'offer a JSON, form, text or binary body, or exclude the operation',
    );
  }
  // A wildcard names no type: what it is follows from the schema.
  const wild = chosen.mediaType.includes('*');
  const whole = chosen.schema === undefined ? {} : schemas.convert(chosen.schema, 'input');
  const mediaType = !wild ? chosen.mediaType : whole['type'] === 'string' ? 'application/octet-stream' : 'application/json';
  const hidden = new Set([...Object.keys(fixed.body), fixed.hidden.body?.split('/')[1] ?? '']);
  const isMembers = isJsonType(mediaType) || mediaType === FORM;
  const members = isMembers ? membersOf(whole, schemas) : undefined;
  if (members !== undefined) {
    const required = new Set(members.required);
    const shown = Object.entries(members.properties).filter(([name]) => !hidden.has(name));
    const list = shown.map(([name, schema]): Argument => ({ place: 'body', name, required: required.has(name), schema }));
    return { mediaType, required: body.required, kind: 'spread', arguments: list, ...encodingOf(mediaType, chosen) };
  }
  const described =
    whole['description'] === undefined && body.description !== undefined ? { ...whole, description: body.description } : whole;
  const schema = isMembers ? described : isTextType(mediaType) ? { ...described, type: 'string' } : bytes(described);
  return {
    mediaType,
    required: body.required,
    kind: 'member',
    arguments: [{ place: 'body', name: 'body', required: body.required, schema }],
    ...encodingOf(mediaType, chosen),
  };
}

/** How members of a form are written where the document says so. @see OpenAPI 3.1 §4.8.15 Encoding Object */
function encodingOf(mediaType: string, { encoding }: Content): Pick<BodyArguments, 'encoding'> {
  if (mediaType !== FORM || encoding === undefined) return {};
  const described = Object.entries(encoding).flatMap(([name, how]) => {
    if (!isJsonObject(how) || (how['style'] === undefined && how['explode'] === undefined)) return [];
    const style = FORM_STYLES.find((known) => known === how['style']) ?? 'form';
    const explode = typeof how['explode'] === 'boolean' ? how['explode'] : style === 'form' || style === 'deepObject';
    return [[name, { style, explode }] as const];
  });
  return described.length === 0 ? {} : { encoding: Object.fromEntries(described) };
}

function bytes(schema: JsonObject): JsonObject {
  const { format: _format, ...rest } = schema;
  return {
    ...rest,
    type: 'string',
    contentEncoding: 'base64',
    description: `${String(rest['description'] ?? 'The body.')} In base64.`,
  };
}

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
  const { mediaType, required, encoding } = body;
  const [only] = body.arguments;
  const shared = { mediaType, required, ...(encoding === undefined ? {} : { encoding }) };
  if (body.kind === 'member' && only !== undefined) return { ...shared, from: { kind: 'member', argument: nameOf(only) } };
  return {
    ...shared,
    from: { kind: 'spread', members: body.arguments.map((one) => ({ argument: nameOf(one), name: one.name })) },
  };
}
