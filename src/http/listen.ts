// subscriptions/listen with taskIds over HTTP: the answer is a stream of server-sent events that belong to the request.

import { once } from 'node:events';
import { toWebRequest } from '@modelcontextprotocol/node';
import type { AuthInfo, McpHttpHandler } from '@modelcontextprotocol/server';
import type { Request, Response } from 'express';
import type { Clock } from '../core/time.ts';
import { type ListenRequest, type SubscriptionStream, type TaskSubscriptions, withoutTaskIds } from './task-subscriptions.ts';

const KEEP_ALIVE_MS = 15_000;
/** A peer that has read nothing for so many keep-alives is taken for gone: what it holds is wanted by others. */
const STALLED_MAX = 4;

export interface TaskStreams {
  handle(request: Request, response: Response, authInfo: AuthInfo): Promise<void>;
}

export function createTaskStreams(
  subscriptions: TaskSubscriptions,
  settings: { readonly fetch: McpHttpHandler['fetch']; readonly clock: Clock },
): TaskStreams {
  /** What the SDK refuses is relayed, word for word. */
  async function refusedBySdk(request: Request, response: Response, authInfo: AuthInfo): Promise<boolean> {
    const probe = withoutTaskIds(request.body);
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

  return {
    async handle(request, response, authInfo) {
      const listen: ListenRequest = request.body;
      if (await refusedBySdk(request, response, authInfo)) return;
      const refused = subscriptions.refusal(listen, authInfo.clientId);
      if (refused !== undefined) {
        const { code, message, data } = refused;
        response.status(code === -32021 ? 400 : 200).json({ jsonrpc: '2.0', id: listen.id, error: { code, message, data } });
        return;
      }
      await subscriptions.serve(listen, authInfo.clientId, openStream(response, settings.clock));
    },
  };
}

function openStream(response: Response, clock: Clock): SubscriptionStream {
  const over = new AbortController();
  response.once('close', () => over.abort());
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' });
  void keepAlive();

  async function keepAlive(): Promise<void> {
    let stalled = 0;
    while (!over.signal.aborted) {
      await clock.sleep(KEEP_ALIVE_MS, over.signal);
      if (over.signal.aborted) return;
      stalled = response.writableNeedDrain ? stalled + 1 : 0;
      if (stalled === STALLED_MAX) response.destroy();
      else if (stalled === 0) response.write(': keep-alive\n\n');
    }
  }

  return {
    over: over.signal,
    async send(message) {
      if (response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)) return;
      await once(response, 'drain', { signal: over.signal }).catch(() => undefined);
    },
    close() {
      over.abort();
      response.end();
    },
  };
}
