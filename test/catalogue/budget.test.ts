// Schemas too large to be shown whole.

import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { budget, SCHEMA_BYTES_MAX } from '../../src/catalogue/budget.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { body, compile, OK, only, openapi, propertiesOf } from './kit.ts';

const text = { type: 'string' };
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const wide = (count: number, member: object): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`member${index}`, member]));

const bytes = (schema: JsonObject) => JSON.stringify(schema).length;

describe('a schema that fits', () => {
  test('stays as it is', () => {
    const schema = { type: 'object', properties: { a: { ...text, examples: ['x'] } } };
    expect(budget()(schema)).toEqual({ schema, isCut: false });
    expect(budget()(schema).schema).toBe(schema);
  });
});

describe('a schema that is too large', () => {
  test('has its texts shortened first, and is then whole', () => {
    const description = `What it is. ${'And a story about it. '.repeat(50)}`;
    const schema = {
      type: 'object',
      properties: wide(10, { ...text, description, examples: ['x'], title: 'T' }),
    } as JsonObject;
    const fitted = budget(4_000)(schema);
    expect(fitted.isCut).toBe(false);
    expect(fitted.schema).toEqual({
      type: 'object',
      properties: wide(10, { ...text, description: expect.stringMatching(/^What it is\. .{0,110}…$/) }),
    });
  });

  test('keeps what is near, and loses what is far', () => {
    const far = { type: 'object', description: 'Far away.', properties: wide(40, text) };
    const schema = {
      type: 'object',
      properties: { near: ref('Near'), other: text },
      $defs: {
        Far: far,
        Near: { type: 'object', required: ['id'], properties: { id: text, far: ref('Far'), next: ref('Near') } },
      },
    };
    const { schema: made, isCut } = budget(600)(schema as unknown as JsonObject);
    expect(isCut).toBe(true);
    expect(made['$defs']).toEqual({
      Far: { type: 'object', description: expect.stringMatching(/^Far away\. .*see the service's documentation\.$/) },
      Near: schema.$defs.Near,
    });
    expect(made['properties']).toEqual(schema.properties);
  });

  test('names the members of what does not fit, where there is room for that', () => {
    const clause = { type: 'object', properties: wide(30, text) };
    const schema = {
      type: 'object',
      properties: { query: ref('Query') },
      $defs: { Clause: clause, Query: { type: 'object', properties: { term: ref('Clause'), deep: clause } } },
    };
    const { schema: made } = budget(700)(schema as unknown as JsonObject);
    const left = { type: 'object', description: expect.stringContaining('left out') };
    expect(made['$defs']).toMatchObject({ Query: { properties: { term: left, deep: left } } });
  });

  test('is cut inside as well, where nothing is referred to', () => {
    const deep = (levels: number): object =>
      levels === 0 ? text : { type: 'object', properties: { a: deep(levels - 1), b: deep(levels - 1), c: deep(levels - 1) } };
    const { schema, isCut } = budget(3_000)(deep(8) as JsonObject);
    expect(isCut).toBe(true);
    expect(bytes(schema)).toBeLessThanOrEqual(3_000);
    expect(schema).toMatchObject({ properties: { a: { type: 'object', properties: { b: { type: 'object' } } } } });
  });

  test('has members called like keywords untouched', () => {
    const odd = { description: text, title: text, examples: text, properties: text, items: text };
    const pad = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index}`, { ...text, title: 'x'.repeat(40) }]));
    const { schema } = budget(1_500)({ type: 'object', properties: { ...odd, ...pad } });
    expect(schema['properties']).toMatchObject(odd);
  });

  test('is always cut in the same way, to something that compiles, allows as much and is small enough', () => {
    const ajv = new Ajv2020({ strict: false, addUsedSchema: false });
    const names = ['A', 'B', 'C', 'D'];
    const schemas = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<object>(text, { type: 'integer', minimum: 1 }),
        fc.constantFrom(...names).map(ref),
        fc
          .dictionary(fc.constantFrom('x', 'y', 'z', 'description'), tie('schema'), { maxKeys: 4 })
          .map((properties) => ({ type: 'object', properties })),
        tie('schema').map((items) => ({ type: 'array', items })),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      ),
    })).schema as fc.Arbitrary<JsonObject>;
    const whole = fc.tuple(
      fc.dictionary(fc.constantFrom('p', 'q'), schemas, { minKeys: 1 }),
      fc.tuple(schemas, schemas, schemas, schemas),
    );
    fc.assert(
      fc.property(whole, fc.integer({ min: 1_500, max: 3_000 }), fc.jsonValue({ maxDepth: 3 }), (made, bytesMax, value) => {
        const [properties, definitions] = made;
        const $defs = Object.fromEntries(
          names.map((name, index) => [name, { type: 'object', properties: { next: definitions[index], ...wide(12, text) } }]),
        ) as JsonObject;
        const schema: JsonObject = { type: 'object', properties, $defs };
        const { schema: fitted } = budget(bytesMax)(schema);
        expect(budget(bytesMax)(schema).schema).toEqual(fitted);
        expect(bytes(fitted)).toBeLessThanOrEqual(bytesMax);
        const args = { p: value, q: value };
        const loose = ajv.compile(fitted);
        if (ajv.compile(schema)(args)) expect(loose(args)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a tool whose schema is cut', () => {
  const Clause = { type: 'object', properties: wide(400, { ...text, enum: ['x'.repeat(100)] }) };
  const Query = { type: 'object', properties: { all: { type: 'array', items: { $ref: '#/components/schemas/Clause' } } } };
  const document = openapi(
    {
      '/search': {
        post: {
          operationId: 'search',
          requestBody: body({ type: 'object', properties: { query: { $ref: '#/components/schemas/Query' } } }),
          responses: OK,
        },
      },
    },
    { components: { schemas: { Clause, Query } } },
  );

  test('is small, takes what is left out, and is named in a warning', async () => {
    const catalogue = await compile(document);
    const made = only(catalogue);
    expect(bytes(made.inputSchema)).toBeLessThanOrEqual(SCHEMA_BYTES_MAX);
    expect(Object.keys(propertiesOf(made))).toEqual(['query']);
    expect(made.check({ query: { all: [{ member1: 'anything' }] } })).toEqual([]);
    expect(made.check({ query: { all: 'no list' } })).toMatchObject([{ pointer: '/query/all' }]);
    expect(catalogue.warnings).toMatchObject([{ message: expect.stringMatching(/1 tool is larger than 32 KiB.*: search$/) }]);
  });
});
