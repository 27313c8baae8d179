// JSON that keeps its digits. An id or an amount beyond 2^53 must travel byte-exact, so a number that JavaScript
// can't hold is kept as the text it came in, and written back as that text.

/** A number whose digits a JavaScript number would change: `9007199254740993`, `1.10`, `1e400`. */
export interface RawNumber {
  readonly rawJSON: string;
}
export type Json = null | boolean | number | string | RawNumber | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json;
}

/** ECMAScript's `JSON.parse source text access`, which TypeScript's library does not declare yet. */
const engine = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

/** Parses JSON text; numbers that would lose digits become a {@link RawNumber}. Throws SyntaxError. */
export function parseJson(text: string): Json {
  // Text that is written back as it was read has lost no digit. To see that takes a quarter of the time of looking at every
  // number, and holds for all that programs write compactly, the ledger's own rows among it.
  const plain = JSON.parse(text) as Json;
  if (JSON.stringify(plain) === text) return plain;
  return engine.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? engine.rawJSON(source) : value,
  ) as Json;
}

/** Like {@link parseJson}, but `undefined` for what is not JSON. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

export const isRawNumber = (value: unknown): value is RawNumber => engine.isRawJSON(value);

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** Compact JSON text; a {@link RawNumber} is written with the digits it was read with. */
export function stringifyJson(value: Json, indent?: number): string {
  return JSON.stringify(value, null, indent);
}

/** JSON text that is equal for equal values: members sorted by name. Used for digests and comparisons. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item as Json)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${members.join(',')}}`;
}

/** The same value with every {@link RawNumber} as the nearest JavaScript number: for validators, never for sending. */
export function plainJson(value: Json): unknown {
  if (isRawNumber(value)) return Number(value.rawJSON);
  if (Array.isArray(value)) return value.map((item) => plainJson(item as Json));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainJson(item)]));
}

/** A string, or a number with its own digits, as text; `undefined` for anything else. */
export function scalarText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}

/** The tokens of a JSON Pointer. @see RFC 6901 §4 */
export const pointerTokens = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

/**
 * The value a JSON Pointer names, or `undefined` where there is none.
 * @see RFC 6901 §4
 */
export function valueAt(document: Json | undefined, pointer: string): Json | undefined {
  let value = document;
  for (const name of pointerTokens(pointer)) {
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(name) ? (value[Number(name)] as Json | undefined) : undefined;
    else if (isJsonObject(value) && Object.hasOwn(value, name)) value = value[name];
    else return undefined;
  }
  return value;
}

/** A copy of `document` in which `pointer` names `value`; objects on the way are made. `undefined`: the way is barred. */
export function withValueAt(document: Json | undefined, tokens: readonly string[], value: Json): Json | undefined {
  const [token, ...rest] = tokens;
  if (token === undefined) return value;
  if (document === undefined || document === null) document = {};
  if (Array.isArray(document)) {
    const index = token === '-' ? document.length : Number(token);
    if (!/^(?:-|0|[1-9]\d*)$/.test(token) || index > document.length) return undefined;
    const item = withValueAt(document[index] as Json | undefined, rest, value);
    return item === undefined ? undefined : [...document.slice(0, index), item, ...document.slice(index + 1)];
  }
  if (!isJsonObject(document)) return undefined;
  const member = withValueAt(Object.hasOwn(document, token) ? document[token] : undefined, rest, value);
  return member === undefined ? undefined : { ...document, [token]: member };
}
