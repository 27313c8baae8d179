// The lists of tools that published documents make, as the clients of both SDKs take them: they hold every entry to their schema of
// MCP, and one that does not fit costs a host the whole list. The documents are no part of the repository: without them this says so.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { adapters } from '../../adapters/index.ts';
import { compileCatalogue } from '../../src/catalogue/catalogue.ts';
import { readSource } from '../../src/catalogue/read.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Tool } from '../../src/core/tool.ts';
import { standUp } from '../http/kit.ts';
import { upstream } from './kit.ts';

const PROJECT = join(import.meta.dirname, '../..');
const SPECS = join(resolve(process.env['LONGSHORE_SHARED'] ?? join(PROJECT, '../shared')), 'specs');
const DOCUMENTS = [
  join(PROJECT, 'bench/library.openapi.yaml'),
  ...['github.json', 'openai.yaml', 'stripe.json', 'kubernetes.json', 'digitalocean.json', 'hetzner.json'].map((name) =>
    join(SPECS, name),
  ),
];
for (const document of DOCUMENTS.filter((path) => !existsSync(path))) {
  console.log(`skipped: there is no ${document}; LONGSHORE_SHARED names the folder above specs/`);
}

const INFO = { name: 'longshore-test', version: '1' };
/** Clients give up before a list of megabytes has come on a busy machine. */
const PATIENCE = { timeout: 120_000 };

type List = (url: string) => Promise<readonly { readonly name: string; readonly inputSchema: unknown }[]>;

const CLIENTS: readonly (readonly [string, List])[] = [
  ...([{}, { tasks: {} }] as const).map(
    (capabilities) =>
      [
        `SDK 1, ${'tasks' in capabilities ? 'with' : 'without'} Tasks`,
        async (url: string) => {
          const client = new ClientV1(INFO, { capabilities });
          await client.connect(new TransportV1(new URL(url)) as Parameters<typeof client.connect>[0]);
          const { tools } = await client.listTools(undefined, PATIENCE);
          await client.close();
          return tools;
        },
      ] as const,
  ),
  ...(['legacy', 'auto'] as const).map(
    (mode) =>
      [
        `SDK 2, ${mode === 'legacy' ? '2025-11-25' : '2026-07-28'}`,
        async (url: string) => {
          const client = new Client(INFO, { versionNegotiation: { mode } });
          await client.connect(new StreamableHTTPClientTransport(new URL(url)));
          const { tools } = await client.listTools(undefined, PATIENCE);
          await client.close();
          return tools;
        },
      ] as const,
  ),
];

async function toolsOf(document: string): Promise<readonly Tool[]> {
  const upstreams = [upstream({ document, baseUrl: 'http://up.test' })];
  const { tools } = await compileCatalogue({
    config: { upstreams, limits: { inlineWaitMs: 25_000 } },
    adapters,
    read: readSource,
  });
  return [...tools.values()];
}

const ajv = new Ajv2020({ strict: false, logger: false });

describe.each(DOCUMENTS.filter((path) => existsSync(path)))('the tools of %s', { timeout: 240_000 }, (document) => {
  test('are taken whole by the clients of both SDKs, and their schemas are JSON Schema 2020-12', async () => {
    const tools = await toolsOf(document);
    const names = tools.map(({ name }) => name);
    for (const [client, list] of CLIENTS) {
      // Compiling validators holds this process up, and a connection that idles meanwhile is closed: each has a server of its own.
      const listed = await list((await standUp({ tools })).url);
      const known = listed.filter(({ name }) => names.includes(name));
      expect(
        known.map(({ name }) => name),
        client,
      ).toEqual(names);
      expect(known[0]?.inputSchema, client).toEqual(tools[0]?.inputSchema);
    }
    const schemas = tools.flatMap(({ inputSchema, outputSchema }) =>
      outputSchema === undefined ? [inputSchema] : [inputSchema, outputSchema],
    );
    const wrong = schemas.filter((schema: JsonObject) => ajv.validateSchema(schema) !== true);
    expect(wrong).toEqual([]);
  });
});
