// stdio: one client, on the standard streams of the process that it started, by the same handlers as over HTTP.
//   D1. One JSON message a line, in and out; nothing else is ever written to standard output.
//   D2. The first message says which era is spoken, and the whole connection speaks it.
//   D3. Whoever owns the process is its user: there is one principal, `local`.
//   D4. A line that can't be read, or is longer than the body of a request may be, is answered with an error that belongs to no
//       request, and the connection goes on.
//   D5. When standard input ends the client has gone: that is the end of the connection, and no operation is cancelled by it.

import type { Readable, Writable } from 'node:stream';
import {
  CLIENT_CAPABILITIES_META_KEY,
  isInitializeRequest,
  type JSONRPCMessage,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Contract } from '../contracts/contract.ts';
import { LOCAL_PRINCIPAL } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { createGatewayServer, type Shared } from './gateway-server.ts';
import { readLines } from './lines.ts';
import { parseMessage } from './message-body.ts';
import { createSessionServer } from './session-server.ts';
import { withTaskSubscriptions } from './stdio-listen.ts';
import type { TaskSubscriptions } from './task-subscriptions.ts';

export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
}

export interface StdioConnection {
  /** Resolves when the client has gone, or the connection was closed. */
  readonly closed: Promise<void>;
  /** The list of tools has changed. */
  toolsChanged(): void;
  close(): Promise<void>;
}

export interface StdioSettings {
  readonly subscriptions: TaskSubscriptions;
  contractOf(leg: Contract['leg'], version?: string): Contract;
  /** Longest line that is read from a client. */
  readonly lineBytesMax: number;
}

export function connectStdio(
  shared: Shared,
  streams: StdioStreams,
  { subscriptions, contractOf, lineBytesMax }: StdioSettings,
): StdioConnection {
  const over = new AbortController();
  const closed = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve(), { once: true }));
  const lines = lineTransport(streams, lineBytesMax, shared, () => over.abort());
  let served: Server | undefined;

  function openSession(): Server {
    const opening = isInitializeRequest(lines.first()) ? lines.first() : undefined;
    const { protocolVersion, capabilities = {} } = (opening as { readonly params?: Opening } | undefined)?.params ?? {};
    const { server, close } = createSessionServer(shared, {
      contract: contractOf('session', protocolVersion),
      principal: LOCAL_PRINCIPAL,
      capabilities,
      gone: ({ mcpReq }) => AbortSignal.any([mcpReq.signal, over.signal]),
      stream: () => (over.signal.aborted ? undefined : over.signal),
    });
    over.signal.addEventListener('abort', close, { once: true });
    served = server;
    return server;
  }

  function openRequests(): Server {
    const contract = contractOf('request');
    served = createGatewayServer(
      {
        contract,
        principal: LOCAL_PRINCIPAL,
        client: ({ mcpReq }) =>
          contract.signs((mcpReq.envelope as JsonObject | undefined)?.[CLIENT_CAPABILITIES_META_KEY] as JsonObject | undefined),
        gone: ({ mcpReq }) => AbortSignal.any([mcpReq.signal, over.signal]),
      },
      shared,
    );
    return served;
  }

  const handle = serveStdio(({ era }) => (era === 'legacy' ? openSession() : openRequests()), {
    transport: withTaskSubscriptions(lines.transport, subscriptions, over.signal),
    onerror: (error) => shared.log.debug({ error }, 'the stdio connection reported an error'),
  });
  return {
    closed,
    // On a connection without a session it reaches those who subscribed to it.
    toolsChanged: () => void served?.sendToolListChanged().catch(() => undefined),
    async close() {
      await handle.close();
      over.abort();
    },
  };
}

interface Opening {
  readonly protocolVersion?: string;
  readonly capabilities?: JsonObject;
}

/** Messages as lines, with the digits of their arguments kept. `first` is the message that opened the connection. */
function lineTransport(
  { input, output }: StdioStreams,
  bytesMax: number,
  { log, metrics }: Shared,
  gone: () => void,
): { readonly transport: Transport; first(): unknown } {
  let first: unknown;
  let stop: (() => void) | undefined;
  /** The protocol's own id of such an error is none at all. */
  const refuse = (code: number, message: string) => {
    output.write(`${JSON.stringify({ jsonrpc: '2.0', error: { code, message } })}\n`);
  };
  let isOpen = true;
  const closed = () => {
    if (!isOpen) return;
    isOpen = false;
    transport.onclose?.();
    gone();
  };
  const transport: Transport = {
    async start() {
      stop = readLines(input, bytesMax, {
        line(text) {
          if (text.trim() === '') return;
          const message = parseMessage(text);
          first ??= message;
          if (message === undefined) refuse(-32700, 'Parse error: the line is not JSON.');
          else transport.onmessage?.(message as JSONRPCMessage);
        },
        tooLong() {
          metrics.reached({ limit: 'requestBytesMax', upstream: 'none' });
          log.warn({ bytesMax }, 'a line was refused: it is longer than server.requestBytesMax');
          refuse(-32600, `The line is longer than ${bytesMax} bytes.`);
        },
        end: closed,
      });
    },
    async send(message) {
      if (output.write(`${JSON.stringify(message)}\n`)) return;
      await new Promise<void>((resolve) => output.once('drain', resolve));
    },
    async close() {
      stop?.();
      closed();
    },
  };
  return { transport, first: () => first };
}
