// tools/call: from a contract's admission to the engine, and from what the engine says to the contract's words.

import { type Client, type Contract, type Policy, type Refused, type Reply, refuse } from '../contracts/contract.ts';
import { isTooLarge } from '../core/content.ts';
import type { Principal } from '../core/ids.ts';
import { openQuestions } from '../core/input.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Metrics, RefusalCause } from '../core/metrics.ts';
import type { Payload } from '../core/outcome.ts';
import {
  asResult,
  type Companions,
  listAnswer,
  present,
  presentAnswer,
  type ResultPicture,
  toolError,
} from '../core/presentation.ts';
import { situation } from '../core/situation.ts';
import type { Clock } from '../core/time.ts';
import type { CallTool, Catalogue, JobTool } from '../core/tool.ts';
import type { Engine, OperationView, Started } from '../engine/engine.ts';
import { describeFault, ERRORS, type ErrorCode, type Fault, LongshoreError } from '../errors.ts';
import { type CompanionArguments, type CompanionKind, companionArguments } from './companions.ts';
import { asStanding, type Route, routeOf, standingOf, startThrough } from './gated.ts';
import { isSealed, operationIn, type SealedCall, sealState } from './request-state.ts';
import { type Waiting, waitForEnd } from './waiting.ts';

/** Where a caller may put its own idempotency key, in a call's `_meta`. */
export const CALLER_KEY = 'longshore/idempotencyKey';
const CALLER_KEY_CHARACTERS_MAX = 255;
/** Longest wait that a companion can be asked for: clients give up on a call after 60 s by default. */
const COMPANION_WAIT_MS_MAX = 50_000;

/** Operations on one page of a list: more would drown a model. */
const LISTED_MAX = 20;

/** One tools/call and everything about its caller. */
export interface IncomingCall {
  readonly contract: Contract;
  readonly client: Client;
  readonly principal: Principal;
  /** `name`, `arguments`, and what contracts add. Numbers in the arguments have their digits. */
  readonly params: JsonObject;
  readonly meta: JsonObject;
  /** Aborts when nobody will read the answer any more. */
  readonly gone: AbortSignal;
  /** Aborts when waits are to end with what there is. */
  readonly stopping: AbortSignal;
  readonly progress?: NonNullable<Waiting['progress']>;
  /** Puts a question to the caller while its call is open. */
  readonly ask?: NonNullable<Waiting['ask']>;
  /** The call was answered with questions before, and is made again with their answers. */
  readonly again?: { readonly state: string; readonly answers: JsonObject };
}

/** One wording for unknown, expired and foreign ids, to whoever knows no tasks. */
const OPERATION_NOT_FOUND =
  'There is no such operation: the id is not one that you were given, or what it named is no longer kept. Nothing was started or stopped.';

export interface Calls {
  /** `created` names the operation of a new task. */
  call(incoming: IncomingCall): Promise<Reply & { readonly created?: OperationView }>;
}

const THROWN: Partial<Record<ErrorCode, RefusalCause>> = {
  LIMIT_REACHED: 'limit',
  LEDGER_CONFLICT: 'ledger',
  LEDGER_UNAVAILABLE: 'ledger',
};
/** The ledger's own words name files of the gateway's machine, and are for its log. */
const UNWRITTEN =
  'The gateway can not write its ledger now, and sends nothing that is not written down first. Try again later; its operator finds the reason in its log.';

/** How the engine's refusals are counted. */
const CAUSES = { invalid: 'arguments', conflict: 'key', refused: 'gate' } as const;

