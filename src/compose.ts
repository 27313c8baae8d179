// The composition root: every part is made here and handed what it needs. Only main.ts uses it.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { adapters } from '../adapters/index.ts';
import { compileCatalogue } from './catalogue/catalogue.ts';
import { readSource } from './catalogue/read.ts';
import type { WrittenRequest } from './cli/dry-run.ts';
import type { ShownList } from './cli/report.ts';
import { systemClock, systemRandom } from './clock.ts';
import type { Config } from './config/config.ts';
import { ConfigError } from './config/config-error.ts';
import type { Contract } from './contracts/contract.ts';
import { CONTRACTS, contractFor } from './contracts/index.ts';
import { difference } from './contracts/pins.ts';
import { adapterName } from './core/adapter.ts';
import { unknownIn } from './core/gates.ts';
import type { HttpRequest } from './core/http.ts';
import type { ContractId } from './core/ids.ts';
import type { JsonObject } from './core/json.ts';
import type { Log } from './core/log.ts';
import { noMetrics } from './core/metrics.ts';
import type { Catalogue } from './core/tool.ts';
import { LIVE } from './core/transitions.ts';
import { createEngine } from './engine/create-engine.ts';
import { LongshoreError } from './errors.ts';
import { createApp } from './http/app.ts';
import { companionNames } from './http/companions.ts';
import type { Around } from './http/gateway-server.ts';
import type { StdioStreams } from './http/stdio.ts';
import { createToolLists } from './http/tool-lists.ts';
import { installedDigests } from './http/wire-pins.ts';
import { openSqliteLedger } from './ledger/sqlite.ts';
import { Budget } from './upstream/budget.ts';
import { type Client, createClient } from './upstream/client.ts';
import { credentialsFor } from './upstream/credentials.ts';
import { measured } from './upstream/measured.ts';
import { headersOf, selectedOf, withHeaderCredentials, withQueryCredentials } from './upstream/written.ts';
import { VERSION } from './version.ts';
import { faultIn } from './webhooks/authenticate.ts';
import { createReach, originsOf } from './webhooks/reach.ts';
import { NO_REACH } from './webhooks/scheme.ts';

/** How long a call waits for the upstream's first answer before the task is handed out. */
const START_GRACE_MS = 500;
const SWEEP_EVERY_MAX_MS = 60_000;
/** Larger results are kept beside the events, so that reading an operation stays cheap. */
const INLINE_PAYLOAD_BYTES_MAX = 16 * 1024;

export interface Gateway {
  /** Where it listens, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly catalogue: Catalogue;
  /** Serves one client on standard streams as well; resolves when it has gone. */
  serveStdio(streams: StdioStreams): Promise<void>;
  /** Takes nothing new, lets what is on the wire finish, closes everything. */
  close(): Promise<void>;
}

/** Compiles what the configuration names, and checks that every credential has a place to go. Throws a LongshoreError with `faults`. */
export async function compile(config: Config): Promise<Catalogue> {
  const catalogue = await compileCatalogue({ config, adapters, read: readSource, faultOfRules: faultIn });
  const faults = config.upstreams.flatMap(({ name, credentials }) =>
    credentialsFor(catalogue.services.get(name)?.securitySchemes ?? {}, credentials).faults.map((fault) => ({
      ...fault,
      file: config.file,
      pointer: `/upstreams/${name}/credentials${fault.pointer}`,
    })),
  );
  const there = { adapters: adapters.map(adapterName), contracts: config.contracts, tools: [...catalogue.tools.values()] };
  const gates = config.gates.set.flatMap((gate, index) => {
    const message = unknownIn(gate, there);
    return message === undefined ? [] : [{ file: config.file, pointer: `/gates/set/${index}`, message }];
  });
  if (faults.length + gates.length > 0) throw new ConfigError([...faults, ...gates]);
  return catalogue;
}

/** Contracts whose wire is not what they were written against. */
function mistrusted(contracts: readonly ContractId[]) {
  return contracts.flatMap((contract) => {
    const wire = CONTRACTS.find(({ id }) => id === contract)?.wire;
    const reason = wire && difference(wire.pin, installedDigests(wire.schemas));
    return reason === undefined ? [] : [{ contract, reason }];
  });
}

/** What clients of each kind get from tools/list; `none` is a client without Tasks. */
export function listsOf(catalogue: Catalogue, contracts: readonly ContractId[]): readonly ShownList[] {
  const policy = { taskless: 'serve', identified: false } as const;
  const lists = createToolLists(catalogue, companionNames(catalogue, policy.identified), policy);
  const shown = (contract: Contract, tasks: boolean): ShownList => ({
    contract: contract.id,
    tools: lists.of(contract, { tasks })['tools'] as readonly JsonObject[],
  });
  const spoken = contracts.flatMap((id) => CONTRACTS.find((contract) => contract.id === id) ?? []);
  return [...spoken.map((contract) => shown(contract, true)), shown(contractFor('session', undefined, []), false)];
}

