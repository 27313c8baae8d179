// A document with anything at all in the wrong place: it compiles, or says what is wrong with it. Nothing else happens.

import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DocumentError } from '../../src/catalogue/fault.ts';
import { compile } from './kit.ts';

const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, addUsedSchema: false });
const text = { type: 'string' };
const Thing = {
  type: 'object',
  required: ['id'],
  discriminator: { propertyName: 'kind' },
  properties: {
    id: { type: 'string', readOnly: true },
    kind: { type: 'string', enum: ['a', 'b'], nullable: true },
    next: { $ref: '#/components/schemas/Thing' },
  },
  allOf: [{ $ref: '#/components/schemas/Base' }],
};

const V3 = {
  openapi: '3.0.3',
  servers: [{ url: 'http://{host}/v1', variables: { host: { default: 'up.test' } } }],
  security: [{ key: [] }],
  paths: {
    '/things/{id}': {
      servers: [{ url: '/x' }],
      parameters: [{ $ref: '#/components/parameters/id' }],
      post: {
        operationId: 'start',
        tags: ['t'],
        summary: 's',
        parameters: [
          {
            name: 'q',
            in: 'query',
            style: 'deepObject',
            explode: true,
            schema: { type: 'object', additionalProperties: text },
          },
          { name: 'f', in: 'query', content: { 'application/json': { schema: { type: 'array', items: text } } } },
        ],
        requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
        responses: {
          202: {
            description: 'ok',
            headers: { Location: { schema: text } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
            links: { Get: { operationId: 'look', parameters: { id: '$response.body#/id' } } },
          },
        },
        callbacks: { done: { '{$request.body#/url}': { post: {} } } },
        'x-longshore': {
          status: { operation: 'look', id: '$response.body#/id' },
          expect: 'PT1M',
          state: { at: '/status', succeeded: ['done'] },
        },
      },
      get: {
        operationId: 'look',
        responses: {
          200: { description: 'ok', content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
        },
      },
    },
    '/form': {
      post: {
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: { type: 'object', properties: { a: text } },
              encoding: { a: { style: 'form' } },
            },
          },
        },
        responses: {},
      },
    },
  },
  components: {
    parameters: { id: { name: 'id', in: 'path', required: true, schema: { ...text, minLength: 2, pattern: '^a' } } },
    schemas: { Thing, Base: { type: 'object', properties: { n: { type: 'integer', minimum: 1, exclusiveMinimum: true } } } },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X' } },
  },
};

const V2 = {
  swagger: '2.0',
  host: 'up.test',
  basePath: '/v1',
  schemes: ['https'],
  consumes: ['application/json'],
  produces: ['application/json'],
  paths: {
    '/a/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, type: 'string' }],
      put: {
        parameters: [{ $ref: '#/parameters/B' }],
        responses: { 200: { description: 'ok', schema: { $ref: '#/definitions/T' } } },
      },
      post: {
        consumes: ['application/x-www-form-urlencoded'],
        parameters: [{ name: 'l', in: 'formData', type: 'array', items: text, collectionFormat: 'csv' }],
        responses: {},
      },
    },
  },
  parameters: { B: { in: 'body', name: 'b', schema: { $ref: '#/definitions/T' } } },
  definitions: { T: { type: 'object', properties: { a: text, t: { $ref: '#/definitions/T' } } } },
  securityDefinitions: { key: { type: 'apiKey', in: 'header', name: 'X' } },
};

const pointersOf = (value: unknown, path: string[] = []): string[][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, item]) => [[...path, key], ...pointersOf(item, [...path, key])])
    : [];

function mutated(document: object, changes: readonly { at: string[]; junk: unknown }[]): object {
  const copy = structuredClone(document) as Record<string, unknown>;
  for (const { at, junk } of changes) {
    let owner: unknown = copy;
    for (const token of at.slice(0, -1))
      owner = typeof owner === 'object' && owner !== null ? (owner as Record<string, unknown>)[token] : undefined;
    if (typeof owner === 'object' && owner !== null) (owner as Record<string, unknown>)[at.at(-1) as string] = junk;
  }
  return copy;
}

const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    '',
    'x',
    '$',
    [],
    {},
    [null],
    [[]],
    { $ref: 1 },
    { $ref: '#/none' },
    { $ref: '' },
    { $ref: '#' },
    { $ref: '#/paths' },
  ),
  fc.constantFrom<unknown>(
    { $ref: '#/components/schemas/Thing' },
    { $ref: '#/definitions/T' },
    { type: 'array' },
    { allOf: [true] },
    { enum: [] },
    ['string', 'null'],
    '{a}',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

describe.each([
  ['OpenAPI 3', V3],
  ['Swagger 2.0', V2],
])('a document of %s that is broken somewhere', (_name, document) => {
  test('compiles, or says what is wrong; what it offers is sound', { timeout: 60_000 }, async () => {
    const change = fc.record({ at: fc.constantFrom(...pointersOf(document)), junk });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        try {
          const { tools, leftOut } = await compile(mutated(document, changes));
          for (const { inputSchema, outputSchema, description, check } of tools.values()) {
            ajv.compile(inputSchema);
            if (outputSchema !== undefined) ajv.compile(outputSchema);
            expect(inputSchema['type']).toBe('object');
            expect(description).not.toBe('');
            expect(Array.isArray(check({ id: 'x' }))).toBe(true);
          }
          for (const { reason } of leftOut) expect(reason).not.toBe('');
        } catch (error) {
          if (!(error instanceof DocumentError)) throw error;
          for (const fault of error.faults) expect(fault.message).not.toBe('');
        }
      }),
      { numRuns: 100 },
    );
  });
});
