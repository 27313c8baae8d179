// What converters of OpenAPI get wrong most often, one small case each: names that collide, nullable, schemas within themselves, names of
// tools, query styles, servers.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { renderRequest } from '../../src/core/render.ts';
import { body, compile, compileAll, library, OK, only, openapi, propertiesOf, templateOf, tool, upstream } from './kit.ts';

const text = { type: 'string' };
const sent = (made: Parameters<typeof templateOf>[0], args: Parameters<typeof renderRequest>[1]) => {
  const rendered = renderRequest(templateOf(made), args);
  if ('faults' in rendered) throw new Error(JSON.stringify(rendered.faults));
  return rendered.request;
};

describe('one name in path, query, header and body', () => {
  test('is four arguments, and each arrives in its place', async () => {
    const parameters = [
      { name: 'id', in: 'path', required: true, schema: text },
      { name: 'id', in: 'query', schema: text },
      { name: 'id', in: 'header', schema: text },
    ];
    const requestBody = body({ type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: text } });
    const made = await tool({ parameters, requestBody }, {}, '/users/{id}', 'put');
    expect(made.inputSchema).toMatchObject({ required: ['id', 'id_body', 'name'] });
    const request = sent(made, { id: '7', id_query: 'q1', id_header: 'h1', id_body: 8, name: 'x' });
    expect(request).toMatchObject({ url: 'http://up.test/users/7?id=q1', body: '{"id":8,"name":"x"}' });
    expect(request.headers).toContainEqual(['id', 'h1']);
  });

  test('is an argument for the whole of a body that is no object', async () => {
    const parameters = [{ name: 'values', in: 'query', required: true, schema: text }];
    const made = await tool({ parameters, requestBody: body({ title: 'Values', type: 'array', items: { type: 'integer' } }) });
    expect(sent(made, { values: 'active', body: [1, 2] })).toMatchObject({
      url: 'http://up.test/things?values=active',
      body: '[1,2]',
    });
  });
});

describe('nullable of OpenAPI 3.0', () => {
  test('is null among the types, in what goes in and in what comes out', async () => {
    const Item = {
      type: 'object',
      properties: {
        name: { ...text, nullable: false },
        price: { type: 'number', nullable: true },
        tags: { type: 'array', items: { ...text, nullable: true } },
        kind: { ...text, enum: ['a', 'b'], nullable: true },
      },
    };
    const ref = { $ref: '#/components/schemas/Item' };
    const responses = { 200: { description: 'ok', content: { 'application/json': { schema: ref } } } };
    const made = await tool({ requestBody: body(ref), responses }, { components: { schemas: { Item } } });
    const value = { name: 'x', price: null, tags: ['a', null], kind: null };
    expect(made.check(value)).toEqual([]);
    expect(new Ajv2020({ strict: false }).compile(made.outputSchema as object)(value)).toBe(true);
    expect(made.check({ name: null, price: 1 })).toMatchObject([{ pointer: '/name' }]);
    expect(made.check({ name: 5, price: 1 })).toMatchObject([{ pointer: '/name' }]);
    expect(JSON.stringify([made.inputSchema, made.outputSchema])).not.toContain('nullable');
  });
});

