// How an operation is called: its parameters and body as flat arguments, their schema, and the template that puts them back.
//   Q1. Every argument of the schema is bound in the template, and every binding is an argument of the schema.
//   Q2. What the gateway itself sends (credentials, the submission key, constants of the description) is no argument.

import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { BodyBinding, ParameterBinding, ParameterPlace, ParameterStyle, RequestTemplate } from '../core/request.ts';
import { argumentNames, type Wanted } from './arguments.ts';
import type { Node } from './document.ts';
import { Uncompilable } from './fault.ts';
import type { OpenApiDocument } from './load.ts';
import {
  bodyOf,
  type Content,
  contentOf,
  parameterSchema,
  parametersOf,
  responseContent,
  responsesOf,
  type SourceOperation,
} from './operations.ts';
import { child, type Resolve } from './references.ts';
import type { SchemaReader } from './schema.ts';
import type { Security } from './security.ts';
import type { Servers } from './servers.ts';

export interface RequestContext {
  readonly document: OpenApiDocument;
  readonly resolve: Resolve;
  readonly schemas: SchemaReader;
  readonly servers: Servers;
  readonly security: Security;
}

/** What the gateway sends itself. */
export interface Fixed {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, Json>>;
  /** Sent by the adapter, each call its own: names that are no arguments. */
  readonly hidden: { readonly header?: string; readonly query?: string; readonly body?: string };
}

export const NOTHING_FIXED: Fixed = { headers: {}, query: {}, body: {}, hidden: {} };

export interface CompiledRequest {
  readonly template: RequestTemplate;
  readonly inputSchema: JsonObject;
}

/** Said elsewhere in OpenAPI, or the connection's own. @see OpenAPI 3.1 §4.8.12.2 */
const NOT_ARGUMENTS = new Set([
  'accept',
  'content-type',
  'authorization',
  'host',
  'cookie',
  'content-length',
  'connection',
  'transfer-encoding',
]);
const STYLES: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};
const COLLECTIONS: Readonly<Record<string, ParameterStyle>> = { ssv: 'spaceDelimited', pipes: 'pipeDelimited' };
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = /^(?:application|text)\/json$|\+json$/;
const TEXT_TYPE = /^text\/|xml$|yaml$|graphql$|sql$|x-ndjson$|jsonl$|javascript$/;
/** Methods that have no body anywhere: HTTP clients refuse to send one. */
const BODILESS = new Set(['GET', 'HEAD', 'TRACE']);

interface Argument extends Wanted {
  readonly required: boolean;
  readonly schema: JsonObject;
  /** Its binding, once the name is known. */
  readonly bind?: (argument: string) => ParameterBinding;
}

