// subscriptions/listen with taskIds: a stream of notifications/tasks. The SDK's own router knows no task ids and would leave them out,
// so such a request is taken here, after the SDK has said that everything else about it is right.
//   Q1. The acknowledgement comes first and names what is honoured: unknown and foreign ids are left out without a word.
//   Q2. Then every honoured task as it is, so that nothing falls between creating a task and listening to it; then changes.
//   Q3. Bounded: streams, tasks on a stream, and what is written to a peer that does not read.

import { once } from 'node:events';
import { toWebRequest } from '@modelcontextprotocol/node';
import type { AuthInfo, McpHttpHandler } from '@modelcontextprotocol/server';
import type { Request, Response } from 'express';
import { type Client, type Contract, type Refused, refuse, type WireMessage } from '../contracts/contract.ts';
import type { Principal } from '../core/ids.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { Clock } from '../core/time.ts';
import type { OperationView } from '../engine/engine.ts';
import { SERVER_INFO, type Shared } from './gateway-server.ts';
import { WATCHED_MAX, watchTasks } from './task-watch.ts';

const META = 'io.modelcontextprotocol/';
const KEEP_ALIVE_MS = 15_000;

export interface TaskStreams {
  /** Whether the request is one for this. */
  wants(body: unknown): boolean;
  handle(request: Request, response: Response, authInfo: AuthInfo): Promise<void>;
  close(): void;
}

export function createTaskStreams(
  shared: Shared,
  settings: {
    readonly contract: Contract;
    readonly fetch: McpHttpHandler['fetch'];
    readonly clock: Clock;
    readonly streamsMax: number;
  },
): TaskStreams {
  const { engine } = shared;
  const { contract, clock } = settings;
  const streams = new Set<TaskStream>();

  async function handle(request: Request, response: Response, authInfo: AuthInfo): Promise<void> {
    const { id, params } = request.body as { readonly id: string | number; readonly params: JsonObject };
    if (await refusedBySdk(request, response, authInfo)) return;
    const envelope = params['_meta'] as JsonObject;
    const client = contract.signs(envelope[`${META}clientCapabilities`] as JsonObject | undefined);
    const refused = refusal(client, params);
    if (refused !== undefined) {
      const { code, message, data } = refused;
      response.status(code === -32021 ? 400 : 200).json({ jsonrpc: '2.0', id, error: { code, message, data } });
      return;
    }
    const stream = openStream(response, id);
    streams.add(stream);
    response.once('close', () => streams.delete(stream));
    await serve(stream, taskIdsOf(params) as readonly string[], authInfo.clientId, client);
  }

  /** The same request without a filter: what the SDK refuses of it is relayed, word for word. */
  async function refusedBySdk(request: Request, response: Response, authInfo: AuthInfo): Promise<boolean> {
    const probe = { ...request.body, params: { ...request.body.params, notifications: {} } };
    const answer = await settings.fetch(await toWebRequest(request, probe), { parsedBody: probe, authInfo });
    if (answer.headers.get('content-type')?.startsWith('text/event-stream') === true) {
      await answer.body?.cancel();
      return false;
    }
    response
      .status(answer.status)
      .type('application/json')
      .send(await answer.text());
    return true;
  }

  function refusal(client: Client, params: JsonObject): Refused | undefined {
    const gate = contract.tasks?.gate(client);
    if (gate !== undefined) return gate;
    const ids = taskIdsOf(params);
    if (!Array.isArray(ids) || ids.length > WATCHED_MAX || ids.some((id) => typeof id !== 'string')) {
      return refuse(-32602, `notifications.taskIds must be a list of at most ${WATCHED_MAX} strings.`);
    }
    return streams.size < settings.streamsMax ? undefined : refuse(-32603, 'Subscription limit reached');
  }

  async function serve(stream: TaskStream, ids: readonly string[], principal: Principal, client: Client): Promise<void> {
    const notification = contract.tasks?.notification;
    if (notification === undefined) throw new Error(`${contract.id} has no task notifications to listen to`);
    const shown = (view: OperationView): WireMessage => notification({ ...view, shownBytesMax: shared.shownBytesMax }, client);
    const acknowledged = Promise.withResolvers<void>();
    const watch = watchTasks({
      engine,
      principal,
      log: shared.log,
      notification: shown,
      listening: () => !stream.over.aborted,
      deliver: async ({ method, params }) => {
        await acknowledged.promise;
        await stream.notify(method, params);
      },
    });
    stream.over.addEventListener('abort', () => watch.close(), { once: true });
    const views: OperationView[] = [];
    for (const id of new Set(ids)) {
      const view = await engine.read(id, principal);
      if (view === undefined) continue;
      watch.watch(view);
      views.push(view);
    }
    const honoured = views.map(({ operation }) => operation.id);
    await stream.notify('notifications/subscriptions/acknowledged', { notifications: { taskIds: honoured } });
    for (const view of views) {
      const { method, params } = shown(view);
      await stream.notify(method, params);
    }
    acknowledged.resolve();
    if (views.length === 0) return stream.end();
    while (!stream.over.aborted) {
      await clock.sleep(KEEP_ALIVE_MS, stream.over);
      stream.keepAlive();
    }
  }

  return {
    wants: (body) =>
      contract.tasks?.notification !== undefined &&
      isJsonObject(body) &&
      body['method'] === 'subscriptions/listen' &&
      isJsonObject(body['params']) &&
      taskIdsOf(body['params']) !== undefined,
    handle,
    close() {
      for (const stream of streams) stream.end();
    },
  };
}

function taskIdsOf(params: JsonObject): unknown {
  const notifications = params['notifications'];
  return isJsonObject(notifications) ? notifications['taskIds'] : undefined;
}

interface TaskStream {
  /** Aborts when the peer has gone, or the stream has ended. */
  readonly over: AbortSignal;
  /** Resolves when the peer has taken it, or has gone. */
  notify(method: string, params: JsonObject): Promise<void>;
  keepAlive(): void;
  /** Ends the stream with the result of its request: nothing more comes, and nothing went wrong. */
  end(): void;
}

/** The response as a stream of server-sent events that belong to the request `id`. */
function openStream(response: Response, id: string | number): TaskStream {
  const over = new AbortController();
  response.once('close', () => over.abort());
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' });
  const mark = { [`${META}subscriptionId`]: id };
  const write = (message: object): boolean => response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  return {
    over: over.signal,
    async notify(method, params) {
      if (over.signal.aborted) return;
      if (write({ jsonrpc: '2.0', method, params: { ...params, _meta: mark } })) return;
      await once(response, 'drain', { signal: over.signal }).catch(() => undefined);
    },
    keepAlive() {
      if (!over.signal.aborted && !response.writableNeedDrain) response.write(': keep-alive\n\n');
    },
    end() {
      if (over.signal.aborted) return;
      write({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: { ...mark, [`${META}serverInfo`]: SERVER_INFO } } });
      over.abort();
      response.end();
    },
  };
}
