// Jobs: which operations are asynchronous, how each is described, and what an adapter makes of it.

import type { UpstreamConfig } from '../config/config.ts';
import type { Adapter, Compiled } from '../core/adapter.ts';
import type { JobDescription } from '../core/description.ts';
import type { Place } from '../core/placed.ts';
import type { BodyBinding } from '../core/request.ts';
import { stepBody } from '../core/steps.ts';
import { secretPlace } from '../core/webhook.ts';
import type { Fault } from '../errors.ts';
import type { Fixed, RequestContext } from './context.ts';
import { withDefaults } from './descriptors.ts';
import type { Finding } from './detect/finding.ts';
import { Uncompilable } from './fault.ts';
import { isFollowable, joined, noticeOf } from './infer.ts';
import { fittingFormat, withKeyFormat } from './key-format.ts';
import type { SourceOperation } from './operations.ts';
import { type CompiledRequest, compileRequest } from './requests.ts';
import { openApiOperation } from './source.ts';
import { type Neighbours, standardDescription } from './standard.ts';
import { stepArguments } from './steps.ts';
import { readExtension } from './x-longshore.ts';
import type { WordFault } from './x-longshore-faults.ts';

const EXTENSION = 'x-longshore';
const DEFAULT_ADAPTER = 'http-202';
/** They ask about a job; they start none. */
const ASKING = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

/** A call is answered at once; a job is followed to its end. Both may have constants and timing described. */
export interface Described {
  readonly kind: 'call' | 'job';
  readonly description: JobDescription;
  /** For people: what says so. */
  readonly evidence: string;
  /** Nobody says so but the evidence: where it can't be compiled, it is a call. */
  readonly inferred?: Finding;
}

/**
 * How an operation is described. Throws {@link Uncompilable} where `x-longshore` can't be read.
 * @param finding what detection says of it; absent where nothing may be inferred
 */
