// Parameters of path, query, header and cookie: as arguments, and how they are written on the wire.

import type { JsonObject } from '../core/json.ts';
import type { ParameterBinding, ParameterPlace, ParameterStyle } from '../core/request.ts';
import { KEY_ARGUMENT } from '../core/submission-key.ts';
import type { Argument } from './arguments.ts';
import type { Fixed, RequestContext } from './context.ts';
import { problem } from './fault.ts';
import type { OpenApiDocument } from './load.ts';
import type { Node } from './node.ts';
import { contentOf, parameterSchema, type SourceOperation } from './operations.ts';
import { DESCRIPTION_CHARACTERS_MAX } from './schema.ts';
import { clipped } from './texts.ts';

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

/** The arguments that an operation's parameters make, and those parameters that only the gateway gives. */
export function parameterArguments(
  operation: SourceOperation,
  parameters: readonly Node[],
  context: RequestContext,
  fixed: Fixed,
): Argument[] {
  const sent = [...Object.keys(fixed.headers), ...fixed.hidden.flatMap(({ header }) => header ?? [])].map((name) =>
    name.toLowerCase(),
  );
  const hiddenHeaders = new Set([...NOT_ARGUMENTS, ...sent]);
  const hiddenQuery = new Set([...Object.keys(fixed.query), ...fixed.hidden.flatMap(({ query }) => query ?? [])]);
  const [path = ''] = operation.path.split('#', 1);
  const placeholders = new Map([...path.matchAll(/\{(\+?)([^{}]+)\}/g)].map(([, plus, name = '']) => [name, plus === '+']));
  const keyed = new Set(fixed.hidden.flatMap(({ path: keyAt }) => keyAt ?? []));
  const own = (argument: Argument): Argument =>
    argument.place === 'path' && keyed.has(argument.name) ? { ...argument, given: KEY_ARGUMENT } : argument;
  const found: Argument[] = [];
  for (const node of parameters) {
    const { in: place, name } = node.value as JsonObject;
    if (place === 'body' || place === 'formData') continue;
    if (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie') {
      throw problem(node, `has a parameter in "${String(place)}", which is not supported`, 'write it as query parameters');
    }
    if (typeof name !== 'string') throw problem(node, 'has a parameter without a name', 'name it');
    if (place === 'path' && !placeholders.has(name)) continue;
    if (place === 'header' && hiddenHeaders.has(name.toLowerCase())) continue;
    if (place === 'query' && hiddenQuery.has(name)) continue;
    if (context.security.isCredential(place, name)) continue;
    found.push(own(parameterArgument(node, place, name, placeholders.get(name) === true, context)));
  }
  // Published documents forget to describe what their paths plainly need.
  for (const [name, allowReserved] of placeholders) {
    if (found.some((one) => one.place === 'path' && one.name === name)) continue;
    const schema = { type: 'string', minLength: 1 };
    const binding = { name, in: 'path', style: 'simple', explode: false, required: true, allowReserved } as const;
    const bind = (argument: string): ParameterBinding => ({ argument, ...binding });
    found.push(own({ place: 'path', name, required: true, schema, bind }));
  }
  return found;
}

function parameterArgument(node: Node, place: ParameterPlace, name: string, plus: boolean, context: RequestContext): Argument {
  const { document, resolve, schemas } = context;
  const parameter = node.value as JsonObject;
  const source = parameterSchema(document, node, resolve);
  const schema = source === undefined ? { type: 'string' } : schemas.convert(source, 'input');
  const said = typeof parameter['description'] === 'string' ? parameter['description'].trim() : '';
  const description = clipped(said, DESCRIPTION_CHARACTERS_MAX);
  const example = parameter['example'];
  const described: JsonObject = {
    ...schema,
    ...(description === '' ? {} : { description }),
    ...(parameter['deprecated'] === true ? { deprecated: true } : {}),
    ...(example !== undefined && schema['examples'] === undefined && typeof example === 'string'
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
