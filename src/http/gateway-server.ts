// The SDK's server with the handlers that every contract shares: one for each session, or for each request. Building one is
// cheap, because what costs anything (lists, names, the engine) is made once and handed in.
//   S1. tools/call goes out as the contract wrote it: a task is not a CallToolResult, and the SDK would make it one.
//   S2. Every registration brings its own schema, or a bad request is -32603, and tasks/* is unknown under 2026-07-28.
//   S3. A removed method is not registered: only then is it -32601 with HTTP 404.
//   S4. What is thrown and is not ours is logged, and answered without its words.

import {
  type JSONRPCRequest,
  ProtocolError,
  type Result,
  Server,
  type ServerCapabilities,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import {
  type Client,
  type Contract,
  type Policy,
  type Reply,
  refuse,
  TASK_NOT_FOUND,
  type TasksFace,
} from '../contracts/contract.ts';
import type { Principal } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Metrics } from '../core/metrics.ts';
import type { Engine, OperationView } from '../engine/engine.ts';
import { ERRORS, LongshoreError } from '../errors.ts';
import type { Asker, SendRequest } from './asking.ts';
import type { Calls } from './calls.ts';
import { noResources, readResource, resourceTemplates } from './resources.ts';
import type { ToolLists } from './tool-lists.ts';

/** How the gateway names itself to its peers. */
export const SERVER_INFO = { name: manifest.name, version: manifest.version };

/** Made once, shared by every server. */
export interface Shared {
  readonly engine: Engine;
  readonly calls: Calls;
  readonly lists: ToolLists;
  readonly policy: Policy;
  /** Largest payload that is shown whole. */
  readonly shownBytesMax: number;
  /** Aborts when the gateway stops: whoever only waits is answered then. */
  readonly stopping: AbortSignal;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly around?: Around;
}

/**
 * What stands around the handlers of every server, for whoever embeds the gateway: methods that it does not have itself, and other
 * answers than its own. The product has nothing there; the conformance run puts the suite's own fixtures there.
 */
export interface Around {
  readonly capabilities: ServerCapabilities;
  /** Methods that the gateway itself does not have. */
  methods(contract: Contract): readonly string[];
  /** `own` is the gateway's answer, to these parameters or to others; absent where the method is none of its own. */
  handle(
    request: { readonly method: string; readonly params: JsonObject },
    context: ServerContext,
    own?: (params?: JsonObject) => Promise<Result>,
  ): Promise<Result>;
}

/** Who is at the other end. */
export interface Peer {
  readonly contract: Contract;
  readonly principal: Principal;
  client(context: ServerContext): Client;
  /** Aborts when nobody will read this request's answer any more. */
  gone(context: ServerContext): AbortSignal;
  /** The peer asked for a task, by `params.task`: a sign that it knows Tasks. */
  sentTask?(): void;
  /** Puts questions to the person at the other end; absent where a peer is never sent a request. */
  readonly asker?: Asker;
  /** The peer knows this operation, and may be told of its changes; of its progress too, where its call gave a token. */
  knows?(view: OperationView, progressToken?: string | number): void;
}

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

class GatewayServer extends Server {
  // S1. The stock wrapper forces every answer of tools/call through CallToolResult.
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    return method === 'tools/call' ? handler : super._wrapHandler(method, handler);
  }
}

const Anything = z.looseObject({});
const OfTask = z.looseObject({ taskId: z.string() });
const OfResource = z.looseObject({ uri: z.string() });
const ListPage = z.looseObject({ cursor: z.string().optional() });
const LIST_PAGE_SIZE = 50;
/** People take their time; whoever stops waiting for one breaks off the request that carries the question. */
export const ANSWER_WITHIN_MS = 3_600_000;
/** A blocking tasks/result asks again at least this often, so that no wait outlives what it waits for by much. */
const RESULT_WAIT_MS = 60_000;

