// `submissionKey: { path }`: an id in the path that is ours to choose, from a document to a tool.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { KEY_ARGUMENT } from '../../src/core/submission-key.ts';
import type { JobTool } from '../../src/core/tool.ts';
import { compile, OK, only, openapi } from './kit.ts';

const inPath = (name: string, schema: object = { type: 'string' }) => ({ name, in: 'path', required: true, schema });

const compiled = (extension: object, schema?: object) =>
  compile(
    openapi({
      '/teams/{team}/runs/{runId}': {
        put: {
          operationId: 'putRun',
          parameters: [inPath('team'), inPath('runId', schema)],
          responses: OK,
          'x-longshore': { status: 'getRun', state: { at: '/status' }, ...extension },
        },
        get: { operationId: 'getRun', parameters: [inPath('team'), inPath('runId')], responses: OK },
      },
    }),
  );

async function job(extension: object, schema?: object): Promise<JobTool> {
  const tool = only(await compiled(extension, schema));
  if (tool.kind !== 'job') throw new Error(tool.why);
  return tool;
}

describe('a submission key in the path', () => {
  test('is no argument, and is bound by a name that no argument can have', async () => {
    const { inputSchema, descriptor, check } = await job({ submissionKey: { path: 'runId' } });
    expect(Object.keys(inputSchema['properties'] as JsonObject)).toEqual(['team']);
    expect(inputSchema['required']).toEqual(['team']);
    expect(check({ team: 't', [KEY_ARGUMENT]: 'mine' })).toMatchObject([{ pointer: `/${KEY_ARGUMENT}` }]);
    expect(descriptor.submit.parameters).toMatchObject([{ argument: 'team' }, { argument: KEY_ARGUMENT, name: 'runId' }]);
    expect(descriptor.traits).toMatchObject({ deduplicates: true, lookup: true });
  });

  test('is of the described format, where it fits', async () => {
    const { descriptor } = await job({ submissionKey: { path: 'runId', format: { as: 'hex', prefix: 'r' } } });
    expect(descriptor.keyFormat).toEqual({ as: 'hex', prefix: 'r' });
  });

  test.each<[string, object, object | undefined, string]>([
    ['nothing in particular', { type: 'string' }, undefined, 'uuid'],
    ['a UUID', { type: 'string', format: 'uuid' }, undefined, 'uuid'],
    ['32 characters', { type: 'string', maxLength: 32 }, undefined, 'hex'],
    ['30 letters and digits', { type: 'string', pattern: '^[a-z0-9]{1,30}$' }, undefined, 'base36'],
    ['a name that begins with a letter', { type: 'string', pattern: '^[a-z][a-z0-9-]{0,62}$' }, { prefix: 'run-' }, 'uuid'],
    ['a short one', { type: 'string', maxLength: 30, pattern: '^[a-z]' }, { prefix: 'run-' }, 'base36'],
  ])('is of the first form that the document takes there: %s', async (_what, schema, format, as) => {
    const { descriptor } = await job({ submissionKey: { path: 'runId', ...(format && { format }) } }, schema);
    expect(descriptor.keyFormat).toEqual({ ...format, as });
  });

  test.each<[string, object, object]>([
    ['a name that begins with a letter', { type: 'string', pattern: '^[a-z][a-z0-9-]{0,62}$' }, {}],
    ['a number', { type: 'integer' }, {}],
    ['too short for what is described', { type: 'string', maxLength: 32 }, { format: { as: 'uuid' } }],
  ])('that would not be taken leaves the tool out, and says why: %s', async (_what, schema, key) => {
    const { leftOut } = await compiled({ submissionKey: { path: 'runId', ...key } }, schema);
    expect(leftOut).toMatchObject([
      {
        because: 'refused',
        reason: expect.stringContaining('does not fit there'),
        mend: expect.stringContaining('format'),
      },
    ]);
  });

  test.each([
    ['one in the query', { path: 'runId', query: 'requestId' }, 'exactly one of header, query, body and path'],
    ['a name that the path has not', { path: 'run' }, 'has no parameter run'],
  ])('beside %s is a fault', async (_what, submissionKey, reason) => {
    const { leftOut } = await compiled({ submissionKey });
    expect(leftOut.map((one) => one.reason).join()).toContain(reason);
  });
});
