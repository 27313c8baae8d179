// The real engine, machine, ledger and adapter on virtual time, in front of an upstream that is a script.

import { afterEach } from 'vitest';
import { http202 } from '../../adapters/http-202/adapter.ts';
import { adapterName, type OpenApiOperation } from '../../src/core/adapter.ts';
import type { JobDescription } from '../../src/core/description.ts';
import type { Descriptor, Traits } from '../../src/core/descriptor.ts';
import type { Exchange, HttpFailureKind, HttpRequest, Transport } from '../../src/core/http.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { silentLog } from '../../src/core/log.ts';
import type { Metrics } from '../../src/core/metrics.ts';
import type { RequestTemplate } from '../../src/core/request.ts';
import { KEY_ARGUMENT } from '../../src/core/submission-key.ts';
import type { Catalogue, JobTool } from '../../src/core/tool.ts';
import { createEngine } from '../../src/engine/create-engine.ts';
import type { Engine, StartCall } from '../../src/engine/engine.ts';
import type { BudgetKind, EngineSettings, GatePorts } from '../../src/engine/ports.ts';
import { LongshoreError } from '../../src/errors.ts';
import { openSqliteLedger, type SqliteLedger } from '../../src/ledger/sqlite.ts';
import { seededRandom, settle, VirtualClock } from '../support/virtual-clock.ts';

export const ORIGIN = 'http://reports.test';

/** An answer, a failure of the network, or something that is decided when the request comes. */
export type Scripted =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly json?: unknown;
      readonly text?: string;
    }
  | { readonly fails: HttpFailureKind; readonly mayHaveBeenSent: boolean }
  | { readonly hang: true };
export type Script = (request: HttpRequest, count: number) => Scripted | Promise<Scripted>;

/** An upstream as a script by `METHOD /path`, or by `METHOD *` for all others; counts what reaches it. */
export class ScriptedUpstream implements Transport {
  readonly requests: HttpRequest[] = [];
  readonly #clock: VirtualClock;
  #scripts: Readonly<Record<string, Script | readonly Scripted[]>>;

  constructor(clock: VirtualClock, scripts: Readonly<Record<string, Script | readonly Scripted[]>>) {
    this.#clock = clock;
    this.#scripts = scripts;
  }

  script(scripts: Readonly<Record<string, Script | readonly Scripted[]>>): void {
    this.#scripts = { ...this.#scripts, ...scripts };
  }

  count(route: string): number {
    return this.requests.filter((request) => routeOf(request) === route).length;
  }

  async send(_upstream: string, request: HttpRequest, options: { timeoutMs: number; signal?: AbortSignal }): Promise<Exchange> {
    this.requests.push(request);
    const route = routeOf(request);
    const script = this.#scripts[route] ?? this.#scripts[`${request.method} *`];
    const count = this.count(route);
    const scripted =
      typeof script === 'function'
        ? await script(request, count)
        : (script?.[Math.min(count, script.length) - 1] ?? { status: 404, json: { error: `nothing at ${route}` } });
    if ('hang' in scripted) {
      await this.#clock.sleep(options.timeoutMs, options.signal);
      return { ok: false, failure: { kind: 'timeout', mayHaveBeenSent: true, message: `${route}: no answer in time` } };
    }
    if ('fails' in scripted) {
      return {
        ok: false,
        failure: { kind: scripted.fails, mayHaveBeenSent: scripted.mayHaveBeenSent, message: `${route}: ${scripted.fails}` },
      };
    }
    const text = scripted.text ?? (scripted.json === undefined ? '' : JSON.stringify(scripted.json));
    const type = scripted.json === undefined ? {} : { 'content-type': 'application/json' };
    return {
      ok: true,
      response: {
        status: scripted.status,
        headers: { ...type, ...scripted.headers },
        url: request.url,
        body: new TextEncoder().encode(text),
      },
    };
  }
}

const routeOf = ({ method, url }: HttpRequest) => `${method} ${new URL(url).pathname}`;

/** A PUT (or so) of a job whose id is the submission key. */
export const keyed = (method: string): RequestTemplate => ({
  ...SUBMIT,
  method,
  path: '/jobs/{jobId}',
  parameters: [
    {
      argument: KEY_ARGUMENT,
      name: 'jobId',
      in: 'path',
      style: 'simple',
      explode: false,
      required: true,
      allowReserved: false,
    },
  ],
});

const SUBMIT: RequestTemplate = {
  method: 'POST',
  server: ORIGIN,
  path: '/jobs',
  parameters: [],
  body: { mediaType: 'application/json', required: true, from: { kind: 'member', argument: 'body' } },
  headers: [],
  query: [],
  bodyConstants: [],
  accept: 'application/json',
};

