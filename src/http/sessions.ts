// Sessions: the leg of the protocol that begins with `initialize` and lives in this process.
//   H1. A session belongs to the principal that opened it: to anybody else it does not exist.
//   H2. Sessions are bounded, over all and for each principal, and one that is idle (no request, no stream) for long enough is closed.
//       Room is made from whoever has most.
//   H3. What a session waits for ends with the HTTP exchange that asked for it, and cancels nothing. An exchange that broke off is
//       waited for a little longer: its client may resume it.

import { randomUUID } from 'node:crypto';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { isInitializeRequest, type RequestId, type Server } from '@modelcontextprotocol/server';
import type { Request, Response } from 'express';
import type { Contract } from '../contracts/contract.ts';
import type { Principal } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Clock, EpochMs } from '../core/time.ts';
import { createEventStore } from './event-store.ts';
import type { Shared } from './gateway-server.ts';
import { shareOf } from './identity.ts';
import { answerError } from './rpc-errors.ts';
import { createSessionServer } from './session-server.ts';

export interface Sessions {
  handle(request: Request, response: Response, principal: Principal): Promise<void>;
  /** Tells whoever listens that tools/list has changed. */
  toolsChanged(): void;
  close(): Promise<void>;
}

interface Session {
  readonly id: string;
  readonly principal: Principal;
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly server: Server;
  /** HTTP exchanges that are open, streams among them. */
  open: number;
  /** Those of them that are the session's own stream. */
  streams: number;
  /** Streams on which broken exchanges go on. */
  resumed: number;
  /** Aborts when the last of the session's own streams is gone. */
  streamGone: AbortController;
  idleSince: EpochMs;
  /** By JSON-RPC id: aborts when the exchange that carries the request is gone. */
  readonly exchanges: Map<RequestId, AbortSignal>;
}

/** A client is told to come back after this long, and is waited for this much longer. */
const RETRY_MS = 1_000;
const RESUME_WITHIN_MS = 30_000;

