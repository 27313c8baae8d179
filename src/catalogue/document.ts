// A document: the text of one JSON or YAML file as a value, and where in the file each part of it stands.
//   D1. Parsing never throws anything but a DocumentError, and its message says what would mend it.
//   D2. Places are looked up only when they are asked for: a 13 MB document costs one parse.

import { LineCounter, parseDocument as parseYaml } from 'yaml';
import type { Json, JsonObject } from '../core/json.ts';
import { isJsonObject } from '../core/json.ts';
import { DocumentError } from './fault.ts';
import type { SourceDocument } from './node.ts';
import { jsonPlaces, lineAt, type Place, yamlPlaces } from './place.ts';

/** YAML aliases may unfold to at most this many nodes (a "billion laughs" is more). */
const ALIASES_MAX = 10_000;

/**
 * Parses JSON or YAML text. Throws {@link DocumentError} for anything else.
 * @param file as the operator wrote it, for messages
 */
export function parseSource(raw: string, file: string, location: string): SourceDocument {
  const text = raw.startsWith('\uFEFF') ? raw.slice(1) : raw;
  const first = /\S/.exec(text)?.[0];
  const invalid = (message: string, mend: string, place?: Place) =>
    new DocumentError([{ file, ...place, pointer: '', message, mend }]);
  if (first === undefined) throw invalid('is empty', 'give the path or address of an OpenAPI document');
  if (first === '<') {
    throw invalid('is an HTML or XML page, not an OpenAPI document', 'give the address of the JSON or YAML document itself');
  }
  if (first === '{' || first === '[') {
    try {
      return { file, location, root: JSON.parse(text) as Json, placeOf: jsonPlaces(text) };
    } catch (error) {
      // YAML's flow style looks like JSON and allows more: comments, trailing commas.
      const yaml = tryYaml(text, file, location);
      if ('root' in yaml) return yaml;
      const message = error instanceof Error ? error.message : String(error);
      const offset = /at position (\d+)/.exec(message)?.[1];
      const place = offset === undefined ? yaml.place : lineAt(text, Number(offset));
      throw invalid(
        'is not valid JSON',
        'check the text at this place, or before it: a missing comma, quote or bracket',
        place,
      );
    }
  }
  const yaml = tryYaml(text, file, location);
  if ('root' in yaml) return yaml;
  throw invalid(`is neither JSON nor YAML: ${yaml.message}`, 'check the indentation and quotes at this place', yaml.place);
}

function tryYaml(
  text: string,
  file: string,
  location: string,
): SourceDocument | { readonly message: string; readonly place: Place } {
  const lines = new LineCounter();
  const options = { merge: true, uniqueKeys: false, prettyErrors: false, logLevel: 'silent', lineCounter: lines } as const;
  try {
    const parsed = parseYaml(text, options);
    const [error] = parsed.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      return { message: error.message, place: { line, column: col } };
    }
    return { file, location, root: parsed.toJS({ maxAliasCount: ALIASES_MAX }) as Json, placeOf: yamlPlaces(parsed, lines) };
  } catch (error) {
    // The parser is recursive, and refuses aliases that unfold without end.
    return { message: error instanceof Error ? error.message : String(error), place: { line: 1, column: 1 } };
  }
}

/** The root as an object, or a fault. */
export function objectOf(document: SourceDocument, what: string): JsonObject {
  if (isJsonObject(document.root)) return document.root;
  throw new DocumentError([
    {
      file: document.file,
      ...document.placeOf(''),
      pointer: '',
      message: `is not ${what}: its root is not an object`,
      mend: `give the path or address of ${what}`,
    },
  ]);
}
