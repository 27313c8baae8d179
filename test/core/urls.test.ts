import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeUrl, expandUrl, followable, splitUrl } from '../../src/core/urls.ts';

const BASE = 'https://up.test/v1/jobs/create?x=1';
const ALLOWED = ['https://up.test', 'https://files.test:8443'];
const REWRITE = [
  { from: 'http://inside.test:8080/ci', to: 'https://up.test/builds' },
  { from: 'https://up.test', to: 'https://up.test/v1' },
];
const rewritten = (raw: string): string => {
  const answer = followable(raw, BASE, { allowedOrigins: ALLOWED, rewrite: REWRITE });
  return answer.ok ? answer.url : `refused: ${answer.why}`;
};
const followed = (raw: string, base = BASE, allowed: readonly string[] = ALLOWED): string => {
  const answer = followable(raw, base, { allowedOrigins: allowed });
  return answer.ok ? answer.url : `refused: ${answer.why}`;
};

describe('a URL that is rewritten', () => {
  test.each([
    ['http://inside.test:8080/ci/queue/7/?sig=a%2Bb', 'https://up.test/builds/queue/7/?sig=a%2Bb'],
    ['http://INSIDE.test:8080/ci', 'https://up.test/builds'],
    ['/jobs/7', 'https://up.test/v1/jobs/7'],
    ['https://up.test/v1/jobs/7', 'https://up.test/v1/jobs/7'],
    ['../jobs/7', 'https://up.test/v1/jobs/7'],
    ['https://files.test:8443/r', 'https://files.test:8443/r'],
  ])('%s leads to where the service is', (raw, expected) => {
    expect(rewritten(raw)).toBe(expected);
  });

  test.each([
    ['http://inside.test:8080/cipher', 'http://inside.test:8080'],
    ['http://inside.test:8080/ci/../secret', 'http://inside.test:8080'],
    ['http://inside.test/ci/queue/7', 'http://inside.test'],
    ['http://up.test/jobs/7', 'http://up.test'],
    ['http://x@inside.test:8080/ci/queue/7', 'http://inside.test:8080'],
  ])('%s is none of those, and stays refused', (raw, origin) => {
    expect(rewritten(raw)).toMatch(/^refused: .*not allowed/);
    expect(rewritten(raw)).toContain(origin);
  });

  test('that is rewritten to an origin which is not allowed is refused', () => {
    const rewrite = [{ from: 'http://inside.test', to: 'https://evil.test' }];
    expect(followable('http://inside.test/x', BASE, { allowedOrigins: ALLOWED, rewrite })).toEqual({
      ok: false,
      why: 'the origin https://evil.test is not allowed',
    });
  });

  test('that is rewritten out of https is refused', () => {
    const policy = {
      allowedOrigins: ['https://up.test', 'http://up.test'],
      rewrite: [{ from: 'https://up.test/a', to: 'http://up.test/a' }],
    };
    expect(followable('/a/b', BASE, policy)).toEqual({
      ok: false,
      why: 'the origin http://up.test is not allowed: it leaves https',
    });
  });
});

