// One upstream: from its document, overlays and references to tools that only lack their names.

import type { UpstreamConfig } from '../config/config.ts';
import type { Adapter } from '../core/adapter.ts';
import type { LeftOut, Service } from '../core/tool.ts';
import type { Fault } from '../errors.ts';
import { budget } from './budget.ts';
import { createChecker } from './check.ts';
import type { RequestContext } from './context.ts';
import { detect } from './detect/detect.ts';
import { gather, Uncompilable } from './fault.ts';
import { type CompiledJob, compiledOr, compileJob, type Described, describe } from './jobs.ts';
import { loadSource, type ReadDocument, recognise } from './load.ts';
import { toolNames } from './names.ts';
import { operationsOf, type SourceOperation } from './operations.ts';
import { applyOverlays } from './overlays.ts';
import { escapeToken } from './pointer.ts';
import { loadReferences } from './references.ts';
import { schemaReader } from './schema.ts';
import { securityOf } from './security.ts';
import { excludedBy } from './select.ts';
import { serversOf } from './servers.ts';
import { named, neighboursOf } from './source.ts';
import type { Neighbours } from './standard.ts';
import { callTool, type Draft, jobTool, originsOf } from './tools.ts';
import { upstreamWarnings } from './warnings.ts';
import { type FaultOfRules, fitting, settleWebhook } from './webhooks.ts';

/**
 * From this many operations on, no answer is held against its schema: none is published anyway, and preparing thousands of
 * them for a line in the log takes a sixth of the start.
 */
const ANSWERS_LOOKED_AT_MAX = 5_000;
/**
 * Most bytes that the output schemas of an upstream's tools may take in a list of tools. Models are seldom shown them, and whoever
 * publishes one is held to it: beyond this they are for ourselves, to notice answers that are not as described.
 */
const ANSWERS_BYTES_MAX = 2 * 1024;

export interface UpstreamOptions {
  readonly adapters: readonly Adapter[];
  readonly read: ReadDocument;
  /** How long a call without Tasks waits for a job that doesn't say. */
  readonly inlineWaitMs: number;
  /** Whether what an upstream calls back with can be verified. */
  readonly faultOfRules: FaultOfRules;
}

export interface UpstreamPart {
  readonly upstream: UpstreamConfig;
  readonly service: Service;
  readonly drafts: readonly Draft[];
  /** The output schemas of its tools are published. */
  readonly tellsAnswers: boolean;
  readonly leftOut: readonly LeftOut[];
  readonly warnings: readonly Fault[];
}

/** Compiles one upstream. Throws {@link DocumentError} where its document or an overlay can't be used. */
export async function compileUpstream(upstream: UpstreamConfig, options: UpstreamOptions): Promise<UpstreamPart> {
  const { context, warnings } = await loadUpstream(upstream, options.read);
  const { document, resolve, servers, security } = context;
  const leftOut: LeftOut[] = [];
  const leave: Leave = (source, because, reason, mend) => {
    leftOut.push({ upstream: upstream.name, source, because, reason, ...(mend === undefined ? {} : { mend }) });
  };

  const operations = operationsOf(document, resolve, (path, error) => {
    refuse(leave, { document: document.source.file, method: '*', path, pointer: `/paths/${escapeToken(path)}` }, error);
  });
  const chosen = operations.filter((operation) => {
    const excluded = excludedBy(upstream.tools, operation);
    if (excluded !== undefined) leave(operation.source, 'excluded', excluded);
    return excluded === undefined;
  });
  const compiled = compileOperations({ chosen, operations, upstream, context, options, leave, warnings });
  // Over the whole document, so that a name depends on no choice.
  const names = toolNames(operations, upstream.tools.prefix);
  const nameFor = new Map(operations.map((operation, index) => [operation, names[index] as string]));
  const served = upstream.tools.helpers ? new Map<SourceOperation, string[]>() : servedBy(compiled, neighboursOf(operations));
  const drafts: Draft[] = [];
  for (const [operation, made] of compiled) {
    const isJob = 'adapter' in made;
    const jobs = isJob ? undefined : served.get(operation);
    if (jobs !== undefined) {
      leave(operation.source, 'helper', `it only serves ${jobs.join(', ')}`, 'set `tools.helpers: true` to offer it as well');
      continue;
    }
    try {
      const wanted = nameFor.get(operation) as string;
      const tool = isJob
        ? jobTool(operation, made, upstream, context, options.inlineWaitMs)
        : callTool(operation, made, upstream, context, compiled.size <= ANSWERS_LOOKED_AT_MAX);
      drafts.push({ operation, wanted, ...tool });
    } catch (error) {
      refuse(leave, operation.source, error);
    }
  }
  const tellsAnswers = drafts.reduce((sum, { answerBytes }) => sum + answerBytes, 0) <= ANSWERS_BYTES_MAX;
  warnings.push(...upstreamWarnings({ drafts, operations, upstream, context }));
  return {
    upstream,
    service: { origin: servers.origin, securitySchemes: security.schemes },
    drafts,
    tellsAnswers,
    leftOut,
    warnings,
  };
}

