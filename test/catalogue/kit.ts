// Compiles documents that stand in the test itself, as if they were files or addresses.

import { adapters } from '../../adapters/index.ts';
import { type CatalogueOptions, compileCatalogue } from '../../src/catalogue/catalogue.ts';
import { DocumentError } from '../../src/catalogue/fault.ts';
import type { UpstreamConfig } from '../../src/config/config.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Catalogue, Tool } from '../../src/core/tool.ts';

const LIMITS: UpstreamConfig['limits'] = {
  concurrentRequestsMax: 8,
  concurrentPollsMax: 4,
  pollsPerSecondMax: 10,
  concurrentSubmitsMax: 4,
  responseBytesMax: 1_000_000,
  requestBytesMax: 1_000_000,
};

export type Settings = Partial<Omit<UpstreamConfig, 'tools'>> & { readonly tools?: Partial<UpstreamConfig['tools']> };

export const upstream = ({ tools, ...settings }: Settings = {}): UpstreamConfig => ({
  name: 'up',
  document: '/doc.yaml',
  overlays: [],
  credentials: {},
  infer: true,
  allowedOrigins: [],
  allowedRefs: [],
  limits: LIMITS,
  defaults: {},
  ...settings,
  tools: { include: [], exclude: [], helpers: false, ...tools },
});

export interface Library {
  readonly files: Readonly<Record<string, string | object>>;
  /** What was asked for, in order. */
  readonly asked: string[];
  readonly read: CatalogueOptions['read'];
}

/** A library of texts; objects are written as JSON. */
export function library(files: Readonly<Record<string, string | object>>): Library {
  const asked: string[] = [];
  return {
    files,
    asked,
    read: async (location) => {
      asked.push(location);
      const found = files[location];
      if (found === undefined) throw new Error('it does not exist');
      return { text: typeof found === 'string' ? found : JSON.stringify(found), location };
    },
  };
}

export const compileAll = (upstreams: readonly UpstreamConfig[], shelf: Library): Promise<Catalogue> =>
  compileCatalogue({ config: { upstreams, limits: { inlineWaitMs: 25_000 } }, adapters, read: shelf.read });

/** Compiles one document. */
export const compile = (document: string | object, settings: Settings = {}, more: Library['files'] = {}): Promise<Catalogue> =>
  compileAll([upstream(settings)], library({ '/doc.yaml': document, ...more }));

/** Every fault of a document that can't be used. */
export async function faultsOf(document: string | object, settings: Settings = {}, more: Library['files'] = {}) {
  try {
    await compile(document, settings, more);
  } catch (error) {
    if (error instanceof DocumentError) return error.faults;
    throw error;
  }
  throw new Error('the document was used');
}

/** A document of these paths, with a server. */
export const openapi = (paths: object, more: object = {}): object => ({
  openapi: '3.0.3',
  info: { title: 'Test', version: '1' },
  servers: [{ url: 'http://up.test' }],
  paths,
  ...more,
});

export const OK = { 200: { description: 'ok', content: { 'application/json': { schema: { type: 'object' } } } } };

export const body = (schema: object, required = true): object => ({ required, content: { 'application/json': { schema } } });

/** The only tool of a catalogue. */
export function only(catalogue: Catalogue): Tool {
  const [tool, ...more] = catalogue.tools.values();
  if (tool === undefined || more.length > 0) {
    throw new Error(`expected one tool: ${JSON.stringify([...catalogue.tools.keys()])} ${JSON.stringify(catalogue.leftOut)}`);
  }
  return tool;
}

/** Compiles one operation, `POST /things` unless the path says otherwise, and gives its tool. */
export async function tool(operation: object, more: object = {}, path = '/things', method = 'post'): Promise<Tool> {
  return only(await compile(openapi({ [path]: { [method]: { operationId: 'theThing', responses: OK, ...operation } } }, more)));
}

/** How a call's arguments become a request. */
export const templateOf = (made: Tool) => (made.kind === 'call' ? made.request : made.descriptor.submit);

export const propertiesOf = (made: Tool): Readonly<Record<string, JsonObject>> =>
  made.inputSchema['properties'] as Readonly<Record<string, JsonObject>>;