describe('a schema within itself', () => {
  const R = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const schemas = {
    Comment: {
      type: 'object',
      required: ['text'],
      properties: { text, replies: { type: 'array', items: R('Comment') }, parent: R('Comment') },
    },
    And: { type: 'object', required: ['all'], properties: { all: { type: 'array', items: R('Filter') } } },
    Leaf: { type: 'object', required: ['field'], properties: { field: text } },
    Filter: { oneOf: [R('And'), R('Leaf')] },
  };

  test('is checked at every depth', async () => {
    const made = await tool({ requestBody: body(R('Comment')) }, { components: { schemas } });
    expect(made.check({ text: 'a', replies: [{ text: 'b', replies: [{ text: 'c' }] }] })).toEqual([]);
    expect(made.check({ text: 'a', replies: [{ replies: [] }] })).toMatchObject([{ pointer: '/replies/0/text' }]);
  });

  test('is small, and refers to nothing outside of it', async () => {
    const made = await tool({ requestBody: body(R('And')) }, { components: { schemas } });
    const refs = [...JSON.stringify(made.inputSchema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref);
    expect([...new Set(refs)].sort()).toEqual(['#/$defs/And', '#/$defs/Filter', '#/$defs/Leaf']);
    expect(Object.keys(made.inputSchema['$defs'] as object)).toEqual(['And', 'Filter', 'Leaf']);
  });
});

describe('names of tools', () => {
  test('are told apart at their limit, and depend on no order', async () => {
    const report = 'generateQuarterlyConsolidatedFinancialStatementReportForSubsidiary';
    const ids = [`${report}Alpha`, `${report}Beta`, 'reports/run now', 'reports_run_now', undefined, 'getJob'];
    const entries = ids.map((operationId, index) => [
      `/p${index}`,
      { post: { ...(operationId === undefined ? {} : { operationId }), summary: `marker-${index}`, responses: OK } },
    ]);
    const named = async (list: typeof entries) => {
      const { tools } = await compile(openapi(Object.fromEntries(list)));
      return new Map([...tools.values()].map(({ name, description }) => [description, name]));
    };
    const names = await named(entries);
    expect(new Set(names.values()).size).toBe(6);
    for (const name of names.values()) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
    expect(names.get('marker-5')).toBe('get_job');
    expect(await named(entries.toReversed())).toEqual(names);
  });
});

describe('query styles', () => {
  test('are written by the table, falsy values among them', async () => {
    const query = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more });
    const list = { type: 'array', items: text };
    const parameters = [
      query('ids', list),
      query('tags', list, { explode: false }),
      query('pipes', list, { style: 'pipeDelimited', explode: false }),
      query('filter', { type: 'object', properties: { eq: text } }, { style: 'deepObject', explode: true }),
      ...['q', 'opt'].map((name) => query(name, text)),
      query('n', { type: 'integer' }),
      query('flag', { type: 'boolean' }),
    ];
    const made = await tool({ parameters }, {}, '/items', 'get');
    const args = {
      ids: ['a', 'b,c'],
      tags: ['x', 'y,z'],
      pipes: ['1', '2'],
      filter: { eq: 'v&w' },
      q: 'a b+c',
      n: 0,
      flag: false,
    };
    expect(made.check(args)).toEqual([]);
    expect(sent(made, args).url.split('?')[1]?.split('&').sort()).toEqual(
      ['ids=a', 'ids=b%2Cc', 'tags=x,y%2Cz', 'pipes=1%7C2', 'filter%5Beq%5D=v%26w', 'q=a%20b%2Bc', 'n=0', 'flag=false'].sort(),
    );
    expect(sent(made, { ids: [] }).url).toBe('http://up.test/items');
  });
});

describe('servers', () => {
  test('of the document, a path and an operation are relative to where the document is, and only one gets credentials', async () => {
    const at = 'http://up.test/specs/v3/openapi.json';
    const get = (operationId: string) => ({ operationId, responses: OK });
    const variables = { region: { default: 'eu', enum: ['eu', 'us'] } };
    const document = {
      openapi: '3.0.3',
      info: { title: 'x', version: '1' },
      servers: [{ url: '/base' }],
      paths: {
        '/a': { get: get('a') },
        '/b': { servers: [{ url: 'v2' }], get: get('b') },
        '/c': { get: { ...get('c'), servers: [{ url: 'http://up2.test/{region}/v9', variables }] } },
      },
    };
    const { tools, services } = await compileAll([upstream({ document: at })], library({ [at]: document }));
    const urls = [...tools.values()].map((made) => sent(made, {}).url);
    expect(urls).toEqual(['http://up.test/base/a', 'http://up.test/specs/v3/v2/b', 'http://up2.test/eu/v9/c']);
    expect(services.get('up')?.origin).toBe('http://up.test');
  });
});

describe('read-only, write-only, defaults and deprecation', () => {
  test('mean what the specification says', async () => {
    const Thing = {
      type: 'object',
      required: ['id', 'secret', 'name'],
      properties: {
        id: { ...text, readOnly: true },
        secret: { ...text, writeOnly: true },
        name: { ...text, default: 'unnamed' },
        old: { ...text, deprecated: true },
      },
    };
    const ref = { $ref: '#/components/schemas/Thing' };
    const responses = { 200: { description: 'ok', content: { 'application/json': { schema: ref } } } };
    const made = only(
      await compile(
        openapi(
          { '/t': { post: { deprecated: true, requestBody: body(ref), responses } } },
          { components: { schemas: { Thing } } },
        ),
      ),
    );
    expect(made.description).toMatch(/^Deprecated\./);
    expect(propertiesOf(made)).toEqual({
      secret: text,
      name: { ...text, default: 'unnamed' },
      old: { ...text, deprecated: true },
    });
    expect(made.inputSchema).toMatchObject({ required: ['secret', 'name'] });
    expect(made.outputSchema).toMatchObject({ required: ['id', 'name'] });
    // A default is what the service takes where nothing is sent: it is not sent for it.
    expect(sent(made, { secret: 's' }).body).toBe('{"secret":"s"}');
  });
});
