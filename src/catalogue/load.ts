// Loading an OpenAPI document: reading, parsing, and saying which version of the specification it speaks.

import { isAbsolute, relative, resolve } from 'node:path';
import type { JsonObject } from '../core/json.ts';
import { fromDiscovery, isDiscovery } from './discovery.ts';
import { objectOf, parseSource } from './document.ts';
import { DocumentError } from './fault.ts';
import type { SourceDocument } from './node.ts';

/**
 * Gives the text behind an absolute path or an http(s) URL, and where it was found at last. Throws an Error whose message
 * can be shown. `moves: false`: a redirect is an error, because only this very address was allowed. `parsed`: the text was
 * parsed before, so that one who looks at a document several times pays for it once.
 */
export type ReadDocument = (
  location: string,
  options: { readonly moves: boolean },
) => Promise<{ readonly text: string; readonly location: string; readonly parsed?: SourceDocument }>;

export type Dialect = '2.0' | '3.0' | '3.1';

export interface OpenApiDocument {
  readonly source: SourceDocument;
  readonly root: JsonObject;
  /** How schemas and operations are written; 3.2 writes them as 3.1 does. */
  readonly dialect: Dialect;
  /** As the document says: `3.0.3`. */
  readonly version: string;
}

export const isUrl = (location: string): boolean => /^https?:\/\//i.test(location);

/** Absolute form of a document's name: a URL as it is, a path against the working directory. */
export const locationOf = (name: string): string => (isUrl(name) || isAbsolute(name) ? name : resolve(name));

/** As it may be shown: paths below the working directory relative to it. */
export function shownAs(name: string): string {
  if (isUrl(name)) return name;
  const below = relative('', name);
  return below === '' || below.startsWith('..') || isAbsolute(below) ? name : below;
}

export async function loadSource(name: string, read: ReadDocument): Promise<SourceDocument> {
  let found: Awaited<ReturnType<ReadDocument>>;
  try {
    found = await read(locationOf(name), { moves: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const fault = { file: shownAs(name), pointer: '', message: `can not be read: ${why}`, mend: 'check the path or address' };
    throw new DocumentError([fault], { cause: error });
  }
  const source = found.parsed ?? parseSource(found.text, shownAs(name), found.location);
  return isDiscovery(source) ? fromDiscovery(source) : source;
}

/** Says which OpenAPI this is. Throws {@link DocumentError} where it is none, or one that Longshore can't read. */
export function recognise(source: SourceDocument): OpenApiDocument {
  const root = objectOf(source, 'an OpenAPI document');
  const invalid = (pointer: string, message: string, mend: string) =>
    new DocumentError([{ file: source.file, ...source.placeOf(pointer), pointer, message, mend }]);
  const name = ['openapi', 'swagger'].find((key) => Object.hasOwn(root, key));
  if (name === undefined) {
    if (Object.hasOwn(root, 'asyncapi')) throw invalid('/asyncapi', 'is an AsyncAPI document', 'give an OpenAPI document');
    if (Object.hasOwn(root, 'overlay'))
      throw invalid('/overlay', 'is an overlay', 'name it under `overlays`, and the document under `document`');
    throw invalid(
      '',
      'is not an OpenAPI document: it has neither `openapi` nor `swagger`',
      'give an OpenAPI 3 or Swagger 2.0 document',
    );
  }
  // YAML reads an unquoted 3.0 as a number.
  const said = root[name];
  const version = said === 2 || said === 3 ? `${said}.0` : String(said);
  const dialect = /^2\.0/.test(version) ? '2.0' : /^3\.0/.test(version) ? '3.0' : /^3\.[12]/.test(version) ? '3.1' : undefined;
  if (dialect === undefined || (dialect === '2.0') !== (name === 'swagger')) {
    throw invalid(
      `/${name}`,
      `is OpenAPI ${version}, which is not supported`,
      'supported are Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2',
    );
  }
  const paths = root['paths'];
  if (paths !== undefined && paths !== null && (typeof paths !== 'object' || Array.isArray(paths))) {
    throw invalid('/paths', 'has `paths` that is not an object', 'write `paths` as an object of path templates');
  }
  return { source, root, dialect, version };
}
