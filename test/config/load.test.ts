import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { UpstreamConfig } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { directory, errorOf, load } from './files.ts';

const LEAST = 'upstreams: {billing: {document: api.yaml}}';

describe('a configuration', () => {
  test('needs one upstream with a document, and nothing else', async () => {
    await using place = await directory({ 'api.yaml': '', 'longshore.yaml': LEAST });
    const config = await loadConfig({ file: join(place.path, 'longshore.yaml'), env: {} });
    expect(config).toEqual({
      file: join(place.path, 'longshore.yaml'),
      server: {
        host: '127.0.0.1',
        port: 8080,
        allowedHosts: [],
        allowedOrigins: [],
        insecurePublicBind: false,
        requestBytesMax: 4 * 1024 * 1024,
        sessionsMax: 1000,
        sessionIdleMs: 30 * 60_000,
        drainMs: 25_000,
      },
      ledger: { kind: 'sqlite', path: join(place.path, 'data/longshore.db') },
      identity: 'none',
      contracts: ['2025-11-25', '2026-07-28'],
      taskless: 'serve',
      limits: {
        pollsPerSecondMax: 100,
        operationsPerPrincipalMax: 1000,
        inlineWaitMs: 20_000,
        resultBytesInlineMax: 256 * 1024,
      },
      gates: { set: [], tripAfter: 10, tripWithinMs: 600_000 },
      retentionMs: 7 * 86_400_000,
      log: { level: 'info' },
      upstreams: [
        {
          name: 'billing',
          document: join(place.path, 'api.yaml'),
          overlays: [],
          credentials: {},
          tools: { include: [], exclude: [], helpers: false },
          infer: true,
          allowedOrigins: [],
          allowedRefs: [],
          limits: {
            concurrentRequestsMax: 32,
            concurrentPollsMax: 8,
            pollsPerSecondMax: 10,
            concurrentSubmitsMax: 8,
            responseBytesMax: 10 * 1024 * 1024,
            requestBytesMax: 10 * 1024 * 1024,
          },
          defaults: {},
        },
      ],
      warnings: [],
    });
  });

  test('says everything that can be said', async () => {
    const config = await load(
      `
server:
  listen: "[::1]:9000"
  publicUrl: https://longshore.internal/gw/
  allowedHosts: [Longshore.internal:8443]
  allowedOrigins: [https://App.example.com:443/]
  requestBytesMax: 512KiB
  sessionsMax: 5
  sessionIdle: PT10M
  drain: 500ms
ledger: sqlite:///var/lib/longshore/x.db
identity: none
contracts: ["2026-07-28"]
taskless: reject
limits: {pollsPerSecondMax: 0.5, operationsPerPrincipalMax: 3, inlineWait: 0s, resultBytesInlineMax: 2048}
retention: P1DT12H
pollInterval: 1.5s
log: {level: debug}
upstreams:
  billing:
    document: https://billing.internal/openapi.json
    overlays: [more/overlay.yaml]
    baseUrl: http://billing.internal/
    credentials:
      key: {env: KEY, header: X-Key}
      basic: {username: {env: USER_NAME}, password: {file: more/password}}
    tools: {include: [createExport, "invoices.*"], exclude: ["DELETE /*"], prefix: billing_, helpers: true}
    infer: false
    allowedOrigins: [http://files.internal:9000]
    trustedOrigins: [https://Files.billing.internal/]
    rewrite: [{from: 'http://10.0.0.7:81/', to: http://billing.internal}]
    allowedRefs: [more/, https://schemas.internal/]
    limits: {concurrentRequestsMax: 1, responseBytesMax: 1GiB}
    defaults:
      pace: {interval: 2s, min: 1s, max: 1h}
      timing: {submitTimeout: 10s, inlineWait: 2s}
      expect: PT4M
      taskSupport: required
`,
      { env: { KEY: 'k', USER_NAME: 'u' }, files: { 'more/overlay.yaml': '', 'more/password': 'p w\n' } },
    );
    const base = config.file.replace('longshore.yaml', '');
    const { credentials, ...upstream } = config.upstreams[0] as UpstreamConfig;
    expect(config.server).toMatchObject({
      host: '::1',
      port: 9000,
      publicUrl: 'https://longshore.internal/gw',
      allowedHosts: ['longshore.internal:8443'],
      allowedOrigins: ['https://app.example.com'],
      requestBytesMax: 512 * 1024,
      sessionsMax: 5,
      sessionIdleMs: 600_000,
      drainMs: 500,
    });
    expect(config).toMatchObject({
      ledger: { path: '/var/lib/longshore/x.db' },
      contracts: ['2026-07-28'],
      taskless: 'reject',
      limits: { pollsPerSecondMax: 0.5, operationsPerPrincipalMax: 3, inlineWaitMs: 0, resultBytesInlineMax: 2048 },
      retentionMs: 36 * 3_600_000,
      pollIntervalShownMs: 1500,
      log: { level: 'debug' },
    });
    expect(upstream).toMatchObject({
      document: 'https://billing.internal/openapi.json',
      overlays: [`${base}more/overlay.yaml`],
      baseUrl: 'http://billing.internal',
      tools: { include: ['createExport', 'invoices.*'], exclude: ['DELETE /*'], prefix: 'billing_', helpers: true },
      infer: false,
      allowedOrigins: ['http://files.internal:9000'],
      trustedOrigins: ['https://files.billing.internal'],
      rewrite: [{ from: 'http://10.0.0.7:81', to: 'http://billing.internal' }],
      allowedRefs: [`${base}more`, 'https://schemas.internal/'],
      limits: { concurrentRequestsMax: 1, concurrentPollsMax: 8, responseBytesMax: 1024 ** 3 },
      defaults: {
        pace: { intervalMs: 2000, minMs: 1000, maxMs: 3_600_000 },
        timing: { submitTimeoutMs: 10_000, inlineWaitMs: 2000 },
        expectMs: 240_000,
        taskSupport: 'required',
      },
    });
    expect(credentials['key']?.value?.reveal()).toBe('k');
    expect(credentials['key']?.header).toBe('X-Key');
    expect(credentials['basic']?.username?.reveal()).toBe('u');
    expect(credentials['basic']?.password?.reveal()).toBe('p w');
  });

  test('is frozen to its last member', async () => {
    const config = await load(LEAST);
    expect(() => Object.assign(config.server, { port: 1 })).toThrow(TypeError);
    expect(() => Object.assign(config.upstreams[0]?.limits ?? {}, { pollsPerSecondMax: 1 })).toThrow(TypeError);
    expect(() => (config.contracts as string[]).push('x')).toThrow(TypeError);
  });

  test('is read with a byte order mark, Windows line ends and anchors', async () => {
    const config = await load(`\uFEFFupstreams:\r\n  a: &one\r\n    document: api.yaml\r\n  b: *one\r\n`);
    expect(config.upstreams.map(({ name, document }) => [name, document.replace(/^.*\//, '')])).toEqual([
      ['a', 'api.yaml'],
      ['b', 'api.yaml'],
    ]);
  });

  test('counts a member without a value as absent', async () => {
    const config = await load(`server:\nledger:\n${LEAST}\n`);
    expect(config.server.port).toBe(8080);
    expect(config.ledger.path).toMatch(/longshore\.db$/);
  });

  test.each([
    ['127.0.0.1:0', '127.0.0.1', 0],
    [':0', '127.0.0.1', 0],
    ['localhost:80', 'localhost', 80],
    ['"[::1]:65535"', '::1', 65535],
  ])('listens where %s says', async (written, host, port) => {
    expect((await load(`server: {listen: ${written}}\n${LEAST}`)).server).toMatchObject({ host, port });
  });
});

describe('the environment', () => {
  test('fills references anywhere in text, also numbers and switches', async () => {
    const config = await load(
      `server:
  sessionsMax: \${MAX}
  dangerouslyServeEveryoneWithoutIdentity: \${OPEN:-false}
ledger: sqlite:\${DIR:-/tmp}/\${NAME:-a}.db
upstreams: {a: {document: "\${DOC}.yaml", tools: {include: ["$\${x}", "\${EMPTY:-dflt}", "\${LITERAL}"]}}}
`,
      { env: { MAX: '7', DOC: 'api', NAME: 'b', EMPTY: '', LITERAL: `\${MAX}` } },
    );
    expect(config.server.sessionsMax).toBe(7);
    expect(config.server.insecurePublicBind).toBe(false);
    expect(config.ledger.path).toBe('/tmp/b.db');
    expect(config.upstreams[0]?.tools.include).toEqual([`\${x}`, 'dflt', `\${MAX}`]);
  });

  test('wins over the file', async () => {
    const config = await load(`server: {listen: nonsense, publicUrl: "\${MISSING}"}\nledger: sqlite:a\n${LEAST}`, {
      env: {
        LONGSHORE_LISTEN: ':0',
        LONGSHORE_PUBLIC_URL: 'https://x.example',
        LONGSHORE_LEDGER: 'sqlite:/b.db',
        LONGSHORE_LOG_LEVEL: 'error',
      },
    });
    expect(config).toMatchObject({
      server: { port: 0, publicUrl: 'https://x.example' },
      ledger: { path: '/b.db' },
      log: { level: 'error' },
    });
  });

  test('names the file, unless the command line does', async () => {
    await using place = await directory({ 'api.yaml': '', 'one.yaml': LEAST, 'two.yaml': LEAST });
    const env = { LONGSHORE_CONFIG: join(place.path, 'one.yaml') };
    expect((await loadConfig({ env })).file).toBe(join(place.path, 'one.yaml'));
    expect((await loadConfig({ env, file: join(place.path, 'two.yaml') })).file).toBe(join(place.path, 'two.yaml'));
    expect((await errorOf(loadConfig({ env: {}, readFile: async () => new Uint8Array() }))).faults[0]?.file).toBe(
      'longshore.yaml',
    );
  });
});

describe('a secret', () => {
  const SECRET = 'hunter2-very-secret';
  const TEXT = 'upstreams: {a: {document: api.yaml, credentials: {k: {env: KEY}}}}';

  test('is there for who asks, and is never printed', async () => {
    const config = await load(TEXT, { env: { KEY: SECRET } });
    const value = config.upstreams[0]?.credentials['k']?.value;
    expect(value?.reveal()).toBe(SECRET);
    expect([inspect(value), String(value), `${value}`, JSON.stringify({ value })]).toEqual([
      '•••',
      '•••',
      '•••',
      '{"value":"•••"}',
    ]);
    const printed = [
      inspect(config, { depth: 20, showHidden: true, customInspect: false }),
      inspect(config, { depth: 20 }),
      JSON.stringify(config),
    ];
    for (const text of printed) expect(text).not.toContain(SECRET);
  });

  test.each([
    ['a value in the file', `upstreams: {a: {document: api.yaml, credentials: {k: {value: ${SECRET}}}}}`, {}],
    ['text in the file', `upstreams: {a: {document: api.yaml, credentials: {k: ${SECRET}}}}`, {}],
    ['a number of it in the file', `upstreams: {a: {document: api.yaml, credentials: {k: "${SECRET}", k: "${SECRET}"}}}`, {}],
    [
      'a reference to it',
      `upstreams: {a: {document: api.yaml, credentials: {k: "\${KEY}"}, baseUrl: "\${KEY}"}}`,
      { KEY: SECRET },
    ],
    [
      'a place that wants something else',
      `ledger: \${KEY}\nretention: \${KEY}\nlog: {level: "\${KEY}"}\nserver: {listen: "\${KEY}", sessionsMax: "\${KEY}"}`,
      { KEY: SECRET },
    ],
    ['a user in a URL', `upstreams: {a: {document: "https://u:${SECRET}@host/x", baseUrl: "http://u:${SECRET}@host/x"}}`, {}],
    ['a secret of two lines', TEXT, { KEY: `${SECRET}\n${SECRET}` }],
    ['an alias', `upstreams: *${SECRET}`, {}],
    ['a tag', `upstreams: !${SECRET} x`, {}],
    ['an escape', `upstreams: "\\q${SECRET}"`, {}],
    ['loose text', `upstreams: {a: {document: api.yaml}} ${SECRET}`, {}],
    ['a block header', `ledger: |${SECRET}\n  x`, {}],
    ['a ledger URL', `ledger: postgres://u:${SECRET}@host/db`, {}],
  ])('in %s is refused without being repeated', async (_where, text, env) => {
    const error = await errorOf(load(text, { env }));
    expect(error.faults.length).toBeGreaterThan(0);
    for (const said of [error.message, inspect(error), JSON.stringify(error.faults), String(error.stack)])
      expect(said).not.toContain(SECRET);
  });
});
