import { describe, expect, test } from 'vitest';
import { evaluate, misreadExpression } from '../../src/core/expressions.ts';
import type { HttpResponse } from '../../src/core/http.ts';
import type { Json } from '../../src/core/json.ts';
import { errorSentence, numberOf, payloadOf, rawWord, readJson, retryAfterOf, sentenceIn } from '../../src/core/readings.ts';

const answer = (body: string | Uint8Array, contentType?: string, headers: Record<string, string> = {}): HttpResponse => ({
  status: 200,
  url: 'https://jobs.example.com/jobs',
  headers: { ...headers, ...(contentType !== undefined && { 'content-type': contentType }) },
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
});

describe('a body', () => {
  test('is JSON by its type, its suffix, or by saying nothing', () => {
    for (const type of [
      'application/json',
      'Application/JSON; charset=UTF-8',
      'application/problem+json',
      'text/json',
      undefined,
    ]) {
      expect(readJson(answer('{"a":1}', type))).toMatchObject({ kind: 'json', value: { a: 1 } });
    }
  });
  test('is something else, empty or malformed, and each is told apart', () => {
    expect(readJson(answer('{"a":1}', 'text/html'))).toEqual({ kind: 'other', mediaType: 'text/html' });
    expect(readJson(answer('', ''))).toEqual({ kind: 'empty' });
    expect(readJson(answer(' \n', ''))).toEqual({ kind: 'empty' });
    expect(readJson(answer('', 'application/json'))).toEqual({ kind: 'malformed', empty: true });
    expect(readJson(answer(' \n', 'application/json'))).toEqual({ kind: 'malformed', empty: true });
    expect(readJson(answer('{"a":', 'application/json'))).toEqual({ kind: 'malformed' });
    expect(readJson(answer(Uint8Array.of(0x22, 0xff, 0x22), 'application/json'))).toEqual({ kind: 'malformed' });
    expect(readJson(answer('{}', 'application/json; charset=x-none'))).toEqual({ kind: 'malformed' });
    expect(readJson(answer('['.repeat(200_000), 'application/json'))).toEqual({ kind: 'malformed' });
  });
  test('becomes a payload without losing a byte', () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256);
    const payload = payloadOf(answer(bytes, 'image/png'));
    expect(payload).toMatchObject({ mediaType: 'image/png', encoding: 'base64' });
    expect(Buffer.from(payload?.body ?? '', 'base64').equals(bytes)).toBe(true);
    expect(payloadOf(answer('a;b', 'text/csv'))).toEqual({ mediaType: 'text/csv', encoding: 'text', body: 'a;b' });
    expect(payloadOf(answer(''))).toBeUndefined();
    expect(payloadOf(answer('plain'))).toEqual({ mediaType: 'text/plain', encoding: 'text', body: 'plain' });
    expect(payloadOf(answer(Uint8Array.of(0xff)))).toEqual({
      mediaType: 'application/octet-stream',
      encoding: 'base64',
      body: '/w==',
    });
  });
});

