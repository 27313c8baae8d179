// A tool: one upstream operation offered over MCP.

import type { Fault } from '../errors.ts';
import type { Descriptor } from './descriptor.ts';
import type { Json, JsonObject } from './json.ts';
import type { RequestTemplate } from './request.ts';

export type TaskSupport = 'forbidden' | 'optional' | 'required';

/** What MCP clients are told about behaviour. @see MCP 2025-11-25, ToolAnnotations */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface ToolSource {
  readonly document: string;
  readonly method: string;
  readonly path: string;
  readonly operationId?: string;
  readonly pointer: string;
  readonly line?: number;
}

interface ToolFace {
  /** `^[A-Za-z0-9_.-]{1,64}$`, unique in the catalogue, stable over restarts and reordering. */
  readonly name: string;
  readonly title?: string;
  /** Never empty. */
  readonly description: string;
  /** JSON Schema 2020-12; the root is an object. */
  readonly inputSchema: JsonObject;
  /** Advisory: of a successful answer. The root is an object. */
  readonly outputSchema?: JsonObject;
  readonly annotations: ToolAnnotations;
  readonly upstream: string;
  readonly source: ToolSource;
  /** Why `taskSupport` is what it is. For people. */
  readonly why: string;
  /** Faults of these arguments against the input schema; empty means fit to send. */
  check(args: JsonObject): readonly Fault[];
  /** Why a value does not fit the output schema; `undefined` when it fits, or none is published. */
  misfit(value: Json): string | undefined;
}

/** An asynchronous operation. */
export interface JobTool extends ToolFace {
  readonly kind: 'job';
  readonly taskSupport: TaskSupport;
  /** Nobody described how long it takes or pinned `taskSupport`: measured durations move it. */
  readonly measured?: boolean;
  readonly descriptor: Descriptor;
  /** How long a call without Tasks waits for the end, in milliseconds. */
  readonly inlineWaitMs: number;
  /** For so long the same call gives the same operation, in milliseconds; absent: only where the caller gives a key. */
  readonly deduplicateMs?: number;
}

/** An operation that answers at once: passed through. */
export interface CallTool extends ToolFace {
  readonly kind: 'call';
  readonly taskSupport: 'forbidden';
  readonly request: RequestTemplate;
  readonly timeoutMs: number;
  readonly responseBytesMax: number;
}

export type Tool = JobTool | CallTool;

/** An operation that is offered as no tool, and why. */
export interface LeftOut {
  readonly upstream: string;
  readonly source: ToolSource;
  /** `helper`: it only serves a job. `excluded`: by configuration. `refused`: it can't be compiled. */
  readonly because: 'helper' | 'excluded' | 'refused';
  readonly reason: string;
  readonly mend?: string;
}

/** What a document says of its service as a whole. */
export interface Service {
  /** Origin of the document's own server (or of the configured base URL): credentials go there and nowhere else. */
  readonly origin: string;
  /** The document's securitySchemes by name, `$ref`s followed. */
  readonly securitySchemes: JsonObject;
}

export interface Catalogue {
  /** In a stable order: by upstream, then as in the document. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly leftOut: readonly LeftOut[];
  /** By upstream name. */
  readonly services: ReadonlyMap<string, Service>;
  /** What compiled, but should be looked at. */
  readonly warnings: readonly Fault[];
}
