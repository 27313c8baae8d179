import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dryRun } from '../../src/cli/dry-run.ts';
import { compile, writtenRequest } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { directory } from '../config/files.ts';
import { printed } from './kit.ts';

const API = `openapi: 3.1.0
info: { title: A, version: "1" }
servers: [{ url: "http://a.internal/v1" }]
components:
  securitySchemes:
    head: { type: apiKey, in: header, name: X-Key }
    query: { type: apiKey, in: query, name: key }
    bearer: { type: http, scheme: bearer }
    basic: { type: http, scheme: basic }
paths:
  /exports/{kind}:
    post:
      operationId: createExport
      security: [{ head: [], query: [], bearer: [] }]
      parameters:
        - { name: kind, in: path, required: true, schema: { type: string } }
        - { name: Idempotency-Key, in: header, schema: { type: string } }
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, required: [amount], properties: { amount: { type: number } } } } }
      responses: { "202": { description: ok } }
      x-longshore: { submissionKey: { header: Idempotency-Key } }
  /keyed:
    post:
      operationId: keyed
      security: [{ basic: [] }]
      responses: { "202": { description: ok } }
      x-longshore: { submissionKey: { query: requestId } }
  /items:
    get:
      operationId: listItems
      security: []
      servers: [{ url: "https://elsewhere.example" }]
      parameters: [{ name: q, in: query, schema: { type: string } }]
      responses: { "200": { description: ok } }
`;
const CONFIG = `upstreams:
  a:
    document: a.yaml
    credentials:
      head: { env: HEAD_KEY }
      query: { env: QUERY_KEY }
      bearer: { env: TOKEN }
      basic: { username: { env: USER_NAME }, password: { file: ./password } }
`;
const SECRETS = { HEAD_KEY: 'hunter2', QUERY_KEY: 'swordfish', TOKEN: 'xyzzy', USER_NAME: 'plugh' };

async function run(
  tool: string,
  args: JsonObject,
  { env = {} as Record<string, string>, json = false, document = API, config: written = CONFIG } = {},
) {
  await using place = await directory({ 'a.yaml': document, 'longshore.yaml': written });
  const terminal = printed();
  const config = await loadConfig({ file: join(place.path, 'longshore.yaml'), env, secrets: 'optional' });
  const code = await dryRun({ tool, arguments: args, config, json, compile, write: writtenRequest, terminal });
  return { code, out: terminal.out(), err: terminal.err() };
}

describe('a dry run', () => {
  test('prints the request of a submit, whole', async () => {
    const { code, out } = await run('create_export', { kind: 'a/b', amount: 1.5 }, { env: SECRETS });
    expect(code).toBe(0);
    const [first, ...rest] = out.trimEnd().split('\n');
    expect(first).toBe('POST http://a.internal/v1/exports/a%2Fb?key=•••');
    expect(rest).toEqual(
      expect.arrayContaining([
        'content-type: application/json',
        'idempotency-key: <per operation>',
        'x-key: •••',
        'authorization: Bearer •••',
        '',
        '{"amount":1.5}',
      ]),
    );
  });

  test('prints no secret, and needs none', async () => {
    const set = await run('create_export', { kind: 'a', amount: 1 }, { env: SECRETS });
    for (const secret of Object.values(SECRETS)) expect(set.out + set.err).not.toContain(secret);
    const unset = await run('create_export', { kind: 'a', amount: 1 });
    expect(unset).toEqual(set);
    expect((await run('keyed', {})).out).toContain('authorization: Basic •••');
  });

  test('shows where the callback URL of each operation goes, and not the secret beside it, which need not be set', async () => {
    const document = `openapi: 3.1.0
info: { title: A, version: "1" }
servers: [{ url: "http://a.internal" }]
paths:
  /films:
    post:
      operationId: render
      requestBody:
        content: { application/json: { schema: { type: object, properties: { title: { type: string } } } } }
      responses: { "202": { description: ok } }
      x-longshore:
        webhook:
          role: only
          inject: { body: /hook, secret: /state }
          verify: { scheme: repeated-secret, secretAt: /state }
`;
    const config = 'upstreams: { a: { document: a.yaml, webhooks: { secrets: [{ env: HOOK }, { file: ./gone }] } } }\n';
    for (const env of [{}, { HOOK: 'sesame' }]) {
      const { code, out, err } = await run('render', { title: 'M' }, { env, document, config });
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain('{"title":"M","hook":"<callback URL of the operation>","state":"•••"}');
    }
  });

  test('shows where the key of each operation goes in a query', async () => {
    expect((await run('keyed', {})).out.split('\n')[0]).toBe('POST http://a.internal/v1/keyed?requestId=<per operation>');
  });

  test('shows no credential where none would go: to another origin', async () => {
    const { out } = await run('list_items', { q: 'x y' }, { env: SECRETS });
    expect(out.split('\n')[0]).toBe('GET https://elsewhere.example/items?q=x%20y');
    expect(out).not.toContain('•••');
  });

  test('tells faults of the arguments by pointer, and what the tool is called', async () => {
    const wrong = await run('create_export', { kind: 'a', amount: 'much', more: 1 });
    expect(wrong.code).toBe(1);
    expect(wrong.out).toBe('');
    expect(wrong.err).toMatch(/^\/amount: .*number/m);
    expect(wrong.err).toMatch(/^\/more: .*not known/m);
    const unknown = await run('creat_export', {});
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('was create_export meant?') });
    // A value that the path can't carry is a fault of the request, not of the schema.
    expect(await run('create_export', { kind: '..', amount: 1 })).toMatchObject({
      code: 1,
      err: expect.stringContaining('/kind'),
    });
  });

  test('is one object as JSON', async () => {
    const { out } = await run('create_export', { kind: 'a', amount: 1 }, { json: true });
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      tool: 'create_export',
      method: 'POST',
      url: 'http://a.internal/v1/exports/a?key=•••',
      headers: { 'x-key': '•••' },
      body: '{"amount":1}',
    });
    const faulty = await run('create_export', {}, { json: true });
    expect(faulty.code).toBe(1);
    expect(JSON.parse(faulty.out)).toMatchObject({ ok: false, faults: [{ pointer: '/kind' }, { pointer: '/amount' }] });
  });
});
