// Species whose results are the difficult part: in pages, wrapped, partial, or of another kind than JSON.

import type { Answer, Route, Species } from './species.ts';

const ok = (json: unknown, headers: Record<string, string> = {}): Answer => ({ code: 200, json, headers });
const csv = (text: string, headers: Record<string, string> = {}): Answer => ({
  code: 200,
  text,
  headers: { 'Content-Type': 'text/csv', ...headers },
});

/** A plain status resource, whose result is elsewhere. */
const STATUS: Route = {
  on: 'GET /jobs/{id}',
  running: ok({ id: '{id}', status: 'running' }),
  succeeded: ok({ id: '{id}', status: 'succeeded' }),
  failed: ok({ id: '{id}', status: 'failed', error: { message: 'the table is gone' } }),
};

const job = (name: string, routes: readonly Route[], result: Species['extension'][string], expected: string): Species => ({
  name,
  pattern: 'P1',
  submit: 'POST /jobs',
  accepted: { code: 202, json: { id: '{id}', status: 'running' } },
  routes: [STATUS, ...routes],
  extension: { status: { url: '/jobs/{id}' }, state: { at: '/status' }, result },
  result: expected,
  failure: 'the table is gone',
});

const PAGES: readonly Species[] = [
  job(
    'pages-by-locator',
    [
      {
        on: 'GET /jobs/{id}/results',
        succeeded: csv('Name,City\n{name},Ulm\n', { 'Sforce-Locator': 'MjAw' }),
        pages: {
          query: 'locator',
          by: {
            MjAw: csv('Name,City\n"second, of {name}",Ulm\n', { 'Sforce-Locator': 'NDAw' }),
            NDAw: csv('Name,City\nlast,Ulm\n', { 'Sforce-Locator': 'null' }),
          },
        },
      },
    ],
    { url: '{statusUrl}/results', type: 'text/csv', pages: { header: 'Sforce-Locator', query: 'locator' } },
    'Name,City\nbridge,Ulm\n"second, of bridge",Ulm\nlast,Ulm\n',
  ),
  job(
    'pages-by-link',
    [
      {
        on: 'GET /jobs/{id}/results',
        succeeded: ok(['{name}'], { Link: '<{root}/jobs/{id}/results?page=2>; rel="next"' }),
        pages: { query: 'page', by: { '2': ok(['last'], { Link: '<{root}/jobs/{id}/results>; rel="first"' }) } },
      },
    ],
    { url: '{statusUrl}/results' },
    '["bridge","last"]',
  ),
  job(
    'pages-by-token',
    [
      {
        on: 'POST /results',
        idIn: { body: 'job' },
        succeeded: ok({ Set: { Rows: ['{name}'] }, NextToken: 'b' }),
        pages: { body: 'NextToken', by: { b: ok({ Set: { Rows: ['last'] } }) } },
      },
    ],
    {
      url: '/results',
      method: 'POST',
      body: { job: '{id}' },
      pages: { at: '/NextToken', body: '/NextToken', items: '/Set/Rows' },
    },
    '{"Set":{"Rows":["bridge","last"]}}',
  ),
  job(
    'pages-by-url',
    [
      { on: 'GET /jobs/{id}/results', succeeded: ok({ rows: ['{name}'], next: '{base}/jobs/{id}/results/2' }) },
      { on: 'GET /jobs/{id}/results/2', succeeded: ok({ rows: ['last'], next: null }) },
    ],
    { url: '{statusUrl}/results', at: '/rows', pages: { at: '/next' } },
    '["bridge","last"]',
  ),
  job(
    'pages-by-number',
    [
      {
        on: 'GET /jobs/{id}/rows',
        succeeded: ok({ rows: ['{name}', 'second'] }),
        pages: { query: 'page', by: { '2': ok({ rows: ['third'] }), '3': ok({ rows: ['last'] }), '4': ok({ rows: [] }) } },
      },
    ],
    { url: '{statusUrl}/rows', at: '/rows', pages: { query: 'page', by: 'page' } },
    '["bridge","second","third","last"]',
  ),
  job(
    'pages-by-offset',
    [
      {
        on: 'POST /rows',
        idIn: { body: 'job' },
        succeeded: ok({ found: 3, rows: ['{name}', 'second'] }),
        pages: { body: 'offset', by: { '2': ok({ found: 3, rows: ['last'] }) } },
      },
    ],
    {
      url: '/rows',
      method: 'POST',
      body: { job: '{id}' },
      pages: { body: '/offset', by: 'item', total: '/found' },
    },
    '{"found":3,"rows":["bridge","second","last"]}',
  ),
  job(
    'pages-by-manifest',
    [
      { on: 'GET /jobs/{id}/files', succeeded: ok({ output: [{ url: '{base}/jobs/{id}/1' }, { url: '{base}/jobs/{id}/2' }] }) },
      {
        on: 'GET /jobs/{id}/1',
        succeeded: { code: 200, text: '{"n":"{name}"}\n', headers: { 'Content-Type': 'application/x-ndjson' } },
      },
      { on: 'GET /jobs/{id}/2', succeeded: { code: 200, text: '{"n":"last"}\n' } },
    ],
    { url: '{statusUrl}/files', type: 'application/x-ndjson', pages: { list: '/output', at: '/url' } },
    '{"n":"bridge"}\n{"n":"last"}\n',
  ),
  {
    name: 'pages-by-partition',
    pattern: 'P4',
    submit: 'POST /statements',
    accepted: { code: 202, json: { handle: '{id}', statusUrl: '{root}/statements/{id}' } },
    routes: [
      {
        on: 'GET /statements/{id}',
        running: { code: 202, json: { message: 'in progress' } },
        succeeded: ok({ meta: { partitionInfo: [{ rows: 1 }, { rows: 1 }, { rows: 1 }] }, data: [['{name}']] }),
        pages: { query: 'partition', by: { '1': ok({ data: [['1']] }), '2': ok({ data: [['2']] }) } },
        failed: { code: 422, json: { message: 'the table is gone' } },
      },
    ],
    extension: {
      preset: 'code-only@1',
      handle: { url: '$response.body#/statusUrl', id: '$response.body#/handle' },
      submit: { sync: { codes: [200] } },
      result: { at: '/data', pages: { list: '/meta/partitionInfo', query: 'partition' } },
    },
    result: '[["bridge"],["1"],["2"]]',
    failure: 'the table is gone',
  },
];

