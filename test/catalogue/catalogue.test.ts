import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/core/json.ts';
import { body, compile, OK, openapi, tool } from './kit.ts';

const text = { type: 'string' };

describe('a tool', () => {
  test.each<[string, object, string]>([
    ['its summary and description', { summary: 'Short.', description: 'Long.' }, 'Short.\n\nLong.'],
    [
      'its description alone where that repeats the summary',
      { summary: 'Short', description: 'Short and long.' },
      'Short and long.',
    ],
    ['method and path where nothing is said', { summary: ' ' }, 'POST /things'],
    ['that it is deprecated', { summary: 'Old.', deprecated: true }, 'Deprecated. Old.'],
    ['no more than is fit', { description: 'x'.repeat(5_000) }, `${'x'.repeat(1_499)}…`],
  ])('is described by %s', async (_name, operation, description) => {
    expect((await tool(operation)).description).toBe(description);
  });

  test.each([
    ['get', { readOnlyHint: true }],
    ['post', {}],
    ['put', { idempotentHint: true }],
    ['patch', {}],
    ['delete', { destructiveHint: true, idempotentHint: true }],
  ])('for %s is annotated by what HTTP promises, short of what is taken for granted', async (method, annotations) => {
    expect((await tool({}, {}, '/things', method)).annotations).toEqual(annotations);
  });

  test.each([
    [{ summary: 'A  title', description: 'More.' }, 'A title'],
    [{ summary: 'A title' }, undefined],
    [{ summary: 'A title', description: 'A title' }, undefined],
    [{ description: 'More.' }, undefined],
  ])('of %j has a title where the description says more', async (operation, title) => {
    expect((await tool(operation)).title).toBe(title);
  });

  test('is chosen by operationId, method and path, tag, and wildcards', async () => {
    const document = openapi({
      '/a': { get: { operationId: 'a.list', tags: ['read'], responses: OK }, post: { operationId: 'a.make', responses: OK } },
      '/b': { get: { operationId: 'b.list', tags: ['read'], responses: OK }, delete: { responses: OK } },
    });
    const chosen = async (include: string[], exclude: string[] = []) => [
      ...(await compile(document, { tools: { include, exclude } })).tools.keys(),
    ];
    expect(await chosen([])).toEqual(['a_list', 'a_make', 'b_list', 'delete_b']);
    expect(await chosen(['a.list', 'DELETE /b'])).toEqual(['a_list', 'delete_b']);
    expect(await chosen(['read'])).toEqual(['a_list', 'b_list']);
    expect(await chosen(['a.*'])).toEqual(['a_list', 'a_make']);
    expect(await chosen(['* /b'])).toEqual(['b_list', 'delete_b']);
    expect(await chosen([], ['read', 'DELETE *'])).toEqual(['a_make']);
    expect(await chosen(['a?list', 'axlist'])).toEqual([]);
    const { leftOut } = await compile(document, { tools: { include: ['a.*'], exclude: ['read'] } });
    expect(leftOut.map(({ because, reason }) => [because, reason])).toEqual([
      ['excluded', 'excluded by the pattern "read"'],
      ['excluded', 'excluded by the pattern "read"'],
      ['excluded', 'included by no pattern'],
    ]);
  });

  test('keeps its name whatever else is chosen', async () => {
    const document = openapi({
      '/a': { get: { operationId: 'x y', responses: OK } },
      '/b': { get: { operationId: 'x_y', responses: OK } },
    });
    expect([...(await compile(document)).tools.keys()]).toEqual(['get_a', 'get_b']);
    expect([...(await compile(document, { tools: { include: ['x y'], prefix: 'up_' } })).tools.keys()]).toEqual(['up_get_a']);
  });

  test('remembers where it came from', async () => {
    expect((await tool({})).source).toEqual({
      document: '/doc.yaml',
      method: 'POST',
      path: '/things',
      operationId: 'theThing',
      pointer: '/paths/~1things/post',
      line: 1,
    });
  });
});

