import { describe, expect, test } from 'vitest';
import { fromDiscovery, isDiscovery } from '../../src/catalogue/discovery.ts';
import { parseSource } from '../../src/catalogue/document.ts';
import { valueAt } from '../../src/core/json.ts';
import { compile, propertiesOf, templateOf } from './kit.ts';

const NAME = { type: 'string', location: 'path', required: true, pattern: '^projects/[^/]+$' };
const method = (id: string, httpMethod: string, path: string, flatPath: string, more: object = {}) => ({
  id,
  httpMethod,
  path,
  flatPath,
  ...more,
});
const reader = { parameters: { name: NAME }, response: { $ref: 'Operation' } };

const DISCOVERY = {
  kind: 'discovery#restDescription',
  discoveryVersion: 'v1',
  name: 'scan',
  title: 'Scan API',
  version: 'v1',
  rootUrl: 'https://scan.test/',
  servicePath: 'api/',
  auth: { oauth2: { scopes: { 'https://scan.test/auth/all': { description: 'Everything.' } } } },
  parameters: { alt: { type: 'string', location: 'query' } },
  schemas: {
    Operation: {
      id: 'Operation',
      type: 'object',
      properties: {
        name: { type: 'string' },
        done: { type: 'boolean' },
        error: { $ref: 'Status' },
        response: { type: 'object', additionalProperties: { type: 'any' } },
      },
    },
    Status: { id: 'Status', type: 'object', properties: { code: { type: 'integer', format: 'int32' } } },
    Scan: {
      id: 'Scan',
      type: 'object',
      properties: { target: { type: 'string', required: true, annotations: { required: ['x'] } } },
    },
  },
  resources: {
    projects: {
      resources: {
        scans: {
          methods: {
            get: method('scan.projects.scans.get', 'GET', 'v1/{+name}', 'v1/projects/{projectsId}/scans/{scansId}', {
              parameters: { name: NAME },
              response: { $ref: 'Scan' },
            }),
            run: method('scan.projects.scans.run', 'POST', 'v1/{+parent}/scans', 'v1/projects/{projectsId}/scans', {
              description: 'Runs a scan.',
              parameters: { parent: NAME, tags: { type: 'string', location: 'query', repeated: true } },
              request: { $ref: 'Scan' },
              response: { $ref: 'Operation' },
              scopes: ['https://scan.test/auth/all'],
            }),
          },
        },
        operations: {
          methods: {
            cancel: method(
              'scan.projects.operations.cancel',
              'POST',
              'v1/{+name}:cancel',
              'v1/projects/{projectsId}/operations/{operationsId}:cancel',
              { parameters: { name: NAME }, response: { $ref: 'Status' } },
            ),
            get: method(
              'scan.projects.operations.get',
              'GET',
              'v1/{+name}',
              'v1/projects/{projectsId}/operations/{operationsId}',
              reader,
            ),
          },
        },
      },
    },
  },
};

const source = (document: object = DISCOVERY) => parseSource(JSON.stringify(document, null, 1), 'scan.json', '/scan.json');

describe('a discovery document', () => {
  test('is known by its version', () => {
    expect(isDiscovery(source())).toBe(true);
    expect(isDiscovery(source({ openapi: '3.1.0', paths: {} }))).toBe(false);
  });

  test('becomes OpenAPI: methods, schemas, scopes and server', () => {
    const { root } = fromDiscovery(source());
    expect(root).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Scan API', version: 'v1' },
      servers: [{ url: 'https://scan.test/api' }],
      components: {
        schemas: {
          Operation: { properties: { error: { $ref: '#/components/schemas/Status' }, response: { additionalProperties: {} } } },
          Scan: { properties: { target: { type: 'string' } } },
        },
        securitySchemes: { oauth2: { type: 'oauth2' } },
      },
    });
    const run = valueAt(root, '/paths/~1v1~1{+parent}~1scans/post');
    expect(run).toEqual({
      operationId: 'scan.projects.scans.run',
      tags: ['projects.scans'],
      description: 'Runs a scan.',
      'x-flat-path': '/v1/projects/{projectsId}/scans',
      parameters: [
        { name: 'parent', in: 'path', required: true, schema: { type: 'string', pattern: '^projects/[^/]+$' } },
        { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
      ],
      requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Scan' } } } },
      responses: {
        200: {
          description: 'Success.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Operation' } } },
        },
      },
      security: [{ oauth2: ['https://scan.test/auth/all'] }],
    });
  });

  test('tells methods of one path apart, and leaves the plain one to operations', () => {
    const { root } = fromDiscovery(source());
    expect(valueAt(root, '/paths/~1v1~1{+name}/get/operationId')).toBe('scan.projects.operations.get');
    expect(valueAt(root, '/paths/~1v1~1{+name}#scan.projects.scans.get/get/operationId')).toBe('scan.projects.scans.get');
  });

  test('names places of the file', () => {
    const original = source();
    const converted = fromDiscovery(original);
    expect(converted.placeOf('/paths/~1v1~1{+parent}~1scans/post')).toEqual(
      original.placeOf('/resources/projects/resources/scans/methods/run'),
    );
    expect(converted.placeOf('/components/schemas/Scan/properties/target')).toEqual(
      original.placeOf('/schemas/Scan/properties/target'),
    );
  });

  test('is compiled like any other: long-running operations are jobs, and slashes of names stay', async () => {
    const { tools, leftOut } = await compile(DISCOVERY);
    const run = tools.get('scan_projects_scans_run');
    expect(run).toMatchObject({
      kind: 'job',
      descriptor: {
        adapter: 'aip-151@1',
        protocol: { template: 'https://scan.test/api/v1/{+name}', cancel: { suffix: ':cancel' } },
      },
    });
    expect(leftOut.map(({ because, source: { operationId } }) => [because, operationId])).toEqual([
      ['helper', 'scan.projects.operations.get'],
      ['helper', 'scan.projects.operations.cancel'],
    ]);
    const get = tools.get('scan_projects_scans_get');
    if (get === undefined) throw new Error('there is no such tool');
    expect(propertiesOf(get)).toHaveProperty('name');
    expect(templateOf(get).parameters).toMatchObject([{ name: 'name', allowReserved: true }]);
  });
});
