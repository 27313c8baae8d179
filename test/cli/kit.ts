// Commands under test: what they print, and small documents for them to read.

import { readSource } from '../../src/catalogue/read.ts';
import { init } from '../../src/cli/init.ts';
import { inspect } from '../../src/cli/inspect.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { compile, listsOf } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Catalogue } from '../../src/core/tool.ts';

export interface Printed extends Terminal {
  readonly out: () => string;
  readonly err: () => string;
}

/** A terminal that remembers. */
export function printed(options: Partial<Pick<Terminal, 'columns' | 'colours' | 'live'>> = {}): Printed {
  let out = '';
  let err = '';
  return {
    columns: 160,
    colours: false,
    live: false,
    ...options,
    stdout: (text) => {
      out += text;
    },
    stderr: (text) => {
      err += text;
    },
    out: () => out,
    err: () => err,
  };
}

/** A billing service: a job with all its helpers, one that is only likely, a call, and an operation that can't be offered. */
export const BILLING = `openapi: 3.0.3
info: { title: Billing, version: 1.0.0 }
servers: [{ url: "http://billing.internal/v1" }]
security: [{ ApiKeyAuth: [] }]
components:
  securitySchemes:
    ApiKeyAuth: { type: apiKey, in: header, name: X-Api-Key }
    Spare: { type: oauth2, flows: {} }
    Cert: { type: mutualTLS }
  parameters:
    id: { name: id, in: path, required: true, schema: { type: string } }
  schemas:
    Export:
      type: object
      properties:
        id: { type: string }
        status: { type: string, enum: [queued, running, done, error, stale] }
paths:
  /exports:
    post:
      operationId: createExport
      summary: Start an export
      requestBody:
        required: true
        content:
          application/json:
            schema: { type: object, required: [from], properties: { from: { type: string }, to: { type: string } } }
      responses:
        "202":
          description: accepted
          content: { application/json: { schema: { $ref: "#/components/schemas/Export" } } }
          links:
            GetExport: { operationId: getExport, parameters: { id: "$response.body#/id" } }
  /exports/{id}:
    parameters: [{ $ref: "#/components/parameters/id" }]
    get:
      operationId: getExport
      responses:
        "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Export" } } } }
  /exports/{id}/cancel:
    parameters: [{ $ref: "#/components/parameters/id" }]
    post:
      operationId: cancelExport
      responses:
        "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Export" } } } }
  /index/rebuild:
    post:
      operationId: rebuildIndex
      responses:
        "202":
          description: accepted
          content: { application/json: { schema: { type: object, properties: { id: { type: string } } } } }
  /invoices:
    get:
      operationId: listInvoices
      tags: [invoices]
      responses: { "200": { description: ok } }
  /broken:
    post:
      operationId: breakIt
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Nowhere" } } } }
      responses: { "200": { description: ok } }
`;

/** Inspects a file. */
export async function inspected(
  document: string,
  options: {
    overlays?: string[];
    json?: boolean;
    all?: boolean;
    contract?: '2025-11-25' | '2026-07-28' | 'none';
    terminal?: Printed;
  } = {},
): Promise<string> {
  const terminal = options.terminal ?? printed();
  const { overlays = [], json = false, all = false, contract } = options;
  await inspect({ document, overlays, json, all, contract, read: readSource, lists: listsOf, terminal });
  return terminal.out();
}

export async function initialised(
  documents: readonly string[],
  directory: string,
  { force = false } = {},
): Promise<Printed & { readonly code: number }> {
  const terminal = printed();
  const code = await init({
    documents,
    directory,
    force,
    read: readSource,
    schema: '/opt/longshore/schema/longshore.json',
    terminal,
  });
  return { ...terminal, code };
}

/** What a configuration offers, every variable that it names being set. Throws where `longshore check` would find a fault. */
export async function offered(file: string, text: string): Promise<Catalogue> {
  const env = Object.fromEntries([...text.matchAll(/\benv: (\w+)/g)].map(([, name]) => [name, 'secret']));
  return compile(await loadConfig({ file, env }));
}
