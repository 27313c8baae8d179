// `lookup` and `deduplicate` of x-longshore, from a document to a tool.

import { describe, expect, test } from 'vitest';
import { readExtension } from '../../src/catalogue/x-longshore.ts';
import { compile, OK, only, openapi } from './kit.ts';

const described = {
  status: { operation: 'getExport', id: '$response.body#/id' },
  state: { at: '/status' },
  submissionKey: { header: 'Idempotency-Key' },
};
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

const exportsWith = (extension: object) =>
  compile(
    openapi({
      '/exports': { post: { operationId: 'createExport', responses: OK, 'x-longshore': { ...described, ...extension } } },
      '/exports/{id}': { get: { operationId: 'getExport', parameters: [id], responses: OK } },
    }),
  );

describe('a lookup', () => {
  test.each<[string, unknown]>([
    ['by a URL', { url: '/exports/by-key/{key}', authoritative: true }],
    ['in a list', { url: '/exports', list: '/items', match: { at: '/key' }, id: '/number' }],
    ['by an operation', 'getExport'],
  ])('%s makes the submit one that can be looked up', async (_how, lookup) => {
    const tool = only(await exportsWith({ lookup }));
    expect(tool.kind === 'job' && tool.descriptor.traits).toMatchObject({ lookup: true, deduplicates: true });
  });

  test('may be all there is: the key is carried, and sending it twice would make two', async () => {
    const tool = only(
      await exportsWith({
        submissionKey: { header: 'X-Tag', deduplicates: false },
        lookup: { url: '/exports', list: '', match: { at: '/tag' } },
      }),
    );
    expect(tool.kind === 'job' && tool.descriptor.traits).toMatchObject({ lookup: true, deduplicates: false });
  });

  test('that can’t work leaves the tool out, and says why', async () => {
    const { leftOut } = await exportsWith({ lookup: { url: '/exports', list: '/items' } });
    expect(leftOut.find(({ because }) => because === 'refused')).toMatchObject({
      reason: expect.stringContaining('which of its jobs is ours'),
    });
  });

  test.each<[unknown, string]>([
    [{ lookup: { url: '/x', list: 'items' } }, '/lookup/list'],
    [{ lookup: { url: '/x', match: {} } }, '/lookup/match/at'],
    [{ lookup: { url: '/x', authoritive: true } }, '/lookup/authoritive'],
    [{ deduplicate: 'soon' }, '/deduplicate'],
  ])('%j is a fault at %s', (extension, pointer) => {
    const reading = readExtension(extension as never);
    expect(reading.kind === 'faulty' && reading.faults.map((fault) => fault.pointer)).toEqual([pointer]);
  });
});

test('a tool is told for how long the same call is the same operation', async () => {
  const tool = only(await exportsWith({ deduplicate: '10m' }));
  expect(tool.kind === 'job' && tool.deduplicateMs).toBe(600_000);
  const other = only(await exportsWith({}));
  expect(other.kind === 'job' && other.deduplicateMs).toBeUndefined();
});