/** A request as it would leave, but that no secret is in it: `•••` stands for each. */
export function writtenRequest(config: Config, catalogue: Catalogue, upstream: string, request: HttpRequest): WrittenRequest {
  const configured = config.upstreams.find(({ name }) => name === upstream)?.credentials ?? {};
  const { origin, securitySchemes = {} } = catalogue.services.get(upstream) ?? {};
  const { credentials } = credentialsFor(securitySchemes, configured);
  // Credentials go to the upstream's own origin and nowhere else.
  const selected = new URL(request.url).origin === origin ? selectedOf(credentials, request.security) : [];
  const masked = selected.map((one) => ({ ...one, value: () => /^(Bearer |Basic )?/.exec(one.value())?.[0] + MASK }));
  return {
    method: request.method,
    url: withQueryCredentials(request.url, masked).replaceAll(encodeURIComponent(MASK), MASK),
    headers: withHeaderCredentials(headersOf(request, VERSION), masked),
    ...(request.body === undefined ? {} : { body: request.body }),
  };
}

const MASK = '•••';

/** Starts a whole gateway. Throws a LongshoreError where it can't. */
export async function startGateway(config: Config, log: Log, more: { readonly around?: Around } = {}): Promise<Gateway> {
  const catalogue = await compile(config);
  report(catalogue, log);
  const ledger = await openSqliteLedger({ path: config.ledger.path, clock: systemClock });
  const registry = config.metrics && (await import('./telemetry/metrics.ts')).createMetrics(VERSION);
  const client = transportOf(config, catalogue);
  const transport = registry === undefined ? client : measured(client, registry.metrics, systemClock);
  const keys = keysOf(config, registry?.metrics);
  const webhooksOf = (upstream: string) => config.upstreams.find(({ name }) => name === upstream)?.webhooks;
  let listening = '';
  const callbackUrl = (upstream: string, token: string, credentials?: true): string => {
    const { publicUrl, secrets } = webhooksOf(upstream) ?? {};
    const url = `${publicUrl ?? config.server.publicUrl ?? listening}/webhooks/${upstream}/${token}`;
    return credentials === true ? withCredentials(url, secrets?.[0]?.reveal() ?? '') : url;
  };
  const engine = createEngine({
    ledger,
    blobs: ledger.blobs,
    adapters: new Map(adapters.map((adapter) => [adapterName(adapter), adapter])),
    catalogue,
    transport,
    budget: new Budget(
      systemClock,
      config.upstreams.map(({ name, limits }) => [name, limits] as const),
      config.limits.pollsPerSecondMax,
      registry?.metrics,
    ),
    webhooks: { inbox: ledger, callbackUrl, secretFor: (upstream) => webhooksOf(upstream)?.secrets[0]?.reveal() },
    durations: ledger,
    gates: {
      store: ledger,
      contracts: config.contracts,
      configured: config.gates.set,
      mistrusted: mistrusted(config.contracts),
      tripAfter: config.gates.tripAfter,
      tripWithinMs: config.gates.tripWithinMs,
    },
    clock: systemClock,
    random: systemRandom,
    log,
    ...(registry && { metrics: registry.metrics }),
    settings: {
      startGraceMs: START_GRACE_MS,
      retentionMs: config.retentionMs,
      pollIntervalShownMs: config.pollIntervalShownMs,
      operationsPerPrincipalMax: config.limits.operationsPerPrincipalMax,
      inlinePayloadBytesMax: INLINE_PAYLOAD_BYTES_MAX,
      workLeaseMs: 120_000,
      sweepEveryMs: Math.min(SWEEP_EVERY_MAX_MS, Math.max(1_000, config.retentionMs / 4)),
    },
  });
  if (registry !== undefined) {
    engine.subscribe(registry.changed);
    const withEffects = async (effects: 'REQUIRED' | 'ESCALATED') =>
      Object.values(await ledger.count({ facet: { effects } })).reduce((sum, number) => sum + number, 0);
    registry.look({
      async held() {
        try {
          const unsettled = { REQUIRED: await withEffects('REQUIRED'), ESCALATED: await withEffects('ESCALATED') };
          return { open: await ledger.count({ lives: LIVE }), unsettled };
        } catch (error) {
          log.error({ err: error }, 'the ledger could not be counted for a scrape');
          return undefined;
        }
      },
      gates: () => engine.gates?.current() ?? [],
    });
  }
  const { app, connectStdio, close } = createApp({
    engine,
    catalogue,
    config,
    log,
    clock: systemClock,
    callbackUrl,
    reach: keys.reach,
    ...(registry && { metrics: registry.metrics, scraped: registry }),
    ...more,
  });
  let opened: Server | undefined;
  try {
    const server = await listen(app.listen(config.server.port, config.server.host)).catch((error: unknown) => {
      throw notListening(config.server, error);
    });
    const { address, port, family } = server.address() as AddressInfo;
    const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    opened = server;
    // Known before any work begins: a submit may hold it.
    listening = url;
    await engine.run();
    return {
      url,
      catalogue,
      serveStdio: (streams) => connectStdio(streams).closed,
      async close() {
        const closed = new Promise((resolve) => server.close(resolve));
        await Promise.all([close(), engine.drain(config.server.drainMs)]);
        server.closeAllConnections();
        await closed;
        client.close();
        keys.close();
        await ledger.close();
      },
    };
  } catch (error) {
    opened?.close();
    await engine.drain(0);
    await close();
    opened?.closeAllConnections();
    client.close();
    keys.close();
    await ledger.close();
    throw error;
  }
}

