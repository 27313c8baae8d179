// Which credentials a configuration should name, by the document's securitySchemes and what its operations ask for.
//   S1. The least that lets every operation be called: of alternatives the first that can be met.
//   S2. What no operation asks for, or what need not be given, is offered in a comment.

import type { OpenApiDocument } from '../catalogue/load.ts';
import { snakeCase } from '../catalogue/names.ts';
import type { SourceOperation } from '../catalogue/operations.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';

/** One member of `credentials`, as YAML in one line. */
export interface DraftedCredential {
  readonly scheme: string;
  readonly value: JsonObject;
  /** Names of the environment variables that it needs. */
  readonly variables: readonly string[];
  /** Needed by operations; else it is only offered. */
  readonly needed: boolean;
  /** For people: how it is sent. */
  readonly says: string;
}

export interface DraftedCredentials {
  readonly credentials: readonly DraftedCredential[];
  /** Schemes that Longshore can't send, and why. */
  readonly unsupported: readonly { readonly scheme: string; readonly why: string }[];
}

/** @see RFC 9110 §5.6.2 */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

interface Kind {
  readonly says: string;
  /** End of the variable's name. */
  readonly variable: 'KEY' | 'TOKEN' | 'BASIC';
}

export function draftCredentials(
  upstream: string,
  document: OpenApiDocument,
  schemes: JsonObject,
  operations: readonly SourceOperation[],
): DraftedCredentials {
  const kinds = new Map<string, Kind>();
  const unsupported: { scheme: string; why: string }[] = [];
  for (const [scheme, value] of Object.entries(schemes)) {
    const kind = kindOf(value);
    if (typeof kind === 'string') unsupported.push({ scheme, why: kind });
    else kinds.set(scheme, kind);
  }
  const needed = neededBy(document, operations, kinds);
  const stem = upstream.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  const credentials = [...kinds].map(([scheme, { says, variable }]): DraftedCredential => {
    const alone = [...kinds].filter(([other, kind]) => kind.variable === variable && needed.has(other) === needed.has(scheme));
    const isFirst = needed.has(scheme) || ![...kinds].some(([other, kind]) => kind.variable === variable && needed.has(other));
    const own = alone.length === 1 && isFirst ? '' : `${snakeCase(scheme).toUpperCase() || 'OTHER'}_`;
    const names = variable === 'BASIC' ? [`${stem}_${own}USER`, `${stem}_${own}PASSWORD`] : [`${stem}_${own}${variable}`];
    const [first = '', second = ''] = names;
    const value: JsonObject = variable === 'BASIC' ? { username: { env: first }, password: { env: second } } : { env: first };
    return { scheme, value, variables: names, needed: needed.has(scheme), says };
  });
  return { credentials, unsupported };
}

/** How a scheme is sent, or why it can't be. */
function kindOf(scheme: Json | undefined): Kind | string {
  if (!isJsonObject(scheme)) return 'it is not described';
  const { type, in: place, name } = scheme;
  const kind = String(scheme['scheme'] ?? '').toLowerCase();
  switch (type) {
    case 'apiKey':
      if (typeof name !== 'string' || name === '' || !['header', 'query', 'cookie'].includes(String(place)))
        return 'the document does not say where this API key goes';
      if (place !== 'query' && !TOKEN.test(name)) return `${JSON.stringify(name)} can't be the name of a ${String(place)}`;
      return { says: `an API key in the ${String(place)} ${name}`, variable: 'KEY' };
    case 'basic':
      return { says: 'HTTP Basic', variable: 'BASIC' };
    case 'http':
      if (kind === 'basic') return { says: 'HTTP Basic', variable: 'BASIC' };
      if (kind === '' || kind === 'digest') return `HTTP ${kind || 'without a scheme'} is not supported`;
      return { says: `HTTP ${kind}`, variable: 'TOKEN' };
    case 'oauth2':
    case 'openIdConnect':
      return { says: `an access token (${type})`, variable: 'TOKEN' };
    default:
      return `schemes of type ${typeof type === 'string' ? type : 'unknown'} are not supported`;
  }
}

function neededBy(
  document: OpenApiDocument,
  operations: readonly SourceOperation[],
  kinds: ReadonlyMap<string, Kind>,
): ReadonlySet<string> {
  const needed = new Set<string>();
  for (const { object } of operations) {
    const requirements = object['security'] ?? document.root['security'];
    if (!Array.isArray(requirements)) continue;
    const alternatives = (requirements as Json[]).filter(isJsonObject).map((one) => Object.keys(one));
    if (alternatives.some((names) => names.length === 0)) continue;
    const able = alternatives.filter((names) => names.every((name) => kinds.has(name)));
    const met = able.some((names) => names.every((name) => needed.has(name)));
    if (!met) for (const name of able[0] ?? []) needed.add(name);
  }
  return needed;
}
