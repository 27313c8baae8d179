// What must hold for any answer that an upstream can give.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aip151 } from '../../adapters/aip-151/adapter.ts';
import { http202 } from '../../adapters/http-202/adapter.ts';
import { adapters } from '../../adapters/index.ts';
import type { Adapter, SubmitJudgement } from '../../src/core/adapter.ts';
import type { JobDescription } from '../../src/core/description.ts';
import type { HttpResponse } from '../../src/core/http.ts';
import type { Reference } from '../../src/core/operation.ts';
import { AMBIGUOUS, VOCABULARY } from '../../src/core/states.ts';
import { splitUrl } from '../../src/core/urls.ts';
import { callOf, descriptorOf, ORIGIN } from './job.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const word = fc.constantFrom(...Object.values(VOCABULARY).flat(), ...AMBIGUOUS, '', ' Succeeded ', 'CANCELLING');
const url = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.constantFrom(
    '/ops/1?sig=a%2Bb',
    '../x',
    'ht!tp://bad url',
    '//evil.example.net/x',
    `${ORIGIN}/ops/9`,
    'javascript:alert(1)',
    '\\\\evil',
    '',
  ),
  fc.string(),
);
const anything = fc.oneof(fc.jsonValue(), word, url, fc.integer(), fc.boolean(), fc.constant(null));
const document = fc.record(
  {
    id: anything,
    name: anything,
    status: anything,
    done: fc.oneof(fc.boolean(), anything),
    result: anything,
    response: anything,
    result_url: url,
    error: fc.oneof(fc.record({ code: fc.integer({ min: 0, max: 16 }), message: fc.string() }), anything),
    progress: anything,
    metadata: anything,
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  document.map((value) => encode(JSON.stringify(value))),
  fc.jsonValue().map((value) => encode(JSON.stringify(value))),
  document.map((value) => encode(JSON.stringify(value).slice(0, -1))),
  document.map((value) => encode(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(value)}`)),
  fc.string().map((text) => encode(`HTTP/1.1 404 ${text}\r\n${text}`)),
  fc.uint8Array({ maxLength: 64 }),
  fc
    .constantFrom('', '<h1>Bad Gateway</h1>', `${'['.repeat(20_000)}`, '{"id":1e400}', '{"__proto__":{"status":"succeeded"}}')
    .map(encode),
);
const headers = fc.record(
  {
    location: url,
    'operation-location': url,
    'azure-asyncoperation': url,
    'content-location': url,
    link: fc.oneof(
      url.map((target) => `<${target}>; rel="next"`),
      fc.string(),
    ),
    asyncresult: fc.constantFrom('200', '404', '7', 'soon'),
    'retry-after': fc.oneof(fc.string(), fc.constantFrom('1', 'soon', '-5')),
    'content-type': fc.oneof(
      fc.constantFrom(
        'application/json',
        'application/problem+json; charset=utf-8',
        'text/html',
        'text/plain; charset=x-none',
        'application/pdf',
        'application/http',
        'text/csv',
      ),
      fc.string(),
    ),
  },
  { requiredKeys: [] },
);
const answer: fc.Arbitrary<HttpResponse> = fc.record({
  status: fc.oneof(
    fc.constantFrom(200, 201, 202, 204, 302, 303, 400, 404, 409, 429, 500, 503),
    fc.integer({ min: 0, max: 999 }),
  ),
  headers: headers.map((given) => given as Record<string, string>),
  url: fc.constantFrom(`${ORIGIN}/jobs`, `${ORIGIN}/v1/jobs?x=1`),
  body,
});

const DESCRIPTIONS: readonly JobDescription[] = [
  {},
  {
    status: { url: '/jobs/{id}' },
    state: { at: '/status' },
    result: { urlAt: '/result_url', at: '/result', unwrap: 'base64', partial: '/error', pages: { at: '/name', body: '/a/b' } },
  },
  {
    status: { url: '/jobs/{id}' },
    result: { partial: ['expired'], type: 'text/csv', pages: { list: '/result', query: 'page' } },
    state: { at: '/status' },
  },
  { status: { url: '/jobs/{id}' }, result: { url: '/jobs/{id}/files', pages: { list: '/result', at: '/url' } } },
  { state: { at: '/status' }, result: { at: '/result' }, progress: { at: '/progress', message: '/progress' } },
  {
    handle: { id: '$response.body#/id', url: '$response.body#/result_url' },
    status: { url: '/jobs/{id}' },
    result: { urlAt: '/result_url', header: 'Location' },
    cancel: { url: '{statusUrl}/cancel', deletes: true },
    submissionKey: { header: 'Idempotency-Key', duplicate: { status: 409, reference: '/id' } },
  },
  {
    handle: { id: '$response.body#/id' },
    status: {
      method: 'POST',
      url: '/jobs',
      headers: { 'X-Job': '{id}', 'X-Name': '$response.body#/name' },
      query: { of: '$response.body#/metadata' },
      body: { id: '{id}', name: '$response.body#/name' },
      follow: { at: '/result_url', append: 'api' },
    },
    state: {
      at: '/status',
      second: { when: ['completed', 'done'], at: '/name', failed: ['failed'] },
      flags: { running: '/done', cancelled: '/metadata' },
      error: '/error',
      codes: { working: [404, 204], failed: [400, 503], succeeded: [201] },
    },
    submit: { sync: { codes: [201], at: '/response' } },
    result: { url: '/files/{id}', id: '/name', unwrap: 'json' },
    progress: { done: '/progress', total: '/id', header: 'Retry-After' },
    cancel: { method: 'PATCH', url: '/jobs/{id}', body: { state: 'Aborted', was: '$response.body#/status' } },
  },
  {
    status: { append: 'x', query: { v: '1' } },
    state: { conditions: { at: '/result', succeeded: ['Complete'], failed: ['Failed'] } },
  },
];
const PROTOCOLS = [
  ...DESCRIPTIONS.map(
    (description) => [http202, descriptorOf(http202, { submit: 'POST /jobs', 'x-longshore': description })] as const,
  ),
  [http202, descriptorOf(http202, { submit: 'GET /v1/stats', 'x-longshore': { handle: { self: true } } })] as const,
  [aip151, descriptorOf(aip151, { submit: 'POST /v1/jobs', 'x-longshore': { cancel: {} } })] as const,
];
const REFERENCE: Reference = {
  id: 'j1',
  statusUrl: `${ORIGIN}/jobs/j1`,
  resultUrl: `${ORIGIN}/files/j1`,
  extra: { header: 'location' },
};

/** The URLs that a reference would have us ask. */
const urlsOf = ({ statusUrl, resultUrl, cancelUrl }: Reference): string[] =>
  [statusUrl, resultUrl, cancelUrl].filter((one) => one !== undefined);

describe.each(
  PROTOCOLS.map(([adapter, descriptor], index) => [`${adapter.id}, description ${index}`, adapter, descriptor] as const),
)('any answer to %s', (_name, adapter: Adapter, descriptor) => {
  const call = callOf(descriptor);
  const isOurs = (one: string): boolean => splitUrl(one)?.origin === ORIGIN;

  test('to a submit is judged, invents nothing, and leads nowhere foreign', () => {
    fc.assert(
      fc.property(answer, (response) => {
        const judgement = adapter.judgeSubmit(response, descriptor, call);
        expect(['accepted', 'finished', 'rejected', 'throttled', 'ambiguous']).toContain(judgement.kind);
        if ('reference' in judgement && judgement.reference) {
          expect(urlsOf(judgement.reference).every(isOurs)).toBe(true);
          expect(isOurs(adapter.poll?.(judgement.reference, descriptor).url ?? '')).toBe(true);
        }
        if (judgement.kind === 'finished') expect(response.status).toBeLessThan(300);
        if (judgement.kind === 'rejected') expect(response.status).toBeGreaterThanOrEqual(400);
        if (response.status >= 500) expect(judgement.kind).toBe('ambiguous');
        if ('message' in judgement) expect(judgement.message).not.toBe('');
      }),
      { numRuns: 400 },
    );
  });

  test('to a poll is judged, and a success needs a 2xx or a "see other"', () => {
    fc.assert(
      fc.property(answer, (response) => {
        const seen = adapter.judgePoll?.(response, descriptor, REFERENCE);
        expect(['working', 'input', 'ended', 'missing', 'unreadable']).toContain(seen?.kind);
        if (seen?.kind === 'ended' && seen.ending === 'succeeded') expect([2, 3]).toContain(Math.floor(response.status / 100));
        if (seen?.kind === 'ended' && seen.fetch) expect(seen.result).toBeUndefined();
        if (seen !== undefined && 'reference' in seen && seen.reference) {
          expect(seen.reference.id).toBe(REFERENCE.id);
          expect(urlsOf(seen.reference).every(isOurs)).toBe(true);
        }
        if (seen?.kind === 'working' && seen.progress?.fraction !== undefined) {
          expect(seen.progress.fraction).toBeGreaterThanOrEqual(0);
          expect(seen.progress.fraction).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 400 },
    );
  });

  test('to a fetch or a cancel is judged', () => {
    fc.assert(
      fc.property(answer, (response) => {
        const fetched = adapter.judgeResult?.(response, descriptor, REFERENCE) ?? { kind: 'unreadable' };
        expect(['read', 'page', 'elsewhere', 'unreadable']).toContain(fetched.kind);
        if (fetched.kind === 'page') for (const { url } of fetched.next) expect(isOurs(url)).toBe(true);
        if (fetched.kind === 'elsewhere') expect(isOurs(fetched.request.url)).toBe(true);
        if (fetched.kind === 'read' || fetched.kind === 'page') expect(Math.floor(response.status / 100)).toBe(2);
        const stopped = adapter.judgeCancel?.(response, descriptor);
        expect(['confirmed', 'asked', 'unsupported', 'refused', 'unanswered']).toContain(stopped?.kind);
        if (stopped?.kind === 'confirmed') expect(response.status).toBeLessThan(300);
      }),
      { numRuns: 300 },
    );
  });
});

const acceptedFrom = (judgement: SubmitJudgement): Reference => {
  expect(judgement).toMatchObject({ kind: 'accepted' });
  return (judgement as Extract<SubmitJudgement, { kind: 'accepted' }>).reference;
};
const sent = (adapter: Adapter, text: string, description: JobDescription): string => {
  const descriptor = descriptorOf(adapter, { submit: 'POST /jobs', 'x-longshore': description });
  const response = { status: 200, headers: {}, url: `${ORIGIN}/jobs`, body: encode(text) };
  return adapter.poll?.(acceptedFrom(adapter.judgeSubmit(response, descriptor, callOf(descriptor))), descriptor).url ?? '';
};
const isId = (text: string): boolean => text.trim() !== '' && text !== '.' && text !== '..' && !/^(%2e){1,2}$/i.test(text);

describe('an id', () => {
  const description: JobDescription = { handle: { id: '$response.body#/id' }, status: { url: '/jobs/{id}' } };
  test('of any characters is asked for as itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }).filter(isId), (id) => {
        expect(sent(http202, JSON.stringify({ id }), description)).toBe(
          `${ORIGIN}/jobs/${sent(http202, JSON.stringify({ id }), description).split('/').at(-1)}`,
        );
        expect(decodeURIComponent(sent(http202, JSON.stringify({ id }), description).slice(`${ORIGIN}/jobs/`.length))).toBe(id);
      }),
    );
  });
  test('of any number of digits keeps them all', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), (id) => {
        expect(sent(http202, `{"id": ${id}}`, description)).toBe(`${ORIGIN}/jobs/${id}`);
      }),
    );
  });
  test('that is a resource name keeps its slashes and nothing else', () => {
    const segment = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => isId(text) && !text.includes('/'));
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
        const path = sent(aip151, JSON.stringify({ name: segments.join('/') }), { status: { url: '/v1/{+name}' } }).slice(
          `${ORIGIN}/v1/`.length,
        );
        expect(path.split('/').map(decodeURIComponent)).toEqual(segments);
        expect(path).not.toMatch(/[?#]/);
      }),
    );
  });
});

describe('a submit', () => {
  test('is the same bytes at every attempt', () => {
    const places = fc.constantFrom({ header: 'Idempotency-Key' }, { query: 'requestId' }, { body: '/requestId' });
    fc.assert(
      fc.property(
        fc.constantFrom(...adapters),
        places,
        fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()),
        (adapter, submissionKey, given) => {
          const described = { submissionKey, ...(adapter.id === 'webhook' && { webhook: { verify: { scheme: 'token' } } }) };
          const descriptor = descriptorOf(adapter, { submit: 'POST /jobs', 'x-longshore': described });
          const call = callOf(descriptor, { body: JSON.parse(JSON.stringify(given)) });
          const first = adapter.submit(call, descriptor);
          expect(adapter.submit(call, descriptor)).toEqual(first);
          expect(JSON.stringify(first)).toContain(call.submissionKey);
          expect(first.url.split('?', 1)[0]).toBe(call.request.url);
        },
      ),
    );
  });
});

describe('the adapters', () => {
  test('have names of their own, and are qualified against both contracts', () => {
    expect(new Set(adapters.map(({ id }) => id)).size).toBe(adapters.length);
    for (const adapter of adapters) expect(adapter.contracts).toEqual(['2025-11-25', '2026-07-28']);
  });
});
