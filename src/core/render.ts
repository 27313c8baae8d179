// From a call's arguments to an HTTP request.
//   R1. The same template and arguments give the same bytes: a resubmit repeats what was sent.
//   R2. A path argument stays in its segment, whatever it holds; one that a URL parser would swallow is refused.
//   R3. What an argument says is what the upstream reads: every digit, every falsy value, nothing for null.
//   R4. What the template fixes (constants, Accept) no argument can change.

import type { Fault } from '../errors.ts';
import { isJsonType, isWellFormed, renderBody } from './body.ts';
import type { HttpRequest } from './http.ts';
import { type Json, type JsonObject, scalarText, stringifyJson } from './json.ts';
import type { BodyBinding, ParameterBinding, RequestTemplate } from './request.ts';
import { expansionOf, pairsOf } from './styles.ts';
import { encodePath, encodeStrict, isDotSegment, staysBelow } from './urls.ts';

export type Rendered = { readonly request: HttpRequest } | { readonly faults: Fault[] };

/** OpenAPI leaves the first three to other parts of the document; the rest belong to the connection. */
const NOT_FOR_ARGUMENTS = new Set(
  'accept content-type authorization host connection content-length transfer-encoding te trailer upgrade expect keep-alive proxy-authorization proxy-connection'.split(
    ' ',
  ),
);

/** The body of an operation that has none of its own, where constants are to be sent. */
const CONSTANTS_ONLY: BodyBinding = { mediaType: 'application/json', required: false, from: { kind: 'spread', members: [] } };

const lower = (name: string): string => name.toLowerCase();

/** Names are the document's: of reserved characters only those are encoded that would end the name or the query. */
const encodeName = (name: string): string =>
  encodeStrict(name).replace(/%(?:21|24|27|28|29|2A|2C|2F|3A|3B|3F|40)/g, decodeURIComponent);

/**
 * OpenAPI's `allowReserved` in a query, short of what would end the value or be read as something else: `#[]&+` and '%',
 * since an argument is a value and not an already encoded one.
 */
const encodeReserved = (text: string): string =>
  encodeStrict(text).replace(/%(?:21|24|27|28|29|2A|2C|2F|3A|3B|3D|3F|40)/g, decodeURIComponent);

/** JSON that a header can carry: what is not ASCII is escaped. */
const asciiJson = (value: Json): string =>
  stringifyJson(value).replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const pointerOf = (argument: string): string => `/${argument.replaceAll('~', '~0').replaceAll('/', '~1')}`;

type Pairs = (readonly [name: string, value: string])[];

/** One call's arguments, and what is wrong with them. */
interface Reading {
  readonly faults: Fault[];
  fault(binding: Pick<ParameterBinding, 'argument'>, message: string): void;
  /** The argument of a parameter; `undefined` where there is none, which is a fault where one is needed. */
  given(binding: ParameterBinding): Json | undefined;
}

function reading(args: JsonObject): Reading {
  const faults: Fault[] = [];
  const fault: Reading['fault'] = ({ argument }, message) => faults.push({ pointer: pointerOf(argument), message });
  return {
    faults,
    fault,
    given(binding) {
      const value = Object.hasOwn(args, binding.argument) ? args[binding.argument] : undefined;
      const subject = `the ${binding.in} parameter ${binding.name}`;
      if (value === undefined || value === null) {
        const needed = binding.required || binding.in === 'path';
        if (needed) fault(binding, `${subject} is ${value === null ? 'null' : 'missing'}`);
        return undefined;
      }
      if (isWellFormed(value)) return value;
      fault(binding, `${subject} holds half of a surrogate pair`);
      return undefined;
    },
  };
}

/** Renders the request of one call, or says everything that keeps it from being sent. */
export function renderRequest(template: RequestTemplate, args: JsonObject): Rendered {
  const read = reading(args);
  const path = renderPath(template, read);
  const query = renderQuery(template, read);
  const headers = renderHeaders(template, read);

  const binding = template.body ?? (template.bodyConstants.length > 0 ? CONSTANTS_ONLY : undefined);
  const rendered = binding === undefined ? undefined : renderBody(binding, args, template.bodyConstants);
  if (rendered !== undefined && 'wrong' in rendered) {
    const pointer = binding?.from.kind === 'member' ? pointerOf(binding.from.argument) : '';
    return { faults: [...read.faults, { pointer, message: rendered.wrong }] };
  }
  if (read.faults.length > 0) return { faults: read.faults };

  const isFixed = (name: string) => template.headers.some(([fixed]) => lower(fixed) === name);
  if (!isFixed('accept')) headers.unshift(['Accept', template.accept]);
  if (rendered !== undefined && !isFixed('content-type')) headers.push(['Content-Type', rendered.contentType]);
  headers.push(...template.headers);
  const joint = query === '' ? '' : path.includes('?') ? '&' : '?';
  return {
    request: {
      method: template.method.toUpperCase(),
      url: `${template.server}${path}${joint}${query}`,
      headers,
      ...(rendered !== undefined && { body: rendered.body }),
      ...(template.security !== undefined && { security: template.security }),
    },
  };
}

