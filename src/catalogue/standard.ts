// What OpenAPI's own means say about a job, without any extension: links, headers of a 202, and the shape of AIP-151.
//   M1. A link is believed only as far as the document bears it out: its expression must resolve in the response's schema.
//   M2. A word that a document's enum holds is an ending only where it can be nothing else.

import type { HelperRequest, JobDescription } from '../core/description.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { MEANINGS, type Meaning, meaningOf } from '../core/states.ts';
import type { Fault } from '../errors.ts';
import type { RequestContext } from './context.ts';
import { child, type Node } from './node.ts';
import { responseContent, responsesOf, type SourceOperation } from './operations.ts';
import { tokensOf, tokensOfFragment } from './pointer.ts';

export interface StandardDescription {
  readonly description: JobDescription;
  /** For people: what in the document says so. */
  readonly evidence: string;
}

export interface Neighbours {
  byId(operationId: string): SourceOperation | undefined;
  byPath(method: string, path: string): SourceOperation | undefined;
}

const HANDLE_HEADERS = ['operation-location', 'azure-asyncoperation', 'location'];
const STATUS_MEMBERS = ['status', 'state', 'phase', 'jobStatus', 'job_status'];
const RESULTS = /result|output|download|content/i;
const CANCELS = /cancel|abort|stop|terminate|dismiss/i;
/** Words that end a job well where nothing else in the enum does. */
const LIKELY_SUCCESS = /^(completed|complete|done|finished|ended)$/i;

/** What the document itself says of an operation; `undefined` where it says nothing of a job. */
export function standardDescription(
  operation: SourceOperation,
  context: RequestContext,
  neighbours: Neighbours,
  warnings: Fault[],
): StandardDescription | undefined {
  const { resolve } = context;
  const answers = [...responsesOf(operation, resolve)].filter(([status]) => /^2/.test(status));
  for (const [status, response] of answers) {
    if (isLongRunningOperation(schemaOf(operation, response, context), context)) {
      return {
        description: { adapter: 'aip-151' },
        evidence: `the schema of ${status} is a long-running operation (name, done, error or response)`,
      };
    }
  }
  const headers = answers.filter(([status]) => status === '202').flatMap(([, response]) => handleHeaders(response));
  const linked = answers
    .map(([status, response]) => readLinks(operation, status, response, context, neighbours, warnings))
    .find((links) => links !== undefined);
  if (linked === undefined && headers.length === 0) return undefined;
  const handle = { ...linked?.description.handle, ...(headers.length > 0 ? { headers } : {}) };
  return {
    description: { ...linked?.description, handle },
    evidence: [
      ...(linked === undefined ? [] : [linked.evidence]),
      ...(headers.length > 0 ? [`202 has the header ${headers.join(', ')}`] : []),
    ].join('; '),
  };
}

function schemaOf(operation: SourceOperation, response: Node, context: RequestContext): Node | undefined {
  const json = responseContent(context.document, operation, response, context.resolve).find(({ mediaType }) =>
    /\bjson$|\+json$|\*/.test(mediaType),
  );
  return json?.schema === undefined ? undefined : context.resolve(json.schema);
}

/** Members of an object schema, `allOf` looked into. */
function membersOf(schema: Node | undefined, context: RequestContext, depth = 0): Map<string, Node> {
  const found = new Map<string, Node>();
  if (schema === undefined || !isJsonObject(schema.value) || depth > 8) return found;
  const parts = child(schema, 'allOf');
  if (parts !== undefined && Array.isArray(parts.value)) {
    for (const index of parts.value.keys()) {
      for (const [name, node] of membersOf(context.resolve(child(parts, index) as Node), context, depth + 1))
        found.set(name, node);
    }
  }
  const properties = child(schema, 'properties');
  for (const name of properties !== undefined && isJsonObject(properties.value) ? Object.keys(properties.value) : []) {
    found.set(name, child(properties as Node, name) as Node);
  }
  return found;
}

/** @see AIP-151, google.longrunning.Operation */
function isLongRunningOperation(schema: Node | undefined, context: RequestContext): boolean {
  const members = membersOf(schema, context);
  const done = members.get('done');
  if (done === undefined || !members.has('name') || !(members.has('response') || members.has('error'))) return false;
  const value = context.resolve(done).value;
  return isJsonObject(value) && value['type'] === 'boolean';
}

function handleHeaders(response: Node): string[] {
  const headers = child(response, 'headers');
  const names = headers !== undefined && isJsonObject(headers.value) ? Object.keys(headers.value) : [];
  return HANDLE_HEADERS.flatMap((wanted) => names.find((name) => name.toLowerCase() === wanted) ?? []);
}

interface Link {
  readonly name: string;
  readonly operation: SourceOperation;
  readonly id?: string;
}

