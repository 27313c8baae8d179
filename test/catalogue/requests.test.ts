import { describe, expect, test } from 'vitest';
import { renderRequest } from '../../src/core/render.ts';
import { body, compile, OK, only, openapi, propertiesOf, templateOf, tool } from './kit.ts';

const text = { type: 'string' };
const parameter = (name: string, place: string, more: object = {}) => ({ name, in: place, schema: text, ...more });

describe('arguments', () => {
  test('of one name in four places are four', async () => {
    const operation = {
      parameters: [parameter('id', 'query'), parameter('id', 'header'), parameter('id', 'path', { required: true })],
      requestBody: body({ type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: text } }),
    };
    const made = await tool(operation, {}, '/users/{id}', 'put');
    expect(Object.keys(propertiesOf(made)).sort()).toEqual(['id', 'id_body', 'id_header', 'id_query', 'name']);
    expect(made.inputSchema['required']).toEqual(['id', 'id_body', 'name']);
    const rendered = renderRequest(templateOf(made), { id: '7', id_query: 'q', id_header: 'h', id_body: 8, name: 'x' });
    expect(rendered).toMatchObject({ request: { url: 'http://up.test/users/7?id=q', body: '{"id":8,"name":"x"}' } });
  });

  test('keep a name that is right from one that would become it', async () => {
    const made = await tool({
      parameters: [parameter('a[b]', 'query'), parameter('a_b', 'header'), parameter('$a b', 'query')],
    });
    expect(templateOf(made).parameters.map(({ name, argument }) => [name, argument])).toEqual([
      ['a[b]', 'a_b_query_2'],
      ['a_b', 'a_b'],
      ['$a b', 'a_b_query'],
    ]);
  });

  test.each([
    ['_source', '_source'],
    ['execution.workflow_id', 'execution.workflow_id'],
    ['filter[eq]', 'filter_eq'],
    ['$top', 'top'],
    ['日本', 'argument'],
    ['__proto__', 'proto'],
    ['x'.repeat(70), 'x'.repeat(64)],
  ])('called %s are called %s', async (name, argument) => {
    expect(templateOf(await tool({ parameters: [parameter(name, 'query')] })).parameters).toMatchObject([{ name, argument }]);
  });

  test('do not depend on the order of the document', async () => {
    const parameters = [
      parameter('a b', 'query'),
      parameter('a.b', 'query'),
      parameter('a/b', 'query'),
      parameter('a b', 'header'),
    ];
    const names = async (list: object[]) =>
      Object.fromEntries(
        templateOf(await tool({ parameters: list })).parameters.map((one) => [`${one.in} ${one.name}`, one.argument]),
      );
    expect(await names(parameters.toReversed())).toEqual(await names(parameters));
  });

  test.each([
    ['a list', { type: 'array', items: { type: 'integer' } }],
    ['free members', { type: 'object', additionalProperties: text }],
    ['members and free members', { type: 'object', properties: { a: text }, additionalProperties: true }],
    [
      'variants',
      {
        oneOf: [
          { type: 'object', properties: { a: text } },
          { type: 'object', properties: { b: text } },
        ],
      },
    ],
    ['an object without members', { type: 'object' }],
    ['a text', text],
  ])('of a body of %s are one: body', async (_name, schema) => {
    const made = await tool({ requestBody: body(schema) });
    expect(Object.keys(propertiesOf(made))).toEqual(['body']);
    expect(made.inputSchema['required']).toEqual(['body']);
    expect(templateOf(made).body?.from).toEqual({ kind: 'member', argument: 'body' });
  });

  test('of a composed body are the members of its parts', async () => {
    const schemas = { Base: { type: 'object', required: ['a'], properties: { a: text } } };
    const schema = {
      allOf: [{ $ref: '#/components/schemas/Base' }, { type: 'object', required: ['b'], properties: { b: text } }],
    };
    const made = await tool({ requestBody: body(schema) }, { components: { schemas } });
    expect(made.inputSchema).toEqual({
      type: 'object',
      properties: { a: text, b: text },
      required: ['a', 'b'],
      additionalProperties: false,
    });
  });

  test('of a body that may be left out are required only together', async () => {
    const schema = { type: 'object', required: ['a', 'b'], properties: { a: text, b: text, c: text } };
    const made = await tool({ requestBody: body(schema, false) });
    expect(made.check({})).toEqual([]);
    expect(made.check({ a: '1', b: '2' })).toEqual([]);
    expect(made.check({ c: '1' }).map(({ pointer }) => pointer)).toEqual(['/a', '/b']);
  });

  test('leave out what is sent by the gateway or said elsewhere', async () => {
    const securitySchemes = {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      q: { type: 'apiKey', in: 'query', name: 'token' },
    };
    const headers = ['Accept', 'content-type', 'Authorization', 'X-Key', 'X-Mine'].map((name) => parameter(name, 'header'));
    const made = await tool({ parameters: [...headers, parameter('token', 'query')] }, { components: { securitySchemes } });
    expect(Object.keys(propertiesOf(made))).toEqual(['X-Mine']);
  });

  test('of an operation win over those of its path', async () => {
    const document = openapi({
      '/a': {
        parameters: [parameter('q', 'query'), parameter('p', 'query')],
        get: { parameters: [parameter('q', 'query', { required: true })], responses: OK },
      },
    });
    const made = only(await compile(document));
    expect(made.inputSchema).toMatchObject({ required: ['q'], properties: { p: text, q: text } });
  });

  test('a path needs and nobody described are there', async () => {
    const made = await tool({}, {}, '/v1/{+name}:wait/{a.b}');
    expect(made.inputSchema['required']).toEqual(['name', 'a.b']);
    expect(templateOf(made).parameters.map(({ name, allowReserved }) => [name, allowReserved])).toEqual([
      ['name', true],
      ['a.b', false],
    ]);
  });

  test.each([
    ['missing', {}],
    ['empty', { id: '' }],
    ['null', { id: null }],
  ])('of a path that are %s are refused by name', async (_name, args) => {
    const made = await tool({ parameters: [parameter('id', 'path', { required: true })] }, {}, '/a/{id}');
    expect(made.check(args)).toMatchObject([{ pointer: '/id', message: expect.stringContaining('"id"') }]);
  });
});

