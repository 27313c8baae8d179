import { describe, expect, test } from 'vitest';
import { compile, compileAll, faultsOf, library, OK, openapi, upstream } from './kit.ts';

const YAML = `openapi: 3.1.0
info: {title: x, version: '1'}
servers: [{url: http://up.test}]
paths:
  /a:
    get:
      operationId: getA
      responses:
        200: {description: ok}
`;

describe('a document', () => {
  test.each([
    ['JSON', openapi({ '/a': { get: { operationId: 'getA', responses: OK } } })],
    [
      'JSON after a byte order mark',
      `\uFEFF${JSON.stringify(openapi({ '/a': { get: { operationId: 'getA', responses: OK } } }))}`,
    ],
    [
      'JSON with trailing commas',
      '{"openapi":"3.0.0","servers":[{"url":"http://u"}],"paths":{"/a":{"get":{"operationId":"getA",},},},}',
    ],
    ['YAML with numbers as keys', YAML],
    ['YAML whose version is a number', YAML.replace('3.1.0', '3.1')],
    ['OpenAPI 3.2', YAML.replace('3.1.0', '3.2.0')],
    [
      'Swagger 2.0',
      { swagger: '2.0', info: {}, host: 'up.test', paths: { '/a': { get: { operationId: 'getA', responses: {} } } } },
    ],
    ['YAML with anchors and merge keys', `${YAML}x-common: &common {operationId: getA}\n`],
  ])('%s is read', async (_name, document) => {
    expect([...(await compile(document)).tools.keys()]).toEqual(['get_a']);
  });

  test('names the line of each operation', async () => {
    const lines = async (document: string) => [...(await compile(document)).tools.values()].map(({ source }) => source.line);
    expect(await lines(YAML)).toEqual([6]);
    const json = JSON.stringify(
      openapi({ '/a': { get: {} }, '/b "x"': { post: {}, put: { summary: '{[":"' } }, '/c': { get: {} } }),
      null,
      1,
    );
    const found = json.split('\n').flatMap((line, index) => (/"(get|post|put)"/.test(line) ? [index + 1] : []));
    // Within a path item the order is that of the specification, not of the file.
    expect((await lines(json)).sort((a, b) => Number(a) - Number(b))).toEqual(found);
  });

  test.each([
    ['nothing', '', 'is empty', undefined],
    ['a web page', '<!DOCTYPE html><html></html>', 'is an HTML or XML page', undefined],
    ['broken JSON', '{\n "openapi": "3.0.0",\n "paths": {\n  "/a": ]\n', 'is not valid JSON', 4],
    ['broken YAML', 'openapi: 3.0.0\npaths:\n  a: [1\n  b: 2\n', 'is neither JSON nor YAML', 4],
    ['a list', '[1]', 'its root is not an object', 1],
    ['a text', 'hello', 'its root is not an object', 1],
    ['an object of something else', '{"a":1}', 'neither `openapi` nor `swagger`', 1],
    ['an AsyncAPI document', 'info: {}\nasyncapi: 3.0.0', 'is an AsyncAPI document', 2],
    ['an overlay', 'overlay: 1.0.0', 'is an overlay', 1],
    ['a version to come', 'openapi: 4.0.0', 'is OpenAPI 4.0.0, which is not supported', 1],
    ['an old version', '{"swagger":"1.2"}', 'is OpenAPI 1.2, which is not supported', 1],
    ['paths that are a list', 'openapi: 3.0.0\npaths: []', 'has `paths` that is not an object', 2],
    [
      'aliases that unfold without end',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f', 'g'].map((n, i) => `${n}: &${n} [${Array(9).fill(`*${'abcdef'[i]}`).join(',')}]`).join('\n')}`,
      'alias',
      1,
    ],
  ])('that is %s is refused, with its line and what would mend it', async (_name, text, message, line) => {
    const [fault] = await faultsOf(text);
    expect(fault?.message).toContain(message);
    expect(fault?.mend).toBeTruthy();
    expect(fault?.file).toBe('/doc.yaml');
    if (line !== undefined) expect(fault?.line).toBe(line);
  });

  test('that is not there is refused by name', async () => {
    const [fault] = await faultsOf('', { document: '/none.yaml' });
    expect(fault).toMatchObject({ file: '/none.yaml', message: 'can not be read: it does not exist' });
  });

  test('of several upstreams are all spoken of at once', async () => {
    const both = compileAll(
      [upstream({ document: '/1', overlays: ['/o'] }), upstream({ document: '/2', name: 'two' })],
      library({}),
    );
    await expect(both).rejects.toMatchObject({
      code: 'DOCUMENT_INVALID',
      faults: [{ file: '/1' }, { file: '/o' }, { file: '/2' }],
    });
  });

  test('without paths has no tools', async () => {
    expect((await compile({ openapi: '3.1.0', servers: [{ url: 'http://u' }], webhooks: {} })).tools.size).toBe(0);
  });
});