/** A server that speaks one contract with one peer. */
export function createGatewayServer(peer: Peer, shared: Shared): Server {
  const { contract, principal } = peer;
  const { engine, calls, lists, policy, shownBytesMax, stopping, log, around } = shared;
  const capabilities = { ...capabilitiesOf(contract, policy, lists), ...around?.capabilities };
  const server = new GatewayServer(SERVER_INFO, { capabilities });

  type Answer<P extends StandardSchemaV1> = (params: StandardSchemaV1.InferOutput<P>, context: ServerContext) => Promise<Reply>;
  const on = <P extends StandardSchemaV1>(method: string, params: P, answer: Answer<P>) =>
    server.setRequestHandler(method, { params }, async (given, context) => {
      const own = async (others: typeof given): Promise<Result> => {
        const reply = await answer(others, context);
        if (reply.as === 'result') return reply.result as Result;
        throw new ProtocolError(reply.code, reply.message, reply.data);
      };
      try {
        if (around === undefined) return await own(given);
        const request = { method, params: given as JsonObject };
        return await around.handle(request, context, (others) => own((others as typeof given | undefined) ?? given));
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        if (error instanceof LongshoreError) throw new ProtocolError(ERRORS[error.code].rpc, error.message);
        log.error({ method, error }, 'a request failed inside the gateway');
        throw new ProtocolError(-32603, 'Internal error');
      }
    });

  on('tools/list', Anything, async (_params, context) => ({ as: 'result', result: lists.of(contract, peer.client(context)) }));

  on('resources/list', Anything, async () => noResources);
  on('resources/templates/list', Anything, async () => resourceTemplates);
  on('resources/read', OfResource, async ({ uri }) => readResource(engine, principal, uri));

  on('tools/call', Anything, async (params, context) => {
    const client = peer.client(context);
    const gone = peer.gone(context);
    const reply = await calls.call({
      contract,
      principal,
      client,
      params: params as JsonObject,
      meta: (context.mcpReq._meta ?? {}) as JsonObject,
      gone,
      stopping,
      ...progressOf(context),
      ...askOf(client, contract.ask, context, gone),
      ...againOf(context),
    });
    if (params['task'] !== undefined) peer.sentTask?.();
    if (reply.as === 'result' && reply.created !== undefined) peer.knows?.(reply.created, context.mcpReq._meta?.progressToken);
    return reply;
  });

  if (contract.tasks !== undefined) registerTasks(contract.tasks);
  for (const method of around?.methods(contract) ?? [])
    server.setRequestHandler(
      method,
      { params: Anything },
      async (params, context) => around?.handle({ method, params: params as JsonObject }, context) as Promise<Result>,
    );

  /** How a question goes out on the stream of the request that is answered. */
  function askOf(
    client: Client,
    write: Contract['ask'],
    { mcpReq }: ServerContext,
    gone: AbortSignal,
  ): { readonly ask?: (view: OperationView) => void } {
    const { asker } = peer;
    if (asker === undefined || write === undefined || client.forms !== true) return {};
    const send: SendRequest = ({ method, params }, withdrawn) =>
      mcpReq.send({ method, params: { ...params } }, Anything, { timeout: ANSWER_WITHIN_MS, signal: withdrawn });
    return { ask: (view) => asker.put(view, { send, write, gone }) };
  }

  function registerTasks(tasks: TasksFace): void {
    const find = async (taskId: string): Promise<OperationView | undefined> => {
      const view = await engine.read(taskId, principal);
      if (view !== undefined) peer.knows?.(view);
      return view;
    };

    on('tasks/get', OfTask, async ({ taskId }, context) => {
      const refused = tasks.gate(peer.client(context));
      if (refused !== undefined) return refused;
      const view = await find(taskId);
      const client = peer.client(context);
      return view === undefined ? TASK_NOT_FOUND : { as: 'result', result: tasks.task({ ...view, shownBytesMax }, client) };
    });

    on('tasks/cancel', OfTask, async ({ taskId }, context) => {
      const refused = tasks.gate(peer.client(context));
      if (refused !== undefined) return refused;
      const cancelled = await engine.cancel(taskId, principal, { sticky: tasks.stickyCancel });
      return cancelled === undefined ? TASK_NOT_FOUND : tasks.cancelled(cancelled.view, cancelled.kind === 'recorded');
    });

    const { outcome, listed, updated } = tasks;
    if (outcome !== undefined) {
      on('tasks/result', OfTask, async ({ taskId }, context) => {
        const gone = peer.gone(context);
        const signal = AbortSignal.any([gone, stopping]);
        const { ask } = tasks;
        const asks = askOf(peer.client(context), ask && ((question) => ask(question, taskId)), context, gone).ask;
        let view = await find(taskId);
        if (view !== undefined) peer.asker?.renew(taskId);
        while (view !== undefined) {
          const reply = outcome({ ...view, shownBytesMax });
          if (reply !== 'not_yet') return reply;
          if (signal.aborted) return refuse(ERRORS.SHUTTING_DOWN.rpc, 'The wait was broken off; the task goes on. Ask again.');
          const freed = asks === undefined ? [] : [peer.asker?.freed() ?? signal];
          asks?.(view);
          view = await engine.wait(taskId, principal, {
            until: asks === undefined ? 'end' : 'change',
            afterSeq: view.operation.seq,
            timeoutMs: RESULT_WAIT_MS,
            signal: AbortSignal.any([signal, ...freed]),
          });
        }
        return TASK_NOT_FOUND;
      });
    }

    if (listed !== undefined && policy.identified) {
      on('tasks/list', ListPage, async ({ cursor }) => {
        const page = await engine.list(principal, { limit: LIST_PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) });
        return { as: 'result', result: listed(page.items, page.nextCursor) };
      });
    }

    if (updated !== undefined) {
      on('tasks/update', OfTask, async ({ taskId }, context) => {
        const refused = tasks.gate(peer.client(context));
        if (refused !== undefined) return refused;
        const given = (context.mcpReq.inputResponses ?? {}) as JsonObject;
        const answered = await engine.answer(taskId, principal, given);
        return answered === undefined ? TASK_NOT_FOUND : { as: 'result', result: updated() };
      });
    }
  }

  return server;
}

/** `logging` is part of the session protocol only; clients of it call logging/setLevel without asking first. */
function capabilitiesOf(contract: Contract, policy: Policy, { changed }: ToolLists): ServerCapabilities {
  const logging = contract.leg === 'session' ? { logging: {} } : {};
  const tools = changed === undefined ? {} : { listChanged: true };
  return { tools, resources: {}, ...logging, ...contract.tasks?.capabilities(policy) } as ServerCapabilities;
}

/** What a call that was answered with questions brings when it is made again. */
function againOf({ mcpReq }: ServerContext): { readonly again?: { readonly state: string; readonly answers: JsonObject } } {
  const state = mcpReq.requestState();
  if (state === undefined) return {};
  return { again: { state: String(state), answers: (mcpReq.inputResponses ?? {}) as JsonObject } };
}

function progressOf({ mcpReq }: ServerContext): { readonly progress?: (told: { readonly progress: number }) => Promise<void> } {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return {};
  return {
    // A peer that has gone is no reason to stop: its call stops by its own signal.
    progress: (told) =>
      mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...told } }).catch(() => undefined),
  };
}
