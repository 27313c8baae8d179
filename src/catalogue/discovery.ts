// Google's discovery documents, read as OpenAPI 3.1. @see https://developers.google.com/discovery/v1/reference/apis
//   G1. Pure: the document is not changed, and every place in what comes out is a place of the file.
//   G2. `{+name}` stays: its slashes are part of the name. Methods that then share a path are told apart by a fragment, which
//       never travels; the one that reads operations keeps the plain path, since that is where operations are looked for.

import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { SourceDocument } from './node.ts';
import { escapeToken } from './pointer.ts';

/** The path with one placeholder for each part of a name, where the wire has one for the whole name. */
export const FLAT_PATH = 'x-flat-path';

/** Where a part of the outcome came from: pointer there, pointer in the file. */
type Origins = Map<string, string>;

interface Method {
  readonly object: JsonObject;
  readonly pointer: string;
  readonly tag: string;
}

export const isDiscovery = ({ root }: SourceDocument): boolean =>
  isJsonObject(root) && typeof root['discoveryVersion'] === 'string';

/** The document as OpenAPI 3.1. */
export function fromDiscovery(source: SourceDocument): SourceDocument {
  const root = source.root as JsonObject;
  const origins: Origins = new Map();
  const schemas = objectOf(root['schemas']);
  const converted: JsonObject = {
    openapi: '3.1.0',
    info: {
      title: text(root['title']) || text(root['name']),
      version: text(root['version']) || '1',
      description: text(root['description']),
    },
    servers: [{ url: serverOf(root) }],
    paths: pathsOf(root, origins),
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schemaOf(schema)])),
      ...securityOf(root),
    },
  };
  for (const name of Object.keys(schemas)) {
    const token = escapeToken(name);
    origins.set(`/components/schemas/${token}`, `/schemas/${token}`);
  }
  return { ...source, root: converted, placeOf: (pointer) => source.placeOf(originOf(pointer, origins)) };
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

const serverOf = (root: JsonObject): string =>
  (text(root['rootUrl']) + text(root['servicePath']) || text(root['baseUrl'])).replace(/\/+$/, '');

function securityOf(root: JsonObject): JsonObject {
  const scopes = Object.entries(objectOf(objectOf(objectOf(root['auth'])['oauth2'])['scopes']));
  if (scopes.length === 0) return {};
  const described = Object.fromEntries(scopes.map(([scope, said]) => [scope, text(objectOf(said)['description'])]));
  const flow = {
    authorizationUrl: 'https://accounts.google.com/o/oauth2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    scopes: described,
  };
  return { securitySchemes: { oauth2: { type: 'oauth2', flows: { authorizationCode: flow } } } };
}

/** Every method, those of nested resources among them. */
function methodsOf(owner: JsonObject, pointer = '', tags: readonly string[] = []): Method[] {
  const own = Object.entries(objectOf(owner['methods'])).flatMap(([name, object]): Method[] =>
    isJsonObject(object) ? [{ object, pointer: `${pointer}/methods/${escapeToken(name)}`, tag: tags.join('.') }] : [],
  );
  const nested = Object.entries(objectOf(owner['resources'])).flatMap(([name, resource]) =>
    methodsOf(objectOf(resource), `${pointer}/resources/${escapeToken(name)}`, [...tags, name]),
  );
  return [...own, ...nested];
}

function pathsOf(root: JsonObject, origins: Origins): JsonObject {
  const methods = methodsOf(root);
  const readsOperations = ({ tag, object }: Method) => /(^|\.)operations$/.test(tag) && text(object['id']).endsWith('.get');
  const paths: Record<string, JsonObject> = {};
  for (const method of [...methods].sort((one, other) => Number(readsOperations(other)) - Number(readsOperations(one)))) {
    const { object, pointer } = method;
    const id = text(object['id']);
    const plain = `/${text(object['path']).replace(/^\/+/, '')}`;
    const verb = text(object['httpMethod']).toLowerCase();
    const path = paths[plain]?.[verb] === undefined ? plain : `${plain}#${id}`;
    paths[path] = { ...paths[path], [verb]: operationOf(method, root) };
    origins.set(`/paths/${escapeToken(path)}/${verb}`, pointer);
  }
  return paths;
}

function operationOf({ object, tag }: Method, root: JsonObject): JsonObject {
  const request = text(objectOf(object['request'])['$ref']);
  const response = text(objectOf(object['response'])['$ref']);
  const scopes = Array.isArray(object['scopes']) ? object['scopes'] : [];
  const flat = text(object['flatPath']);
  const parameters = Object.entries(objectOf(object['parameters'])).flatMap(([name, parameter]) =>
    isJsonObject(parameter) ? [parameterOf(name, parameter)] : [],
  );
  return {
    operationId: text(object['id']),
    ...(tag === '' ? {} : { tags: [tag] }),
    description: text(object['description']),
    ...(object['deprecated'] === true ? { deprecated: true } : {}),
    ...(flat === '' || flat === text(object['path']) ? {} : { [FLAT_PATH]: `/${flat}` }),
    parameters,
    ...(request === '' ? {} : { requestBody: { content: contentOf(request) } }),
    responses: { 200: { description: 'Success.', ...(response === '' ? {} : { content: contentOf(response) }) } },
    // Of the scopes any one is enough.
    ...(scopes.length > 0 && isJsonObject(root['auth']) ? { security: scopes.map((scope) => ({ oauth2: [scope] })) } : {}),
  };
}

const contentOf = (name: string): JsonObject => ({ 'application/json': { schema: { $ref: refTo(name) } } });
const refTo = (name: string): string => `#/components/schemas/${escapeToken(name)}`;

function parameterOf(name: string, parameter: JsonObject): JsonObject {
  const { location, required, description, repeated, deprecated, ...schema } = parameter;
  const single = schemaOf(schema);
  return {
    name,
    in: text(location) || 'query',
    ...(required === true || location === 'path' ? { required: true } : {}),
    ...(description === undefined ? {} : { description }),
    ...(deprecated === true ? { deprecated: true } : {}),
    schema: repeated === true ? { type: 'array', items: single } : single,
  };
}

/** A discovery schema is JSON Schema draft 3 with names for references. Members are required by a method, not by their schema. */
function schemaOf(schema: Json): Json {
  if (!isJsonObject(schema)) return {};
  const { id: _id, required: _required, annotations: _annotations, enumDescriptions: _enumDescriptions, ...rest } = schema;
  const said: Record<string, Json> = {};
  for (const [key, value] of Object.entries(rest)) {
    if (key === '$ref' && typeof value === 'string') said['$ref'] = refTo(value);
    else if (key === 'properties' && isJsonObject(value)) {
      said['properties'] = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, schemaOf(member)]));
    } else if (key === 'items' || key === 'additionalProperties') said[key] = schemaOf(value);
    else if (!(key === 'type' && value === 'any')) said[key] = value;
  }
  return said;
}

/** The pointer in the file of what the outcome has at `pointer`, or of what is around it. */
function originOf(pointer: string, origins: Origins): string {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const origin = origins.get(at);
    if (origin !== undefined) return origin + pointer.slice(at.length);
  }
  return '';
}
