import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { body, compile, OK, only, openapi, propertiesOf, tool } from './kit.ts';

/** A schema as the member `it` of a body, translated. */
async function translated(schema: object | boolean, version = '3.0.3', more: object = {}): Promise<JsonObject | undefined> {
  const made = await tool({ requestBody: body({ type: 'object', properties: { it: schema } }) }, { openapi: version, ...more });
  return propertiesOf(made)['it'];
}

describe('a schema', () => {
  test.each<[string, object | boolean, object]>([
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    ['not nullable', { type: 'string', nullable: false }, { type: 'string' }],
    ['nullable with an enum', { type: 'string', enum: ['a'], nullable: true }, { type: ['string', 'null'], enum: ['a', null] }],
    [
      'nullable and composed',
      { nullable: true, allOf: [{ type: 'object' }] },
      { anyOf: [{ allOf: [{ type: 'object' }] }, { type: 'null' }] },
    ],
    ['nullable without a type', { nullable: true }, {}],
    [
      'with a member called nullable',
      { type: 'object', properties: { nullable: { type: 'boolean' } } },
      { type: 'object', properties: { nullable: { type: 'boolean' } } },
    ],
    [
      'with an exclusive minimum as 3.0 writes it',
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      { type: 'number', exclusiveMinimum: 1 },
    ],
    ['with an inclusive maximum as 3.0 writes it', { maximum: 9, exclusiveMaximum: false }, { maximum: 9 }],
    ['with an exclusive minimum as 3.1 writes it', { exclusiveMinimum: 1 }, { exclusiveMinimum: 1 }],
    ['with an example', { type: 'string', example: 'x' }, { type: 'string', examples: ['x'] }],
    ['with examples that are no list', { type: 'string', examples: { a: 1 } }, { type: 'string' }],
    ['of a file', { type: 'file' }, { type: 'string', format: 'binary' }],
    ['of a type that does not exist', { type: 'any' }, {}],
    ['of a type in the wrong case', { type: 'String' }, { type: 'string' }],
    ['with a list of types', { type: ['string', 'integer', 'string'] }, { type: ['string', 'integer'] }],
    ['with an enum that repeats itself', { enum: ['a', 'a', 'b'] }, { enum: ['a', 'b'] }],
    [
      'with an enum of texts that look like numbers',
      { type: 'string', enum: [1, 1.5] },
      { type: 'string', enum: ['1', '1.5'] },
    ],
    ['with an enum of the word null', { type: 'string', enum: ['null'] }, { type: 'string', enum: ['null'] }],
    ['with an empty enum', { enum: [] }, {}],
    ['with a pattern of another dialect', { type: 'string', pattern: '(?i)^a' }, { type: 'string' }],
    ['with a pattern', { type: 'string', pattern: '^a$' }, { type: 'string', pattern: '^a$' }],
    ['required as drafts wrote it', { type: 'string', required: true }, { type: 'string' }],
    ['with extensions', { type: 'string', 'x-mcp-header': 'H', 'x-y': 1, xml: {}, externalDocs: {} }, { type: 'string' }],
    ['with a tuple as drafts wrote it', { items: [{ type: 'string' }] }, { prefixItems: [{ type: 'string' }] }],
    ['with numbers that are none', { minimum: '1', maxLength: -1, multipleOf: 0 }, {}],
    ['that is true', true, {}],
    ['that is false', false, { not: {} }],
    [
      'with a discriminator',
      { discriminator: { propertyName: 'kind' } },
      { description: 'The member "kind" tells which variant it is.' },
    ],
    [
      'with a member called __proto__',
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
    ],
  ])('%s is translated', async (_name, schema, expected) => {
    expect(await translated(schema)).toEqual(expected);
  });

  test('that is referred to stands under $defs once, and only what is reachable is there', async () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const schemas = {
      Node: { type: 'object', properties: { next: ref('Node'), leaf: ref('Leaf') } },
      Leaf: { type: 'string', maxLength: 3 },
      Unused: { type: 'object', properties: { a: ref('Node') } },
    };
    const made = await tool(
      { requestBody: body({ properties: { a: ref('Node'), b: ref('Node') } }) },
      { components: { schemas } },
    );
    expect(made.inputSchema).toMatchObject({
      properties: { a: { $ref: '#/$defs/Node' }, b: { $ref: '#/$defs/Node' } },
      $defs: {
        Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' }, leaf: { type: 'string', maxLength: 3 } } },
      },
    });
    expect(Object.keys(made.inputSchema['$defs'] as object)).toEqual(['Node']);
  });

  test('whose body is recursive checks every level', async () => {
    const Comment = {
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string' }, replies: { type: 'array', items: { $ref: '#/components/schemas/Comment' } } },
    };
    const made = await tool(
      { requestBody: body({ $ref: '#/components/schemas/Comment' }) },
      { components: { schemas: { Comment } } },
    );
    expect(made.check({ text: 'a', replies: [{ text: 'b', replies: [{ text: 'c' }] }] })).toEqual([]);
    expect(made.check({ text: 'a', replies: [{ replies: [] }] })).toMatchObject([{ pointer: '/replies/0/text' }]);
  });

  test.each([
    ['3.0.3', { $ref: '#/$defs/Big', description: 'why' }],
    ['3.1.0', { $ref: '#/$defs/Big', description: 'why', maxProperties: 2 }],
  ])('of %s counts what stands beside a reference as that version does', async (version, expected) => {
    const more = { components: { schemas: { Big: { type: 'object', properties: { a: {} } } } } };
    const beside = { $ref: '#/components/schemas/Big', description: 'why', maxProperties: 2 };
    expect(await translated(beside, version, more)).toEqual(expected);
  });

  test('of an input loses what is read-only, of an output what is write-only', async () => {
    const schema = {
      type: 'object',
      required: ['id', 'name', 'password', 'ref'],
      properties: {
        id: { type: 'string', readOnly: true },
        name: { type: 'string' },
        password: { type: 'string', writeOnly: true },
        ref: { $ref: '#/components/schemas/Stamp' },
      },
    };
    const responses = { 200: { description: 'ok', content: { 'application/json': { schema } } } };
    const made = await tool(
      { requestBody: body(schema), responses },
      { components: { schemas: { Stamp: { type: 'string', readOnly: true } } } },
    );
    expect(made.inputSchema).toMatchObject({ required: ['name', 'password'] });
    expect(Object.keys(propertiesOf(made))).toEqual(['name', 'password']);
    expect(Object.keys(made.outputSchema?.['properties'] as object)).toEqual(['id', 'name', 'ref']);
    expect(made.outputSchema?.['required']).toEqual(['id', 'name', 'ref']);
  });

  test('of two places with one name gets two definitions', async () => {
    const document = {
      ...openapi({
        '/a': {
          post: {
            requestBody: body({ properties: { a: { $ref: '#/components/schemas/X' }, b: { $ref: '#/x/X' } } }),
            responses: OK,
          },
        },
      }),
      components: { schemas: { X: { type: 'object', properties: { one: {} } } } },
      x: { X: { type: 'object', properties: { two: {} } } },
    };
    const { $defs } = only(await compile(document)).inputSchema as { $defs: Record<string, JsonObject> };
    expect(Object.values($defs).map(({ properties }) => Object.keys(properties as object))).toEqual([['one'], ['two']]);
  });
});

