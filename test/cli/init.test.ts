import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { directory, errorOf } from '../config/files.ts';
import { BILLING, initialised, offered } from './kit.ts';

const FILES = { 'billing.openapi.yaml': BILLING };

/** What init writes for documents in a directory of their own. */
async function written(files: Record<string, string>, documents = Object.keys(files)) {
  const place = await directory(files);
  const result = await initialised(
    documents.map((name) => join(place.path, name)),
    place.path,
  );
  const config = await readFile(join(place.path, 'longshore.yaml'), 'utf8');
  const file = (name: string) => readFile(join(place.path, name), 'utf8');
  return { ...place, result, config, file, catalogue: () => offered(join(place.path, 'longshore.yaml'), config) };
}

describe('the configuration that init writes', () => {
  test('names the schema first, and what the document says of server and credentials', async () => {
    await using made = await written(FILES);
    expect(made.config.split('\n')[0]).toMatch(/^# yaml-language-server: \$schema=\S*\/longshore\/schema\/longshore\.json$/);
    expect(parse(made.config).upstreams.billing).toEqual({
      document: './billing.openapi.yaml',
      overlays: ['./billing.overlay.yaml'],
      baseUrl: 'http://billing.internal/v1',
      credentials: { ApiKeyAuth: { env: 'BILLING_KEY' } },
    });
    // What no operation asks for is offered, and what can't be sent is named.
    expect(made.config).toMatch(/^ {4}# {3}Spare: \{ env: BILLING_TOKEN \}/m);
    expect(made.config).toMatch(/^ {4}# Cert is left out: /m);
  });

  test('lacks nothing but the secrets', async () => {
    await using made = await written(FILES);
    const error = await errorOf(loadConfig({ file: join(made.path, 'longshore.yaml'), env: {} }));
    expect(error.faults.map(({ pointer, message }) => [pointer, message])).toEqual([
      ['/upstreams/billing/credentials/ApiKeyAuth/env', 'environment variable BILLING_KEY is not set'],
    ]);
    const { tools } = await made.catalogue();
    expect([...tools.values()].map(({ name, kind }) => [name, kind])).toEqual([
      ['create_export', 'job'],
      ['rebuild_index', 'call'],
      ['list_invoices', 'call'],
    ]);
  });

  test('has a stand-in, marked CONFIRM, for a server that no document names', async () => {
    await using made = await written({ 'a.yaml': BILLING.replace(/^servers.*$/m, 'servers: [{ url: /v2 }]') });
    expect(made.config).toMatch(/baseUrl: https:\/\/change-me\.invalid\/v2 {3}# CONFIRM/);
    expect(made.result.out()).toContain('does not say where it is served');
    await expect(made.catalogue()).resolves.toBeDefined();
  });

  test('offers the jobs of a large document, and tells what else there is', async () => {
    const many = Array.from(
      { length: 45 },
      (_, n) =>
        `  /things${n}:\n    get: { operationId: getThing${n}, tags: [things], responses: { "200": { description: ok } } }\n`,
    );
    await using made = await written({ 'big.yaml': BILLING + many.join('') });
    expect(parse(made.config).upstreams.big.tools).toEqual({ include: ['createExport'] });
    expect(made.config).toContain('things (45)');
    expect(made.result.out()).toContain('48 tools would be too many');
    expect([...(await made.catalogue()).tools.keys()]).toEqual(['create_export']);
  });

  test('holds every document that is named, each under a name of its own', async () => {
    await using made = await written({
      'openapi.yaml': BILLING,
      'v1/billing.yaml': BILLING,
      'other.json': JSON.stringify(parse(BILLING)),
    });
    expect(Object.keys(parse(made.config).upstreams)).toEqual(['billing', 'billing-2', 'other']);
    expect((await made.catalogue()).tools.size).toBe(9);
  });

  test('may live somewhere else than the documents', async () => {
    await using place = await directory(FILES);
    const elsewhere = join(place.path, 'deploy/gateway');
    await initialised([join(place.path, 'billing.openapi.yaml')], elsewhere);
    const text = await readFile(join(elsewhere, 'longshore.yaml'), 'utf8');
    expect(parse(text).upstreams.billing.document).toBe('../../billing.openapi.yaml');
    expect((await offered(join(elsewhere, 'longshore.yaml'), text)).tools.size).toBe(3);
  });
});

describe('the overlay that init writes', () => {
  test('describes what is certain, with its evidence, and leaves the rest to be confirmed', async () => {
    await using made = await written(FILES);
    const text = await made.file('billing.overlay.yaml');
    const { overlay, actions } = parse(text);
    expect(overlay).toBe('1.0.0');
    expect(actions).toEqual([
      {
        target: "$.paths['/exports'].post",
        update: {
          'x-longshore': expect.objectContaining({
            status: { operation: 'getExport', id: '$response.body#/id' },
            cancel: 'cancelExport',
            state: expect.objectContaining({ at: '/status', succeeded: ['done'], failed: ['error'] }),
          }),
        },
      },
    ]);
    expect(text).toMatch(/# +90 the link GetExport .*\(line \d+, #\/paths\/~1exports\/post/);
    expect(text).toContain('UNKNOWN words: "stale"');
    expect(text).toMatch(/# CONFIRM {2}rebuildIndex/);
    expect(made.result.out()).toContain('1 job described, 1 marked CONFIRM');
  });

  test('can be confirmed by taking the # away', async () => {
    await using made = await written(FILES);
    const text = await made.file('billing.overlay.yaml');
    const [before, after = ''] = text.split(/^ {2}# CONFIRM/m);
    const confirmed = after
      .split('\n')
      .map((line) =>
        line
          .replace(/^ {2}# (- target|( )+(update|x-longshore))/, '  $1')
          .replace('x-longshore: {}', 'x-longshore: { status: getExport }'),
      )
      .join('\n');
    await writeFile(join(made.path, 'billing.overlay.yaml'), `${before}  # CONFIRM${confirmed}`);
    const { tools } = await made.catalogue();
    expect(tools.get('rebuild_index')?.kind).toBe('job');
  });

  test('loads when there is nothing in it but what is to be confirmed', async () => {
    const text = BILLING.replace(/ {10}links:[\s\S]*? {2}\/exports\/\{id\}:/, '  /exports/{id}:').replace(
      / {2}\/exports\/\{id\}:[\s\S]*(?= {2}\/index)/,
      '',
    );
    await using made = await written({ 'a.yaml': text });
    expect(parse(await made.file('a.overlay.yaml')).actions).toBeNull();
    await expect(made.catalogue()).resolves.toBeDefined();
  });

  test('holds no line of the document: what it says stays in a comment', async () => {
    const sly = BILLING.replace('operationId: rebuildIndex', 'operationId: "rebuild\\n  - target: $\\n    remove: true"');
    await using made = await written({ 'a.yaml': sly });
    expect(parse(await made.file('a.overlay.yaml')).actions).toHaveLength(1);
  });
});

describe('files that are there', () => {
  test('are kept, every one, unless init is forced', async () => {
    await using place = await directory({ ...FILES, 'billing.overlay.yaml': 'mine\n' });
    const document = join(place.path, 'billing.openapi.yaml');
    const refused = await initialised([document], place.path);
    expect(refused.code).toBe(1);
    expect(refused.err()).toMatch(/billing\.overlay\.yaml exists already, and nothing was written .*--force/);
    expect(readdirSync(place.path).sort()).toEqual(['billing.openapi.yaml', 'billing.overlay.yaml']);
    expect(readFileSync(join(place.path, 'billing.overlay.yaml'), 'utf8')).toBe('mine\n');
    const forced = await initialised([document], place.path, { force: true });
    expect(forced.code).toBe(0);
    expect(readFileSync(join(place.path, 'billing.overlay.yaml'), 'utf8')).toContain('overlay: 1.0.0');
    // Forced, it still loses nothing.
    expect(forced.out()).toMatch(/kept as .*billing\.overlay\.yaml\.1\.bak/);
    expect(readFileSync(join(place.path, 'billing.overlay.yaml.1.bak'), 'utf8')).toBe('mine\n');
    await initialised([document], place.path, { force: true });
    expect(readdirSync(place.path).filter((name) => name.endsWith('.bak'))).toEqual(['billing.overlay.yaml.1.bak']);
  });

  test('are not touched when one of the documents can not be used', async () => {
    await using place = await directory({ ...FILES, 'bad.yaml': 'openapi: 4.0.0\n' });
    const documents = ['billing.openapi.yaml', 'bad.yaml'].map((name) => join(place.path, name));
    await expect(initialised(documents, place.path)).rejects.toThrow(/4\.0\.0/);
    expect(existsSync(join(place.path, 'longshore.yaml'))).toBe(false);
  });
});

describe('any document', () => {
  const odd = fc.constantFrom(
    'a',
    'Jobs',
    'x y',
    "it's",
    '#',
    ': ',
    '*',
    'é',
    '{id}',
    '-',
    '"',
    '\\',
    '\n',
    '$ref',
    '@',
    '%',
    '|',
    'true',
    '1.0',
    '~',
  );
  const text = fc.array(odd, { maxLength: 4 }).map((parts) => parts.join(''));
  const word = fc.constantFrom('queued', 'running', 'done', 'failed', 'odd one', "it's", 'null', '1');
  const schema = fc.record({
    type: fc.constant('object'),
    properties: fc.record(
      {
        id: fc.constant({ type: 'string' }),
        status: fc.record({ type: fc.constant('string'), enum: fc.uniqueArray(word, { minLength: 1 }) }),
      },
      { requiredKeys: [] },
    ),
  });
  const answer = fc.record(
    { description: text, content: schema.map((one) => ({ 'application/json': { schema: one } })) },
    { requiredKeys: ['description'] },
  );
  const operation = fc.record(
    {
      operationId: text,
      summary: text,
      tags: fc.array(text, { maxLength: 2 }),
      security: fc.constantFrom([], [{}], [{ key: [] }], [{ basic: [] }, { key: [] }], [{ nowhere: [] }]),
      responses: fc.dictionary(fc.constantFrom('200', '202', '201', 'default'), answer, { minKeys: 1 }),
    },
    { requiredKeys: ['responses'] },
  );
  const path = fc
    .array(
      fc.oneof(
        text.map((one) => one.replaceAll('/', '')),
        fc.constantFrom('jobs', '{id}', 'cancel'),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((parts) => `/${parts.join('/')}`);
  const document = fc.record({
    openapi: fc.constantFrom('3.0.3', '3.1.0'),
    info: fc.record({ title: text, version: fc.constant('1') }),
    servers: fc.constantFrom([], [{ url: '/' }], [{ url: 'https://a.example/x/' }], [{ url: 'https://{host}/' }]),
    components: fc.constant({
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        "odd: 'name' #1": { type: 'http', scheme: 'bearer' },
        basic: { type: 'http', scheme: 'basic' },
        bad: { type: 'apiKey', in: 'header', name: 'not a header' },
      },
    }),
    paths: fc.dictionary(path, fc.dictionary(fc.constantFrom('get', 'post', 'delete'), operation, { minKeys: 1 }), {
      maxKeys: 5,
    }),
  });

  test('becomes files that load, whatever it is called and says', async () => {
    const place = await mkdtemp(join(tmpdir(), 'longshore-init-'));
    try {
      await fc.assert(
        fc.asyncProperty(document, async (value) => {
          await writeFile(join(place, 'openapi.json'), JSON.stringify(value));
          const { code } = await initialised([join(place, 'openapi.json')], place, { force: true });
          expect(code).toBe(0);
          const file = join(place, 'longshore.yaml');
          const { leftOut } = await offered(file, readFileSync(file, 'utf8'));
          // An overlay that does not fit would show here.
          expect(leftOut.filter(({ reason }) => reason.includes('x-longshore'))).toEqual([]);
        }),
        { numRuns: 60 },
      );
    } finally {
      await rm(place, { recursive: true });
    }
  });
});

describe('published documents', () => {
  const shared = resolve(process.env['LONGSHORE_SHARED'] ?? join(import.meta.dirname, '../../../shared'), 'specs');
  const documents = existsSync(shared)
    ? readdirSync(shared).filter((name) => /\.(json|ya?ml)$/.test(name) && name !== 'expected.json')
    : [];
  if (documents.length === 0) console.warn(`skipped: there is no ${shared}; LONGSHORE_SHARED names the folder above specs/`);

  test.skipIf(documents.length === 0)(
    'become configurations that lack nothing but secrets',
    async () => {
      for (const name of documents) {
        await using place = await directory({});
        const { code } = await initialised([join(shared, name)], place.path);
        expect(code, name).toBe(0);
        const file = join(place.path, 'longshore.yaml');
        const text = readFileSync(file, 'utf8');
        const { tools, leftOut } = await offered(file, text);
        expect(tools.size, name).toBeGreaterThan(0);
        expect(
          leftOut.filter(({ because, reason }) => because === 'refused' && /x-longshore|overlay/.test(reason)),
          name,
        ).toEqual([]);
        const overlay = readdirSync(place.path).find((one) => one.endsWith('.overlay.yaml')) ?? '';
        const { actions } = parse(readFileSync(join(place.path, overlay), 'utf8')) as { actions: unknown[] | null };
        const jobs = [...tools.values()].filter(({ kind }) => kind === 'job').length;
        expect(jobs, name).toBeGreaterThanOrEqual(actions?.length ?? 0);
      }
    },
    300_000,
  );
});
