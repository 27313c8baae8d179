// The catalogue: from upstreams' documents to tools. Compiled once at start, and again when a document changes.
//   C1. A document that can't be used at all fails the whole, with every fault; an operation that can't be compiled fails alone.
//   C2. Names are decided last and over all upstreams, so that no upstream's order decides who gets one.

import type { Config, UpstreamConfig } from '../config/config.ts';
import type { Adapter } from '../core/adapter.ts';
import type { Json } from '../core/json.ts';
import type { Catalogue, LeftOut, Service, Tool } from '../core/tool.ts';
import type { Fault } from '../errors.ts';
import { answerMisfit, argumentCheck, malformed } from './check.ts';
import { descriptorOf, taskSupportOf } from './descriptors.ts';
import { annotationsOf, descriptionOf, outputSchemaOf, titleOf } from './face.ts';
import { DocumentError, Uncompilable } from './fault.ts';
import { type CompiledJob, compileJob, describeJob } from './jobs.ts';
import { loadSource, type ReadDocument, recognise } from './load.ts';
import { apart, toolNames } from './names.ts';
import { operationsOf, type SourceOperation } from './operations.ts';
import { applyOverlays } from './overlays.ts';
import { loadReferences } from './references.ts';
import { type CompiledRequest, compileRequest, NOTHING_FIXED, type RequestContext } from './requests.ts';
import { schemaReader } from './schema.ts';
import { securityOf } from './security.ts';
import { excludedBy } from './select.ts';
import { serversOf } from './servers.ts';
import { named, neighboursOf } from './source.ts';

export interface CatalogueOptions {
  readonly config: Pick<Config, 'upstreams'> & { readonly limits: Pick<Config['limits'], 'inlineWaitMs'> };
  readonly adapters: readonly Adapter[];
  readonly read: ReadDocument;
}

/** For a call that is no job: the whole exchange. */
const CALL_TIMEOUT_MS = 30_000;

/** An operation that will be a tool, but for its name. */
interface Draft {
  readonly operation: SourceOperation;
  readonly wanted: string;
  readonly make: (name: string) => Tool;
}

interface Part {
  readonly upstream: UpstreamConfig;
  readonly service: Service;
  readonly drafts: readonly Draft[];
  readonly leftOut: readonly LeftOut[];
  readonly warnings: readonly Fault[];
}

/** Compiles every upstream. Throws {@link DocumentError} with the faults of every document that can't be used. */
export async function compileCatalogue(options: CatalogueOptions): Promise<Catalogue> {
  const settled = await Promise.allSettled(options.config.upstreams.map((upstream) => compileUpstream(upstream, options)));
  const faults: Fault[] = [];
  const parts: Part[] = [];
  for (const result of settled) {
    if (result.status === 'fulfilled') parts.push(result.value);
    else if (result.reason instanceof DocumentError) faults.push(...result.reason.faults);
    else throw result.reason;
  }
  if (faults.length > 0) throw new DocumentError(faults);

  const { names, changed } = apart(
    parts.map(({ upstream, drafts }) => ({ upstream: upstream.name, names: drafts.map(({ wanted }) => wanted) })),
  );
  const tools = new Map<string, Tool>();
  for (const [index, { drafts }] of parts.entries()) {
    for (const [at, draft] of drafts.entries()) {
      const name = names[index]?.[at] ?? draft.wanted;
      tools.set(name, draft.make(name));
    }
  }
  const renamed = changed.map(
    ({ upstream, from, to }): Fault => ({
      pointer: '',
      message: `the tool ${from} exists in more than one upstream; in ${upstream} it is called ${to}`,
      mend: 'give the upstreams a `tools.prefix` each',
    }),
  );
  return {
    tools,
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
    warnings: [...parts.flatMap(({ warnings }) => warnings), ...renamed],
    services: new Map(parts.map(({ upstream, service }) => [upstream.name, service])),
  };
}

