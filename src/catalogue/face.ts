// A tool's face: what models and people read about an operation.

import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { ToolAnnotations } from '../core/tool.ts';
import type { RequestContext } from './context.ts';
import type { Node } from './node.ts';
import { responseContent, responsesOf, type SourceOperation } from './operations.ts';
import { definitionName, type SchemaReader } from './schema.ts';
import { clipped } from './texts.ts';

const DESCRIPTION_CHARACTERS_MAX = 1_500;
const TITLE_CHARACTERS_MAX = 100;
/** A schema of answers is advice: beyond this it costs a model more than it tells. */
const OUTPUT_BYTES_MAX = 16 * 1024;

const JOB =
  'This starts a job: the result is returned when the job has ended, and until then the answer says that it is still running and gives a handle to wait for it with.';

const READING = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** Never empty. */
export function descriptionOf(operation: SourceOperation, isJob: boolean): string {
  const summary = text(operation.object['summary']);
  const description = text(operation.object['description']);
  const isRepeated = summary !== '' && description.startsWith(summary);
  const said = [...new Set([isRepeated ? '' : summary, description])].filter((part) => part !== '').join('\n\n');
  const body = clipped(said === '' ? `${operation.method} ${operation.path}` : said, DESCRIPTION_CHARACTERS_MAX);
  const deprecated = operation.object['deprecated'] === true ? 'Deprecated. ' : '';
  return `${deprecated}${body}${isJob ? `\n\n${JOB}` : ''}`;
}

/** For people. Where the description says nothing else, there is none: it would be told twice. */
export function titleOf(operation: SourceOperation): string | undefined {
  const summary = text(operation.object['summary']).replace(/\s+/g, ' ');
  const isAll = summary === '' || [summary, ''].includes(text(operation.object['description']));
  return isAll ? undefined : clipped(summary, TITLE_CHARACTERS_MAX);
}

/** What HTTP promises about the method; what clients take for granted anyway is not said. @see RFC 9110 §9.2 */
export function annotationsOf({ method }: SourceOperation): ToolAnnotations {
  if (READING.has(method)) return { readOnlyHint: true };
  if (method === 'DELETE') return { destructiveHint: true, idempotentHint: true };
  return method === 'PUT' ? { idempotentHint: true } : {};
}

/**
 * The schema of a successful answer, where its root is an object; else nothing is published. Whoever publishes a schema
 * promises it for every success: where there are several kinds of those, there is no such promise.
 */
export function outputSchemaOf(operation: SourceOperation, context: RequestContext): JsonObject | undefined {
  const { schemas } = context;
  const responses = responsesOf(operation, context.resolve);
  const successes = [...responses.keys()].filter((status) => /^2/.test(status));
  const answers = (successes.length > 0 ? successes : ['default']).map((status) =>
    answerSchema(operation, responses.get(status), context),
  );
  const [answer] = answers;
  const place = (node: Node | undefined) => node && `${node.document.location}#${node.pointer}`;
  if (answer === undefined || answers.some((other) => place(other) !== place(answer))) return undefined;
  const schema = schemas.convert(answer, 'output');
  if (!isObjectSchema(schema, schemas) || schemas.bytes(schema, 'output', OUTPUT_BYTES_MAX) > OUTPUT_BYTES_MAX)
    return undefined;
  return schemas.close({ ...schema, type: 'object' }, 'output');
}

function answerSchema(operation: SourceOperation, response: Node | undefined, context: RequestContext): Node | undefined {
  if (response === undefined) return undefined;
  const contents = responseContent(context.document, operation, response, context.resolve);
  const json = contents.find(({ mediaType }) => /^(?:application|text)\/json$|\+json$|\*/.test(mediaType));
  return json?.schema === undefined ? undefined : context.resolve(json.schema);
}

/** Whether everything that fits is an object. */
function isObjectSchema(schema: JsonObject, schemas: SchemaReader, depth = 0): boolean {
  if (schema['type'] !== undefined) return schema['type'] === 'object';
  if (schema['properties'] !== undefined) return true;
  if (depth > 8) return false;
  const isObject = (part: Json): boolean => {
    const name = definitionName(part);
    const target = name === undefined ? part : schemas.definition(name, 'output');
    return isJsonObject(target) && isObjectSchema(target, schemas, depth + 1);
  };
  const parts = (key: string) => (Array.isArray(schema[key]) ? (schema[key] as Json[]) : []);
  return parts('allOf').some(isObject) || ['oneOf', 'anyOf'].some((key) => parts(key).length > 0 && parts(key).every(isObject));
}
