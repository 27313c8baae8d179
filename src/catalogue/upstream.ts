// One upstream: from its document, overlays and references to tools that only lack their names.

import type { UpstreamConfig } from '../config/config.ts';
import type { Adapter } from '../core/adapter.ts';
import type { LeftOut, Service } from '../core/tool.ts';
import type { Fault } from '../errors.ts';
import type { RequestContext } from './context.ts';
import { Uncompilable } from './fault.ts';
import { type CompiledJob, compileJob, type Described, describe } from './jobs.ts';
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
import { callTool, type Draft, jobTool, originsOf } from './tools.ts';

export interface UpstreamOptions {
  readonly adapters: readonly Adapter[];
  readonly read: ReadDocument;
  /** How long a call without Tasks waits for a job that doesn't say. */
  readonly inlineWaitMs: number;
}

export interface UpstreamPart {
  readonly upstream: UpstreamConfig;
  readonly service: Service;
  readonly drafts: readonly Draft[];
  readonly leftOut: readonly LeftOut[];
  readonly warnings: readonly Fault[];
}

/** Compiles one upstream. Throws {@link DocumentError} where its document or an overlay can't be used. */
export async function compileUpstream(upstream: UpstreamConfig, options: UpstreamOptions): Promise<UpstreamPart> {
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
  const context: RequestContext = { document, resolve, schemas: schemaReader(document, resolve), servers, security };
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

  const compiled = new Map<SourceOperation, Described | CompiledJob>();
  const helpers = new Map<SourceOperation, string[]>();
  for (const operation of operations) {
    const excluded = excludedBy(upstream.tools, operation);
    if (excluded !== undefined) {
      leave(operation.source, 'excluded', excluded);
      continue;
    }
    try {
      const described = describe(operation, context, neighbours, upstream.defaults, warnings);
      if (described.kind === 'call') {
        compiled.set(operation, described);
        continue;
      }
      const origins = originsOf(upstream, context, servers.of(operation));
      const job = compileJob(operation, described, context, neighbours, options.adapters, origins);
      compiled.set(operation, job);
      for (const name of job.compiled.helpers) {
        const helper = named(name, neighbours);
        if (helper !== undefined) helpers.set(helper, [...(helpers.get(helper) ?? []), nameOf(operation)]);
      }
    } catch (error) {
      refuse(operation.source, error);
    }
  }

  const drafts: Draft[] = [];
  for (const [index, operation] of operations.entries()) {
    const made = compiled.get(operation);
    if (made === undefined) continue;
    const isJob = 'adapter' in made;
    const served = helpers.get(operation);
    if (!isJob && served !== undefined && !upstream.tools.helpers) {
      leave(operation.source, 'helper', `it only serves ${served.join(', ')}`, 'set `tools.helpers: true` to offer it as well');
      continue;
    }
    try {
      const make = isJob
        ? jobTool(operation, made, upstream, context, options.inlineWaitMs)
        : callTool(operation, made, upstream, context);
      drafts.push({ operation, wanted: wanted[index] as string, make });
    } catch (error) {
      refuse(operation.source, error);
    }
  }
  warnings.push(...missingCredentials(drafts, upstream, context));
  return { upstream, service: { origin: servers.origin, securitySchemes: security.schemes }, drafts, leftOut, warnings };
}

const nameOf = ({ operationId, method, path }: SourceOperation): string => operationId ?? `${method} ${path}`;

/** Security schemes that tools need and nothing is configured for. */
function missingCredentials(
  drafts: readonly Draft[],
  { credentials }: UpstreamConfig,
  { document, security }: RequestContext,
): Fault[] {
  const needed = new Map<string, number>();
  for (const { operation } of drafts) {
    for (const scheme of security.of(operation) ?? []) needed.set(scheme, (needed.get(scheme) ?? 0) + 1);
  }
  const { file, placeOf } = document.source;
  const owner = document.dialect === '2.0' ? 'securityDefinitions' : 'components/securitySchemes';
  return [...needed]
    .filter(([scheme]) => !Object.hasOwn(credentials, scheme))
    .map(([scheme, count]) => {
      const pointer = `/${owner}/${escapeToken(scheme)}`;
      const message = `no credential is configured for the security scheme ${scheme}, which ${count} ${count === 1 ? 'tool needs' : 'tools need'}`;
      return { file, ...placeOf(pointer), pointer, message, mend: `set \`credentials.${scheme}\` of the upstream` };
    });
}

/** What is wrong with an operation. Anything else is a bug of ours and goes on. */
function faultOf(error: unknown): Fault {
  if (error instanceof Uncompilable) return error.fault;
  // Schemas are walked recursively: ten thousand levels deep is nobody's schema.
  if (error instanceof RangeError) return { pointer: '', message: 'is nested too deeply', mend: 'exclude the operation' };
  throw error;
}