export function createCalls(parts: {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly companions: Companions;
  readonly policy: Policy;
  readonly clock: Clock;
  /** How long a companion waits that is not asked for a time. */
  readonly companionWaitMs: number;
  readonly shownBytesMax: number;
  readonly log: Log;
  readonly metrics: Metrics;
}): Calls {
  const { engine, catalogue, companions, policy, clock, companionWaitMs, shownBytesMax, log, metrics } = parts;
  const kinds = new Map((Object.keys(companions) as CompanionKind[]).map((kind) => [companions[kind], kind]));

  async function call(incoming: IncomingCall): Promise<Reply & { readonly created?: OperationView }> {
    const { contract, params } = incoming;
    const name = params['name'];
    if (typeof name !== 'string') return refuse(-32602, 'params.name must be the name of a tool.');
    const args = params['arguments'] ?? {};
    if (!isJsonObject(args)) return refuse(-32602, 'params.arguments must be an object.');

    if (incoming.again !== undefined) return goOn({ tool: name, arguments: args }, incoming, incoming.again);
    const kind = kinds.get(name);
    if (kind !== undefined) return callCompanion(kind, { tool: name, arguments: args }, incoming);
    const known = catalogue.tools.get(name);
    const tool = known?.kind === 'job' ? asOffered(known, incoming) : known;
    if (tool === undefined) return refuse(-32602, `Unknown tool: ${name}. tools/list names the tools there are.`);
    const admission = contract.admit(tool, params, incoming.client, policy);
    if (admission.as === 'refused') return admission;
    if (tool.kind === 'call') return answer(contract, await callThrough(tool, args, incoming));
    if (admission.as === 'call') throw new Error(`${tool.name} is a job, and was admitted as a call`);
    const { principal, meta } = incoming;
    const route = await routeOf(engine.gates, incoming, admission, { tool, arguments: args, principal, ...callerKeyOf(meta) });
    if (route.as === 'refused') {
      metrics.refused({ upstream: tool.upstream, why: 'gate' });
      return route;
    }
    if (route.as === 'task')
      return startTask(tool, args, incoming, route, admission.as === 'task' ? admission.ttlMs : undefined);
    return startInline(tool, args, incoming, route);
  }

  /** The job as the list has it: measured, and with no task demanded that a gate withholds. */
  function asOffered(job: JobTool, { contract, client }: IncomingCall): JobTool {
    const tool = engine.support?.of(job) ?? job;
    return asStanding(tool, standingOf(engine.gates, { tool, contract, client })?.gate);
  }

  const answer = (contract: Contract, picture: ResultPicture): Reply => ({ as: 'result', result: contract.result(picture) });

  async function callThrough(tool: CallTool, args: JsonObject, { principal, gone }: IncomingCall): Promise<ResultPicture> {
    const outcome = await engine.call(tool, args, principal, gone);
    if (outcome.kind === 'invalid') {
      metrics.refused({ upstream: tool.upstream, why: 'arguments' });
      return toolError(invalidArguments(tool.name, outcome.faults));
    }
    const keptAs = await kept(tool, outcome.payload, principal);
    const picture = presentAnswer(tool, outcome, shownBytesMax, keptAs);
    if (picture.misfit !== undefined) {
      const { upstream, source } = tool;
      log.warn(
        { upstream, tool: tool.name, pointer: source.pointer, misfit: picture.misfit },
        'an answer is not as the document describes it',
      );
    }
    return picture;
  }

  /** The name under which an answer is kept that is too large to be shown. The call has been carried out, whatever becomes of it. */
  async function kept(tool: CallTool, payload: Payload | undefined, principal: Principal): Promise<string | undefined> {
    if (payload === undefined || !isTooLarge(payload, shownBytesMax)) return undefined;
    try {
      return await engine.shelf.keep(payload, principal);
    } catch (error) {
      log.warn({ tool: tool.name, err: error }, 'an answer that is too large to be shown could not be kept');
      return undefined;
    }
  }

  async function startTask(tool: JobTool, args: JsonObject, incoming: IncomingCall, route: Way, ttlMs: number | undefined) {
    const { tasks } = incoming.contract;
    if (tasks === undefined) throw new Error(`${incoming.contract.id} admitted a task and has no Tasks`);
    const started = await start(tool, args, incoming, route, ttlMs);
    if (started.kind === 'refused') return tasks.notCreated(started.why);
    return { as: 'result', result: tasks.created({ ...started.view, shownBytesMax }), created: started.view } as const;
  }

  async function startInline(tool: JobTool, args: JsonObject, incoming: IncomingCall, route: Way): Promise<Reply> {
    const started = await start(tool, args, incoming, route, undefined);
    if (started.kind === 'refused') return answer(incoming.contract, toolError(started.why.message));
    // In shadow: as if there were no Tasks, and nobody to follow a job. Its result's schema is not that of this answer.
    const { outputSchema: _ofTheResult, ...face } = tool;
    const said = started.answer;
    if (said !== undefined && said.kind !== 'invalid')
      return answer(incoming.contract, presentAnswer(face, said, shownBytesMax));
    return waitedFor(started.view, tool.inlineWaitMs, { tool: tool.name, arguments: args }, incoming);
  }

  /** Waits, then answers with how it ended, with what it asks, or with how it stands. */
  async function waitedFor(view: OperationView, waitMs: number, call: SealedCall, incoming: IncomingCall): Promise<Reply> {
    const { contract, client } = incoming;
    const latest = (await waitForEnd(engine, clock, view, waitingOf(incoming, waitMs))) ?? view;
    const questions = openQuestions(latest.operation);
    if (questions.length > 0 && contract.askBack !== undefined && client.forms === true)
      return { as: 'result', result: contract.askBack(questions, sealState(latest.operation, call)) };
    return answer(contract, shown(latest));
  }

  /** The call again, with answers: no second operation, whatever is wrong with the state. */
  async function goOn(
    call: SealedCall,
    incoming: IncomingCall,
    { state, answers }: NonNullable<IncomingCall['again']>,
  ): Promise<Reply> {
    const { principal } = incoming;
    const view = await engine.read(operationIn(state), principal);
    if (view === undefined || !isSealed(state, view.operation, call)) {
      const why = 'requestState is not one that was given for this call; nothing was started or answered.';
      return refuse(-32602, why, { reason: 'invalid_request_state' });
    }
    const answered = await engine.answer(view.operation.id, principal, answers);
    return waitedFor(
      answered?.view ?? view,
      view.tool?.kind === 'job' ? view.tool.inlineWaitMs : companionWaitMs,
      call,
      incoming,
    );
  }

  async function start(
    tool: JobTool,
    args: JsonObject,
    { principal, meta }: IncomingCall,
    { door, ruling }: Way,
    ttlMs: number | undefined,
  ): Promise<Extract<Started, { kind: 'operation' }> | { readonly kind: 'refused'; readonly why: Refused }> {
    const key = meta[CALLER_KEY];
    if (key !== undefined && (typeof key !== 'string' || key === '' || key.length > CALLER_KEY_CHARACTERS_MAX)) {
      const why = `_meta["${CALLER_KEY}"] must be a string of 1 to ${CALLER_KEY_CHARACTERS_MAX} characters.`;
      return { kind: 'refused', why: refuse(-32602, why) };
    }
    try {
      const started = await startThrough((call) => engine.start(call), engine.gates, {
        tool,
        arguments: args,
        principal,
        door,
        ...callerKeyOf(meta),
        ...(ttlMs === undefined ? {} : { ttlMs }),
        ...(ruling === undefined ? {} : { ruling }),
      });
      if (started.kind === 'operation') return started;
      metrics.refused({ upstream: tool.upstream, why: CAUSES[started.kind] });
      if (started.kind === 'refused') return started;
      const why =
        started.kind === 'invalid'
          ? invalidArguments(tool.name, started.faults)
          : `This idempotency key already names operation ${started.earlier}, which was called with other arguments. Nothing was started: use another key for another request.`;
      return { kind: 'refused', why: refuse(-32602, why) };
    } catch (error) {
      if (!(error instanceof LongshoreError)) throw error;
      const why = THROWN[error.code];
      if (why !== undefined) metrics.refused({ upstream: tool.upstream, why });
      if (why === 'ledger')
        log.error({ tool: tool.name, err: error }, 'a call was refused: it could not be written to the ledger');
      return { kind: 'refused', why: refuse(ERRORS[error.code].rpc, why === 'ledger' ? UNWRITTEN : error.message) };
    }
  }

  async function callCompanion(kind: CompanionKind, call: SealedCall, incoming: IncomingCall): Promise<Reply> {
    const { principal, contract } = incoming;
    if (kind === 'list') return listOperations(call.arguments, incoming);
    const wanted = companionArguments(call.arguments);
    if ('kind' in wanted) return answer(contract, wanted);
    const notFound = answer(contract, toolError(OPERATION_NOT_FOUND));
    if (kind === 'cancel') {
      const cancelled = await engine.cancel(wanted.operation, principal, { sticky: false });
      return cancelled === undefined ? notFound : answer(contract, shown(cancelled.view));
    }
    const view = await engine.read(wanted.operation, principal);
    if (view === undefined) return notFound;
    if (kind === 'get') return answer(contract, shown(view));
    const waitMs = Math.min(wanted.waitMs ?? companionWaitMs, COMPANION_WAIT_MS_MAX);
    if (kind === 'wait') return waitedFor(view, waitMs, call, incoming);
    const given = await giveAnswer(view, wanted, principal);
    return 'kind' in given ? answer(contract, given) : waitedFor(given, waitMs, call, incoming);
  }

  async function listOperations({ cursor }: JsonObject, { principal, contract }: IncomingCall): Promise<Reply> {
    if (cursor !== undefined && typeof cursor !== 'string') return answer(contract, toolError('/cursor: must be a string.'));
    try {
      const page = await engine.list(principal, { limit: LISTED_MAX, ...(cursor !== undefined && { cursor }) });
      return answer(contract, listAnswer(page.items, page.nextCursor, companions));
    } catch (error) {
      if (error instanceof LongshoreError) return answer(contract, toolError(`/cursor: ${error.message}`));
      throw error;
    }
  }

  /** The operation with its answer recorded, or the tool error that says why there is none. */
  async function giveAnswer(
    { operation }: OperationView,
    { question, answer: given = {} }: CompanionArguments,
    principal: Principal,
  ): Promise<OperationView | ResultPicture> {
    const open = openQuestions(operation).map(({ key }) => key);
    if (question === undefined && open.length > 1)
      return toolError(`/question: the operation asks several things; say which is answered: ${open.join(', ')}.`);
    const key = question ?? open[0];
    const answered = key === undefined ? undefined : await engine.answer(operation.id, principal, { [key]: given });
    const verdict = key === undefined ? undefined : answered?.verdicts.get(key);
    if (answered === undefined || verdict === undefined || verdict.kind === 'not_open') {
      const stands = operation.receipt === undefined ? situation(operation) : 'It has ended.';
      const still =
        open.length === 0 ? `It asks nothing that can be answered from here. ${stands}` : `What it asks is ${open.join(', ')}.`;
      return toolError(`Nothing was answered: operation ${operation.id} does not wait for this answer. ${still}`);
    }
    return verdict.kind === 'taken' ? answered.view : toolError(`Nothing was answered. ${verdict.why}`);
  }

  const shown = (view: OperationView): ResultPicture => asResult(view, present({ ...view, shownBytesMax }), companions);

  return { call };
}

type Way = Exclude<Route, Refused>;

/** What the caller knows its call by; a key that is none is refused later. */
const callerKeyOf = (meta: JsonObject): { readonly callerKey?: string } => {
  const key = meta[CALLER_KEY];
  return typeof key === 'string' ? { callerKey: key } : {};
};

const waitingOf = ({ principal, gone, stopping, progress, ask }: IncomingCall, waitMs: number): Waiting => ({
  principal,
  waitMs,
  signal: AbortSignal.any([gone, stopping]),
  ...(progress === undefined ? {} : { progress }),
  ...(ask === undefined ? {} : { ask }),
});

function invalidArguments(tool: string, faults: readonly Fault[]): string {
  return [`The arguments do not fit ${tool}; nothing was sent.`, ...faults.map(describeFault)].join('\n');
}