export const TIMING: Traits['timing'] = {
  submitTimeoutMs: 10_000,
  submitLeaseMs: 15_000,
  readTimeoutMs: 10_000,
  consistencyGraceMs: 3_000,
  reconcileWindowMs: 60_000,
  effectsWindowMs: 3_600_000,
  waitBudgetMs: 600_000,
  startWithinMs: 60_000,
};

export const DESCRIPTION: JobDescription = {
  handle: { id: '$response.body#/id' },
  status: { url: '/jobs/{id}' },
  state: { at: '/status' },
  result: { at: '/result' },
  cancel: { method: 'POST', url: '/jobs/{id}/cancel' },
};

/** A tool of the adapter http-202 in front of the scripted upstream. */
export function jobTool(
  description: JobDescription = DESCRIPTION,
  timing: Partial<Traits['timing']> = {},
  submit: RequestTemplate = SUBMIT,
): JobTool {
  const { deduplicateMs } = description;
  const source: OpenApiOperation = {
    method: submit.method,
    path: submit.path,
    operationId: 'startJob',
    pointer: '/paths/~1jobs/post',
    object: {},
    request: submit,
    related: () => undefined,
  };
  const compiled = http202.compile(source, description, [ORIGIN]);
  if ('refused' in compiled) throw new Error(compiled.reason);
  const descriptor: Descriptor = {
    version: 1,
    tool: 'start_job',
    upstream: 'reports',
    adapter: adapterName(http202),
    submit,
    allowedOrigins: [ORIGIN],
    traits: { ...compiled.traits, submitAttemptsMax: 5, fetchTriesMax: 5, cancelTriesMax: 3, timing: { ...TIMING, ...timing } },
    pace: {
      intervalMs: 1_000,
      intervalMinMs: 250,
      intervalMaxMs: 10_000,
      ageShare: 0.1,
      ...(description.pace?.firstMs !== undefined && { firstMs: description.pace.firstMs }),
    },
    ...(description.submissionKey?.format && { keyFormat: description.submissionKey.format }),
    responseBytesMax: 1_000_000,
    protocol: compiled.protocol,
  };
  return {
    kind: 'job',
    name: 'start_job',
    description: 'Starts a job.',
    inputSchema: { type: 'object' },
    annotations: {},
    upstream: 'reports',
    source: { document: 'reports.yaml', method: 'POST', path: '/jobs', operationId: 'startJob', pointer: source.pointer },
    why: 'described',
    taskSupport: 'optional',
    descriptor,
    inlineWaitMs: 25_000,
    ...(deduplicateMs !== undefined && { deduplicateMs }),
    check: (args) => (args['body'] === undefined ? [{ pointer: '/body', message: 'is required' }] : []),
    misfit: () => undefined,
  };
}

/** What the scripted service usually answers. */
export const ANSWERS = {
  lost: { fails: 'reset', mayHaveBeenSent: true },
  accepted: { status: 202, json: { id: '7', status: 'queued' } },
  running: { status: 200, json: { status: 'running' } },
  done: { status: 200, json: { status: 'succeeded', result: { n: 1 } } },
  missing: { status: 404, json: { error: 'not found' } },
} as const satisfies Record<string, Scripted>;

