// A tool's face: what models and people read about an operation.

import type { JsonObject } from '../core/json.ts';
import type { ToolAnnotations } from '../core/tool.ts';
import { contentOf, responseContent, responsesOf, type SourceOperation } from './operations.ts';
import type { RequestContext } from './requests.ts';

const DESCRIPTION_CHARACTERS_MAX = 1_500;
const TITLE_CHARACTERS_MAX = 100;
/** A schema of answers is advice: beyond this it costs a model more than it tells. */
const OUTPUT_BYTES_MAX = 16 * 1024;

const JOB =
  'This starts a job: the result is returned when the job has ended, and until then the answer says that it is still running and gives a handle to wait for it with.';

const READING = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const clipped = (value: string, max: number): string => (value.length <= max ? value : `${value.slice(0, max - 1).trimEnd()}…`);

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

export function titleOf(operation: SourceOperation): string | undefined {
  const summary = text(operation.object['summary']).replace(/\s+/g, ' ');
  return summary === '' ? undefined : clipped(summary, TITLE_CHARACTERS_MAX);
}

/** What HTTP promises about the method. @see RFC 9110 §9.2 */
export function annotationsOf(operation: SourceOperation): ToolAnnotations {
  const title = titleOf(operation);
  return {
    ...(title === undefined ? {} : { title }),
    readOnlyHint: READING.has(operation.method),
    ...(operation.method === 'DELETE' ? { destructiveHint: true, idempotentHint: true } : {}),
    ...(operation.method === 'PUT' ? { idempotentHint: true } : {}),
    openWorldHint: true,
  };
}

/** The schema of a successful answer, where its root is an object; else nothing is published. */
export function outputSchemaOf(operation: SourceOperation, context: RequestContext): JsonObject | undefined {
  const { document, resolve, schemas } = context;
  const responses = responsesOf(operation, resolve);
  const status = [...responses.keys()].filter((key) => /^2/.test(key)).sort()[0] ?? 'default';
  const response = responses.get(status);
  if (response === undefined) return undefined;
  const contents =
    document.dialect === '2.0' ? responseContent(document, operation, response, resolve) : contentOf(response, resolve);
  const content = contents.find(({ mediaType }) => /^(?:application|text)\/json$|\+json$|\*/.test(mediaType));
  if (content?.schema === undefined) return undefined;
  const uses = new Set<string>();
  const schema = schemas.convert(content.schema, 'output', uses);
  const isObject = schema['type'] === 'object' || (schema['type'] === undefined && schema['properties'] !== undefined);
  if (!isObject) return undefined;
  const room = OUTPUT_BYTES_MAX - JSON.stringify(schema).length;
  if (room < 0 || schemas.bytes(uses, 'output', room) > room) return undefined;
  const definitions = schemas.definitions(uses, 'output');
  return { ...schema, type: 'object', ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {}) };
}
