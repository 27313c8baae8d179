// Servers: which absolute URL an operation's path is put behind.
//   V1. The operation's own servers win over the path item's, and those over the document's.
//   V2. A configured baseUrl stands for the document's servers; relative servers below are relative to it.

import { isJsonObject, type Json } from '../core/json.ts';
import { objectOf } from './document.ts';
import { DocumentError, Uncompilable } from './fault.ts';
import { isUrl, type OpenApiDocument } from './load.ts';
import { child, type Node } from './node.ts';
import type { SourceOperation } from './operations.ts';

export interface Servers {
  /** Origin of the document's own server: credentials belong to it. */
  readonly origin: string;
  /** The document's own server, written as `of` does. */
  readonly base: string;
  /** Absolute, without query, fragment and trailing slash. */
  of(operation: SourceOperation): string;
}

const trimmed = (url: URL): string => `${url.origin}${url.pathname}`.replace(/\/+$/, '');

/** The first server of a list with its variables filled in; `undefined` where there is none. */
function firstServer(owner: Node): { readonly url: string; readonly node: Node } | undefined {
  const list = child(owner, 'servers');
  const server = list === undefined ? undefined : child(list, 0);
  if (server === undefined || !isJsonObject(server.value) || typeof server.value['url'] !== 'string') return undefined;
  const variables = server.value['variables'];
  const initial = (name: string): string | undefined => {
    const variable: Json | undefined = isJsonObject(variables) ? variables[name] : undefined;
    const value = isJsonObject(variable)
      ? (variable['default'] ?? (Array.isArray(variable['enum']) ? variable['enum'][0] : undefined))
      : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
  const url = server.value['url'].trim().replace(/\{([^{}]+)\}/g, (whole, name: string) => initial(name) ?? whole);
  return { url, node: server };
}

/** Swagger 2.0 writes scheme, host and base path apart. */
function swaggerServer(document: OpenApiDocument): string | undefined {
  const { host, basePath, schemes } = document.root;
  const path = typeof basePath === 'string' ? basePath : '';
  if (typeof host !== 'string' || host === '') return isUrl(document.source.location) ? path || '/' : undefined;
  const offered = Array.isArray(schemes) ? schemes : [];
  const from = isUrl(document.source.location) ? document.source.location.split(':', 1)[0] : 'https';
  const scheme = offered.includes('https') ? 'https' : (offered[0] ?? from);
  return `${String(scheme)}://${host}${path}`;
}

/** Reads the document's server. Throws {@link DocumentError} where there is none and none is configured. */
export function serversOf(document: OpenApiDocument, baseUrl: string | undefined): Servers {
  const root: Node = { document: document.source, pointer: '', value: objectOf(document.source, 'an OpenAPI document') };
  const location = isUrl(document.source.location) ? document.source.location : undefined;
  const declared =
    document.dialect === '2.0'
      ? swaggerServer(document)
      : (firstServer({ ...root, value: document.root })?.url ?? (location === undefined ? undefined : '/'));
  const pointer = document.dialect === '2.0' ? '/host' : '/servers';
  const fail = (message: string): never => {
    const { file, placeOf } = document.source;
    throw new DocumentError([{ file, ...placeOf(pointer), pointer, message, mend: 'set `baseUrl` of this upstream' }]);
  };
  const absolute = (url: string, base: string | undefined): string | undefined => {
    if (/[{}]/.test(url) || !URL.canParse(url, base)) return undefined;
    const parsed = new URL(url, base);
    return isUrl(parsed.href) && parsed.username === '' ? trimmed(parsed) : undefined;
  };
  const own =
    baseUrl === undefined
      ? declared === undefined
        ? fail('names no server, and was not loaded from one')
        : (absolute(declared, location) ?? fail(`has the server "${declared}", which is not a complete address`))
      : trimmed(new URL(baseUrl));
  const base = baseUrl === undefined ? location : `${own}/`;
  return {
    origin: new URL(own).origin,
    base: own,
    of: (operation) => {
      const server = firstServer(operation.node) ?? firstServer(operation.pathItem);
      if (server === undefined || document.dialect === '2.0') return own;
      const url = absolute(server.url, base);
      if (url !== undefined) return url;
      const { file, placeOf } = server.node.document;
      throw new Uncompilable({
        file,
        ...placeOf(server.node.pointer),
        pointer: server.node.pointer,
        message: `has the server "${server.url}", which is not a complete address`,
        mend: 'give its variables defaults, or set `baseUrl` of this upstream',
      });
    },
  };
}