describe('arguments', () => {
  const check = async (args: string) => {
    const properties = {
      name: { ...text, minLength: 2 },
      count: { type: 'integer', format: 'int64' },
      kind: { enum: ['a', 'b'] },
      at: { type: 'string', format: 'date-time' },
      deep: {
        type: 'object',
        required: ['x'],
        properties: { x: { type: 'array', items: { type: 'integer' } } },
        additionalProperties: false,
      },
      either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    };
    const made = await tool({ requestBody: body({ type: 'object', required: ['name'], properties }) });
    return made.check(parseJson(args) as never).map(({ pointer, message }) => `${pointer}: ${message}`);
  };

  test.each([
    ['{}', ['/name: "name" is required']],
    ['{"name":null}', ['/name: "name" must be string']],
    ['{"name":5,"count":1.5}', ['/name: "name" must be string', '/count: "count" must be integer']],
    ['{"name":"x"}', ['/name: "name" must NOT have fewer than 2 characters']],
    ['{"name":"xx","kind":"c"}', ['/kind: "kind" must be one of "a", "b"']],
    ['{"name":"xx","nmae":1}', ['/nmae: "nmae" is not known']],
    ['{"name":"xx","at":"yesterday"}', ['/at: "at" must match format "date-time"']],
    ['{"name":"xx","deep":{"x":[1,"2"],"y":0}}', ['/deep/y: "deep/y" is not known', '/deep/x/1: "deep/x/1" must be integer']],
    ['{"name":"xx","deep":{}}', ['/deep/x: "deep/x" is required']],
    ['{"name":"xx","either":true}', ['/either: "either" must be string', '/either: "either" must be integer']],
    ['{"name":"xx","count":9007199254740993}', []],
    ['{"name":"xx","count":12345678901234567890}', []],
  ])('%s are judged by name', async (args, faults) => {
    expect(await check(args)).toEqual(faults);
  });

  test('that are not known are told which are', async () => {
    const made = await tool({ parameters: [{ name: 'q', in: 'query', schema: text }] });
    expect(made.check({ p: 1 })).toMatchObject([{ mend: 'arguments are: q' }]);
    expect((await tool({})).check({ p: 1 })).toMatchObject([{ mend: 'there are no arguments' }]);
  });

  test('never appear in a fault, since they may be secrets', async () => {
    const made = await tool({
      requestBody: body({ type: 'object', properties: { a: { type: 'integer' }, b: { pattern: '^x$' }, c: { enum: [1] } } }),
    });
    expect(JSON.stringify(made.check({ a: 'hunter2', b: 'hunter2', c: 'hunter2' }))).not.toContain('hunter2');
  });

  test('that are wrong in very many ways are told of ten', async () => {
    const made = await tool({ requestBody: body({ type: 'array', items: { type: 'integer' } }) });
    expect(made.check({ body: Array(1_000).fill('x') })).toHaveLength(10);
  });
});

describe('one operation that can not be compiled', () => {
  test('is left out with reason, place and mend, and the rest serve', async () => {
    const deep = `${'{"items":'.repeat(20_000)}{}${'}'.repeat(20_000)}`;
    const document = openapi({
      '/good': { get: { responses: OK } },
      '/ref': { $ref: '#/none' },
      '/param': { get: { parameters: [{ in: 'query' }] } },
      '/deep': { post: { requestBody: body({ deep: 0 }) } },
    });
    const { tools, leftOut } = await compile(JSON.stringify(document).replace('{"deep":0}', deep));
    expect([...tools.keys()]).toEqual(['get_good']);
    expect(leftOut.map(({ source, because, reason }) => [source.path, because, reason])).toEqual([
      ['/ref', 'refused', 'refers to #/none, which does not exist (/doc.yaml:1)'],
      ['/param', 'refused', 'has a parameter without a name'],
      ['/deep', 'refused', 'is nested too deeply'],
    ]);
  });
});
