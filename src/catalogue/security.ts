// Security: which of the document's schemes an operation is called with, and which parameters are credentials.

import type { UpstreamConfig } from '../config/config.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { Place } from './arguments.ts';
import type { OpenApiDocument } from './load.ts';
import { child } from './node.ts';
import type { SourceOperation } from './operations.ts';
import type { Resolve } from './references.ts';

export interface Security {
  /** The document's securitySchemes, followed. */
  readonly schemes: Readonly<Record<string, JsonObject>>;
  /** Names of the schemes whose credentials go along; `undefined`: all that are configured. */
  of(operation: SourceOperation): readonly string[] | undefined;
  /** A parameter that a security scheme fills. */
  isCredential(place: Place, name: string): boolean;
}

export function securityOf(
  document: OpenApiDocument,
  upstream: Pick<UpstreamConfig, 'credentials'>,
  resolve: Resolve,
): Security {
  const root = { document: document.source, pointer: '', value: document.root };
  const owner = document.dialect === '2.0' ? root : child(root, 'components');
  const definitions = owner && child(owner, document.dialect === '2.0' ? 'securityDefinitions' : 'securitySchemes');
  const schemes: Record<string, JsonObject> = {};
  for (const name of Object.keys(definitions !== undefined && isJsonObject(definitions.value) ? definitions.value : {})) {
    const scheme = definitions && child(definitions, name);
    try {
      const value = scheme && resolve(scheme).value;
      if (isJsonObject(value)) schemes[name] = value;
    } catch {
      // A scheme that can't be followed is one that nothing is known of: its credential is sent as configured.
    }
  }
  const configured = new Set(Object.keys(upstream.credentials));
  const extra = [...configured].filter((name) => !Object.hasOwn(schemes, name));
  return {
    schemes,
    of: (operation) => {
      const requirements: Json | undefined = operation.object['security'] ?? document.root['security'];
      if (!Array.isArray(requirements)) return undefined;
      const alternatives = requirements.filter(isJsonObject).map((requirement) => Object.keys(requirement));
      // The first that the configuration can meet; else the first that asks for something, so that what is missing shows.
      const met = alternatives.find((names) => names.length > 0 && names.every((name) => configured.has(name)));
      const chosen = met ?? (alternatives.some((names) => names.length === 0) ? [] : (alternatives[0] ?? []));
      return requirements.length === 0 ? [] : [...chosen, ...extra];
    },
    isCredential: (place, name) =>
      Object.values(schemes).some(
        (scheme) =>
          scheme['type'] === 'apiKey' && scheme['in'] === place && String(scheme['name']).toLowerCase() === name.toLowerCase(),
      ),
  };
}
