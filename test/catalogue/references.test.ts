import { describe, expect, test } from 'vitest';
import { isAllowed } from '../../src/catalogue/references.ts';
import { body, compile, compileAll, library, OK, only, openapi, propertiesOf, upstream } from './kit.ts';

const good = { '/good': { get: { operationId: 'good', responses: OK } } };
const using = (ref: string, more: object = {}) =>
  openapi({ ...good, '/ext': { post: { operationId: 'ext', requestBody: body({ $ref: ref }), responses: OK } } }, more);
const thing = { type: 'object', properties: { a: { type: 'string' } } };

describe('a reference', () => {
  test.each([
    ['percent-encoded', '#/paths/~1x~1%7Bid%7D/get/x-schema', { paths: { '/x/{id}': { get: { 'x-schema': thing } } } }],
    ['not encoded', '#/paths/~1x~1{id}/get/x-schema', { paths: { '/x/{id}': { get: { 'x-schema': thing } } } }],
    ['through a chain', '#/a', { a: { $ref: '#/b' }, b: { $ref: '#/c' }, c: thing }],
    ['through something that is a reference', '#/a/inner', { a: { $ref: '#/b' }, b: { inner: thing } }],
    ['with ~0 and ~1', '#/x/a~1b~0c', { x: { 'a/b~c': thing } }],
    ['with a lone %', '#/x/100%', { x: { '100%': thing } }],
    ['into a list', '#/x/1', { x: [{}, thing] }],
  ])('%s is followed', async (_name, ref, more) => {
    const paths = {
      ...('paths' in more ? (more.paths as object) : {}),
      '/ext': { post: { operationId: 'ext', requestBody: body({ $ref: ref }) } },
    };
    const made = (await compile({ ...openapi({}), ...more, paths })).tools.get('ext');
    expect(made && propertiesOf(made)).toEqual({ a: { type: 'string' } });
  });

  test.each([
    ['missing', '#/components/schemas/None', 'does not exist'],
    ['an anchor', '#anchor', 'does not exist'],
    ['an anchor of two schemas', '#twice', 'which several schemas are called'],
    ['to itself', '#/components/schemas/Self', 'back to itself'],
    ['to itself through others', '#/components/schemas/A', 'back to itself'],
    ['through itself', '#/components/schemas/Self/x', 'to itself'],
    ['to another site', 'https://elsewhere.test/s.json#/X', 'refers to https://elsewhere.test/s.json#/X, outside the document'],
    ['to a file', 'file:///etc/hostname', 'refers to file:///etc/hostname, outside the document'],
    ['up the tree', '../../../../etc/hostname', 'refers to ../../../../etc/hostname, outside the document'],
    ['of another scheme', 'urn:example:x', 'refers to urn:example:x, outside the document'],
  ])('%s leaves out the operation that uses it, and nothing is read', async (_name, ref, reason) => {
    const schemas = {
      Self: { $ref: '#/components/schemas/Self' },
      A: { $ref: '#/components/schemas/B' },
      B: { $ref: '#/components/schemas/A' },
      One: { $anchor: 'twice' },
      Two: { $anchor: 'twice' },
    };
    const shelf = library({ '/doc.yaml': using(ref, { components: { schemas } }), '/etc/hostname': 'secret' });
    const catalogue = await compileAll([upstream()], shelf);
    expect([...catalogue.tools.keys()]).toEqual(['good']);
    expect(catalogue.leftOut).toMatchObject([{ because: 'refused', source: { operationId: 'ext' } }]);
    expect(catalogue.leftOut[0]?.reason).toContain(reason);
    expect(catalogue.leftOut[0]?.mend).toBeTruthy();
    expect(shelf.asked).toEqual(['/doc.yaml']);
  });

  test.each([
    ['an anchor', { $ref: '#thing' }, { Thing: { $anchor: 'thing', ...thing } }],
    ['a dynamic anchor', { $dynamicRef: '#thing' }, { Thing: { $dynamicAnchor: 'thing', ...thing } }],
    ['an id', { $ref: 'https://schemas.test/thing' }, { Thing: { $id: 'https://schemas.test/thing', ...thing } }],
    ['a relative id', { $ref: 'thing.json' }, { Thing: { $id: 'thing.json', ...thing } }],
    [
      'an id and a place within it',
      { $ref: 'urn:x:things#/$defs/thing' },
      { Things: { $id: 'urn:x:things', $defs: { thing } } },
    ],
    [
      'an id and an anchor within it',
      { $ref: 'urn:x:things#thing' },
      { Things: { $id: 'urn:x:things', $defs: { thing: { $anchor: 'thing', ...thing } } }, Other: { $anchor: 'thing' } },
    ],
    [
      'a place within the schema that has an id',
      { $ref: '#/components/schemas/Whole' },
      { Whole: { $id: 'https://schemas.test/whole', $ref: '#/$defs/thing', $defs: { thing } } },
    ],
  ])('by %s is followed, and nothing is read', async (_name, schema, schemas) => {
    const paths = { '/ext': { post: { operationId: 'ext', requestBody: body(schema), responses: OK } } };
    const shelf = library({ '/doc.yaml': { ...openapi(paths, { components: { schemas } }), openapi: '3.1.0' } });
    const { tools, leftOut } = await compileAll([upstream()], shelf);
    expect(leftOut).toEqual([]);
    const made = tools.get('ext');
    expect(made && propertiesOf(made)).toEqual({ a: { type: 'string' } });
    expect(shelf.asked).toEqual(['/doc.yaml']);
  });

  test('under an allowed prefix is read once, and references in it are its own', async () => {
    const shelf = library({
      'http://up.test/v1/doc.json': using('schemas/x.json#/X'),
      'http://up.test/v1/schemas/x.json': {
        X: { properties: { own: { $ref: '#/Y' }, other: { $ref: 'y.json' } } },
        Y: { type: 'integer' },
      },
      'http://up.test/v1/schemas/y.json': { type: 'boolean' },
    });
    const settings = {
      document: 'http://up.test/v1/doc.json',
      allowedRefs: ['http://up.test/v1/schemas/'],
      tools: { include: ['ext'] },
    };
    const made = only(await compileAll([upstream(settings)], shelf));
    expect(propertiesOf(made)).toEqual({ own: { type: 'integer' }, other: { type: 'boolean' } });
    expect(shelf.asked).toEqual(Object.keys(shelf.files));
  });

  test('that is allowed and can not be read is a warning and a reason', async () => {
    const catalogue = await compile(using('gone.json'), { allowedRefs: ['/gone.json'] });
    expect(catalogue.warnings).toMatchObject([{ message: 'the reference gone.json can not be read: it does not exist' }]);
    expect(catalogue.leftOut[0]?.reason).toContain('can not be read');
  });

  test('to a path item is followed', async () => {
    const document = {
      ...openapi({ '/a': { $ref: '#/x-items/A' } }),
      'x-items': { A: { get: { operationId: 'getA', responses: OK } } },
    };
    expect([...(await compile(document)).tools.keys()]).toEqual(['get_a']);
  });
});

describe('an allowed prefix', () => {
  test.each([
    ['/a/b', '/a/b', true],
    ['/a/b/c', '/a/b', true],
    ['/a/b/c', '/a/b/', true],
    ['/a/bc', '/a/b', false],
    ['/a', '/a/b', false],
    ['http://h/s/x', 'http://h/s/', true],
    ['http://h/s/x', 'http://h/s', true],
    ['http://h/sx', 'http://h/s', false],
    ['http://h.evil/s/x', 'http://h', false],
    ['http://h/s/x', 'http://h', true],
    ['http://h:81/s/x', 'http://h/s', false],
    ['https://h/s/x', 'http://h/s', false],
    ['http://h/s/..%2fadmin', 'http://h/s', false],
    ['/s/x', 'http://h/s', false],
    ['http://h/s', 'http://', false],
  ])('decides on %s for %s: %s', (location, prefix, allowed) => {
    expect(isAllowed(location, [prefix])).toBe(allowed);
  });
});
