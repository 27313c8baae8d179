// /mcp: both legs of the protocol on one URL. Which leg a request belongs to is the SDK's own classification, read once.

import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/express';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  classifyInboundRequest,
  createMcpHandler,
} from '@modelcontextprotocol/server';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Config } from '../config/config.ts';
import type { Contract } from '../contracts/contract.ts';
import { CONTRACTS, contractFor } from '../contracts/index.ts';
import type { JsonObject } from '../core/json.ts';
import type { Clock } from '../core/time.ts';
import { allowedHostNames, allowedOriginNames } from './allowed-names.ts';
import { createGatewayServer, type Peer, type Shared } from './gateway-server.ts';
import type { Identity } from './identity.ts';
import { createTaskStreams } from './listen.ts';
import { messageBody } from './message-body.ts';
import { answerError } from './rpc-errors.ts';
import { createSessions } from './sessions.ts';
import { connectStdio, type StdioConnection, type StdioStreams } from './stdio.ts';
import { createTaskSubscriptions } from './task-subscriptions.ts';

export interface McpEndpoint {
  readonly router: Router;
  /** Serves one client on standard streams as well. The connection ends with the endpoint. */
  connectStdio(streams: StdioStreams): StdioConnection;
  /**
   * Takes no more requests, ends what only waits (each wait with an answer), lets what is at work finish for the drain time,
   * then closes sessions and streams.
   */
  close(): Promise<void>;
}

const METHODS = ['GET', 'POST', 'DELETE'];

export function createMcpEndpoint(
  parts: Omit<Shared, 'stopping'> & { readonly contracts?: readonly Contract[] },
  config: Config,
  identity: Identity,
  clock: Clock,
): McpEndpoint {
  const stop = new AbortController();
  const { contracts = CONTRACTS, ...shown } = parts;
  const shared: Shared = { ...shown, stopping: stop.signal };
  const exchanges = new Set<Response>();
  let stdio: StdioConnection | undefined;
  const sessions = createSessions(shared, {
    clock,
    contractFor: (version) => contractFor('session', version, config.contracts, contracts),
    ...config.server,
  });
  const onerror = (error: Error) => shared.log.debug({ error }, 'a request reported an error');
  const requests = createMcpHandler(({ authInfo }) => createGatewayServer(requestPeer(authInfo), shared), {
    legacy: 'reject',
    onerror,
  });
  const answerRequest = toNodeHandler(requests, { onerror });
  const contract = contractFor('request', undefined, config.contracts, contracts);

  const subscriptions = createTaskSubscriptions(shared, { contract, subscriptionsMax: config.server.sessionsMax });
  const taskStreams = createTaskStreams(subscriptions, { fetch: requests.fetch, clock });

  /** A request stands alone: what its client can do is in its own envelope. */
  const requestPeer = (authInfo: AuthInfo | undefined): Peer => ({
    contract,
    principal: principalOf(authInfo),
    client: ({ mcpReq }) =>
      contract.signs((mcpReq.envelope as JsonObject | undefined)?.[CLIENT_CAPABILITIES_META_KEY] as JsonObject | undefined),
    gone: ({ mcpReq }) => mcpReq.signal,
  });

  const route: RequestHandler = async (request, response) => {
    if (!METHODS.includes(request.method)) {
      response.set('Allow', METHODS.join(', '));
      return answerError(response, 405, -32000, 'Method not allowed.');
    }
    if (stop.signal.aborted) return answerError(response, 503, -32603, 'The gateway is stopping.');
    if (request.method !== 'GET') {
      exchanges.add(response);
      response.once('close', () => exchanges.delete(response));
    }
    const principal = identity.principal(request);
    if (principal === undefined) return answerError(response, 401, -32000, 'Unauthorized');
    const leg = legOf(request);
    if (leg === 'legacy') return sessions.handle(request, response, principal);
    const auth = authInfoOf(principal);
    if (leg === 'modern' && subscriptions.wants(request.body)) return taskStreams.handle(request, response, auth);
    // What the SDK refuses it also answers: its words for a bad envelope are the protocol's own.
    await answerRequest(Object.assign(request, { auth }), response, request.body);
  };

  const router = Router();
  router.use(hostHeaderValidation([...allowedHostNames(config)]));
  router.use(originValidation([...allowedOriginNames(config)]));
  router.use(...messageBody(config.server.requestBytesMax));
  router.use(route);

  const stopTelling = shared.lists.changed?.(() => {
    sessions.toolsChanged();
    stdio?.toolsChanged();
    requests.notify.toolsChanged();
  });
  void warmUp(requests.fetch);
  return {
    router,
    connectStdio(streams) {
      stdio = connectStdio(shared, streams, {
        subscriptions,
        contractOf: (leg, version) => contractFor(leg, version, config.contracts, contracts),
        lineBytesMax: config.server.requestBytesMax,
      });
      return stdio;
    },
    async close() {
      stop.abort();
      stopTelling?.();
      subscriptions.close();
      await finished(exchanges, config.server.drainMs, clock);
      await stdio?.close();
      await sessions.close();
      await requests.close();
    },
  };
}

/** Resolves when every exchange is over, or the time is. */
async function finished(exchanges: ReadonlySet<Response>, timeoutMs: number, clock: Clock): Promise<void> {
  const over = new AbortController();
  const all = [...exchanges].map((response) => new Promise((resolve) => response.once('close', resolve)));
  await Promise.race([Promise.all(all), clock.sleep(timeoutMs, over.signal)]);
  over.abort();
}

function legOf(request: Request): 'legacy' | 'modern' | 'reject' {
  const header = (name: string) => request.header(name);
  const [version, method, name] = [header('mcp-protocol-version'), header('mcp-method'), header('mcp-name')];
  return classifyInboundRequest({
    httpMethod: request.method,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
    ...(request.method === 'POST' ? { body: request.body } : {}),
  }).kind;
}

// The SDK hands its handlers nothing of ours but this: the principal travels as the client id.
const authInfoOf = (principal: string): AuthInfo => ({ token: '', clientId: principal, scopes: [] });

function principalOf(authInfo: AuthInfo | undefined): string {
  if (authInfo === undefined) throw new Error('a request reached the protocol without a principal');
  return authInfo.clientId;
}

/** The SDK builds its schemas on first use, some 100 ms: better at boot than in somebody's call. */
async function warmUp(
  fetch: (request: globalThis.Request, options: { authInfo: AuthInfo }) => Promise<globalThis.Response>,
): Promise<void> {
  const meta = (name: string) => `io.modelcontextprotocol/${name}`;
  const envelope = {
    [meta('protocolVersion')]: '2026-07-28',
    [meta('clientInfo')]: { name: 'longshore', version: '0' },
    [meta('clientCapabilities')]: {},
  };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'tools/list', params: { _meta: envelope } });
  const response = await fetch(new globalThis.Request('http://localhost/mcp', { method: 'POST', headers, body }), {
    authInfo: authInfoOf(''),
  });
  await response.text();
}