/** Compiles how an operation is called. Throws {@link Uncompilable}. */
export function compileRequest(operation: SourceOperation, context: RequestContext, fixed: Fixed): CompiledRequest {
  const { document, resolve, schemas } = context;
  const uses = new Set<string>();
  const parameters = parametersOf(operation, resolve);
  const hiddenHeaders = new Set([
    ...NOT_ARGUMENTS,
    ...[...Object.keys(fixed.headers), fixed.hidden.header ?? ''].map((name) => name.toLowerCase()),
  ]);
  const hiddenQuery = new Set([...Object.keys(fixed.query), fixed.hidden.query ?? '']);

  const placeholders = [
    ...operation.path
      .split('#', 1)
      .join('')
      .matchAll(/\{(\+?)([^{}]+)\}/g),
  ].map(([, plus, name]) => ({ reserved: plus === '+', name: name ?? '' }));
  const found: Argument[] = [];
  for (const node of parameters) {
    const parameter = node.value as JsonObject;
    const { in: place, name } = parameter;
    if (place === 'body' || place === 'formData') continue;
    if (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie') {
      throw problem(node, `has a parameter in "${String(place)}", which is not supported`, 'write it as query parameters');
    }
    if (typeof name !== 'string') throw problem(node, 'has a parameter without a name', 'name it');
    if (place === 'path' && !placeholders.some((one) => one.name === name)) continue;
    if (place === 'header' && hiddenHeaders.has(name.toLowerCase())) continue;
    if (place === 'query' && hiddenQuery.has(name)) continue;
    if (context.security.isCredential(place, name)) continue;
    found.push(
      parameterArgument(node, place, name, placeholders.find((one) => one.name === name)?.reserved === true, context, uses),
    );
  }
  for (const { name, reserved } of placeholders) {
    if (found.some((one) => one.place === 'path' && one.name === name)) continue;
    const schema = { type: 'string', minLength: 1 };
    const bind = (argument: string): ParameterBinding => ({
      argument,
      name,
      in: 'path',
      style: 'simple',
      explode: false,
      required: true,
      allowReserved: reserved,
    });
    found.push({ place: 'path', name, required: true, schema, bind });
  }

  const body = bodyArguments(operation, context, parameters, fixed, uses);
  const all = [...found, ...(body?.arguments ?? [])];
  const names = argumentNames(all);
  const nameOf = (argument: Argument) => names[all.indexOf(argument)] as string;

  const binding = body === undefined ? undefined : bodyBinding(body, nameOf);
  const security = context.security.of(operation);
  const template: RequestTemplate = {
    method: operation.method,
    server: context.servers.of(operation),
    path: operation.path,
    parameters: found.flatMap((argument) => argument.bind?.(nameOf(argument)) ?? []),
    ...(binding === undefined ? {} : { body: binding }),
    headers: Object.entries(fixed.headers),
    query: Object.entries(fixed.query),
    bodyConstants: Object.entries(fixed.body).map(([name, value]) => ({
      pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      value,
    })),
    accept: acceptOf(document, operation, resolve),
    ...(security === undefined ? {} : { security }),
  };
  const bodyNames = body?.required === false ? body.arguments.filter((one) => one.required).map(nameOf) : [];
  const required = all.filter((one) => one.required && !bodyNames.includes(nameOf(one))).map(nameOf);
  const definitions = schemas.definitions(uses, 'input');
  const inputSchema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(all.map((argument) => [nameOf(argument), argument.schema])),
    ...(required.length > 0 ? { required } : {}),
    // The body itself may be left out; its required members only count where any of it is given.
    ...(bodyNames.length > 0 && body !== undefined
      ? {
          dependentRequired: Object.fromEntries(
            body.arguments.map((one) => [nameOf(one), bodyNames.filter((name) => name !== nameOf(one))]),
          ),
        }
      : {}),
    additionalProperties: false,
    ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {}),
  };
  return { template, inputSchema };
}

function problem(node: Node, message: string, mend: string): Uncompilable {
  const { file, placeOf } = node.document;
  return new Uncompilable({ file, ...placeOf(node.pointer), pointer: node.pointer, message, mend });
}

function parameterArgument(
  node: Node,
  place: ParameterPlace,
  name: string,
  plus: boolean,
  context: RequestContext,
  uses: Set<string>,
): Argument {
  const { document, resolve, schemas } = context;
  const parameter = node.value as JsonObject;
  const source = parameterSchema(document, node, resolve);
  const schema = source === undefined ? { type: 'string' } : schemas.convert(source, 'input', uses);
  const description = typeof parameter['description'] === 'string' ? parameter['description'].trim() : '';
  const example = parameter['example'];
  const described: JsonObject = {
    ...schema,
    ...(description === '' ? {} : { description }),
    ...(parameter['deprecated'] === true ? { deprecated: true } : {}),
    ...(example !== undefined && schema['examples'] === undefined && typeof example !== 'object'
      ? { examples: [example] }
      : {}),
  };
  const [content] = document.dialect === '2.0' ? [] : contentOf(node, resolve);
  const required = place === 'path' || parameter['required'] === true;
  const { style, explode } = styleOf(document, parameter, place);
  return {
    place,
    name,
    required,
    schema: place === 'path' ? notEmpty(described) : described,
    bind: (argument) => ({
      argument,
      name,
      in: place,
      style,
      explode,
      required,
      allowReserved: plus || parameter['allowReserved'] === true,
      ...(content === undefined ? {} : { mediaType: content.mediaType }),
    }),
  };
}