export function createSessions(
  shared: Shared,
  settings: {
    readonly clock: Clock;
    /** The contract of a session that asks for a protocol version. */
    readonly contractFor: (version: string) => Contract;
    readonly sessionsMax: number;
    readonly sessionIdleMs: number;
  },
): Sessions {
  const { clock } = settings;
  const log: Log = shared.log;
  const sessions = new Map<string, Session>();
  const closing = new AbortController();
  const ownMax = shareOf(settings.sessionsMax, shared.policy.identified);
  let reaping = false;

  async function handle(request: Request, response: Response, principal: Principal): Promise<void> {
    const id = request.header('mcp-session-id');
    if (id !== undefined) {
      const session = sessions.get(id);
      if (session === undefined || session.principal !== principal)
        return answerError(response, 404, -32001, 'Session not found');
      return exchange(session, request, response);
    }
    if (!isInitializeRequest(request.body)) return answerError(response, 400, -32000, 'Bad Request: Mcp-Session-Id is missing');
    if (!makeRoom(principal)) {
      const why =
        ownMax === settings.sessionsMax || ownedBy(principal).length < ownMax
          ? `All ${settings.sessionsMax} sessions`
          : `All ${ownMax} sessions that you may have`;
      log.warn({ principal, sessions: sessions.size }, `a session was refused: ${why} are in use (server.sessionsMax)`);
      return answerError(response, 503, -32000, `${why} are in use.`);
    }
    return exchange(await openSession(request.body.params, principal), request, response);
  }

  async function openSession(
    params: { protocolVersion: string; capabilities: unknown },
    principal: Principal,
  ): Promise<Session> {
    const contract = settings.contractFor(params.protocolVersion);
    const id = randomUUID();
    const exchanges = new Map<RequestId, AbortSignal>();
    const { server, close } = createSessionServer(shared, {
      contract,
      principal,
      capabilities: params.capabilities as JsonObject,
      gone({ mcpReq }) {
        const exchange = exchanges.get(mcpReq.id);
        return exchange === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, exchange]);
      },
      stream: () => (session.streams > 0 ? session.streamGone.signal : undefined),
    });
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: createEventStore(),
      retryInterval: RETRY_MS,
    });
    const session: Session = {
      id,
      principal,
      transport,
      server,
      open: 0,
      streams: 0,
      resumed: 0,
      streamGone: new AbortController(),
      idleSince: clock.now(),
      exchanges,
    };
    server.onclose = () => {
      sessions.delete(id);
      close();
    };
    server.onerror = (error) => log.debug({ session: id, error }, 'a session reported an error');
    await server.connect(transport);
    sessions.set(id, session);
    void reap();
    return session;
  }

  async function exchange(session: Session, request: Request, response: Response): Promise<void> {
    const gone = new AbortController();
    const ids = requestIds(request.body);
    const resumes = request.method === 'GET' && request.header('last-event-id') !== undefined;
    const stream = request.method === 'GET';
    if (resumes) session.resumed += 1;
    session.open += 1;
    for (const id of ids) session.exchanges.set(id, gone.signal);
    if (stream && session.streams++ === 0) session.streamGone = new AbortController();
    response.once('close', () => {
      if (resumes) session.resumed -= 1;
      // Written to its end, it is over; broken off, it may be resumed.
      if (response.writableFinished || ids.length === 0) gone.abort();
      else void endUnlessResumed(session, gone);
      for (const id of ids) if (session.exchanges.get(id) === gone.signal) session.exchanges.delete(id);
      session.open -= 1;
      session.idleSince = clock.now();
      if (stream && --session.streams === 0) session.streamGone.abort();
    });
    await session.transport.handleRequest(request, response, request.method === 'POST' ? request.body : undefined);
  }

  async function endUnlessResumed(session: Session, gone: AbortController): Promise<void> {
    do await clock.sleep(RESUME_WITHIN_MS, closing.signal);
    while (session.resumed > 0 && !closing.signal.aborted);
    gone.abort();
  }

  const ownedBy = (principal: Principal): readonly Session[] =>
    [...sessions.values()].filter((session) => session.principal === principal);

  /** Room for one more: true at once, or after closing the session that has been idle longest of the principal that has most. */
  function makeRoom(principal: Principal): boolean {
    const own = ownedBy(principal);
    if (own.length < ownMax && sessions.size < settings.sessionsMax) return true;
    shared.metrics.reached({ limit: 'sessionsMax', upstream: 'none' });
    const counts = Map.groupBy(sessions.values(), (session) => session.principal);
    const has = (session: Session): number => counts.get(session.principal)?.length ?? 0;
    const [oldest] = (own.length < ownMax ? [...sessions.values()] : [...own])
      .filter(isIdle)
      .sort((a, b) => has(b) - has(a) || a.idleSince - b.idleSince);
    if (oldest !== undefined) end(oldest, 'room was needed');
    return oldest !== undefined;
  }

  const isIdle = (session: Session): boolean => session.open === 0;

  function end(session: Session, why: string): void {
    sessions.delete(session.id);
    log.debug({ session: session.id, why }, 'a session was closed');
    session.server
      .close()
      .catch((error: unknown) => log.warn({ session: session.id, error }, 'a session did not close cleanly'));
  }

  /** Closes what is idle too long. Runs only while there are sessions. */
  async function reap(): Promise<void> {
    if (reaping) return;
    reaping = true;
    while (sessions.size > 0 && !closing.signal.aborted) {
      const now = clock.now();
      const idle = [...sessions.values()].filter(isIdle);
      for (const session of idle) if (now - session.idleSince >= settings.sessionIdleMs) end(session, 'it was idle');
      const next = Math.min(...idle.map((session) => session.idleSince + settings.sessionIdleMs).filter((at) => at > now));
      await clock.sleep(Math.min(next - now, settings.sessionIdleMs), closing.signal);
    }
    reaping = false;
  }

  return {
    handle,
    toolsChanged() {
      for (const { server } of [...sessions.values()].filter(({ streams }) => streams > 0)) {
        // A peer that has gone asks anew when it comes back.
        server.sendToolListChanged().catch(() => undefined);
      }
    },
    async close() {
      closing.abort();
      await Promise.allSettled([...sessions.values()].map((session) => session.server.close()));
      sessions.clear();
    },
  };
}

function requestIds(body: unknown): readonly RequestId[] {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.flatMap((message) => {
    const id = (message as { readonly id?: unknown } | null | undefined)?.id;
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  });
}