/** A result that is not all: the status says so by a word, or by a flag beside the result. */
const PARTIAL: readonly Species[] = [
  {
    name: 'partial-by-word',
    pattern: 'P6',
    submit: 'POST /batches',
    accepted: ok({ id: '{id}', status: 'validating' }),
    routes: [
      {
        on: 'GET /batches/{id}',
        running: ok({ id: '{id}', status: 'in_progress' }),
        succeeded: ok({ id: '{id}', status: 'expired', output_file_id: '{id}' }),
        failed: ok({ id: '{id}', status: 'expired', output_file_id: null, message: 'nothing was done in 24 hours' }),
      },
      {
        on: 'GET /files/{id}/content',
        succeeded: { code: 200, text: '{"line":"{name}"}\n', headers: { 'Content-Type': 'application/jsonl' } },
      },
    ],
    extension: {
      status: { url: '/batches/{id}' },
      state: { at: '/status', succeeded: ['completed'] },
      result: { url: '/files/{id}/content', id: '/output_file_id', type: 'application/jsonl', partial: ['expired'] },
    },
    result: 'This result is partial: the service says that it is not all of what was asked for.\n{"line":"bridge"}',
    failure: 'nothing was done in 24 hours',
  },
  {
    name: 'partial-by-flag',
    pattern: 'P12',
    submit: 'POST /_async_search',
    accepted: ok({ id: '{id}', is_running: true, is_partial: true }),
    routes: [
      {
        on: 'GET /_async_search/{id}',
        running: ok({ id: '{id}', is_running: true, is_partial: true, response: { hits: [] } }),
        succeeded: ok({ id: '{id}', is_running: false, is_partial: true, response: { hits: ['{name}'] } }),
        failed: ok({ id: '{id}', is_running: false, is_partial: true, error: { reason: 'all shards failed' } }),
      },
    ],
    extension: { preset: 'elasticsearch-async@2' },
    result: 'This result is partial: the service says that it is not all of what was asked for.\n{"hits":["bridge"]}',
    failure: 'all shards failed',
  },
];