/** @see RFC 3986 §3.2.1 User Information */
function withCredentials(url: string, credentials: string): string {
  const [user = '', ...password] = credentials.split(':');
  return url.replace('://', `://${encodeURIComponent(user)}:${encodeURIComponent(password.join(':'))}@`);
}

function transportOf(config: Config, catalogue: Catalogue): Client {
  const endpoints = new Map(
    config.upstreams.map((upstream) => {
      const service = catalogue.services.get(upstream.name);
      const servers = [...catalogue.tools.values()]
        .filter((tool) => tool.upstream === upstream.name)
        .map((tool) => new URL(tool.kind === 'job' ? tool.descriptor.submit.server : tool.request.server).origin);
      const { credentials } = credentialsFor(service?.securitySchemes ?? {}, upstream.credentials);
      return [
        upstream.name,
        {
          ownOrigins: service === undefined ? [] : [service.origin, ...(upstream.trustedOrigins ?? [])],
          allowedOrigins: [...new Set([...upstream.allowedOrigins, ...servers])],
          ...(upstream.rewrite && { rewrite: upstream.rewrite }),
          credentials,
          requestBytesMax: upstream.limits.requestBytesMax,
        },
      ] as const;
    }),
  );
  return createClient({ endpoint: (upstream) => endpoints.get(upstream), version: VERSION, clock: systemClock });
}

/** What deliveries are verified by and is not here: the way to it, which leads nowhere else, and what is known of it. */
function keysOf(config: Config, metrics = noMetrics) {
  const trusts = new Map(config.upstreams.flatMap(({ name, webhooks }) => (webhooks === undefined ? [] : [[name, webhooks]])));
  const client = createClient({
    endpoint: (upstream) => {
      const trust = trusts.get(upstream);
      return trust && { ownOrigins: [], allowedOrigins: originsOf(trust), credentials: [], requestBytesMax: 0 };
    },
    version: VERSION,
    clock: systemClock,
  });
  const transport = measured(client, metrics, systemClock);
  const reaches = new Map(
    [...trusts].map(([upstream, trust]) => [upstream, createReach({ trust, transport, upstream, clock: systemClock })]),
  );
  return { reach: (upstream: string) => reaches.get(upstream) ?? NO_REACH, close: () => client.close() };
}

const WHY_NOT: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there: stop it',
  EACCES: 'this user may not listen there: use a port from 1024 on',
  EADDRNOTAVAIL: 'this machine has no such address: use one that it has, or 127.0.0.1',
  ENOTFOUND: 'this name is not known: use an address of this machine',
};

/** Why nothing can be served at the configured address, in a sentence with the way on; what is no matter of the address stays. */
function notListening({ host, port }: Config['server'], error: unknown): unknown {
  const why = WHY_NOT[(error as NodeJS.ErrnoException).code ?? ''];
  if (why === undefined) return error;
  const sentence = `The gateway can not listen on ${host}:${port}: ${why}, or set server.listen (or LONGSHORE_LISTEN) to another address.`;
  return new LongshoreError('CONFIG_INVALID', sentence, { cause: error });
}

const listen = (server: Server): Promise<Server> =>
  new Promise((resolve, reject) => {
    server.once('listening', () => resolve(server));
    server.once('error', reject);
  });

/** Says what is offered and what is not, so that nothing is missing silently. */
function report(catalogue: Catalogue, log: Log): void {
  for (const { upstream, source, because, reason, mend } of catalogue.leftOut) {
    if (because !== 'refused') continue;
    log.warn(
      {
        upstream,
        operation: undefined,
        at: `${source.method} ${source.path}`,
        pointer: source.pointer,
        line: source.line,
        reason,
        mend,
      },
      'left out of the tools',
    );
  }
  for (const { file, line, pointer, message, mend } of catalogue.warnings) log.warn({ file, line, pointer, mend }, message);
}