/** A parameter with `content`: one text, in that media type. */
const asMedia = (mediaType: string, value: Json): string =>
  isJsonType(mediaType) ? stringifyJson(value) : (scalarText(value) ?? stringifyJson(value));

/** The pairs of a query or cookie parameter, encoded. */
function renderPairs(binding: ParameterBinding, value: Json): Pairs {
  const encode = binding.allowReserved && binding.in === 'query' ? encodeReserved : encodeStrict;
  const name = encodeName(binding.name);
  if (binding.mediaType !== undefined) return [[name, encode(asMedia(binding.mediaType, value))]];
  return pairsOf(binding, name, value, encode);
}

function renderQuery(template: RequestTemplate, read: Reading): string {
  const fixed = new Set(template.query.map(([name]) => name));
  const pairs: Pairs = [];
  for (const binding of template.parameters) {
    if (binding.in !== 'query' || fixed.has(binding.name)) continue;
    const value = read.given(binding);
    // An exploded object names its own pairs, and could name a fixed one.
    if (value !== undefined)
      pairs.push(...renderPairs(binding, value).filter(([name]) => !fixed.has(decodeURIComponent(name))));
  }
  for (const [name, value] of template.query) pairs.push([encodeName(name), encodeStrict(value)]);
  return pairs.map((pair) => pair.join('=')).join('&');
}

/** Header and cookie parameters. */
function renderHeaders(template: RequestTemplate, read: Reading): Pairs {
  const fixed = new Set(template.headers.map(([name]) => lower(name)));
  const headers: Pairs = [];
  const cookies: Pairs = [];
  for (const binding of template.parameters) {
    const name = lower(binding.name);
    if (binding.in !== 'cookie' && (binding.in !== 'header' || fixed.has(name) || NOT_FOR_ARGUMENTS.has(name))) continue;
    const value = read.given(binding);
    if (value === undefined) continue;
    if (binding.in === 'cookie') {
      cookies.push(...renderPairs(binding, value));
      continue;
    }
    const json = binding.mediaType !== undefined && isJsonType(binding.mediaType);
    const text = json ? asciiJson(value) : expansionOf(binding, value, (part) => part);
    if (/[^\t\x20-\x7e]/.test(text)) {
      read.fault(binding, `the header ${binding.name} can't carry line breaks, controls or non-ASCII`);
    } else if (text !== '' || value === '') headers.push([binding.name, text]);
  }
  if (cookies.length > 0) headers.push(['Cookie', cookies.map((pair) => pair.join('=')).join('; ')]);
  return headers;
}

/** The path, segment by segment, so that what an argument did to its segment can be seen. */
function renderPath(template: RequestTemplate, read: Reading): string {
  const bindings = new Map(template.parameters.filter((one) => one.in === 'path').map((one) => [one.name, one]));
  /** One placeholder's text, or `undefined` where a fault was found. */
  const fill = (name: string, keepSlashes: boolean): string | undefined => {
    const binding = bindings.get(name);
    if (binding === undefined) {
      read.fault({ argument: name }, `the path parameter ${name} is described nowhere`);
      return undefined;
    }
    const value = read.given(binding);
    if (value === undefined) return undefined;
    const reserved = keepSlashes || binding.allowReserved;
    const encode = reserved ? encodePath : encodeStrict;
    const text =
      binding.mediaType === undefined ? expansionOf(binding, value, encode) : encode(asMedia(binding.mediaType, value));
    if (text === '' || value === '') read.fault(binding, `the path parameter ${name} is empty`);
    else if (reserved && !staysBelow(text)) read.fault(binding, `the path parameter ${name} holds an empty or dot segment`);
    else return text;
    return undefined;
  };

  // What follows a '#' never travels; documents use it to tell operations of one path apart.
  const [path = ''] = template.path.split('#', 1);
  const segments = path.split(/\/(?![^{}]*\})/).map((segment) => {
    const names: string[] = [];
    let whole = true;
    const rendered = segment.replace(/\{(\+?)([^{}]*)\}|[^{}]+/g, (literal, keep?: string, name?: string) => {
      if (name === undefined) return literal.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
      names.push(name);
      const text = fill(name, keep === '+');
      whole &&= text !== undefined;
      return text ?? '';
    });
    if (whole && names.length > 0 && isDotSegment(rendered)) {
      for (const name of names) {
        const argument = bindings.get(name)?.argument ?? name;
        read.fault({ argument }, `the path parameter ${name} can't be a dot segment`);
      }
    }
    return rendered;
  });
  return segments.join('/');
}
