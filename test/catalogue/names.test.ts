import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apart, type Named, snakeCase, toolNames } from '../../src/catalogue/names.ts';
import { compileAll, library, OK, openapi, upstream } from './kit.ts';

describe('a tool name', () => {
  test.each([
    ['createExport', 'create_export'],
    ['reports/run now', 'reports_run_now'],
    ['getHTTPServer2', 'get_http_server2'],
    ['listVMsByZone', 'list_vms_by_zone'],
    ['LROs_put200Succeeded', 'lros_put200_succeeded'],
    ['speech.projects.locations.operations.get', 'speech_projects_locations_operations_get'],
    ['pulls/merge-async', 'pulls_merge_async'],
    ['GET /reports/{id}', 'get_reports_id'],
  ])('of %s is %s', (id, name) => {
    expect(snakeCase(id)).toBe(name);
  });

  const long = 'generateQuarterlyConsolidatedFinancialStatementReportForSubsidiary';
  const operations: Named[] = [
    { operationId: `${long}Alpha`, method: 'POST', path: '/q/alpha' },
    { operationId: `${long}Beta`, method: 'POST', path: '/q/beta' },
    { operationId: 'reports/run now', method: 'POST', path: '/r/one' },
    { operationId: 'reports_run_now', method: 'POST', path: '/r/two' },
    { method: 'POST', path: '/a' },
    { operationId: 'getJob', method: 'POST', path: '/jobs' },
    { operationId: '日本', method: 'GET', path: '/jp' },
  ];

  test('is the id, or method and path where there is none or two want it', () => {
    const names = toolNames(operations);
    expect(names.slice(2)).toEqual(['post_r_one', 'post_r_two', 'post_a', 'get_job', 'get_jp']);
    expect(names[0]).toMatch(/^generate_quarterly_.*_[0-9a-f]{7}$/);
  });

  test('is the same whatever the order', () => {
    const of = (list: readonly Named[]) => Object.fromEntries(toolNames(list).map((name, index) => [list[index]?.path, name]));
    expect(of(operations.toReversed())).toEqual(of(operations));
  });

  const word = fc.string({ maxLength: 90 });
  const named = fc.record({
    operationId: fc.option(word, { nil: undefined }),
    method: fc.constantFrom('GET', 'POST'),
    path: word.map((text) => `/${text}`),
  });

  test('is fit, and no two are the same, whatever a document calls its operations', () => {
    const unlike = fc.uniqueArray(named, { selector: ({ method, path }) => `${method} ${path}`, maxLength: 12 });
    fc.assert(
      fc.property(
        unlike,
        fc.constantFrom('', 'billing_', 'a very long prefix with blanks and more than is fit'),
        (list, prefix) => {
          const names = toolNames(list as Named[], prefix);
          expect(names).toHaveLength(list.length);
          for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
          expect(new Set(names).size).toBe(names.length);
        },
      ),
    );
  });

  test('that two upstreams use gets the upstream before it in both', () => {
    const groups = [
      { upstream: 'billing', names: ['ping', 'create_export'] },
      { upstream: 'media-1', names: ['ping'] },
    ];
    expect(apart(groups).names).toEqual([['billing_ping', 'create_export'], ['media_1_ping']]);
  });

  test('that two upstreams use never takes the name of a third', () => {
    const { names } = apart([
      { upstream: 'a', names: ['ping', 'b_ping'] },
      { upstream: 'b', names: ['ping'] },
    ]);
    expect(names).toEqual([['a_ping', 'b_ping'], [expect.stringMatching(/^b_ping_[0-9a-f]{7}$/)]]);
  });

  test('that two upstreams use is a warning', async () => {
    const document = openapi({ '/ping': { get: { operationId: 'ping', responses: OK } } });
    const both = [upstream({ name: 'one' }), upstream({ name: 'two' })];
    const { tools, warnings } = await compileAll(both, library({ '/doc.yaml': document }));
    expect([...tools]).toMatchObject([
      ['one_ping', { name: 'one_ping', upstream: 'one' }],
      ['two_ping', { name: 'two_ping', upstream: 'two' }],
    ]);
    expect(warnings.map(({ message }) => message)).toEqual([
      'the tool ping exists in more than one upstream; in one it is called one_ping',
      'the tool ping exists in more than one upstream; in two it is called two_ping',
    ]);
  });
});
