// The program as people start it: a process, its two streams and its exit code.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { directory } from '../config/files.ts';
import { projectFile } from '../e2e/gateway.ts';
import { BILLING } from './kit.ts';

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function longshore(cwd: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd, env: { PATH: process.env['PATH'] ?? '', ...env } };
    execFile(process.execPath, [projectFile('src/main.ts'), ...args], options, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

describe('the first minutes with a service', () => {
  test('lead from its document to the request that would be sent', async () => {
    await using place = await directory({ 'billing.openapi.yaml': BILLING });
    const run = (args: readonly string[], env?: Record<string, string>) => longshore(place.path, args, env);

    const seen = await run(['inspect', './billing.openapi.yaml']);
    expect(seen.code).toBe(0);
    expect(seen.out).toContain('6 operations: 1 job, 1 to confirm');

    const made = await run(['init', './billing.openapi.yaml']);
    expect(made.code).toBe(0);
    expect(made.out).toContain('wrote longshore.yaml\nwrote billing.overlay.yaml (1 job described, 1 marked CONFIRM)');
    expect(made.out).toContain('BILLING_KEY');

    const lacking = await run(['check']);
    expect(lacking.code).toBe(1);
    expect(lacking.err).toMatch(/^longshore\.yaml:\d+:\d+ .*environment variable BILLING_KEY is not set/);

    const fit = await run(['check'], { BILLING_KEY: 'k' });
    expect(fit.code).toBe(0);
    expect(fit.out).toBe('1 upstream, 1 job, 2 calls, 1 left out\n');

    const dry = await run(['dry-run', 'create_export', '{"from":"2026-10-01"}']);
    expect(dry.code).toBe(0);
    expect(dry.out).toMatch(/^POST http:\/\/billing\.internal\/v1\/exports\n/);
    expect(dry.out).toContain('x-api-key: •••');

    const away = await run(['call', 'create_export', '{"from":"2026-10-01"}', '--url', 'http://127.0.0.1:9/mcp']);
    expect(away.code).toBe(1);
    expect(away.err).toContain('no gateway answers');

    const again = await run(['init', './billing.openapi.yaml']);
    expect(again.code).toBe(1);
    expect(await readFile(join(place.path, 'longshore.yaml'), 'utf8')).toContain('BILLING_KEY');
  }, 60_000);
});

describe('the program', () => {
  test('says what there is to ask for when it is asked for nothing', async () => {
    const { code, out } = await longshore('.', []);
    expect(code).toBe(0);
    for (const command of ['inspect', 'init', 'check', 'dry-run', 'serve', 'call'])
      expect(out).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  test.each([
    ['an unknown command', ['inspekt', 'a.yaml'], /unknown command/],
    ['a missing document', ['inspect'], /missing required argument/],
    ['arguments that are no JSON', ['dry-run', 'a', '{from: 1}'], /not JSON/],
    ['a contract that nobody speaks', ['inspect', 'a.yaml', '--contract', '2024-01-01'], /2026-07-28/],
  ])('ends with 2 for %s', async (_what, args, said) => {
    const { code, err, out } = await longshore('.', args);
    expect(code).toBe(2);
    expect(err).toMatch(said);
    expect(out).toBe('');
  });

  test.each(
    [
      ...['inspect', 'init', 'check', 'dry-run', 'call', 'serve', 'health'].map((name) => [name]),
      ...['list', 'show', 'cancel', 'settle', 'trace'].map((name) => ['operations', name]),
      ...['list', 'set', 'history', 'shadows'].map((name) => ['gates', name]),
      ...['list', 'moves'].map((name) => ['tools', name]),
    ].map((words) => [words.join(' ')]),
  )('says with what code it ends: %s --help', async (words) => {
    const { code, out } = await longshore('/', [...words.split(' '), '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Exit code: 0 \S.*, 1 \S.*2 not asked properly/m);
  });

  test('says in a sentence that another program listens where it is to listen', async () => {
    await using other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const text = `server: { listen: 127.0.0.1:${port} }\nupstreams: { billing: { document: billing.openapi.yaml } }\n`;
    await using place = await directory({ 'billing.openapi.yaml': BILLING, 'longshore.yaml': text });
    const { code, err } = await longshore(place.path, ['serve']);
    expect([code, err]).toEqual([
      1,
      `The gateway can not listen on 127.0.0.1:${port}: another program listens there: stop it, or set server.listen (or LONGSHORE_LISTEN) to another address.\n`,
    ]);
  });

  test('says in a sentence that it can not write where init is to write', async () => {
    await using place = await directory({ 'billing.openapi.yaml': BILLING });
    const { code, err } = await longshore(place.path, ['init', 'billing.openapi.yaml', '--dir', 'billing.openapi.yaml/x']);
    expect(code).toBe(1);
    expect(err).toMatch(/^billing\.openapi\.yaml\/x can not be written \(ENOTDIR.*\) → .*--dir\n$/);
  });

  test('ends quietly when its reader has seen enough', async () => {
    await using place = await directory({ 'billing.openapi.yaml': BILLING });
    const command = `"${process.execPath}" "${projectFile('src/main.ts')}" inspect billing.openapi.yaml | (exec <&-; true)`;
    const { err } = await new Promise<{ err: string }>((resolve) => {
      execFile('sh', ['-c', command], { cwd: place.path }, (_error, _out, err) => resolve({ err }));
    });
    expect(err).toBe('');
  });

  test.each([
    ['health', ['health'], /healthz does not answer \((?!fetch failed).+\): start the gateway/],
    ['call', ['call', 'create_export', '--timeout', '5s'], /no gateway answers/],
    ['operations', ['operations', 'list'], /no gateway answers|admin/],
  ])('asks for no secret of an upstream where %s needs none', async (_what, args, said) => {
    const text = `server: { listen: 127.0.0.1:9 }
upstreams:
  billing:
    document: billing.openapi.yaml
    credentials: { ApiKeyAuth: { env: NOT_SET_ANYWHERE } }
    webhooks: { secrets: [{ env: NOT_SET_EITHER }] }
`;
    await using place = await directory({ 'billing.openapi.yaml': BILLING, 'longshore.yaml': text });
    const { code, err } = await longshore(place.path, args);
    expect(code).toBe(1);
    expect(err).toMatch(said);
    expect(err).not.toContain('NOT_SET');
  });

  test('ends with 1 and names the file for a document that can not be used', async () => {
    await using place = await directory({ 'a.yaml': 'openapi: 3.0.0\npaths: []\n' });
    const { code, err } = await longshore(place.path, ['inspect', 'a.yaml']);
    expect(code).toBe(1);
    expect(err).toMatch(/^a\.yaml:2:1 {2}\/paths: /);
  });
});
