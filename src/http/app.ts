// The HTTP face of the gateway: /mcp, and what an orchestrator asks.

import express, { type Express } from 'express';
import type { Config } from '../config/config.ts';
import type { Contract, Policy } from '../contracts/contract.ts';
import type { Log } from '../core/log.ts';
import { type Metrics, noMetrics } from '../core/metrics.ts';
import type { Clock } from '../core/time.ts';
import type { Catalogue } from '../core/tool.ts';
import type { Engine } from '../engine/engine.ts';
import { NO_REACH, type Reach } from '../webhooks/scheme.ts';
import { createAdmin } from './admin.ts';
import { createCalls } from './calls.ts';
import { companionNames } from './companions.ts';
import type { Around } from './gateway-server.ts';
import { type Identity, localIdentity } from './identity.ts';
import { createMcpEndpoint } from './mcp.ts';
import { createMetricsPage, type Scraped } from './metrics.ts';
import { answerError, errorsAsJson } from './rpc-errors.ts';
import type { StdioConnection, StdioStreams } from './stdio.ts';
import { createToolLists } from './tool-lists.ts';
import { createWebhooks } from './webhooks.ts';

export interface AppParts {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly identity?: Identity;
  /** The contracts there are, in order of preference; absent: those of contracts/index.ts. */
  readonly contracts?: readonly Contract[];
  readonly around?: Around;
  /** How upstreams reach a callback URL; absent where none calls back. */
  readonly callbackUrl?: (upstream: string, token: string) => string;
  /** What may be asked of the outside to verify an upstream's deliveries; absent: nothing. */
  readonly reach?: (upstream: string) => Reach;
  readonly metrics?: Metrics;
  /** What is served at /metrics; absent: nothing. */
  readonly scraped?: Scraped;
}

export interface App {
  readonly app: Express;
  /** Serves one client on standard streams, beside HTTP. */
  connectStdio(streams: StdioStreams): StdioConnection;
  /** Takes no more MCP requests, answers what waits, lets the rest finish for the drain time. Cancels nothing: operations go on. */
  close(): Promise<void>;
}

/** Opens no port: the caller listens. */
export function createApp({
  engine,
  catalogue,
  config,
  log,
  clock,
  identity = localIdentity,
  callbackUrl,
  reach = () => NO_REACH,
  metrics = noMetrics,
  scraped,
  contracts,
  around,
}: AppParts): App {
  const policy: Policy = { taskless: config.taskless, identified: identity.identified };
  const companions = companionNames(catalogue, policy.identified);
  const { inlineWaitMs: companionWaitMs, resultBytesInlineMax: shownBytesMax } = config.limits;
  const calls = createCalls({ engine, catalogue, companions, policy, clock, companionWaitMs, shownBytesMax, log, metrics });
  const lists = createToolLists(catalogue, companions, policy, engine);
  const mcp = createMcpEndpoint(
    { engine, calls, lists, policy, shownBytesMax, log, metrics, ...(contracts && { contracts }), ...(around && { around }) },
    config,
    identity,
    clock,
  );

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get('/healthz', (_request, response) => {
    response.json({ ok: true });
  });
  app.get('/readyz', async (_request, response) => {
    const ready = await engine.ready();
    response.status(ready.ok ? 200 : 503).json(ready);
  });
  app.use('/mcp', mcp.router);
  const { callbacks } = engine;
  if (callbacks !== undefined && callbackUrl !== undefined) {
    const { upstreams } = config;
    app.use('/webhooks', createWebhooks({ callbacks, catalogue, upstreams, callbackUrl, reach, metrics, log, clock }));
  }
  if (scraped !== undefined) app.use('/metrics', createMetricsPage(scraped, config, log));
  const token = config.admin?.token;
  if (token !== undefined) app.use('/admin/v1', createAdmin({ engine, config, token, log }));
  app.use((_request, response) => answerError(response, 404, -32600, 'There is nothing at this path; MCP is at /mcp.'));
  app.use(errorsAsJson(log, metrics));
  return { app, connectStdio: mcp.connectStdio, close: mcp.close };
}
