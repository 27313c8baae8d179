// The server's side of one session, whatever carries it: the handlers, what its own stream is told, and what its person is asked.

import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Contract } from '../contracts/contract.ts';
import type { OperationId, Principal } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { createAsker, type SendRequest, type Way } from './asking.ts';
import { ANSWER_WITHIN_MS, createGatewayServer, type Shared } from './gateway-server.ts';
import { WATCHED_MAX, watchTasks } from './task-watch.ts';
import { progressTeller } from './waiting.ts';

export interface SessionParts {
  readonly contract: Contract;
  readonly principal: Principal;
  /** What the client declared when it opened the session. */
  readonly capabilities: JsonObject;
  /** Aborts when nobody will read this request's answer any more. */
  readonly gone: (context: ServerContext) => AbortSignal;
  /** The session's own stream, as what aborts when it is gone; `undefined` while there is none. */
  readonly stream: () => AbortSignal | undefined;
}

export interface SessionServer {
  readonly server: Server;
  /** Stops telling and asking. The server itself is closed by whoever opened it. */
  close(): void;
}

export function createSessionServer(shared: Shared, parts: SessionParts): SessionServer {
  const { contract, principal, stream, gone } = parts;
  const { engine, log } = shared;
  const asker = createAsker(engine, principal, log);
  let client = contract.signs(parts.capabilities);
  const { notification, ask, progress } = contract.tasks ?? {};
  /** How the progress of a task is told, where its call gave a token. */
  const tellers = new LRUCache<OperationId, ReturnType<typeof progressTeller>>({ max: WATCHED_MAX });
  const send: SendRequest = ({ method, params }, signal) =>
    server.request({ method, params: { ...params } }, z.looseObject({}), { timeout: ANSWER_WITHIN_MS, signal });

  const watch =
    notification &&
    watchTasks({
      engine,
      principal,
      log,
      notification: (view) => notification(view, client),
      listening: () => stream() !== undefined,
      deliver: (told) => server.notification({ method: told.method, params: { ...told.params } }),
      seen(view) {
        const open = stream();
        const { id, createdAt, updatedAt, progress: known } = view.operation;
        // Told only where the service says how far it is: a task keeps nobody's call alive, so there is nothing to count for.
        if (open !== undefined && known?.fraction !== undefined)
          void tellers
            .get(id)?.(view, updatedAt - createdAt)
            .catch(() => undefined);
        if (ask === undefined || client.forms !== true || open === undefined) return;
        const write: Way['write'] = (question) => ask(question, view.operation.id);
        asker.put(view, { send, write, gone: open });
      },
    });

  const server = createGatewayServer(
    {
      contract,
      principal,
      asker,
      client: () => client,
      gone,
      sentTask: () => {
        client = { ...client, tasks: true };
      },
      knows(view, token) {
        const { id } = view.operation;
        if (token !== undefined && progress !== undefined) {
          tellers.set(
            id,
            progressTeller(async (told) => {
              const { method, params } = progress(token, told, id);
              await server.notification({ method, params: { ...params } });
            }),
          );
        }
        watch?.watch(view);
      },
    },
    shared,
  );
  return {
    server,
    close() {
      watch?.close();
      asker.close();
    },
  };
}
