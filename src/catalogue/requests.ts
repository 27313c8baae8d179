// How an operation is called: its parameters and body as flat arguments, their schema, and the template that puts them back.
//   Q1. Every argument of the schema is bound in the template, or in a step of its job; every binding is an argument of the schema.
//   Q2. What the gateway itself sends (credentials, the submission key, constants of the description) is no argument.

import { isJsonType } from '../core/body.ts';
import type { JsonObject } from '../core/json.ts';
import type { RequestTemplate } from '../core/request.ts';
import { type Argument, argumentNames } from './arguments.ts';
import { bodyArguments, bodyBinding } from './bodies.ts';
import type { Fixed, RequestContext } from './context.ts';
import type { OpenApiDocument } from './load.ts';
import { parametersOf, responseContent, responsesOf, type SourceOperation } from './operations.ts';
import { parameterArguments } from './parameters.ts';
import { escapeToken } from './pointer.ts';
import type { Resolve } from './references.ts';

export interface CompiledRequest {
  readonly template: RequestTemplate;
  readonly inputSchema: JsonObject;
  /** Parts of the schema were left out for its size. */
  readonly isCut: boolean;
  /** Of the path parameter that is the submission key. */
  readonly keySchema?: JsonObject;
}

/** Compiles how an operation is called. Throws {@link Uncompilable}. */
export function compileRequest(operation: SourceOperation, context: RequestContext, fixed: Fixed): CompiledRequest {
  const { document, resolve, schemas } = context;
  const parameters = parametersOf(operation, resolve);
  const found = parameterArguments(operation, parameters, context, fixed);
  const body = bodyArguments(operation, context, parameters, fixed);
  const shown = found.filter(({ given }) => given === undefined);
  const own = [...shown, ...(body?.arguments ?? [])];
  const all = [...own, ...(fixed.more ?? []).filter(({ name }) => own.every((one) => one.name !== name))];
  const names = argumentNames(all);
  const nameOf = (argument: Argument) => names[all.indexOf(argument)] as string;

  const binding = body === undefined ? undefined : bodyBinding(body, nameOf);
  const security = context.security.of(operation);
  const template: RequestTemplate = {
    method: operation.method,
    server: context.servers.of(operation),
    path: operation.path,
    parameters: found.flatMap((argument) => argument.bind?.(argument.given ?? nameOf(argument)) ?? []),
    ...(binding === undefined ? {} : { body: binding }),
    headers: Object.entries(fixed.headers),
    query: Object.entries(fixed.query),
    bodyConstants: Object.entries(fixed.body).map(([name, value]) => ({
      pointer: `/${escapeToken(name)}`,
      value,
    })),
    accept: acceptOf(document, operation, resolve),
    ...(security === undefined ? {} : { security }),
  };
  const bodyNames = body?.required === false ? body.arguments.filter((one) => one.required).map(nameOf) : [];
  const required = all.filter((one) => one.required && !bodyNames.includes(nameOf(one))).map(nameOf);
  // The body itself may be left out; its required members only count where any of it is given.
  const dependent = (bodyNames.length === 0 ? [] : (body?.arguments ?? []))
    .map((one) => [nameOf(one), bodyNames.filter((name) => name !== nameOf(one))] as const)
    .filter(([, needed]) => needed.length > 0);
  const schema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(all.map((argument) => [nameOf(argument), argument.schema])),
    ...(required.length > 0 ? { required } : {}),
    ...(dependent.length > 0 ? { dependentRequired: Object.fromEntries(dependent) } : {}),
    additionalProperties: false,
  };
  const { schema: inputSchema, isCut } = context.fit(schemas.close(schema, 'input'));
  const keyed = found.find(({ given }) => given !== undefined);
  return { template, inputSchema, isCut, ...(keyed && { keySchema: schemas.close(keyed.schema, 'input') }) };
}

/** What the success answers hold, JSON before the rest. */
function acceptOf(document: OpenApiDocument, operation: SourceOperation, resolve: Resolve): string {
  const types = new Set<string>();
  for (const [status, response] of responsesOf(operation, resolve)) {
    if (!/^(2|default)/i.test(status)) continue;
    for (const { mediaType } of responseContent(document, operation, response, resolve))
      if (!mediaType.includes('*')) types.add(mediaType);
  }
  const json = [...types].filter((type) => isJsonType(type));
  const rest = [...types].filter((type) => !isJsonType(type));
  if (types.size === 0) return 'application/json, */*;q=0.8';
  const chosen = json.length > 0 ? json.slice(0, 2) : rest.slice(0, 4);
  return [...chosen, '*/*;q=0.8'].join(', ');
}
