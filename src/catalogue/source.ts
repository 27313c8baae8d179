// One upstream's document as adapters see it: operations in OpenAPI 3's terms, compiled, and each other's neighbours.

import type { OpenApiOperation } from '../core/adapter.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { type Fixed, NOTHING_FIXED, type RequestContext } from './context.ts';
import { child, type Node } from './node.ts';
import { bodyOf, type Content, parametersOf, responseContent, responsesOf, type SourceOperation } from './operations.ts';
import type { Resolve } from './references.ts';
import { compileRequest } from './requests.ts';
import type { Neighbours } from './standard.ts';

/** Finds operations by operationId and by method and path. An id that two operations have names neither. */
export function neighboursOf(operations: readonly SourceOperation[]): Neighbours {
  const byId = new Map<string, SourceOperation | undefined>();
  const byPath = new Map<string, SourceOperation>();
  for (const operation of operations) {
    const { operationId } = operation;
    if (operationId !== undefined) byId.set(operationId, byId.has(operationId) ? undefined : operation);
    byPath.set(`${operation.method} ${operation.path}`, operation);
  }
  return {
    byId: (operationId) => byId.get(operationId),
    byPath: (method, path) => byPath.get(`${method.toUpperCase()} ${path}`),
  };
}

/** The operation that a name (operationId, or `METHOD /path`) means. */
export function named(name: string, neighbours: Neighbours): SourceOperation | undefined {
  const [, method, path] = /^([A-Za-z]+) +(\/.*)$/.exec(name) ?? [];
  return neighbours.byId(name) ?? (method === undefined || path === undefined ? undefined : neighbours.byPath(method, path));
}

/** An operation as an adapter compiles it. Throws {@link Uncompilable} where its request can't be compiled. */
export function openApiOperation(
  operation: SourceOperation,
  context: RequestContext,
  neighbours: Neighbours,
  fixed: Fixed,
): OpenApiOperation {
  const { operationId } = operation;
  return {
    method: operation.method,
    path: operation.path,
    ...(operationId === undefined ? {} : { operationId }),
    pointer: operation.node.pointer,
    object: resolvedObject(operation, context),
    request: compileRequest(operation, context, fixed).template,
    related: (name) => {
      const other = named(name, neighbours);
      return other === undefined ? undefined : openApiOperation(other, context, neighbours, NOTHING_FIXED);
    },
  };
}

/** The operation object as OpenAPI 3 writes it, references followed one level down. */
function resolvedObject(operation: SourceOperation, context: RequestContext): JsonObject {
  const { document, resolve } = context;
  const parameters = parametersOf(operation, resolve);
  const body = bodyOf(document, operation, parameters, resolve);
  const responses = [...responsesOf(operation, resolve)].map(([status, response]): [string, Json] => [
    status,
    {
      ...(response.value as JsonObject),
      headers: followed(child(response, 'headers'), resolve),
      links: followed(child(response, 'links'), resolve),
      content: contentObject(responseContent(document, operation, response, resolve), resolve),
    },
  ]);
  return {
    ...operation.object,
    parameters: parameters
      .map(({ value }) => value)
      .filter((value) => isJsonObject(value) && !['body', 'formData'].includes(String(value['in']))),
    ...(body === undefined ? {} : { requestBody: { required: body.required, content: bodyContent(body.content, resolve) } }),
    responses: Object.fromEntries(responses),
    callbacks: followed(child(operation.node, 'callbacks'), resolve),
  };
}

const contentObject = (contents: readonly Content[], resolve: Resolve): JsonObject =>
  Object.fromEntries(
    contents.map(({ mediaType, schema }) => [mediaType, schema === undefined ? {} : { schema: resolve(schema).value }]),
  );

/** Of a request body each member's schema is followed too: forms are made of them. */
const bodyContent = (contents: readonly Content[], resolve: Resolve): JsonObject =>
  Object.fromEntries(
    contents.map(({ mediaType, schema }) => [
      mediaType,
      schema === undefined ? {} : { schema: membersOf(resolve(schema), resolve) },
    ]),
  );

function membersOf(schema: Node, resolve: Resolve): Json {
  const { value } = schema;
  if (!isJsonObject(value) || !isJsonObject(value['properties'])) return value;
  return { ...value, properties: followed(child(schema, 'properties'), resolve) };
}

function followed(owner: Node | undefined, resolve: Resolve): JsonObject {
  if (owner === undefined || !isJsonObject(owner.value)) return {};
  return Object.fromEntries(Object.keys(owner.value).map((name) => [name, resolve(child(owner, name) as Node).value]));
}
