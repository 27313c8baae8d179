import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { LongshoreError } from '../../src/errors.ts';
import { configOf, post, request, session, standUp } from './kit.ts';

/** A raw HTTP/1.1 exchange: fetch sets Host itself. */
const raw = (origin: string, head: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1', () =>
      socket.write(`${head}\r\nConnection: close\r\n\r\n`),
    );
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });

describe('the endpoint', () => {
  test.each([
    ['POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0', 'a foreign Host'],
    ['POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\nContent-Length: 0', 'a foreign Origin'],
    ['POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\nContent-Length: 0', 'an opaque Origin'],
  ])('refuses %j: %s', async (head) => {
    const { origin } = await standUp();
    expect(await raw(origin, head)).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('answers the hosts and origins that are configured', async () => {
    const server = {
      allowedHosts: ['gateway.example'],
      allowedOrigins: ['https://app.example'],
      publicUrl: 'https://public.example',
    };
    const { origin } = await standUp({ config: configOf({ server }) });
    const head = (host: string, from: string) => `PUT /mcp HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${from}\r\nContent-Length: 0`;
    expect(await raw(origin, head('gateway.example:8080', 'https://app.example'))).toMatch(/^HTTP\/1\.1 405 /);
    expect(await raw(origin, head('public.example', 'https://public.example'))).toMatch(/^HTTP\/1\.1 405 /);
  });

  test('answers other methods with 405 and those it has', async () => {
    const { url } = await standUp();
    const answer = await fetch(url, { method: 'PUT' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE']);
  });

  test('answers what is no JSON, no JSON type, or too large, in JSON-RPC', async () => {
    const { url } = await standUp();
    const broken = await post(url, '{"jsonrpc":');
    expect([broken.http, broken.error.code]).toEqual([400, -32700]);
    const empty = await post(url, '');
    expect([empty.http, empty.error.code]).toEqual([400, -32700]);
    const typed = await post(url, '{}', { 'content-type': 'text/plain' });
    expect([typed.http, typed.error.code]).toEqual([415, -32600]);
    const large = await post(url, { jsonrpc: '2.0', id: 1, method: 'ping', params: { filler: 'x'.repeat(20_000) } });
    expect([large.http, large.error.message]).toEqual([413, expect.stringContaining('10000 bytes')]);
  });

  test('says nothing of what broke inside it', async () => {
    const { url, engine } = await standUp();
    engine.starts = () => {
      throw new Error('secret path /var/lib');
    };
    const answer = await request(url, 'tools/call', { name: 'create_export', arguments: {} });
    expect(answer.error).toEqual({ code: -32603, message: 'Internal error' });
    expect(answer.text).not.toContain('secret');
  });

  test('says what may be done about what it refuses on purpose', async () => {
    const { url, engine } = await standUp();
    engine.starts = () => {
      throw new LongshoreError('LIMIT_REACHED', 'You have 100 operations, which is the limit: cancel one, or wait.');
    };
    const { result } = await request(url, 'tools/call', { name: 'create_export', arguments: {} });
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: expect.stringContaining('cancel one') }] });
    const s = await session(url);
    const asTask = await s.rpc('tools/call', { name: 'create_export', arguments: {}, task: {} });
    expect(asTask.error).toMatchObject({ code: -32603, message: expect.stringContaining('cancel one') });
  });

  test('has nothing at other paths', async () => {
    const { origin } = await standUp();
    const answer = await fetch(`${origin}/elsewhere`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
  });
});

describe('health', () => {
  test('is that the process is up, whatever the engine says', async () => {
    const { origin, engine } = await standUp();
    engine.health = { ok: false, why: 'the ledger cannot be written' };
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  });

  test('and readiness is what the engine says, and why', async () => {
    const { origin, engine } = await standUp();
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    engine.health = { ok: false, why: 'the ledger cannot be written' };
    const answer = await fetch(`${origin}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([503, { ok: false, why: 'the ledger cannot be written' }]);
  });
});
