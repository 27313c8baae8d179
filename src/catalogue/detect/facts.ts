// What one operation of the document is like, read once: its path and names as words, its answers, parameters and body.

import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { FLAT_PATH } from '../discovery.ts';
import { Uncompilable } from '../fault.ts';
import type { OpenApiDocument } from '../load.ts';
import { child, type Node } from '../node.ts';
import { bodyOf, parameterSchema, parametersOf, responseContent, responsesOf, type SourceOperation } from '../operations.ts';
import type { Resolve } from '../references.ts';
import { ASKING, CANCELLING, nounOf, type PathParts, partsOf, tokensOf } from './names.ts';
import type { Shape, Shapes } from './shapes.ts';

export interface Answer {
  /** `202`, `2XX`, `default`. */
  readonly status: string;
  readonly node: Node;
  /** Lower case. */
  readonly headers: readonly string[];
  /** Of the JSON body. */
  readonly shape?: Shape;
  readonly hasBody: boolean;
}

export interface Parameter {
  readonly place: string;
  readonly name: string;
  readonly pointer: string;
  readonly required: boolean;
  /** Its description, and what its schema allows. */
  readonly text: string;
  readonly types: readonly string[];
}

export interface Facts {
  readonly source: SourceOperation;
  readonly pointer: string;
  readonly path: PathParts;
  /** Names of the placeholders as they are on the wire, in order. */
  readonly placeholders: readonly string[];
  /** What the last word of the path names, in the singular. */
  readonly noun: readonly string[];
  /** Of the operationId without what stands before a slash or a dot, else of the summary. */
  readonly name: readonly string[];
  /** The first words of the summary and of the description: `starts` in "Starts a new export". */
  readonly openings: readonly string[];
  /** Successful answers, and those that point elsewhere. */
  readonly answers: readonly Answer[];
  readonly parameters: readonly Parameter[];
  readonly body: Shape | undefined;
  /** Summary and description. */
  readonly text: string;
  answer(...statuses: string[]): Answer | undefined;
  /** It asks, or stops something: it starts no job. */
  readonly isAsking: boolean;
  readonly isCancelling: boolean;
  /** It is about an operation of a service that has a collection of them. */
  readonly isOfOperations: boolean;
}

const JSON_TYPE = /^(?:application|text)\/json$|[+/.-]json$|^\*\/\*$/;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads an operation; whatever of it can't be read is left out. */
export function factsOf(source: SourceOperation, document: OpenApiDocument, resolve: Resolve, shapes: Shapes): Facts {
  const attempt = <T>(read: () => T, otherwise: T): T => {
    try {
      return read();
    } catch (error) {
      if (error instanceof Uncompilable || error instanceof RangeError) return otherwise;
      throw error;
    }
  };
  const nodes = attempt(() => parametersOf(source, resolve), []);
  const answers = attempt(() => [...responsesOf(source, resolve)], [])
    .filter(([status]) => /^[23]/.test(status))
    .map(([status, node]): Answer => {
      const contents = attempt(() => responseContent(document, source, node, resolve), []);
      const shape = shapes.of(contents.find(({ mediaType }) => JSON_TYPE.test(mediaType))?.schema);
      const headers = child(node, 'headers');
      const names = headers !== undefined && isJsonObject(headers.value) ? Object.keys(headers.value) : [];
      return {
        status,
        node,
        headers: names.map((name) => name.toLowerCase()),
        hasBody: contents.length > 0,
        ...(shape === undefined ? {} : { shape }),
      };
    });
  const flat = source.object[FLAT_PATH];
  const path = partsOf(typeof flat === 'string' ? flat : source.path);
  const { operationId } = source;
  const summary = text(source.object['summary']);
  const description = text(source.object['description']);
  // Ids are often grouped: `actions/cancel-run`, `predictions.cancel`.
  const own = operationId === undefined ? summary : (operationId.split(/[/.]/).at(-1) ?? operationId);
  const name = tokensOf(own);
  const last = path.segments.at(-1) ?? '';
  const verbs = [name[0] ?? '', ...(last === '{}' ? [] : tokensOf(last))];
  const content = attempt(() => bodyOf(document, source, nodes, resolve)?.content, undefined);
  const schema =
    content?.find(({ mediaType }) => JSON_TYPE.test(mediaType))?.schema ?? content?.find((one) => one.schema)?.schema;
  return {
    source,
    pointer: source.node.pointer,
    path,
    placeholders: partsOf(source.path).parameters,
    noun: nounOf(path),
    name,
    openings: [summary, description].flatMap((said) => /^\W*(?:p>)?\s*([A-Za-z]+)/.exec(said)?.[1]?.toLowerCase() ?? []),
    answers,
    parameters: nodes.flatMap((node) => attempt(() => parameterOf(node, document, resolve, shapes), [])),
    body: shapes.of(schema),
    text: `${summary}\n${description}`,
    answer: (...statuses) => answers.find(({ status }) => statuses.includes(status)),
    isAsking: ASKING.has(name[0] ?? ''),
    isOfOperations: isUnder(path, 'operations'),
    isCancelling:
      verbs.some((verb) => CANCELLING.has(verb)) ||
      verbs.includes('wait') ||
      (name[0] === 'request' && CANCELLING.has(name[1] ?? '')),
  };
}

/** `…/operations/{}`, with or without a verb behind it. */
function isUnder({ segments }: PathParts, collection: string): boolean {
  const at = segments.lastIndexOf(collection);
  return at >= 0 && at >= segments.length - 3 && segments[at + 1] === '{}';
}

function parameterOf(node: Node, document: OpenApiDocument, resolve: Resolve, shapes: Shapes): Parameter[] {
  const { in: place, name, description, required } = node.value as JsonObject;
  if (typeof place !== 'string' || typeof name !== 'string' || place === 'body' || place === 'formData') return [];
  const shape = shapes.of(parameterSchema(document, node, resolve));
  const allowed = [shape?.schema['enum'], shape?.schema['pattern'], shape?.schema['description'], shape?.schema['example']];
  return [
    {
      place,
      name,
      pointer: node.pointer,
      required: required === true || place === 'path',
      text: [text(description), ...allowed.map((part) => (part === undefined ? '' : JSON.stringify(part)))].join(' '),
      types: shape?.types ?? [],
    },
  ];
}
