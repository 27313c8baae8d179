import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readExtension } from '../../src/catalogue/x-longshore.ts';
import { writtenJob } from '../../src/cli/written-job.ts';
import type { JobDescription } from '../../src/core/description.ts';

const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9]{0,8}$/);
const pointer = fc.constantFrom('', '/status', '/a/b', '/x~1y');
const expression = fc.constantFrom('$response.body#/id', '$response.header.Location', '$request.path.id');
const words = fc.array(name, { minLength: 1, maxLength: 3 });
const ms = fc.integer({ min: 0, max: 100_000_000 });
const some = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(members, { requiredKeys: [] });
const filled = <T extends object>(arbitrary: fc.Arbitrary<T>) => arbitrary.filter((value) => Object.keys(value).length > 0);
const helper = { operation: name, method: fc.constantFrom('GET', 'POST'), url: fc.constant('/jobs/{id}') };

const description = some({
  adapter: fc.constantFrom('http-202', 'aip-151'),
  taskSupport: fc.constantFrom('optional', 'required'),
  submit: filled(
    some({
      headers: fc.constant({ Prefer: 'respond-async' }),
      query: fc.constant({ async: 'true' }),
      steps: fc.array(
        some({
          ...helper,
          when: words,
          urlAt: pointer,
          argument: name,
          mediaType: fc.constant('text/csv'),
          optional: fc.boolean(),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  ),
  handle: filled(some({ headers: words, id: expression, url: expression })),
  status: filled(
    some({
      ...helper,
      wait: fc.record({ ...helper, forMs: fc.integer({ min: 1_000, max: 60_000 }) }),
      follow: fc.record({ at: pointer, when: words }),
    }),
  ),
  state: filled(
    some({
      at: pointer,
      prefix: name,
      working: words,
      succeeded: words,
      failed: words,
      cancelled: words,
      input: words,
      unknownForMs: ms,
    }),
  ),
  result: filled(some({ ...helper, at: pointer, self: fc.boolean(), none: fc.boolean() })),
  cancel: filled(
    some({ ...helper, deletes: fc.boolean(), urlAt: pointer, allowedWhen: pointer, over: fc.constant([400, 409]) }),
  ),
  progress: filled(some({ at: pointer, of: fc.constantFrom(1, 100) })),
  submissionKey: fc
    .oneof(
      some({ header: name, retentionMs: ms }),
      some({ query: name, format: some({ as: fc.constantFrom('uuid', 'hex', 'base36'), prefix: name }) }),
    )
    .filter((key) => 'header' in key || 'query' in key),
  lookup: filled(some(helper)),
  webhook: fc.record({
    verify: fc.record({ scheme: fc.constant('standard-webhooks'), toleranceMs: ms }),
  }),
  expectMs: ms,
  pace: filled(
    some({
      intervalMs: ms,
      minMs: ms,
      maxMs: ms,
      firstMs: ms,
      after: fc.record({ at: pointer, unit: fc.constantFrom('s', 'ms') }),
    }),
  ),
  timing: filled(some({ submitTimeoutMs: ms, waitBudgetMs: ms, inlineWaitMs: ms })),
}) as fc.Arbitrary<JobDescription>;

describe('a description that is written', () => {
  test('reads back as itself', () => {
    fc.assert(
      fc.property(description, (job) => {
        expect(readExtension(writtenJob(job))).toEqual({ kind: 'job', description: job });
      }),
    );
  });

  test('is as short as it can be', () => {
    expect(
      writtenJob({
        handle: { id: '$response.body#/id' },
        status: { operation: 'getJob' },
        cancel: { operation: 'stopJob' },
        expectMs: 240_000,
      }),
    ).toEqual({ status: { operation: 'getJob', id: '$response.body#/id' }, cancel: 'stopJob', expect: '4m' });
    expect(writtenJob({})).toEqual({});
  });
});