async function compileUpstream(upstream: UpstreamConfig, options: CatalogueOptions): Promise<Part> {
  const [loaded, ...overlays] = await Promise.all(
    [upstream.document, ...upstream.overlays].map((name) => loadSource(name, options.read)),
  );
  if (loaded === undefined) throw new Error('an upstream names its document');
  const overlaid = applyOverlays(loaded, overlays);
  const document = recognise(overlaid.source);
  const references = await loadReferences(overlaid.source, upstream.allowedRefs, options.read);
  const { resolve } = references;
  const servers = serversOf(document, upstream.baseUrl);
  const security = securityOf(document, upstream, resolve);
  const context: RequestContext = { document, resolve, schemas: schemaReader(resolve), servers, security };
  const warnings: Fault[] = [...overlaid.warnings, ...references.warnings];
  const leftOut: LeftOut[] = [];

  const leave = (source: LeftOut['source'], because: LeftOut['because'], reason: string, mend?: string) =>
    leftOut.push({ upstream: upstream.name, source, because, reason, ...(mend === undefined ? {} : { mend }) });
  const refuse = (source: LeftOut['source'], error: unknown) => {
    const fault = faultOf(error);
    const place = fault.line === undefined || fault.line === source.line ? '' : ` (${fault.file}:${fault.line})`;
    leave(source, 'refused', `${fault.message}${place}`, fault.mend);
  };

  const operations = operationsOf(document, resolve, (path, error) => {
    refuse({ document: document.source.file, method: '*', path, pointer: '/paths' }, error);
  });
  const neighbours = neighboursOf(operations);
  const wanted = toolNames(operations, upstream.tools.prefix);

  const jobs = new Map<SourceOperation, CompiledJob | undefined>();
  const helpers = new Set<SourceOperation>();
  for (const operation of operations) {
    const excluded = excludedBy(upstream.tools, operation);
    if (excluded !== undefined) {
      leave(operation.source, 'excluded', excluded);
      continue;
    }
    try {
      const described = describeJob(operation, context, neighbours, upstream.defaults, warnings);
      const origins = [...new Set([servers.origin, new URL(servers.of(operation)).origin, ...upstream.allowedOrigins])];
      const job = described && compileJob(operation, described, context, neighbours, options.adapters, origins);
      jobs.set(operation, job);
      for (const name of job?.compiled.helpers ?? []) {
        const helper = named(name, neighbours);
        if (helper !== undefined) helpers.add(helper);
      }
    } catch (error) {
      refuse(operation.source, error);
    }
  }

  const drafts: Draft[] = [];
  for (const [index, operation] of operations.entries()) {
    if (!jobs.has(operation)) continue;
    const job = jobs.get(operation);
    if (job === undefined && helpers.has(operation) && !upstream.tools.helpers) {
      leave(operation.source, 'helper', 'it only serves a job', 'set `tools.helpers: true` to offer it as well');
      continue;
    }
    try {
      const make =
        job === undefined ? callTool(operation, upstream, context) : jobTool(operation, job, upstream, context, options);
      drafts.push({ operation, wanted: wanted[index] as string, make });
    } catch (error) {
      refuse(operation.source, error);
    }
  }
  return { upstream, service: { origin: servers.origin, securitySchemes: security.schemes }, drafts, leftOut, warnings };
}

/** What is wrong with an operation. Anything else is a bug of ours and goes on. */
function faultOf(error: unknown): Fault {
  if (error instanceof Uncompilable) return error.fault;
  // Schemas are walked recursively: ten thousand levels deep is nobody's schema.
  if (error instanceof RangeError) return { pointer: '', message: 'is nested too deeply', mend: 'exclude the operation' };
  throw error;
}

function faceOf(operation: SourceOperation, upstream: UpstreamConfig, request: CompiledRequest, isJob: boolean, why: string) {
  const { inputSchema } = request;
  const wrong = malformed(inputSchema);
  if (wrong !== undefined)
    throw new Uncompilable({ pointer: operation.node.pointer, message: `its input schema can't be used: ${wrong}` });
  const title = titleOf(operation);
  return {
    ...(title === undefined ? {} : { title }),
    description: descriptionOf(operation, isJob),
    inputSchema,
    annotations: annotationsOf(operation),
    upstream: upstream.name,
    source: operation.source,
    why,
    check: argumentCheck(inputSchema),
  };
}

function callTool(operation: SourceOperation, upstream: UpstreamConfig, context: RequestContext): Draft['make'] {
  const request = compileRequest(operation, context, NOTHING_FIXED);
  const face = faceOf(operation, upstream, request, false, 'nothing says that it answers later');
  const outputSchema = outputSchemaOf(operation, context);
  return (name) => ({
    ...face,
    name,
    kind: 'call',
    taskSupport: 'forbidden',
    ...(outputSchema === undefined ? {} : { outputSchema }),
    misfit: answerMisfit(outputSchema),
    request: request.template,
    timeoutMs: upstream.defaults.timing?.readTimeoutMs ?? CALL_TIMEOUT_MS,
    responseBytesMax: upstream.limits.responseBytesMax,
  });
}

function jobTool(
  operation: SourceOperation,
  job: CompiledJob,
  upstream: UpstreamConfig,
  context: RequestContext,
  options: CatalogueOptions,
): Draft['make'] {
  const { description, adapter, compiled, request } = job;
  const { taskSupport, why } = taskSupportOf(description);
  const face = faceOf(operation, upstream, request, true, `${why}; ${job.evidence}`);
  const allowedOrigins = [
    ...new Set([context.servers.origin, new URL(request.template.server).origin, ...upstream.allowedOrigins]),
  ];
  return (name) => ({
    ...face,
    name,
    kind: 'job',
    taskSupport,
    misfit: (_value: Json) => undefined,
    descriptor: descriptorOf({
      tool: name,
      upstream,
      adapter,
      description,
      request: request.template,
      compiled,
      allowedOrigins,
    }),
    inlineWaitMs: description.timing?.inlineWaitMs ?? options.config.limits.inlineWaitMs,
  });
}
