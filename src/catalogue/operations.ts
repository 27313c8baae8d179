// The operations of a document, each in OpenAPI 3's terms whatever the dialect, every part with the place it came from.
//   O1. Nothing is rewritten in the document: a Swagger 2.0 operation is read as a 3.x one, so pointers stay true to the file.

import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { ToolSource } from '../core/tool.ts';
import type { OpenApiDocument } from './load.ts';
import { child, type Node } from './node.ts';
import type { Resolve } from './references.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

export interface SourceOperation {
  readonly method: string;
  /** As in the document. */
  readonly path: string;
  readonly operationId?: string;
  readonly tags: readonly string[];
  readonly node: Node;
  readonly object: JsonObject;
  readonly pathItem: Node;
  readonly source: ToolSource;
}

/** Every operation, in the order of the document. Path items that can't be followed are handed to `broken`. */
export function operationsOf(
  document: OpenApiDocument,
  resolve: Resolve,
  broken: (path: string, error: unknown) => void,
): SourceOperation[] {
  const { source, root } = document;
  const paths = child({ document: source, pointer: '', value: root }, 'paths');
  if (paths === undefined || !isJsonObject(paths.value)) return [];
  const found: SourceOperation[] = [];
  for (const path of Object.keys(paths.value)) {
    if (!path.startsWith('/')) continue;
    const item = child(paths, path) as Node;
    let target: Node;
    try {
      target = resolve(item);
    } catch (error) {
      broken(path, error);
      continue;
    }
    if (!isJsonObject(target.value)) continue;
    for (const method of METHODS) {
      const node = child(target, method);
      if (node === undefined || !isJsonObject(node.value)) continue;
      const { operationId: id, tags } = node.value;
      const operationId = typeof id === 'string' && id.trim() !== '' ? id : undefined;
      const named = { ...(operationId === undefined ? {} : { operationId }), method: method.toUpperCase(), path };
      found.push({
        ...named,
        tags: Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : [],
        node,
        object: node.value,
        pathItem: target,
        source: {
          document: node.document.file,
          ...named,
          pointer: node.pointer,
          // Looked up when it is asked for: most operations of a large document are never named.
          get line() {
            return node.document.placeOf(node.pointer).line;
          },
        },
      });
    }
  }
  return found;
}

/** Parameters of path item and operation, the operation's own winning, followed. In Swagger 2.0 bodies are among them. */
export function parametersOf(operation: SourceOperation, resolve: Resolve): Node[] {
  const found = new Map<string, Node>();
  for (const owner of [operation.pathItem, operation.node]) {
    const list = child(owner, 'parameters');
    if (list === undefined || !Array.isArray(list.value)) continue;
    for (const index of list.value.keys()) {
      const parameter = resolve(child(list, index) as Node);
      if (!isJsonObject(parameter.value)) continue;
      const place = String(parameter.value['in']);
      // There is one body, whatever Swagger 2.0 calls it.
      const name = place === 'body' ? '' : String(parameter.value['name']);
      found.set(`${place} ${place === 'header' ? name.toLowerCase() : name}`, parameter);
    }
  }
  return [...found.values()];
}

/** A content map: media type as written, and the node of its schema where there is one. */
export interface Content {
  readonly mediaType: string;
  readonly schema?: Node;
  /** `encoding` of a form, by member. */
  readonly encoding?: JsonObject;
}

