// `multipart/form-data`: which members of a body are files, in which type each part goes, and how files look as arguments.
//   M1. A file is an argument of text: base64, or a `data:` URL. Whoever reads the schema is told so.

import { isJsonType, isTextType } from '../core/body.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { BodyBinding, PartBinding } from '../core/request.ts';
import { definitionName, type SchemaReader } from './schema.ts';

export const MULTIPART = 'multipart/form-data';

/** A file within a list within a variant is as deep as published documents go. */
const DEPTH_MAX = 6;
const HOW = 'In base64, or as a data: URL';
const NAMED = `${HOW} that may name it: data:text/csv;name=rows.csv,a%2Cb`;
/** They hold schemas of the same value, or of its items. */
const AROUND = ['anyOf', 'oneOf', 'allOf', 'items'] as const;

const isBinaryType = (mediaType: string): boolean => !isJsonType(mediaType) && !isTextType(mediaType);

/** @see OpenAPI 3.0.3 §4.7.14.2, Considerations for File Uploads; OpenAPI 3.1 §4.8.14.2 */
function isFile(schema: JsonObject): boolean {
  const types = [schema['type']].flat();
  if (schema['type'] !== undefined && !types.includes('string')) return false;
  if (schema['format'] === 'binary') return true;
  const { contentMediaType: mediaType, contentEncoding: encoding } = schema;
  return typeof mediaType === 'string' && encoding === undefined && isBinaryType(mediaType);
}

/** The schema of a file as the argument it is: limits on its length speak of bytes, not of base64. */
export function fileArgument(schema: JsonObject, how = HOW): JsonObject {
  const { format: _format, contentMediaType: _type, maxLength: _max, minLength: _min, pattern: _pattern, ...rest } = schema;
  const said = typeof rest['description'] === 'string' ? `${rest['description']} ` : '';
  const isNullable = [schema['type']].flat().includes('null');
  return {
    ...rest,
    type: isNullable ? ['string', 'null'] : 'string',
    contentEncoding: 'base64',
    description: `${said}${how}`,
  };
}

/** A schema with every file in it as an argument; `undefined` where there is none. References to files are written out. */
function withFiles(schema: Json, schemas: SchemaReader, depth = 0): JsonObject | undefined {
  if (!isJsonObject(schema) || depth > DEPTH_MAX) return undefined;
  const name = definitionName(schema);
  if (name !== undefined) {
    const target = schemas.definition(name, 'input');
    const found = target && withFiles(target, schemas, depth + 1);
    const { $ref: _ref, ...said } = schema;
    return found && { ...found, ...said };
  }
  if (isFile(schema)) return fileArgument(schema, NAMED);
  const found: Record<string, Json> = {};
  for (const key of AROUND) {
    const value = schema[key];
    if (Array.isArray(value)) {
      const parts = value.map((part) => withFiles(part, schemas, depth + 1));
      if (parts.some((part) => part !== undefined)) found[key] = parts.map((part, index) => part ?? (value[index] as Json));
    } else if (value !== undefined) {
      const part = withFiles(value, schemas, depth + 1);
      if (part !== undefined) found[key] = part;
    }
  }
  return Object.keys(found).length === 0 ? undefined : { ...schema, ...found };
}

/** The one type that an encoding names for a member; of several the value decides. */
function typeIn(encoding: JsonObject | undefined, name: string): string | undefined {
  const how = encoding !== undefined && Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  const said = isJsonObject(how) && typeof how['contentType'] === 'string' ? how['contentType'] : undefined;
  return said === undefined || said.includes('*') || said.includes(',') ? undefined : said.trim();
}

export interface Parts {
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly parts?: NonNullable<BodyBinding['parts']>;
}

/** The members of a multipart form: their schemas as arguments, and what their parts need. */
export function partsOf(
  members: Readonly<Record<string, JsonObject>>,
  encoding: JsonObject | undefined,
  schemas: SchemaReader,
): Parts {
  const properties: [string, JsonObject][] = [];
  const parts: [string, PartBinding][] = [];
  for (const [name, schema] of Object.entries(members)) {
    const mediaType = typeIn(encoding, name);
    const isText = [schema['type']].flat().includes('string');
    const named = mediaType !== undefined && isText && isBinaryType(mediaType.toLowerCase()) && schema['enum'] === undefined;
    const files = withFiles(schema, schemas) ?? (named ? fileArgument(schema, NAMED) : undefined);
    properties.push([name, files ?? schema]);
    if (files === undefined && mediaType === undefined) continue;
    parts.push([name, { file: files !== undefined, ...(mediaType === undefined ? {} : { mediaType }) }]);
  }
  return {
    properties: Object.fromEntries(properties),
    ...(parts.length === 0 ? {} : { parts: Object.fromEntries(parts) }),
  };
}
