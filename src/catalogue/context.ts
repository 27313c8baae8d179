// What is known of one upstream while its operations are compiled.

import type { Json, JsonObject } from '../core/json.ts';
import type { KeyPlaces } from '../core/submission-key.ts';
import type { Argument } from './arguments.ts';
import type { Fitted } from './budget.ts';
import type { Checker } from './check.ts';
import type { OpenApiDocument } from './load.ts';
import type { Resolve } from './references.ts';
import type { SchemaReader } from './schema.ts';
import type { Security } from './security.ts';
import type { Servers } from './servers.ts';

export interface RequestContext {
  readonly document: OpenApiDocument;
  readonly resolve: Resolve;
  readonly schemas: SchemaReader;
  readonly servers: Servers;
  readonly security: Security;
  readonly checker: Checker;
  /** Cuts an input schema to the size that a tool may have. */
  readonly fit: (schema: JsonObject) => Fitted;
}

/** What the gateway sends itself. */
export interface Fixed {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, Json>>;
  /** Sent by the gateway, each call its own: places that are no arguments. */
  readonly hidden: readonly KeyPlaces[];
  /** Arguments that something else than the submit sends. One that the submit has by the same name is that one. */
  readonly more?: readonly Argument[];
}

export const NOTHING_FIXED: Fixed = { headers: {}, query: {}, body: {}, hidden: [] };