describe('a parameter', () => {
  test.each([
    ['path', {}, { style: 'simple', explode: false }],
    ['path', { style: 'matrix', explode: true }, { style: 'matrix', explode: true }],
    ['query', {}, { style: 'form', explode: true }],
    ['query', { explode: false }, { style: 'form', explode: false }],
    ['query', { style: 'pipeDelimited' }, { style: 'pipeDelimited', explode: false }],
    ['query', { style: 'deepObject' }, { style: 'deepObject', explode: true }],
    ['query', { style: 'simple' }, { style: 'form', explode: true }],
    ['query', { allowReserved: true }, { allowReserved: true }],
    ['header', {}, { style: 'simple', explode: false }],
    ['header', { style: 'form' }, { style: 'simple', explode: false }],
    ['cookie', {}, { style: 'form', explode: true }],
    [
      'query',
      { schema: undefined, content: { 'application/json': { schema: { type: 'object' } } } },
      { mediaType: 'application/json' },
    ],
  ])('in %s with %j is written so', async (place, more, expected) => {
    const made = await tool({ parameters: [parameter('p', place, more)] }, {}, place === 'path' ? '/a/{p}' : '/a');
    expect(templateOf(made).parameters[0]).toMatchObject({ in: place, ...expected });
  });

  test.each([
    ['csv', { style: 'form', explode: false }],
    ['ssv', { style: 'spaceDelimited', explode: false }],
    ['pipes', { style: 'pipeDelimited', explode: false }],
    ['multi', { style: 'form', explode: true }],
  ])('of Swagger 2.0 with collectionFormat %s is written so', async (collectionFormat, expected) => {
    const parameters = [{ name: 'p', in: 'query', type: 'array', items: text, collectionFormat }];
    const made = only(
      await compile({ swagger: '2.0', host: 'up.test', paths: { '/a': { get: { parameters, responses: {} } } } }),
    );
    expect(templateOf(made).parameters[0]).toMatchObject(expected);
    expect(propertiesOf(made)['p']).toEqual({ type: 'array', items: text });
  });

  test('of a place that does not exist leaves the operation out', async () => {
    const { leftOut } = await compile(openapi({ '/a': { get: { parameters: [parameter('p', 'querystring')] } } }));
    expect(leftOut).toMatchObject([{ reason: expect.stringContaining('"querystring"') }]);
  });
});