describe('an output schema', () => {
  const output = async (schema: object, more: object = {}) =>
    (
      await tool(
        { responses: { 200: { description: 'ok', content: { 'application/json': { schema } } }, ...more } },
        { components: { schemas: { Item: { type: 'object', properties: { a: {} } }, Text: { type: 'string' } } } },
      )
    ).outputSchema;
  const item = { $ref: '#/components/schemas/Item' };

  test.each([
    ['an object', { type: 'object' }, { type: 'object' }],
    ['a reference to an object', item, { type: 'object', properties: { a: {} } }],
    ['members without a type', { properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    [
      'objects composed',
      { allOf: [item] },
      { type: 'object', allOf: [{ $ref: '#/$defs/Item' }], $defs: { Item: { type: 'object', properties: { a: {} } } } },
    ],
  ])('is published for %s', async (_name, schema, expected) => {
    expect(await output(schema)).toEqual(expected);
  });

  test.each([
    ['a list', { type: 'array' }, {}],
    ['an object or null', { type: 'object', nullable: true }, {}],
    ['one of an object and a text', { oneOf: [item, { $ref: '#/components/schemas/Text' }] }, {}],
    ['two kinds of success', { type: 'object' }, { 204: { description: 'nothing' } }],
    [
      'an answer that would make the list of tools large',
      { type: 'object', properties: { a: { type: 'string', enum: ['x'.repeat(2_100)] } } },
      {},
    ],
  ])('is not published for %s', async (_name, schema, more) => {
    expect(await output(schema, more)).toBeUndefined();
  });

  test('is published for all tools of an upstream or for none, and answers are looked at all the same', async () => {
    const answer = (more: object) => ({
      responses: {
        200: { description: 'ok', content: { 'application/json': { schema: { type: 'object', required: ['id'], ...more } } } },
      },
    });
    const large = { properties: { a: { type: 'string', enum: ['x'.repeat(2_100)] } } };
    const tools = async (second: object) => {
      const paths = {
        '/a': { get: { operationId: 'a', ...answer({}) } },
        '/b': { get: { operationId: 'b', ...answer(second) } },
      };
      return [...(await compile(openapi(paths))).tools.values()];
    };
    expect((await tools({})).map(({ outputSchema }) => outputSchema !== undefined)).toEqual([true, true]);
    const silent = await tools(large);
    expect(silent.map(({ outputSchema }) => outputSchema)).toEqual([undefined, undefined]);
    expect(silent.map((made) => made.misfit({}))).toEqual([expect.stringContaining("'id'"), expect.stringContaining("'id'")]);
  });

  test('says why an answer does not fit', async () => {
    const schema = {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string' }, price: { type: 'number', nullable: true } },
    };
    const made = await tool({ responses: { 200: { description: 'ok', content: { 'application/json': { schema } } } } });
    expect(made.misfit({ id: '1', price: null })).toBeUndefined();
    expect(made.misfit({ price: 1 })).toContain('id');
    expect(made.misfit({ id: 1 })).toContain('/id');
    expect(new Ajv2020().compile(made.outputSchema as object)({ id: '1' })).toBe(true);
  });
});