describe('a sentence for people', () => {
  test('is found wherever services put it', () => {
    const places = [
      { error: { message: 'x' } },
      { error: 'x' },
      { errors: [{ message: 'x' }] },
      { errors: ['x'] },
      { title: 'less', detail: 'x' },
      { failure_detail: 'x', failure: 'code' },
      { errors: { messages: ['x'] } },
      { title: 'x' },
      'x',
    ];
    for (const place of places) expect(sentenceIn(place)).toBe('x');
  });

  // Bodies of failures as services nest them, each found without being described.
  test.each<[string, Json]>([
    ['error.errors[]', { status: 'DONE', error: { errors: [{ code: 'QUOTA_EXCEEDED', message: 'why' }] } }],
    [
      'errors.data[]',
      { status: 'failed', errors: { object: 'list', data: [{ code: 'invalid_json', line: 3, message: 'why' }] } },
    ],
    ['errors.messages[]', { status: 'errored', errors: { type: 'invalid_input', messages: ['why', 'and more'] } }],
    ['error.details[].error', { status: 'Failed', error: { code: 'X', details: [{ error: 'why' }] } }],
    ['error.details[].error.message', { error: { details: [{ error: { message: 'why' } }] } }],
    ['google.rpc.Status', { code: 3, message: 'why', details: [{ '@type': 'type.example/ErrorInfo', reason: 'R' }] }],
    [
      'google.rpc.Status with the sentence in a detail',
      {
        error: { code: 3, message: '', details: [{ '@type': 'type.example/LocalizedMessage', locale: 'en', message: 'why' }] },
      },
    ],
    [
      'a field violation',
      {
        error: {
          code: 3,
          details: [{ '@type': 'type.example/BadRequest', fieldViolations: [{ field: 'n', description: 'why' }] }],
        },
      },
    ],
    ['JSON:API', { errors: [{ status: '422', title: 'Unprocessable', detail: 'why' }] }],
    ['a plain string', { status: 'failed', error: 'why' }],
    ['failure.message', { status: 'failed', failure: { code: 2, message: 'why' } }],
    ['a plain failure', { status: 'failed', failure: 'why' }],
    ['a reason in a wrapper', { QueryExecution: { Status: { State: 'FAILED', StateChangeReason: 'why' } } }],
    ['a reason in a wrapper of another name', { TranscriptionJob: { TranscriptionJobStatus: 'FAILED', FailureReason: 'why' } }],
    ['a cause', { status: 'TIMED_OUT', error: { code: 7 }, cause: 'why' }],
    ['an error with a reason', { error: { root_cause: [{ reason: 'deeper' }], type: 'search_phase', reason: 'why' } }],
    ['the result of an error', { status: { state: 'DONE', errorResult: { reason: 'invalid', message: 'why' } } }],
    ['an outcome of issues', { resourceType: 'OperationOutcome', issue: [{ severity: 'error', diagnostics: 'why' }] }],
    ['an incomplete response', { status: 'incomplete', incomplete_details: { reason: 'why' } }],
    ['problem details', { type: 'about:blank', title: 'Bad', status: 422, detail: 'why' }],
  ])('is found in %s', (_shape, body) => {
    expect(sentenceIn(body)).toBe('why');
  });

  test('is looked for under unmistakable names only, and not for ever', () => {
    expect(sentenceIn({ a: { b: { c: { d: { FailureReason: 'too deep' } } } } })).toBeUndefined();
    expect(sentenceIn({ rows: [{ FailureReason: 'of a row' }] })).toBeUndefined();
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_member, index) => [`m${index}`, { FailureReason: 3 }]));
    expect(sentenceIn(wide)).toBe('3');
  });
  test('is none where nothing reads like one', () => {
    for (const place of [{}, { error: true }, { error: {} }, { message: '  ' }, [], 7, null, undefined])
      expect(sentenceIn(place)).toBeUndefined();
  });
  test('is one bounded line that shows no query of a URL', () => {
    const text = 'failed\r\n at https://files.example.com/a/b?sig=S3CR3T&x=1, see /ops/1?token=S3CR3T (why?)';
    expect(sentenceIn({ message: text })).toBe('failed at https://files.example.com/a/b?… see /ops/1?… (why?)');
    expect(sentenceIn({ message: '😀'.repeat(2000) })?.length).toBeLessThan(520);
  });
  test('comes from plain text, and never from HTML', () => {
    expect(errorSentence(answer('no capacity', 'text/plain'))).toBe('no capacity');
    expect(errorSentence(answer('<h1>no</h1>', 'text/html'))).toBeUndefined();
  });
});

describe('small readings', () => {
  test('numbers as upstreams write them', () => {
    expect([0.4, '40', '40%', '40 %'].map(numberOf)).toEqual([0.4, 40, 40, 40]);
    expect([true, null, '', 'soon', {}, '1e999'].map(numberOf)).toEqual(Array(6).fill(undefined));
  });
  test('a value where a word should be', () => {
    expect(rawWord(null, '/s')).toBe('null');
    expect(rawWord(undefined, '/s')).toBe('no status word (missing at /s)');
    expect(rawWord('x'.repeat(1000), '/s')).toHaveLength(100);
  });
  test('a Retry-After as it was sent', () => {
    expect(retryAfterOf(answer('', undefined, { 'retry-after': ' 7 ' }))).toEqual({ retryAfter: '7' });
    expect(retryAfterOf(answer('', undefined, { 'retry-after': '' }))).toEqual({});
  });
});

describe('a runtime expression', () => {
  const template = {
    method: 'POST',
    server: 'https://jobs.example.com',
    path: '/jobs/{kind}',
    parameters: [
      {
        argument: 'kind_path',
        name: 'kind',
        in: 'path',
        style: 'simple',
        explode: false,
        required: true,
        allowReserved: false,
      },
    ],
    headers: [],
    query: [],
    bodyConstants: [],
    accept: 'application/json',
  } as const;
  const exchanged = {
    template,
    arguments: { kind_path: 'a' },
    request: { method: 'POST', url: 'https://jobs.example.com/jobs/a', headers: [['X-Trace', 't']], body: '{"tag":"b"}' },
    response: answer('{"a":{"b/c":9007199254740993}}', 'application/json', { location: '/l' }),
  } as const;
  test('names one value of an exchange', () => {
    expect(JSON.stringify(evaluate('$response.body#/a/b~1c', exchanged))).toBe('9007199254740993');
    expect(evaluate('$response.header.Location', exchanged)).toBe('/l');
    expect(evaluate('$request.body#/tag', exchanged)).toBe('b');
    expect(evaluate('$request.header.x-trace', exchanged)).toBe('t');
    expect(evaluate('$request.path.kind', exchanged)).toBe('a');
    expect(evaluate('$request.query.kind', exchanged)).toBeUndefined();
    expect(evaluate('$response.body', exchanged)).toHaveProperty('a');
  });
  test('is refused where it is none', () => {
    for (const good of ['$response.body#/a', '$response.body', '$response.header.X', '$request.query.q'])
      expect(misreadExpression(good)).toBeUndefined();
    for (const bad of ['/id', '$response.body/id', '$response.query.q', '$url.x', ''])
      expect(misreadExpression(bad)).toMatch(/runtime expression/);
  });
});
