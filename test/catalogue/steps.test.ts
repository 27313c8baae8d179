import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import type { JobTool } from '../../src/core/tool.ts';
import { body, compile, OK, only, openapi } from './kit.ts';

/** A job that is created, given its data by another operation, and begun. */
const document = (
  step: JsonObject,
  upload: object,
  create: object = body({ type: 'object', properties: { name: { type: 'string' } } }),
) =>
  openapi({
    '/jobs': {
      post: {
        operationId: 'createJob',
        requestBody: create,
        responses: OK,
        'x-longshore': {
          status: { url: '/jobs/{id}', id: '$response.body#/id' },
          state: { at: '/state' },
          submit: { steps: [step] },
        },
      },
    },
    '/jobs/{id}/data': {
      put: {
        operationId: 'uploadData',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: upload,
        responses: OK,
      },
    },
  });
const of = (mediaType: string, schema: object = { type: 'string', description: 'Rows.' }) => ({
  required: true,
  content: { [mediaType]: { schema } },
});
const STEP = { when: ['open'], operation: 'uploadData', argument: 'rows' };
const propertiesOf = (tool: JobTool) => tool.inputSchema['properties'] as Record<string, JsonObject>;
const toolOf = async (...args: Parameters<typeof document>): Promise<JobTool> =>
  only(await compile(document(...args))) as JobTool;

describe('the data of a step', () => {
  test('is an argument of the tool, as the operation of the step describes it', async () => {
    const tool = await toolOf(STEP, of('text/csv'));
    expect(propertiesOf(tool)).toEqual({
      name: { type: 'string' },
      rows: { type: 'string', description: 'Rows. As text/csv.' },
    });
    expect(tool.inputSchema['required']).toEqual(['rows']);
    expect(tool.check({ name: 'x' })).toMatchObject([{ pointer: expect.stringContaining('rows') }]);
  });

  test('as JSON has the schema of that JSON', async () => {
    const schema = { type: 'array', items: { type: 'integer' } };
    const tool = await toolOf(STEP, of('application/json', schema));
    expect(propertiesOf(tool)['rows']).toEqual(schema);
    expect(tool.check({ rows: ['x'] })).toHaveLength(1);
    expect(tool.check({ rows: [1] })).toEqual([]);
  });

  test('as bytes is base64, and what is none is refused before anything is created', async () => {
    const tool = await toolOf(STEP, of('application/zip', { type: 'string', format: 'binary' }));
    expect(propertiesOf(tool)['rows']).toMatchObject({ type: 'string', contentEncoding: 'base64' });
    expect(tool.check({ rows: 'AAEC' })).toEqual([]);
    expect(tool.check({ rows: '…' })).toEqual([
      { pointer: '/rows', message: 'a application/zip body must be a base64 string' },
    ]);
  });

  test('may be left out where it is described so', async () => {
    const tool = await toolOf({ ...STEP, optional: true }, of('text/csv'));
    expect(tool.inputSchema['required']).toBeUndefined();
    expect(tool.check({})).toEqual([]);
  });

  test('by the name of an argument of the submit is that argument', async () => {
    const create = body({ type: 'object', properties: { rows: { type: 'string', maxLength: 3 } } });
    const tool = await toolOf({ ...STEP, mediaType: 'text/csv' }, of('text/csv'), create);
    expect(propertiesOf(tool)).toEqual({ rows: { type: 'string', maxLength: 3 } });
  });

  test('is not sent with the submit, and its operation is no tool of its own', async () => {
    const catalogue = await compile(document(STEP, of('text/csv')));
    const tool = only(catalogue) as JobTool;
    expect(JSON.stringify(tool.descriptor.submit)).not.toContain('rows');
    expect(catalogue.leftOut).toMatchObject([{ because: 'helper', source: { operationId: 'uploadData' } }]);
  });
});
