import { describe, expect, test } from 'vitest';
import { compile, openapi } from './kit.ts';

const answerJob = {
  post: {
    operationId: 'answerExport',
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Answer' } } } },
    responses: { 204: { description: 'ok' } },
  },
};
const document = (input: unknown) =>
  openapi(
    {
      '/exports': {
        post: {
          operationId: 'createExport',
          summary: 'Export',
          responses: { 202: { description: 'ok', content: { 'application/json': { schema: { type: 'object' } } } } },
          'x-longshore': {
            status: { operation: 'getExport', id: '$response.body#/id' },
            state: { at: '/status', input: ['waiting'] },
            input,
          },
        },
      },
      '/exports/{id}': { get: { operationId: 'getExport', responses: { 200: { description: 'ok' } } } },
      '/exports/{id}/answer': answerJob,
    },
    {
      components: {
        schemas: {
          Decision: { type: 'string', enum: ['yes', 'no'] },
          Answer: {
            type: 'object',
            required: ['decision'],
            properties: { decision: { $ref: '#/components/schemas/Decision' }, where: { type: 'object' } },
          },
        },
      },
    },
  );

describe('input', () => {
  test('takes its form from the request body of the operation that it names, which is no tool of its own', async () => {
    const { tools } = await compile(document('answerExport'));
    expect([...tools.keys()]).toEqual(['create_export']);
    const tool = tools.get('create_export');
    if (tool?.kind !== 'job') throw new Error('no job');
    expect(tool.descriptor.protocol).toMatchObject({
      input: {
        helper: { method: 'POST', url: expect.stringMatching(/\/exports\/\{id\}\/answer$/) },
        form: {
          schema: {
            type: 'object',
            required: ['decision'],
            properties: { decision: { type: 'string', enum: ['yes', 'no'] }, where: { type: 'string' } },
          },
          asText: ['where'],
        },
      },
    });
  });

  test('that names no operation leaves its tool out, and says where', async () => {
    const { tools, leftOut } = await compile(document({ operation: 'nothing' }));
    expect(tools.has('create_export')).toBe(false);
    expect(leftOut.find(({ because }) => because === 'refused')?.reason).toContain('nothing');
  });
});