describe('a URL that an upstream names', () => {
  test.each([
    ['../operations/42?sig=a%2Bb%3D&t=1', 'https://up.test/v1/operations/42?sig=a%2Bb%3D&t=1'],
    ['operations/42', 'https://up.test/v1/jobs/operations/42'],
    ['./', 'https://up.test/v1/jobs/'],
    ['..', 'https://up.test/v1/'],
    ['../../../../x', 'https://up.test/x'],
    ['/ops/1', 'https://up.test/ops/1'],
    ['?page=2', 'https://up.test/v1/jobs/create?page=2'],
    ['#part', BASE],
    ['/ops/1#part', 'https://up.test/ops/1'],
    ['//files.test:8443/r', 'https://files.test:8443/r'],
    ['https://up.test', 'https://up.test/'],
    ['https://up.test?a', 'https://up.test/?a'],
    ['HTTPS://UP.test:443/a', 'https://up.test/a'],
    ['/v1/op:wait/a//b/%2e%2e/%2F?x=%2B+|', 'https://up.test/v1/op:wait/a//b/%2e%2e/%2F?x=%2B+|'],
    ['/é?q=ü', 'https://up.test/%C3%A9?q=%C3%BC'],
    ['/.//evil.test', 'https://up.test//evil.test'],
  ])('%s is resolved, its bytes kept', (raw, expected) => {
    expect(followed(raw)).toBe(expected);
  });

  test.each([
    ['https://evil.test/ops/1?sig=S3CRET', 'https://evil.test'],
    ['//evil.test:81/ops/1', 'https://evil.test:81'],
    ['https://up.test:444/', 'https://up.test:444'],
    ['https://up.test@evil.test:81/S3CRET', 'https://evil.test:81'],
    ['https://S3CRET:x@up.test/', 'https://up.test'],
    ['http://up.test/ops/1', 'http://up.test'],
    ['https://up.test.evil.test/', 'https://up.test.evil.test'],
    ['http://2130706433/', 'http://127.0.0.1'],
  ])('%s is refused by its origin, without its secrets', (raw, origin) => {
    expect(followed(raw)).toMatch(/^refused: .*not allowed/);
    expect(followed(raw)).toContain(origin);
    expect(followed(raw)).not.toContain('S3CRET');
  });

  test('that leaves https is refused, even to an origin that is allowed', () => {
    expect(followed('http://up.test/x', BASE, ['http://up.test', 'https://up.test'])).toMatch(/leaves https/);
    expect(followed('https://up.test/x', 'http://up.test/', ['http://up.test', 'https://up.test'])).toBe('https://up.test/x');
  });

  test.each([
    '',
    'ht!tp://bad url',
    'ht!tp://bad',
    'http://',
    'http:///x',
    'http:x',
    'https://exa mple/',
    '\\\\evil.test',
    '/\\evil.test',
    '/a\r\nb',
    '/a\tb',
    'https://a|b/',
    'https://up.test:99999/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'jobs:42',
    '/\ud800',
    `/${'a'.repeat(9000)}`,
  ])('that is garbage is refused: %j', (raw) => {
    expect(followed(raw)).toMatch(/^refused: /);
  });

  test('never leads anywhere that a browser would not also call allowed', () => {
    const piece = fc.constantFrom(
      'https:',
      'http:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '.',
      '..',
      '%2e',
      'up.test',
      'evil.test',
      '?',
      '#',
      'a',
      ' ',
      '\t',
      '[',
      '::1',
      ']',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
        (raw) => {
          const answer = followable(raw, BASE, { allowedOrigins: ALLOWED });
          if (!answer.ok) return;
          expect(ALLOWED).toContain(new URL(answer.url).origin);
          expect(ALLOWED).toContain(new URL(raw, BASE).origin);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

test('a URL is split without a change to its target, and shown without its query', () => {
  expect(splitUrl("HTTP://Up.Test:80/a/../%2e?x='|#f")).toEqual({ origin: 'http://up.test', target: "/a/../%2e?x='|" });
  expect(splitUrl('http://user@up.test/')).toBeUndefined();
  expect(splitUrl('/a')).toBeUndefined();
  expect(describeUrl('https://up.test/r/42?token=S3CRET')).toBe('https://up.test/r/42');
  expect(describeUrl('data:S3CRET')).not.toContain('S3CRET');
});

describe('a URL template', () => {
  test.each([
    ['/ops/{id}', { id: 'a/b?c#d é' }, '/ops/a%2Fb%3Fc%23d%20%C3%A9'],
    ['/v1/{+id}:cancel', { id: 'projects/p/operations/a b' }, '/v1/projects/p/operations/a%20b:cancel'],
    ['{statusUrl}/result', { statusUrl: 'https://up.test/ops/1?sig=a%2B1' }, 'https://up.test/ops/1/result?sig=a%2B1'],
    [
      '{statusUrl}/result?full={id}',
      { statusUrl: 'https://up.test/o?s=1', id: 'x&y' },
      'https://up.test/o/result?s=1&full=x%26y',
    ],
    ['/proxy?u={statusUrl}', { statusUrl: 'https://up.test/o' }, '/proxy?u=https%3A%2F%2Fup.test%2Fo'],
    ['https://up.test/{id}/../x', { id: '1' }, 'https://up.test/1/../x'],
  ])('%s is filled', (template, values, expected) => {
    expect(expandUrl(template, values)).toBe(expected);
  });

  test.each([
    ['/ops/{id}', {}],
    ['/ops/{id}', { id: '' }],
    ['/ops/{id}', { id: '..' }],
    ['/ops/{id}', { id: '\ud800' }],
    ['/ops/{+id}', { id: 'a/../../b' }],
    ['/ops/{+id}', { id: '//evil.test' }],
    ['{+id}', { id: '//evil.test' }],
    ['{statusUrl}/x', { statusUrl: '/relative' }],
    ['{statusUrl}/x', {}],
    ['/x/{constructor}', {}],
  ])('%s is not filled by %j', (template, values) => {
    expect(expandUrl(template, values)).toBeUndefined();
  });
});