/** Reads the document, what is laid over it, and what it refers to. */
async function loadUpstream(
  upstream: UpstreamConfig,
  read: ReadDocument,
): Promise<{ context: RequestContext; warnings: Fault[] }> {
  const [loaded, ...overlays] = await gather([upstream.document, ...upstream.overlays].map((name) => loadSource(name, read)));
  if (loaded === undefined) throw new Error('an upstream names its document');
  const overlaid = applyOverlays(loaded, overlays);
  const document = recognise(overlaid.source);
  const { resolve, warnings } = await loadReferences(overlaid.source, upstream.allowedRefs, read);
  const context: RequestContext = {
    document,
    resolve,
    schemas: schemaReader(document, resolve),
    servers: serversOf(document, upstream.baseUrl),
    security: securityOf(document, upstream, resolve),
    checker: createChecker(),
    fit: budget(),
  };
  return { context, warnings: [...overlaid.warnings, ...warnings] };
}

type Leave = (source: LeftOut['source'], because: LeftOut['because'], reason: string, mend?: string) => void;

function refuse(leave: Leave, source: LeftOut['source'], error: unknown): void {
  const fault = faultOf(error);
  const place = fault.line === undefined || fault.line === source.line ? '' : ` (${fault.file}:${fault.line})`;
  leave(source, 'refused', `${fault.message}${place}`, fault.mend);
}

interface Compilation {
  readonly chosen: readonly SourceOperation[];
  readonly operations: readonly SourceOperation[];
  readonly upstream: UpstreamConfig;
  readonly context: RequestContext;
  readonly options: UpstreamOptions;
  readonly leave: Leave;
  readonly warnings: Fault[];
}

/** What each chosen operation is, jobs compiled by their adapters. Those that can't be are left out. */
function compileOperations(compilation: Compilation): Map<SourceOperation, Described | CompiledJob> {
  const { chosen, operations, upstream, context, options, leave, warnings } = compilation;
  const neighbours = neighboursOf(operations);
  const findings = upstream.infer ? detect(operations, context.document, context.resolve) : undefined;
  const compiled = new Map<SourceOperation, Described | CompiledJob>();
  for (const operation of chosen) {
    try {
      const said = describe(operation, context, neighbours, upstream.defaults, warnings, findings?.get(operation));
      const described = settleWebhook(operation, said, upstream, context, options.faultOfRules, warnings);
      const origins = originsOf(upstream, context, context.servers.of(operation));
      const compile = () =>
        fitting(operation, compileJob(operation, described, context, neighbours, options.adapters, origins));
      compiled.set(operation, described.kind === 'call' ? described : compiledOr(operation, described, compile, warnings));
    } catch (error) {
      refuse(leave, operation.source, error);
    }
  }
  return compiled;
}

/** Operations that only serve jobs, and the names of those jobs. */
function servedBy(
  compiled: ReadonlyMap<SourceOperation, Described | CompiledJob>,
  neighbours: Neighbours,
): Map<SourceOperation, string[]> {
  const served = new Map<SourceOperation, string[]>();
  for (const [operation, made] of compiled) {
    for (const name of 'adapter' in made ? made.compiled.helpers : []) {
      const helper = named(name, neighbours);
      if (helper !== undefined) served.set(helper, [...(served.get(helper) ?? []), nameOf(operation)]);
    }
  }
  return served;
}

const nameOf = ({ operationId, method, path }: SourceOperation): string => operationId ?? `${method} ${path}`;

/** What is wrong with an operation. Anything else is a bug of ours and goes on. */
function faultOf(error: unknown): Fault {
  if (error instanceof Uncompilable) return error.fault;
  // Schemas are walked recursively: ten thousand levels deep is nobody's schema.
  if (error instanceof RangeError) return { pointer: '', message: 'is nested too deeply', mend: 'exclude the operation' };
  throw error;
}