function readLinks(
  operation: SourceOperation,
  status: string,
  response: Node,
  context: RequestContext,
  neighbours: Neighbours,
  warnings: Fault[],
): StandardDescription | undefined {
  const links = linksOf(operation, response, context, neighbours, warnings);
  const gets = links.filter((link) => link.operation.method === 'GET' && link.id !== undefined);
  const statusLink = gets.find((link) => !isNamed(link, RESULTS)) ?? gets[0];
  if (statusLink === undefined) return undefined;
  const state = stateOf(statusLink.operation, context);
  // A 201 with a link to what was created is how any resource is described; a job shows a state that ends.
  if (status !== '202' && state?.succeeded === undefined) return undefined;
  const result = gets.find((link) => link !== statusLink && isNamed(link, RESULTS));
  const cancel = links.find(
    (link) => link.operation.method !== 'GET' && (isNamed(link, CANCELS) || link.operation.method === 'DELETE'),
  );
  return {
    description: {
      handle: { id: statusLink.id as string },
      status: requestOf(statusLink),
      ...(state === undefined ? {} : { state }),
      ...(result === undefined ? {} : { result: requestOf(result) }),
      ...(cancel === undefined
        ? {}
        : { cancel: { ...requestOf(cancel), ...(cancel.operation.method === 'DELETE' ? { deletes: true } : {}) } }),
    },
    evidence: `the link ${statusLink.name} of ${status} leads to its status`,
  };
}

const isNamed = (link: Link, pattern: RegExp): boolean =>
  [link.name, link.operation.operationId ?? '', link.operation.path.slice(link.operation.path.lastIndexOf('/'))].some((text) =>
    pattern.test(text),
  );

const requestOf = ({ operation }: Link): HelperRequest => ({
  operation: operation.operationId ?? `${operation.method} ${operation.path}`,
});

function linksOf(
  operation: SourceOperation,
  response: Node,
  context: RequestContext,
  neighbours: Neighbours,
  warnings: Fault[],
): Link[] {
  const links = child(response, 'links');
  if (links === undefined || !isJsonObject(links.value)) return [];
  const schema = schemaOf(operation, response, context);
  return Object.keys(links.value).flatMap((name): Link[] => {
    const node = context.resolve(child(links, name) as Node);
    if (!isJsonObject(node.value)) return [];
    const drop = (message: string): Link[] => {
      const { file, placeOf } = node.document;
      warnings.push({
        file,
        ...placeOf(node.pointer),
        pointer: node.pointer,
        message: `the link ${name} is not used: ${message}`,
        mend: 'correct the link, or describe the job with x-longshore',
      });
      return [];
    };
    const target = targetOf(node.value, neighbours);
    if (target === undefined) return drop('the operation that it names does not exist');
    const { parameters } = node.value;
    const expressions = Object.values(isJsonObject(parameters) ? parameters : {}).filter(
      (value): value is string => typeof value === 'string' && value.startsWith('$response.'),
    );
    const bad = expressions.find((expression) => !resolves(expression, schema, context));
    if (bad !== undefined) return drop(`${bad} does not exist in the schema of the response`);
    const [id] = expressions;
    return [{ name, operation: target, ...(id === undefined ? {} : { id }) }];
  });
}

function targetOf(link: JsonObject, neighbours: Neighbours): SourceOperation | undefined {
  if (typeof link['operationId'] === 'string') return neighbours.byId(link['operationId']);
  const ref = link['operationRef'];
  if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined;
  const [, path = '', method = ''] = tokensOfFragment(ref.slice(1));
  return neighbours.byPath(method.toUpperCase(), path);
}

/** Whether an expression names something that the schema of the response has. A schema that says nothing bars nothing. */
function resolves(expression: string, schema: Node | undefined, context: RequestContext): boolean {
  const pointer = /^\$response\.body#(.*)$/.exec(expression)?.[1];
  if (pointer === undefined) return /^\$response\.(header\.|body$)/.test(expression);
  let node = schema;
  for (const token of tokensOf(pointer)) {
    if (node === undefined) return true;
    const members = membersOf(node, context);
    const next: Node | undefined = members.get(token) ?? (/^\d+$/.test(token) ? child(node, 'items') : undefined);
    if (next === undefined)
      return (
        members.size === 0 && !(isJsonObject(node.value) && node.value['type'] !== undefined && node.value['type'] !== 'object')
      );
    node = context.resolve(next);
  }
  return pointer === '' || pointer.startsWith('/');
}

/** Where the state of a job stands in the status answer, and what the words of its enum mean. */
function stateOf(operation: SourceOperation, context: RequestContext): JobDescription['state'] | undefined {
  for (const [status, response] of responsesOf(operation, context.resolve)) {
    if (!/^2/.test(status)) continue;
    const members = membersOf(schemaOf(operation, response, context), context);
    const name = STATUS_MEMBERS.find((member) => members.has(member));
    if (name === undefined) continue;
    const schema = context.resolve(members.get(name) as Node).value;
    const words =
      isJsonObject(schema) && Array.isArray(schema['enum'])
        ? schema['enum'].filter((word): word is string => typeof word === 'string')
        : [];
    return { at: `/${name}`, ...meaningsOf(words) };
  }
  return undefined;
}

function meaningsOf(words: readonly string[]): Partial<Record<Meaning, string[]>> {
  const found = new Map<Meaning, string[]>();
  const add = (meaning: Meaning, word: string) => found.set(meaning, [...(found.get(meaning) ?? []), word]);
  for (const word of words) {
    const meaning = meaningOf(word);
    if (meaning !== undefined) add(meaning, word);
  }
  if (!found.has('succeeded')) for (const word of words) if (LIKELY_SUCCESS.test(word)) add('succeeded', word);
  return Object.fromEntries(MEANINGS.flatMap((meaning) => (found.has(meaning) ? [[meaning, found.get(meaning)]] : [])));
}
