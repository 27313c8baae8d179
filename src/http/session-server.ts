// The server's side of one session, whatever carries it: the handlers, what its own stream is told, and what its person is asked.

import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Contract } from '../contracts/contract.ts';
import type { Principal } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { createAsker, type SendRequest, type Way } from './asking.ts';
import { ANSWER_WITHIN_MS, createGatewayServer, type Shared } from './gateway-server.ts';
import { watchTasks } from './task-watch.ts';

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
  const { notification, ask } = contract.tasks ?? {};
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
      knows: (view) => watch?.watch(view),
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