export interface House {
  readonly clock: VirtualClock;
  readonly upstream: ScriptedUpstream;
  readonly ledger: SqliteLedger;
  readonly tool: JobTool;
  engine: Engine;
  start(
    body?: JsonObject,
    more?: Partial<Pick<StartCall, 'callerKey' | 'principal' | 'door' | 'ruling'>>,
  ): ReturnType<Engine['start']>;
  /** Starts an operation and gives its id; throws when it was refused. */
  begun(body?: JsonObject): Promise<string>;
  life(id: string): Promise<string | undefined>;
  outcome(id: string): Promise<string | undefined>;
  alive(): boolean;
  /** How many polls the budget let begin. */
  pollsBegun(): number;
  /** The engine stops at once wherever it is, as by kill -9, and another one starts on the same ledger. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

const WRITES = new Set([
  'create',
  'append',
  'reschedule',
  'lease',
  'putDescriptor',
  'put',
  'changeGate',
  'keepShadow',
  'keepMove',
]);

/** Whether the engine still lives, and when it is to die. */
interface Mortality {
  alive: boolean;
  /** Asked once for each write, in order. */
  readonly dies: (name: string) => 'before' | 'after' | undefined;
  /** The store takes no write now. */
  readonly isDown: () => boolean;
}

/** A port of an engine that can be killed: a dead engine's calls never come back, and do nothing. */
function mortal<T extends object>(target: T, mortality: Mortality): T {
  const never = () => new Promise<never>(() => undefined);
  return new Proxy(target, {
    get(_target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return (...args: unknown[]) => {
        // Instants are read even by the dying: only what waits or writes is cut off.
        if (name === 'now' || name === 'monotonic') return member.apply(target, args);
        const dies = mortality.alive && WRITES.has(name) ? mortality.dies(name) : undefined;
        if (dies === 'before') mortality.alive = false;
        if (!mortality.alive) return never();
        if ((WRITES.has(name) || name === 'ping') && mortality.isDown())
          return Promise.reject(new LongshoreError('LEDGER_UNAVAILABLE', 'The disk is full.'));
        const result: unknown = member.apply(target, args);
        if (!(result instanceof Promise)) return result;
        return result.then((value: unknown) => {
          if (dies === 'after') mortality.alive = false;
          return mortality.alive ? value : never();
        });
      };
    },
  });
}

/** Puts up the house, on a ledger in memory. `dies`: at which of the engine's writes it is killed, before or after it is durable. */
export async function house(
  scripts: Readonly<Record<string, Script | readonly Scripted[]>>,
  options: {
    readonly tool?: JobTool;
    readonly seed?: number;
    readonly settings?: Partial<EngineSettings>;
    readonly metrics?: Metrics;
    readonly submitsMax?: number;
    readonly pollsMax?: number;
    /** Given, operations are started through gates. */
    readonly gates?: Partial<GatePorts>;
    /** What tools say about Tasks follows how long their jobs take. */
    readonly durations?: true;
    readonly dies?: (write: number, name: string) => 'before' | 'after' | undefined;
    readonly storeIsDown?: () => boolean;
  } = {},
): Promise<House> {
  const clock = new VirtualClock();
  const upstream = new ScriptedUpstream(clock, scripts);
  const ledger = await openSqliteLedger({ path: ':memory:', clock });
  const tool = options.tool ?? jobTool();
  const catalogue: Catalogue = { tools: new Map([[tool.name, tool]]), leftOut: [], services: new Map(), warnings: [] };
  const random = seededRandom(options.seed ?? 1);
  let open = 0;
  let polls = 0;
  let pollsBegun = 0;
  let writes = 0;
  const born = (): Mortality => ({
    alive: true,
    dies: (name) => options.dies?.(++writes, name),
    isDown: () => options.storeIsDown?.() ?? false,
  });
  let life = born();
  const places = (kind: BudgetKind) =>
    kind === 'submit' ? (options.submitsMax ?? 100) - open : kind === 'poll' ? (options.pollsMax ?? 100) - polls : 100;
  const make = () => {
    const mine = life;
    return createEngine({
      ledger: mortal(ledger, mine),
      blobs: mortal(ledger.blobs, mine),
      adapters: new Map([[adapterName(http202), http202]]),
      catalogue,
      transport: mortal(upstream, mine),
      budget: {
        places,
        available: places,
        availableInAll: () => 100,
        take: (kind) => {
          if (kind === 'submit') open += 1;
          if (kind === 'poll') {
            polls += 1;
            pollsBegun += 1;
          }
          return () => {
            if (kind === 'submit') open -= 1;
            if (kind === 'poll') polls -= 1;
          };
        },
      },
      ...(options.durations && { durations: mortal(ledger, mine) }),
      ...(options.gates && {
        gates: {
          store: mortal(ledger, mine),
          contracts: ['2025-11-25', '2026-07-28'],
          configured: [],
          mistrusted: [],
          tripAfter: 4,
          tripWithinMs: 600_000,
          ...options.gates,
        },
      }),
      clock: mortal(clock, mine),
      random,
      log: silentLog,
      ...(options.metrics && { metrics: options.metrics }),
      settings: {
        startGraceMs: 500,
        retentionMs: 3_600_000,
        operationsPerPrincipalMax: 1_000,
        inlinePayloadBytesMax: 1_024,
        workLeaseMs: 30_000,
        sweepEveryMs: 60_000,
        ...options.settings,
      },
    });
  };
  const self: House = {
    clock,
    upstream,
    ledger,
    tool,
    engine: make(),
    async start(body = { name: 'x' }, more = {}) {
      const started = self.engine.start({ tool, arguments: { body }, principal: 'local', door: '2026-07-28', ...more });
      await clock.advance(500);
      return started;
    },
    async begun(body) {
      const started = await self.start(body);
      if (started.kind !== 'operation') throw new Error(`not started: ${started.kind}`);
      return started.view.operation.id;
    },
    life: async (id) => (await ledger.get(id))?.life,
    outcome: async (id) => (await ledger.get(id))?.receipt?.outcome,
    alive: () => life.alive,
    pollsBegun: () => pollsBegun,
    async crash() {
      life.alive = false;
      life = born();
      open = 0;
      polls = 0;
      self.engine = make();
      await self.engine.run();
      await settle();
    },
    async close() {
      await self.engine.drain(0);
      await ledger.close();
    },
  };
  await self.engine.run();
  return self;
}

/** Puts up houses that are taken down after each test of the file. */
export function houses(): typeof house {
  const open: House[] = [];
  afterEach(async () => {
    for (const made of open.splice(0)) await made.close();
  });
  return async (...args) => {
    const made = await house(...args);
    open.push(made);
    return made;
  };
}
