// subscriptions/listen with taskIds, whatever carries it. The SDK's own router knows no task ids and would leave them out, so such
// a request is served here, once the SDK has said that everything else about it is right.
//   Q1. The acknowledgement comes first and names what is honoured: unknown and foreign ids are left out without a word, and what
//       else was asked for is honoured as far as the gateway's capabilities offer it.
//   Q2. Then every honoured task as it is, so that nothing falls between creating a task and listening to it; then changes.
//   Q3. Where nothing more can come (nothing was honoured, or every task has ended) it ends with its result; so it does when the
//       gateway closes.
//   Q4. Bounded: subscriptions over all and of each principal, tasks in each, and what waits for a peer that does not read.

import { type Client, type Contract, type Refused, refuse, type WireMessage } from '../contracts/contract.ts';
import type { Principal } from '../core/ids.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { OperationView } from '../engine/engine.ts';
import { SERVER_INFO, type Shared } from './gateway-server.ts';
import { shareOf } from './identity.ts';
import { WATCHED_MAX, watchTasks } from './task-watch.ts';

const META = 'io.modelcontextprotocol/';
export const SUBSCRIPTION_ID = `${META}subscriptionId`;

export interface ListenRequest {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly method: 'subscriptions/listen';
  readonly params: JsonObject & { readonly notifications: JsonObject };
}

/** What carries one subscription. */
export interface SubscriptionStream {
  /** Aborts when the peer has gone or has cancelled, or the stream was closed. */
  readonly over: AbortSignal;
  /** Resolves when the peer has taken it, or has gone. */
  send(message: object): Promise<void>;
  /** What was sent is the last that is. */
  close(): void;
}

export interface TaskSubscriptions {
  /** Whether a message is one for this. */
  wants(message: unknown): message is ListenRequest;
  /** Why a request that the SDK finds no fault with is refused. */
  refusal(request: ListenRequest, principal: Principal): Refused | undefined;
  serve(request: ListenRequest, principal: Principal, stream: SubscriptionStream): Promise<void>;
  /** Ends all of them. */
  close(): void;
}

/** What the SDK is asked about: the request without the ids that it does not know. */
export function withoutTaskIds({ params, ...request }: ListenRequest): ListenRequest {
  const { taskIds: _ours, ...notifications } = params.notifications;
  return { ...request, params: { ...params, notifications } };
}

export function createTaskSubscriptions(
  shared: Shared,
  { contract, subscriptionsMax }: { readonly contract: Contract; readonly subscriptionsMax: number },
): TaskSubscriptions {
  const { engine, lists, log, metrics, shownBytesMax } = shared;
  /** How each is ended, and whose it is. */
  const open = new Map<() => void, Principal>();
  const ownMax = shareOf(subscriptionsMax, shared.policy.identified);

  const clientOf = ({ params }: ListenRequest): Client =>
    contract.signs((params['_meta'] as JsonObject | undefined)?.[`${META}clientCapabilities`] as JsonObject | undefined);

  function refusal(request: ListenRequest, principal: Principal): Refused | undefined {
    const gate = contract.tasks?.gate(clientOf(request));
    if (gate !== undefined) return gate;
    const ids = request.params.notifications['taskIds'];
    if (!Array.isArray(ids) || ids.length > WATCHED_MAX || ids.some((id) => typeof id !== 'string'))
      return refuse(-32602, `notifications.taskIds must be a list of at most ${WATCHED_MAX} strings.`);
    const own = [...open.values()].filter((owner) => owner === principal).length;
    if (open.size < subscriptionsMax && own < ownMax) return undefined;
    metrics.reached({ limit: 'sessionsMax', upstream: 'none' });
    log.warn(
      { principal, subscriptions: open.size },
      'a subscription was refused: as many are open as server.sessionsMax allows',
    );
    return refuse(-32603, 'Subscription limit reached');
  }

  async function serve(request: ListenRequest, principal: Principal, stream: SubscriptionStream): Promise<void> {
    const { id, params } = request;
    const notification = contract.tasks?.notification;
    if (notification === undefined) throw new Error(`${contract.id} has no task notifications to listen to`);
    const client = clientOf(request);
    const shown = (view: OperationView): WireMessage => notification({ ...view, shownBytesMax }, client);
    const mark = { [SUBSCRIPTION_ID]: id };
    const notify = async ({ method, params: told }: WireMessage): Promise<void> => {
      if (!stream.over.aborted) await stream.send({ jsonrpc: '2.0', method, params: { ...told, _meta: mark } });
    };
    const end = (): void => {
      if (stream.over.aborted) return;
      const result = { resultType: 'complete', _meta: { ...mark, [`${META}serverInfo`]: SERVER_INFO } };
      void stream.send({ jsonrpc: '2.0', id, result });
      stream.close();
    };
    const begun = Promise.withResolvers<void>();
    const live = new Set<string>();
    const ofTools = params.notifications['toolsListChanged'] === true ? lists.changed : undefined;
    const endIfOver = (): void => {
      if (live.size === 0 && ofTools === undefined) end();
    };

    const watch = watchTasks({
      engine,
      principal,
      log,
      notification: shown,
      listening: () => !stream.over.aborted,
      deliver: async (told) => {
        await begun.promise;
        await notify(told);
      },
      ended: (task) => {
        live.delete(task);
        void begun.promise.then(endIfOver);
      },
    });
    const stopTools = ofTools?.(
      inTurn(async () => {
        await begun.promise;
        await notify({ method: 'notifications/tools/list_changed', params: {} });
      }),
    );
    open.set(end, principal);
    const leave = (): void => {
      open.delete(end);
      stopTools?.();
      watch.close();
      begun.resolve();
    };
    stream.over.addEventListener('abort', leave, { once: true });
    if (stream.over.aborted) leave();

    const views: OperationView[] = [];
    for (const task of new Set(params.notifications['taskIds'] as readonly string[])) {
      live.add(task);
      const view = await watch.follow(task);
      if (view !== undefined) views.push(view);
      if (view?.operation.receipt !== undefined || view === undefined) live.delete(task);
    }
    const honoured = {
      ...(ofTools !== undefined && { toolsListChanged: true }),
      taskIds: views.map(({ operation }) => operation.id),
    };
    await notify({ method: 'notifications/subscriptions/acknowledged', params: { notifications: honoured } });
    for (const view of views) await notify(shown(view));
    begun.resolve();
    endIfOver();
  }

  return {
    wants: (message): message is ListenRequest =>
      contract.tasks?.notification !== undefined &&
      isJsonObject(message) &&
      message['method'] === 'subscriptions/listen' &&
      (typeof message['id'] === 'string' || typeof message['id'] === 'number') &&
      isJsonObject(message['params']) &&
      isJsonObject(message['params']['notifications']) &&
      message['params']['notifications']['taskIds'] !== undefined,
    refusal,
    serve,
    close() {
      for (const end of open.keys()) end();
    },
  };
}

/** Runs one at a time; what is asked for meanwhile is run once more. */
function inTurn(run: () => Promise<void>): () => void {
  let due = false;
  let running = false;
  const turn = async (): Promise<void> => {
    due = true;
    if (running) return;
    running = true;
    while (due) {
      due = false;
      await run();
    }
    running = false;
  };
  return () => void turn();
}
