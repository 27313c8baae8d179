// Tools out of compiled operations, complete but for their names.

import type { UpstreamConfig } from '../config/config.ts';
import type { Tool } from '../core/tool.ts';
import type { RequestContext } from './context.ts';
import { descriptorOf, taskSupportOf } from './descriptors.ts';
import { annotationsOf, descriptionOf, outputSchemaOf, titleOf } from './face.ts';
import { type CompiledJob, type Described, fixedOf } from './jobs.ts';
import type { SourceOperation } from './operations.ts';
import { type CompiledRequest, compileRequest } from './requests.ts';
import { stepFaults } from './steps.ts';

/** For a call that is no job: the whole exchange. */
const CALL_TIMEOUT_MS = 30_000;

/** An operation that will be a tool, but for its name. */
export interface Draft {
  readonly operation: SourceOperation;
  readonly wanted: string;
  /** `tellsAnswer`: its output schema is published, where it has one. */
  readonly make: (name: string, tellsAnswer: boolean) => Tool;
  /** Bytes of its output schema. */
  readonly answerBytes: number;
  /** Parts of its input schema were left out for its size. */
  readonly isCut: boolean;
}

type Made = Pick<Draft, 'make' | 'answerBytes' | 'isCut'>;

interface Offered {
  readonly operation: SourceOperation;
  readonly upstream: UpstreamConfig;
  readonly context: RequestContext;
  readonly request: CompiledRequest;
  readonly isJob: boolean;
  readonly why: string;
}

/** What calls and jobs have in common. */
function faceOf({ operation, upstream, context, request, isJob, why }: Offered) {
  const { inputSchema } = request;
  const title = titleOf(operation);
  return {
    ...(title === undefined ? {} : { title }),
    description: descriptionOf(operation, isJob),
    inputSchema,
    annotations: annotationsOf(operation),
    upstream: upstream.name,
    source: operation.source,
    why,
    check: context.checker.argumentCheck(inputSchema),
  };
}

/** Where status, result and cancel URLs may be: the document's own origin first, the operation's, then those allowed. */
export const originsOf = (upstream: UpstreamConfig, context: RequestContext, server: string): readonly string[] => [
  ...new Set([context.servers.origin, new URL(server).origin, ...(upstream.trustedOrigins ?? []), ...upstream.allowedOrigins]),
];

/**
 * An operation that is passed through. Throws {@link Uncompilable}.
 * @param looksAtAnswers answers are held against what the document says of them
 */
export function callTool(
  operation: SourceOperation,
  described: Described,
  upstream: UpstreamConfig,
  context: RequestContext,
  looksAtAnswers: boolean,
): Made {
  const { description, evidence } = described;
  const request = compileRequest(operation, context, fixedOf(description));
  const face = faceOf({ operation, upstream, context, request, isJob: false, why: evidence });
  const outputSchema = looksAtAnswers ? outputSchemaOf(operation, context) : undefined;
  const { submitTimeoutMs, readTimeoutMs } = description.timing ?? {};
  const make = (name: string, tellsAnswer: boolean): Tool => ({
    ...face,
    name,
    kind: 'call',
    taskSupport: 'forbidden',
    ...(outputSchema === undefined || !tellsAnswer ? {} : { outputSchema }),
    misfit: context.checker.answerMisfit(outputSchema),
    request: request.template,
    timeoutMs: (face.annotations.readOnlyHint === true ? readTimeoutMs : submitTimeoutMs) ?? CALL_TIMEOUT_MS,
    responseBytesMax: upstream.limits.responseBytesMax,
  });
  const answerBytes = outputSchema === undefined ? 0 : JSON.stringify(outputSchema).length;
  return { make, answerBytes, isCut: request.isCut };
}

/** An operation that is followed to its end. Throws {@link Uncompilable}. */
export function jobTool(
  operation: SourceOperation,
  job: CompiledJob,
  upstream: UpstreamConfig,
  context: RequestContext,
  inlineWaitMs: number,
): Made {
  const { description, adapter, compiled, request, stepBodies } = job;
  const { taskSupport, why, measured } = taskSupportOf(description);
  const face = faceOf({ operation, upstream, context, request, isJob: true, why: `${why}; ${job.evidence}` });
  const allowedOrigins = originsOf(upstream, context, request.template.server);
  const check: Tool['check'] = (args) => {
    const faults = face.check(args);
    return faults.length > 0 ? faults : stepFaults(stepBodies, args);
  };
  const make = (name: string): Tool => ({
    ...face,
    check,
    name,
    kind: 'job',
    taskSupport,
    ...(measured && { measured }),
    misfit: () => undefined,
    descriptor: descriptorOf({
      tool: name,
      upstream,
      adapter,
      description,
      request: request.template,
      compiled,
      allowedOrigins,
    }),
    inlineWaitMs: description.timing?.inlineWaitMs ?? inlineWaitMs,
    ...(description.deduplicateMs === undefined ? {} : { deduplicateMs: description.deduplicateMs }),
  });
  return { make, answerBytes: 0, isCut: request.isCut };
}
