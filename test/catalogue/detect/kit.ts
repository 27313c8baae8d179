// Detects in documents that stand in the test itself.

import { detect } from '../../../src/catalogue/detect/detect.ts';
import type { Evidence, Finding } from '../../../src/catalogue/detect/finding.ts';
import { parseSource } from '../../../src/catalogue/document.ts';
import { recognise } from '../../../src/catalogue/load.ts';
import { operationsOf } from '../../../src/catalogue/operations.ts';
import { loadReferences } from '../../../src/catalogue/references.ts';

/** Findings by operationId, or by `METHOD /path` where there is none. */
export async function findingsOf(paths: object, more: object = {}): Promise<ReadonlyMap<string, Finding>> {
  const text = JSON.stringify({ openapi: '3.1.0', info: { title: 'Test', version: '1' }, paths, ...more });
  const source = parseSource(text, 'doc.json', '/doc.json');
  const document = recognise(source);
  const { resolve } = await loadReferences(source, [], () => Promise.reject(new Error('nothing is read')));
  const operations = operationsOf(document, resolve, (_path, error) => {
    throw error;
  });
  const found = detect(operations, document, resolve);
  return new Map([...found].map(([{ operationId, method, path }, finding]) => [operationId ?? `${method} ${path}`, finding]));
}

export async function findingOf(operationId: string, paths: object, more: object = {}): Promise<Finding> {
  const finding = (await findingsOf(paths, more)).get(operationId);
  if (finding === undefined) throw new Error(`there is no operation ${operationId}`);
  return finding;
}

/** What one rule says of an operation. */
export async function signOf(
  rule: string,
  operationId: string,
  paths: object,
  more: object = {},
): Promise<Evidence | undefined> {
  return (await findingOf(operationId, paths, more)).evidence.find((sign) => sign.rule === rule);
}

/** Names of the paired operations. */
export const pairsOf = ({ pairs }: Finding): Record<string, string> =>
  Object.fromEntries(
    Object.entries(pairs).map(([role, pair]) => [
      role,
      pair.operation.operationId ?? `${pair.operation.method} ${pair.operation.path}`,
    ]),
  );

export const json = (schema: object): object => ({ 'application/json': { schema } });
export const answer = (schema?: object, more: object = {}): object => ({
  description: '',
  ...(schema === undefined ? {} : { content: json(schema) }),
  ...more,
});
export const object = (properties: object): object => ({ type: 'object', properties });
export const text = { type: 'string' };
export const words = (...list: string[]): object => ({ type: 'string', enum: list });

export const STATES = words('queued', 'running', 'succeeded', 'failed', 'cancelled');

/** `POST /things` and `GET /things/{thing_id}`, both answered with the same thing. */
export const collection = (thing: object, submit: object = {}, more: object = {}): object => ({
  '/things': { post: { operationId: 'makeThing', responses: { 200: answer(thing) }, ...submit } },
  '/things/{thing_id}': { get: { operationId: 'getThing', responses: { 200: answer(thing) } } },
  ...more,
});

/** What a service answers that only gives an id. */
export const RECEIPT = object({ id: text });
export const post = (responses: object, more: object = {}): object => ({ post: { operationId: 'submit', responses, ...more } });