export function describe(
  operation: SourceOperation,
  context: RequestContext,
  neighbours: Neighbours,
  defaults: UpstreamConfig['defaults'],
  warnings: Fault[],
  finding?: Finding,
): Described {
  const reading = readExtension(operation.object[EXTENSION]);
  const call = (evidence: string, description: JobDescription = {}): Described => ({
    kind: 'call',
    description: withDefaults(description, defaults),
    evidence,
  });
  if (reading.kind === 'synchronous') return call('x-longshore says that it is no job');
  if (reading.kind === 'faulty') throw misread(operation, reading.faults);
  const asks = ASKING.has(operation.method) || /(\/operations\/\{|[:/](cancel|wait|stop|abort)$)/.test(operation.path);
  if (reading.kind === 'absent') {
    const standard = asks ? undefined : standardDescription(operation, context, neighbours, warnings);
    const followed = finding !== undefined && isFollowable(finding) ? finding : undefined;
    const said = followed === undefined ? standard : joined(followed, standard);
    if (said === undefined) {
      const notice = finding && noticeOf(operation, finding);
      if (notice !== undefined) warnings.push(notice);
      return call(notice === undefined ? 'nothing says that it answers later' : notice.message);
    }
    return {
      kind: 'job',
      description: withDefaults(said.description, defaults),
      evidence: said.evidence,
      ...(followed !== undefined && standard === undefined ? { inferred: followed } : {}),
    };
  }
  const own = withDefaults(reading.description, defaults);
  if (own.taskSupport === 'forbidden') return call('x-longshore forbids tasks', reading.description);
  // A status that is described stands alone: the state and the id belong to it. What was found is about the same status, or nothing.
  const isFound = finding !== undefined && asksTheSame(own, finding);
  const isWhole =
    own.adapter !== undefined || own.state !== undefined || ((own.status ?? own.handle) !== undefined && !isFound);
  const standard = isWhole ? undefined : standardDescription(operation, context, neighbours, warnings);
  const inferred = isWhole || finding?.verdict === 'synchronous' ? undefined : finding;
  const found = inferred === undefined ? standard : joined(inferred, standard);
  return { kind: 'job', description: { ...found?.description, ...own }, evidence: 'described by x-longshore' };
}

/** Whether a description names the status operation that was found, by its id or by method and path. */
function asksTheSame({ status }: JobDescription, { pairs }: Finding): boolean {
  const found = pairs.status?.operation;
  if (status?.operation === undefined || found === undefined) return false;
  return status.operation === found.operationId || status.operation === `${found.method} ${found.path}`;
}

/** Every fault under its own name, since what is left out is listed by its operation. */
function misread({ node: { document, pointer } }: SourceOperation, faults: readonly WordFault[]): Uncompilable {
  const placed = faults.map((fault) => ({ ...fault, ...document.placeOf(`${pointer}/${EXTENSION}${fault.pointer}`) }));
  const [first, ...more] = placed as [(typeof placed)[0], ...typeof placed];
  const said = (one: (typeof placed)[0]): string => {
    const place = one === first || one.line === undefined ? '' : ` (${one.file ?? document.file}:${one.line})`;
    const way = one.mend === undefined || faults.length === 1 ? '' : `, ${one.mend}`;
    return `${EXTENSION}${one.pointer} ${one.message}${way}${place}`;
  };
  return new Uncompilable({
    file: document.file,
    ...first,
    pointer: `${pointer}/${EXTENSION}${first.pointer}`,
    // The place of the first comes behind the whole, by whoever lists it.
    message: [...more, first].map(said).join('; '),
    mend:
      (more.length === 0 ? first.mend : undefined) ??
      'docs/adapters.md and schema/x-longshore.json say what may be written there',
  });
}

export interface CompiledJob {
  readonly description: JobDescription;
  readonly evidence: string;
  readonly adapter: Adapter;
  readonly compiled: Compiled;
  readonly request: CompiledRequest;
  /** The bodies that its steps take from the arguments. */
  readonly stepBodies: readonly BodyBinding[];
}

/** A job compiled; one that nobody described and that can't be compiled is a call, and a warning says why. */
export function compiledOr(
  operation: SourceOperation,
  described: Described,
  compile: () => CompiledJob,
  warnings: Fault[],
): CompiledJob | Described {
  try {
    return compile();
  } catch (error) {
    const notice =
      described.inferred !== undefined && error instanceof Uncompilable
        ? noticeOf(operation, described.inferred, error.fault.message)
        : undefined;
    if (notice === undefined) throw error;
    warnings.push(notice);
    // What a job sends beside its arguments would be wrong for a call.
    const { timing } = described.description;
    return { kind: 'call', description: timing === undefined ? {} : { timing }, evidence: notice.message };
  }
}

/** Compiles a described job with its adapter. Throws {@link Uncompilable}, also where the adapter refuses. */
export function compileJob(
  operation: SourceOperation,
  { description, evidence }: Described,
  context: RequestContext,
  neighbours: Neighbours,
  adapters: readonly Adapter[],
  allowedOrigins: readonly string[],
): CompiledJob {
  const { document, pointer } = operation.node;
  const refuse = (at: string, message: string, mend: string) =>
    new Uncompilable({ file: document.file, ...document.placeOf(at), pointer: at, message, mend });
  const wanted = description.adapter ?? DEFAULT_ADAPTER;
  const adapter = adapters.find(({ id }) => id === wanted);
  if (adapter === undefined) {
    const known = adapters.map(({ id }) => id).join(', ');
    throw refuse(`${pointer}/${EXTENSION}/adapter`, `needs the adapter ${wanted}, which is not loaded`, `use one of ${known}`);
  }
  const fixed = { ...fixedOf(description), more: stepArguments(description, context, neighbours) };
  const source = openApiOperation(operation, context, neighbours, fixed);
  const compiled = adapter.compile(source, description, allowedOrigins);
  if ('refused' in compiled) throw refuse(compiled.pointer, compiled.reason, compiled.mend);
  const request = compileRequest(operation, context, fixed);
  const format = request.keySchema && fittingFormat(description.submissionKey?.format, request.keySchema, context.checker);
  if (typeof format === 'string') {
    const at = `${pointer}/${EXTENSION}/submissionKey`;
    throw refuse(
      at,
      `puts a key into the path that does not fit there: ${format}`,
      'give it a `format`, with a prefix perhaps',
    );
  }
  const stepBodies = (description.submit?.steps ?? []).flatMap((step) => stepBody(step, source) ?? []);
  const whole = format === undefined ? description : withKeyFormat(description, format);
  return { description: whole, evidence, adapter, compiled, request, stepBodies };
}

/** What is sent beside the caller's arguments, and what only the gateway sends. */
export function fixedOf({ submit, submissionKey, webhook }: JobDescription): Fixed {
  const { inject = {} } = webhook ?? {};
  // What goes deep into an argument replaces what is there; the argument stays.
  const unlessDeep = (place: Place): Place => ((place.body?.split('/').length ?? 0) > 2 ? {} : place);
  return {
    headers: submit?.headers ?? {},
    query: submit?.query ?? {},
    body: submit?.body ?? {},
    hidden: [submissionKey ?? {}, unlessDeep(inject), unlessDeep(secretPlace(inject) ?? {})],
  };
}
