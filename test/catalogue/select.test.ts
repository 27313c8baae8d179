// Which operations the patterns of a configuration mean, and what is said of too many or too few.

import { describe, expect, test } from 'vitest';
import { isMeant } from '../../src/catalogue/select.ts';
import { compile, OK, openapi } from './kit.ts';

const operation = { operationId: 'listLines', method: 'GET', path: '/invoices/{id}/lines', tags: ['billing docs', 'a/b'] };

describe('a pattern', () => {
  test.each([
    'listLines',
    'list*',
    'billing*',
    'a/b',
    'a/*',
    'GET',
    'get',
    'GET *',
    '/invoices/{id}/lines',
    '/invoices/*/lines',
    '/invoices/**',
    '/invoices/{id}/lines/**',
    '/**',
    'GET /invoices/**',
    'get /invoices/*/lines',
    '* /invoices/**',
    'GET  /**/lines',
    '*',
  ])('%j means the operation', (pattern) => expect(isMeant(pattern, operation)).toBe(true));

  test.each([
    'listLine',
    'ListLines',
    'POST',
    'POST /invoices/**',
    '/invoices/*',
    '/invoices',
    '/invoice/**',
    '/invoices/{id}/line',
    'GET /*/lines',
    '',
  ])('%j does not', (pattern) => expect(isMeant(pattern, operation)).toBe(false));

  test('of a path and all below it means the path as well', () => {
    expect(isMeant('/invoices/**', { ...operation, path: '/invoices' })).toBe(true);
    expect(isMeant('/invoices/**', { ...operation, path: '/invoicesX' })).toBe(false);
  });

  test('that means no operation is a warning', async () => {
    const paths = { '/a': { get: { operationId: 'a', responses: OK } } };
    const { tools, warnings } = await compile(openapi(paths), { tools: { include: ['a', 'GET /b/**'], exclude: ['gone'] } });
    expect([...tools.keys()]).toEqual(['a']);
    expect(warnings).toMatchObject([
      { pointer: '/upstreams/up/tools', message: expect.stringContaining('"GET /b/**"') },
      { pointer: '/upstreams/up/tools', message: expect.stringContaining('"gone"') },
    ]);
  });
});

describe('the number of tools', () => {
  const paths = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`/p${index}`, { get: { responses: OK } }]));

  test('above 40 is a warning, with what they cost', async () => {
    expect((await compile(openapi(paths(40)))).warnings).toEqual([]);
    const { warnings } = await compile(openapi(paths(41)));
    expect(warnings).toMatchObject([
      {
        message: expect.stringMatching(
          /^41 tools are offered, which is more than 40: listing them takes \d+ KiB, about \d+ tokens/,
        ),
        mend: expect.stringContaining('tools.include'),
      },
    ]);
    expect((await compile(openapi(paths(41)), { tools: { include: ['/p1*'] } })).warnings).toEqual([]);
  });
});