/** @see OpenAPI 3.1 §4.8.12.2 Fixed Fields for use with schema; Swagger 2.0, `collectionFormat` */
function styleOf(
  document: OpenApiDocument,
  parameter: JsonObject,
  place: ParameterPlace,
): { style: ParameterStyle; explode: boolean } {
  const initial = STYLES[place][0] as ParameterStyle;
  if (document.dialect === '2.0') {
    const format = String(parameter['collectionFormat'] ?? 'csv');
    return { style: place === 'query' ? (COLLECTIONS[format] ?? initial) : initial, explode: format === 'multi' };
  }
  const style = STYLES[place].find((allowed) => allowed === parameter['style']) ?? initial;
  const explode = typeof parameter['explode'] === 'boolean' ? parameter['explode'] : style === 'form' || style === 'deepObject';
  return { style, explode };
}

/** An empty path segment would be another path. */
function notEmpty(schema: JsonObject): JsonObject {
  if (schema['type'] === 'string') return { ...schema, minLength: Math.max(1, Number(schema['minLength'] ?? 0)) };
  const isSafe = ['integer', 'number', 'boolean'].includes(String(schema['type']));
  return isSafe ? schema : { ...schema, not: { enum: ['', null] } };
}

interface BodyArguments {
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
    is((type) => JSON_TYPE.test(type)) ??
    is((type) => type === FORM) ??
    is((type) => TEXT_TYPE.test(type)) ??
    is((type) => !type.startsWith('multipart/'))
  );
}

function bodyArguments(
  operation: SourceOperation,
  context: RequestContext,
  parameters: readonly Node[],
  fixed: Fixed,
  uses: Set<string>,
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
  const whole = chosen.schema === undefined ? {} : schemas.convert(chosen.schema, 'input', uses);
  const mediaType = !wild ? chosen.mediaType : whole['type'] === 'string' ? 'application/octet-stream' : 'application/json';
  const hidden = new Set([...Object.keys(fixed.body), fixed.hidden.body?.split('/')[1] ?? '']);
  const isMembers = JSON_TYPE.test(mediaType) || mediaType === FORM;
  const members = isMembers ? membersOf(whole, schemas) : undefined;
  if (members !== undefined) {
    const required = new Set(members.required);
    const shown = Object.entries(members.properties).filter(([name]) => !hidden.has(name));
    const list = shown.map(([name, schema]): Argument => ({ place: 'body', name, required: required.has(name), schema }));
    return { mediaType, required: body.required, kind: 'spread', arguments: list };
  }
  const described =
    whole['description'] === undefined && body.description !== undefined ? { ...whole, description: body.description } : whole;
  const schema = isMembers ? described : TEXT_TYPE.test(mediaType) ? { ...described, type: 'string' } : bytes(described);
  return {
    mediaType,
    required: body.required,
    kind: 'member',
    arguments: [{ place: 'body', name: 'body', required: body.required, schema }],
  };
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
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const target = schemas.definition(ref.slice('#/$defs/'.length), 'input');
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

function bodyBinding(body: BodyArguments, nameOf: (argument: Argument) => string): BodyBinding {
  const { mediaType, required } = body;
  const [only] = body.arguments;
  if (body.kind === 'member' && only !== undefined)
    return { mediaType, required, from: { kind: 'member', argument: nameOf(only) } };
  return {
    mediaType,
    required,
    from: { kind: 'spread', members: body.arguments.map((one) => ({ argument: nameOf(one), name: one.name })) },
  };
}

/** What the success answers hold, JSON before the rest. */
function acceptOf(document: OpenApiDocument, operation: SourceOperation, resolve: Resolve): string {
  const types = new Set<string>();
  for (const [status, response] of responsesOf(operation, resolve)) {
    if (!/^(2|default)/i.test(status)) continue;
    for (const { mediaType } of responseContent(document, operation, response, resolve))
      if (!mediaType.includes('*')) types.add(mediaType);
  }
  const json = [...types].filter((type) => JSON_TYPE.test(type));
  const rest = [...types].filter((type) => !JSON_TYPE.test(type));
  if (types.size === 0) return 'application/json, */*;q=0.8';
  const chosen = json.length > 0 ? json.slice(0, 2) : rest.slice(0, 4);
  return [...chosen, '*/*;q=0.8'].join(', ');
}