describe('a body', () => {
  const content = (...types: string[]) =>
    Object.fromEntries(types.map((type) => [type, { schema: { type: 'object', properties: { a: text } } }]));

  test.each([
    [['application/xml', 'application/json; charset=utf-8', 'application/json'], 'application/json', 'spread'],
    [['application/x-www-form-urlencoded', 'application/vnd.api+json'], 'application/vnd.api+json', 'spread'],
    [['multipart/form-data', 'application/x-www-form-urlencoded'], 'application/x-www-form-urlencoded', 'spread'],
    [['text/plain'], 'text/plain', 'member'],
    [['application/octet-stream'], 'application/octet-stream', 'member'],
    [['image/png'], 'image/png', 'member'],
    [['*/*'], 'application/json', 'spread'],
  ])('of %j is sent as %s', async (types, mediaType, kind) => {
    const made = await tool({ requestBody: { required: true, content: content(...types) } });
    expect(templateOf(made).body).toMatchObject({ mediaType, from: { kind } });
  });

  test('that is a form is written as its encoding says', async () => {
    const nested = { type: 'object', additionalProperties: text };
    const schema = {
      type: 'object',
      properties: { a: nested, b: nested, c: { type: 'array', items: text }, d: { type: 'array', items: text } },
    };
    const encoding = { a: { style: 'deepObject', explode: true }, c: { explode: false }, d: { contentType: 'text/plain' } };
    const form = { 'application/x-www-form-urlencoded': { schema, encoding } };
    const made = await tool({ requestBody: { content: form } });
    const args = { a: { x: '1 &', y: '2' }, b: { z: '3' }, c: ['4', '5,6'], d: ['7', '8'] };
    expect(renderRequest(templateOf(made), args)).toMatchObject({
      request: { body: 'a%5Bx%5D=1+%26&a%5By%5D=2&b=%7B%22z%22%3A%223%22%7D&c=4,5%2C6&d=7&d=8' },
    });
  });

  test('of Swagger 2.0 that is a form joins lists, unless they are repeated', async () => {
    const list = (name: string, more: object = {}) => ({ in: 'formData', name, type: 'array', items: text, ...more });
    const parameters = [list('a'), list('b', { collectionFormat: 'multi' })];
    const made = only(
      await compile({ swagger: '2.0', host: 'up.test', paths: { '/a': { post: { parameters, responses: {} } } } }),
    );
    expect(renderRequest(templateOf(made), { a: ['1', '2'], b: ['3', '4'] })).toMatchObject({
      request: { body: 'a=1,2&b=3&b=4' },
    });
  });

  test('of bytes is an argument in base64', async () => {
    const made = await tool({
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
    });
    expect(propertiesOf(made)['body']).toEqual({
      type: 'string',
      contentEncoding: 'base64',
      description: expect.stringMatching(/^The body\. In base64, or as a data: URL/),
    });
    expect(renderRequest(templateOf(made), { body: 'AQI=' })).toMatchObject({ request: { body: new Uint8Array([1, 2]) } });
  });

  const multipart = (schema: object, encoding: object = {}) => ({
    requestBody: { required: true, content: { 'multipart/form-data': { schema, encoding } } },
  });
  const binary = { type: 'string', format: 'binary' };

  test('that is multipart has files as text in base64, and members as they are', async () => {
    const schema = {
      type: 'object',
      required: ['file'],
      properties: {
        file: { ...binary, description: 'The rows.', maxLength: 10 },
        many: { type: 'array', items: { $ref: '#/components/schemas/File' } },
        one: { oneOf: [binary, { type: 'array', items: binary }] },
        mask: { type: 'string', nullable: true, format: 'binary' },
        image: text,
        options: { type: 'object', additionalProperties: text },
        note: text,
      },
    };
    const encoding = {
      file: { contentType: 'text/csv' },
      many: { contentType: 'image/png, image/jpeg' },
      image: { contentType: 'image/png' },
      note: { contentType: 'text/markdown', style: 'deepObject' },
    };
    const File = { type: 'string', format: 'binary', description: 'x'.repeat(500) };
    const made = await tool(multipart(schema, encoding), { components: { schemas: { File } } });
    expect(made.inputSchema).not.toHaveProperty('$defs');
    expect(JSON.stringify(made.inputSchema)).not.toContain('"format"');
    const file = { type: 'string', contentEncoding: 'base64', description: expect.stringContaining('data:text/csv;name=') };
    expect(propertiesOf(made)).toMatchObject({
      file: { ...file, description: expect.stringMatching(/^The rows\. In base64/) },
      many: { type: 'array', items: file },
      one: { oneOf: [file, { type: 'array', items: file }] },
      mask: { ...file, type: ['string', 'null'] },
      image: file,
      options: { type: 'object' },
      note: text,
    });
    expect(propertiesOf(made)['file']).not.toHaveProperty('maxLength');
    const { encoding: styles, ...rest } = templateOf(made).body ?? {};
    expect(styles).toBeUndefined();
    expect(rest).toMatchObject({
      mediaType: 'multipart/form-data',
      from: { kind: 'spread' },
      parts: {
        file: { file: true, mediaType: 'text/csv' },
        many: { file: true },
        one: { file: true },
        mask: { file: true },
        image: { file: true, mediaType: 'image/png' },
        note: { file: false, mediaType: 'text/markdown' },
      },
    });
    expect(made.check({ file: 'AA==', options: { a: 'b' } })).toEqual([]);
    const body = renderRequest(templateOf(made), { file: 'YSxi', options: { a: 'b' } });
    expect(new TextDecoder().decode('request' in body ? (body.request.body as Uint8Array) : undefined)).toMatch(
      /name="file"; filename="file\.csv"\r\nContent-Type: text\/csv\r\n\r\na,b\r\n[\s\S]*application\/json\r\n\r\n\{"a":"b"\}/,
    );
  });

  test('that is multipart has styles from OpenAPI 3.1 on', async () => {
    const schema = { type: 'object', properties: { ids: { type: 'array', items: text } } };
    const operation = multipart(schema, { ids: { style: 'form', explode: false } });
    expect(templateOf(await tool(operation, { openapi: '3.1.0' })).body?.encoding).toEqual({
      ids: { style: 'form', explode: false },
    });
  });

  test('that is multipart and no plain object stays in one piece, and says which members are files', async () => {
    const schema = {
      oneOf: [
        { type: 'object', required: ['file'], properties: { file: binary } },
        { type: 'object', required: ['url'], properties: { url: text } },
      ],
    };
    const made = await tool(multipart(schema));
    expect(propertiesOf(made)['body']).toMatchObject({
      type: 'object',
      description: expect.stringContaining('Files ("file") in base64'),
    });
    expect(templateOf(made).body).toMatchObject({ from: { kind: 'member' }, parts: { file: { file: true } } });
  });

  test.each([
    ['multipart/mixed', { type: 'object' }],
    ['multipart/related', { type: 'object' }],
    ['multipart/form-data', { type: 'array', items: text }],
  ])('of %s with %j is refused by name, with a way out', async (type, schema) => {
    const { leftOut } = await compile(openapi({ '/a': { post: { requestBody: { content: { [type]: { schema } } } } } }));
    expect(leftOut).toMatchObject([{ reason: expect.stringContaining(type), mend: expect.stringMatching(/describe|exclude/) }]);
  });

  test.each(['text/xml', 'application/xml', 'application/soap+xml'])('of %s is an argument of text', async (type) => {
    const made = await tool({
      requestBody: { required: true, content: { [type]: { schema: { type: 'object', properties: { a: text } } } } },
    });
    expect(propertiesOf(made)['body']).toEqual({ type: 'string' });
    expect(made.check({ body: '<a/>' })).toEqual([]);
    expect(renderRequest(templateOf(made), { body: '<a>é</a>' })).toMatchObject({ request: { body: '<a>é</a>' } });
  });

  test('of a GET is left out, and refused where it is required', async () => {
    const get = (required: boolean) =>
      compile(openapi({ '/a': { get: { requestBody: body({ type: 'object', properties: { a: text } }, required) } } }));
    expect(propertiesOf(only(await get(false)))).toEqual({});
    expect((await get(true)).leftOut).toMatchObject([{ reason: expect.stringContaining('with GET') }]);
  });

  test('of Swagger 2.0 is found among the parameters, referred to or not', async () => {
    const document = {
      swagger: '2.0',
      host: 'up.test',
      basePath: '/v1',
      schemes: ['http', 'https'],
      consumes: ['application/json'],
      parameters: { B: { in: 'body', name: 'b', required: true, schema: { $ref: '#/definitions/T' } } },
      definitions: { T: { type: 'object', required: ['a'], properties: { a: text } } },
      paths: {
        '/a': {
          post: {
            operationId: 'json',
            parameters: [{ $ref: '#/parameters/B' }],
            responses: { 200: { schema: { $ref: '#/definitions/T' } } },
          },
        },
        '/f': {
          post: {
            operationId: 'form',
            parameters: [{ in: 'formData', name: 'n', type: 'integer', required: true }],
            responses: {},
          },
        },
        '/u': { post: { operationId: 'upload', parameters: [{ in: 'formData', name: 'f', type: 'file' }], responses: {} } },
      },
    };
    const { tools } = await compile(document);
    expect(tools.get('json')).toMatchObject({
      request: { server: 'https://up.test/v1', body: { mediaType: 'application/json', required: true } },
      inputSchema: { properties: { a: text }, required: ['a'] },
      outputSchema: { type: 'object', properties: { a: text } },
    });
    expect(tools.get('form')).toMatchObject({
      request: { body: { mediaType: 'application/x-www-form-urlencoded', from: { members: [{ argument: 'n', name: 'n' }] } } },
      inputSchema: { properties: { n: { type: 'integer' } }, required: ['n'] },
    });
    expect(tools.get('upload')).toMatchObject({
      request: { body: { mediaType: 'multipart/form-data', parts: { f: { file: true } } } },
      inputSchema: { properties: { f: { type: 'string', contentEncoding: 'base64' } } },
    });
  });
});

describe('what is accepted', () => {
  const answer = (...types: string[]) => ({
    responses: { 200: { description: 'ok', content: Object.fromEntries(types.map((type) => [type, {}])) } },
  });
  test.each([
    [answer('application/json'), 'application/json, */*;q=0.8'],
    [answer('text/csv', 'application/vnd.api+json'), 'application/vnd.api+json, */*;q=0.8'],
    [answer('text/csv'), 'text/csv, */*;q=0.8'],
    [{ responses: {} }, 'application/json, */*;q=0.8'],
  ])('is what the answers hold: %j', async (operation, accept) => {
    expect(templateOf(await tool(operation)).accept).toBe(accept);
  });
});