/** An answer as the text that travels inside another. */
const inside = (line: string, json: unknown): Answer => ({
  code: 200,
  headers: { 'Content-Type': 'application/http' },
  text: `HTTP/1.1 ${line}\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(json)}`,
});

const monitored = (name: string, succeeded: Answer, failed: Answer): Species => ({
  name,
  pattern: 'P4',
  submit: 'POST /orders',
  accepted: { code: 202, headers: { Location: '{base}/monitor/{id}', 'Retry-After': '0' } },
  routes: [{ on: 'GET /monitor/{id}', running: { code: 202 }, succeeded, failed }],
  extension: { preset: 'rfc9110-location@1', result: { at: '/value' } },
  result: '["bridge"]',
  failure: 'no such customer',
});

/** Results inside something else. */
const WRAPPED: readonly Species[] = [
  monitored(
    'answer-inside-answer',
    inside('200 OK', { value: ['{name}'] }),
    inside('404 Not Found', { error: { message: 'no such customer' } }),
  ),
  monitored(
    'answer-by-header',
    ok({ value: ['{name}'] }, { AsyncResult: '200' }),
    ok({ error: { message: 'no such customer' } }, { AsyncResult: '404' }),
  ),
  job(
    'several-parts',
    [
      {
        on: 'GET /jobs/{id}/result',
        succeeded: {
          code: 200,
          headers: { 'Content-Type': 'multipart/mixed; boundary=part' },
          text: '--part\r\nContent-Type: application/json\r\nContent-ID: <meta>\r\n\r\n{"of":"{name}"}\r\n--part\r\nContent-Type: text/csv\r\n\r\na,b\r\n--part--\r\n',
        },
      },
    ],
    { url: '{statusUrl}/result' },
    ' bytes.\n{"of":"bridge"}\nPart 2 of 2: text/csv, 3 bytes.\na,b',
  ),
  job(
    'base64-file',
    [{ on: 'GET /jobs/{id}/file', succeeded: ok({ content: 'YSxiCjEsMgo=' }) }],
    { url: '{statusUrl}/file', at: '/content', unwrap: 'base64', type: 'text/csv' },
    'a,b\n1,2\n',
  ),
];

const SIGNED = '{store}/{id}?signature={signature}';

/** Results on hosts of files: one that nobody is to bring credentials to, and one that gives nothing without them. */
const STORED: readonly Species[] = [
  {
    ...job('signed-files', [], { urlAt: '/url' }, 'Name,City\nbridge,Ulm\n'),
    routes: [{ ...STATUS, succeeded: ok({ id: '{id}', status: 'succeeded', url: SIGNED }) }],
  },
  job(
    'handed-over',
    [{ on: 'GET /jobs/{id}/file', succeeded: { code: 307, headers: { Location: SIGNED } } }],
    { url: '{statusUrl}/file' },
    'Name,City\nbridge,Ulm\n',
  ),
  {
    ...job('files-in-a-vault', [], { urlAt: '/url' }, 'Name,City\nbridge,Ulm\n'),
    routes: [{ ...STATUS, succeeded: ok({ id: '{id}', status: 'succeeded', url: '{vault}/{id}' }) }],
  },
];

/** More than is shown. */
export const LARGE = `Name,Note\n{name},first\n${`row,${'x'.repeat(95)}\n`.repeat(4000)}`;

const SIZED: readonly Species[] = [
  job(
    'large-report',
    [{ on: 'GET /jobs/{id}/report', succeeded: csv(LARGE) }],
    { url: '{statusUrl}/report', type: 'text/csv' },
    'Name,Note\nbridge,first\n',
  ),
];

export const RESULTS: readonly Species[] = [...PAGES, ...PARTIAL, ...WRAPPED, ...STORED, ...SIZED];
