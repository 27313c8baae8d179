import { describe, expect, test } from 'vitest';
import type { UpstreamConfig } from '../../src/config/config.ts';
import { compile, compileAll, faultsOf, library, OK, only, openapi, templateOf, upstream } from './kit.ts';

const get = (more: object = {}) => ({ get: { responses: OK, ...more } });
const region = { url: 'http://other.test/{region}/v9/', variables: { region: { default: 'eu', enum: ['eu', 'us'] } } };

describe('URLs that are rewritten', () => {
  test('to where nothing may be followed are a warning', async () => {
    const rewrite = (to: string) => ({ rewrite: [{ from: 'http://inside.test', to }] });
    expect((await compile(openapi({ '/a': get() }), rewrite('http://up.test/v1'))).warnings).toEqual([]);
    expect((await compile(openapi({ '/a': get() }), rewrite('http://elsewhere.test'))).warnings).toMatchObject([
      { message: expect.stringContaining('`rewrite` leads to http://elsewhere.test') },
    ]);
  });
});

describe('the server of an operation', () => {
  const paths = {
    '/a': get(),
    '/b': { servers: [{ url: 'v2' }], ...get() },
    '/c': get({ servers: [region] }),
    '/d': { servers: [{ url: '/p?x#y' }], ...get({ servers: [] }) },
  };
  const serversOf = async (location: string, servers: object[] | undefined, settings: Partial<UpstreamConfig> = {}) => {
    const shelf = library({ [location]: { ...openapi(paths), servers } });
    const { tools, services } = await compileAll([upstream({ document: location, ...settings })], shelf);
    return { servers: [...tools.values()].map((tool) => templateOf(tool).server), origin: services.get('up')?.origin };
  };

  test('is relative to the address of the document', async () => {
    expect(await serversOf('http://up.test/specs/v3/doc.json', [{ url: '/base' }])).toEqual({
      servers: ['http://up.test/base', 'http://up.test/specs/v3/v2', 'http://other.test/eu/v9', 'http://up.test/p'],
      origin: 'http://up.test',
    });
  });

  test('is the document’s own host where none is named', async () => {
    expect((await serversOf('http://up.test/specs/doc.json', undefined)).servers[0]).toBe('http://up.test');
  });

  test('is the configured one where there is one', async () => {
    const settings = { baseUrl: 'http://mine.test:81/api/' };
    expect(await serversOf('/doc.yaml', [{ url: 'https://public.test' }], settings)).toEqual({
      servers: ['http://mine.test:81/api', 'http://mine.test:81/api/v2', 'http://other.test/eu/v9', 'http://mine.test:81/p'],
      origin: 'http://mine.test:81',
    });
  });

  test.each([
    ['no server', []],
    ['a relative server', [{ url: '/v1' }]],
    ['a variable without a value', [{ url: 'http://{host}/v1' }]],
    ['another scheme', [{ url: 'ftp://up.test' }]],
    ['a password', [{ url: 'http://a:b@up.test' }]],
  ])('can not be told of a file with %s', async (_name, servers) => {
    const [fault] = await faultsOf({ ...openapi({ '/a': get() }), servers });
    expect(fault).toMatchObject({ pointer: '/servers', mend: 'set `baseUrl` of this upstream' });
  });

  test('that can not be told leaves that operation out', async () => {
    const { tools, leftOut } = await compile(openapi({ '/a': get(), '/b': get({ servers: [{ url: 'http://{x}/' }] }) }));
    expect(tools.size).toBe(1);
    expect(leftOut).toMatchObject([{ source: { path: '/b' }, reason: expect.stringContaining('http://{x}/') }]);
  });

  test('of Swagger 2.0 prefers https', async () => {
    const server = async (more: object) =>
      templateOf(only(await compile({ swagger: '2.0', paths: { '/a': { get: { responses: {} } } }, ...more }))).server;
    expect(await server({ host: 'up.test:8', basePath: '/v1/', schemes: ['http', 'https'] })).toBe('https://up.test:8/v1');
    expect(await server({ host: 'up.test', schemes: ['http'] })).toBe('http://up.test');
    expect(await server({ host: 'up.test' })).toBe('https://up.test');
  });
});

describe('the credentials of an operation', () => {
  const secret = { reveal: () => 'secret' };
  const securitySchemes = {
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    oauth: { $ref: '#/x/oauth' },
    basic: { type: 'http', scheme: 'basic' },
  };
  const more = { components: { securitySchemes }, x: { oauth: { type: 'oauth2' } } };
  const securityOf = async (operation: object, root: object, configured: string[]) => {
    const credentials = Object.fromEntries(configured.map((name) => [name, { value: secret }]));
    return templateOf(only(await compile(openapi({ '/a': get(operation) }, { ...more, ...root }), { credentials }))).security;
  };

  test.each<[string, object, object, string[], string[] | undefined]>([
    ['all that are configured where the document says nothing', {}, {}, ['key'], undefined],
    ['the document’s', {}, { security: [{ key: [] }] }, ['key'], ['key']],
    ['the operation’s own', { security: [{ oauth: [] }] }, { security: [{ key: [] }] }, ['key', 'oauth'], ['oauth']],
    ['none where it is open', { security: [] }, { security: [{ key: [] }] }, ['key'], []],
    [
      'the first alternative that is configured',
      {},
      { security: [{ oauth: [] }, { key: [], basic: [] }, { key: [] }] },
      ['key'],
      ['key'],
    ],
    ['the first alternative where none is configured', {}, { security: [{ oauth: [] }, { key: [] }] }, [], ['oauth']],
    ['none where they may be left out and are not configured', {}, { security: [{}, { key: [] }] }, [], []],
    ['those that may be left out, where configured', {}, { security: [{}, { key: [] }] }, ['key'], ['key']],
    ['also those that the document does not know', {}, { security: [{ key: [] }] }, ['key', 'mine'], ['key', 'mine']],
  ])('are %s', async (_name, operation, root, configured, expected) => {
    expect(await securityOf(operation, root, configured)).toEqual(expected);
  });

  test('that are needed and not configured are a warning', async () => {
    const document = openapi({ '/a': get({ security: [{ key: [] }] }), '/b': get({ security: [] }) }, more);
    expect((await compile(document)).warnings).toMatchObject([
      {
        pointer: '/components/securitySchemes/key',
        message: 'no credential is configured for the security scheme key, which 1 tool needs',
        mend: 'set `credentials.key` of the upstream',
      },
    ]);
    expect((await compile(document, { credentials: { key: { value: secret } } })).warnings).toEqual([]);
  });

  test('come with their schemes, references followed', async () => {
    const { services } = await compile(openapi({}, more));
    expect(services.get('up')?.securitySchemes).toEqual({ ...securitySchemes, oauth: { type: 'oauth2' } });
  });
});