/** Without parameters, lower case. */
export const bareMediaType = (mediaType: string): string => (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();

/** The `content` of a request body, response or parameter of OpenAPI 3. */
export function contentOf(owner: Node, resolve: Resolve): Content[] {
  const content = child(owner, 'content');
  if (content === undefined || !isJsonObject(content.value)) return [];
  return Object.keys(content.value).map((mediaType) => {
    const media = resolve(child(content, mediaType) as Node);
    const schema = child(media, 'schema');
    const encoding = isJsonObject(media.value) ? media.value['encoding'] : undefined;
    return {
      mediaType: bareMediaType(mediaType),
      ...(schema === undefined ? {} : { schema }),
      ...(isJsonObject(encoding) ? { encoding } : {}),
    };
  });
}

export interface SourceBody {
  readonly required: boolean;
  readonly description?: string;
  readonly content: readonly Content[];
}

/** The request body. Swagger 2.0 writes it as one `body` parameter, or as `formData` parameters. */
export function bodyOf(
  document: OpenApiDocument,
  operation: SourceOperation,
  parameters: readonly Node[],
  resolve: Resolve,
): SourceBody | undefined {
  if (document.dialect !== '2.0') {
    const raw = child(operation.node, 'requestBody');
    if (raw === undefined) return undefined;
    const body = resolve(raw);
    if (!isJsonObject(body.value)) return undefined;
    return { required: body.value['required'] === true, ...said(body.value), content: contentOf(body, resolve) };
  }
  const consumes = mediaTypes(document, operation, 'consumes');
  const body = parameters.find((node) => isJsonObject(node.value) && node.value['in'] === 'body');
  if (body !== undefined && isJsonObject(body.value)) {
    const schema = child(body, 'schema');
    const content = (consumes.length > 0 ? consumes : ['application/json']).map((mediaType) => ({
      mediaType,
      ...(schema === undefined ? {} : { schema }),
    }));
    return { required: body.value['required'] === true, ...said(body.value), content };
  }
  const fields = parameters.filter((node) => isJsonObject(node.value) && node.value['in'] === 'formData');
  const [first] = fields;
  if (first === undefined) return undefined;
  const entries = fields.map(
    (node) => [String((node.value as JsonObject)['name']), withoutPlace(node.value as JsonObject)] as const,
  );
  const required = fields
    .filter((node) => (node.value as JsonObject)['required'] === true)
    .map((node) => String((node.value as JsonObject)['name']));
  const hasFile = fields.some((node) => (node.value as JsonObject)['type'] === 'file');
  const mediaType =
    hasFile || (consumes.includes('multipart/form-data') && !consumes.includes('application/x-www-form-urlencoded'))
      ? 'multipart/form-data'
      : 'application/x-www-form-urlencoded';
  const value = { type: 'object', properties: Object.fromEntries(entries), required } as JsonObject;
  // Lists are joined by commas unless said otherwise; in OpenAPI 3 a form repeats them.
  const lists = fields.map((node) => node.value as JsonObject).filter(({ type }) => type === 'array');
  const encoding = Object.fromEntries(
    lists.map(({ name, collectionFormat }) => [String(name), { style: 'form', explode: collectionFormat === 'multi' }]),
  );
  return { required: required.length > 0, content: [{ mediaType, schema: { ...first, value }, encoding }] };
}

/** Responses by status (`202`, `2XX`, `default`), followed. */
export function responsesOf(operation: SourceOperation, resolve: Resolve): Map<string, Node> {
  const responses = child(operation.node, 'responses');
  if (responses === undefined || !isJsonObject(responses.value)) return new Map();
  const statuses = Object.keys(responses.value).filter((status) => !status.startsWith('x-'));
  return new Map(statuses.map((status) => [status, resolve(child(responses, status) as Node)]));
}

/** What a response holds. Swagger 2.0 writes its schema beside its description. */
export function responseContent(
  document: OpenApiDocument,
  operation: SourceOperation,
  response: Node,
  resolve: Resolve,
): Content[] {
  if (document.dialect !== '2.0') return contentOf(response, resolve);
  const schema = child(response, 'schema');
  if (schema === undefined) return [];
  const produces = mediaTypes(document, operation, 'produces');
  return (produces.length > 0 ? produces : ['application/json']).map((mediaType) => ({ mediaType, schema }));
}

function mediaTypes(document: OpenApiDocument, operation: SourceOperation, key: 'consumes' | 'produces'): string[] {
  const list = operation.object[key] ?? document.root[key];
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string').map(bareMediaType) : [];
}

const said = (object: JsonObject): { description?: string } =>
  typeof object['description'] === 'string' ? { description: object['description'] } : {};

/** A Swagger 2.0 parameter is its own schema, but for these. */
function withoutPlace(parameter: JsonObject): Json {
  const {
    name: _name,
    in: _in,
    required: _required,
    collectionFormat: _format,
    allowEmptyValue: _empty,
    ...schema
  } = parameter;
  return schema;
}

/** The schema of a parameter, with its description. */
export function parameterSchema(document: OpenApiDocument, parameter: Node, resolve: Resolve): Node | undefined {
  if (document.dialect === '2.0') return { ...parameter, value: withoutPlace(parameter.value as JsonObject) };
  return child(parameter, 'schema') ?? contentOf(parameter, resolve)[0]?.schema;
}
