// An engine whose operations do what a test says: the HTTP edge's other side, without ledger, machine or upstream.

import type { OperationId, Principal } from '../../src/core/ids.ts';
import { inputRequestOf, openQuestions, readAnswer } from '../../src/core/input.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { Operation } from '../../src/core/operation.ts';
import type { Ending, OutcomeKind, Payload, Receipt } from '../../src/core/outcome.ts';
import type { CallTool, Catalogue, JobTool, Tool } from '../../src/core/tool.ts';
import type {
  Answered,
  AnswerVerdict,
  AnswerVerdicts,
  CallOutcome,
  Cancelled,
  Engine,
  OperationView,
  Shelf,
  StartCall,
  Started,
  SupportDesk,
} from '../../src/engine/engine.ts';

export const CREATED_AT = Date.parse('2026-11-29T12:00:00.000Z');

/** A live operation; anything can be overridden. */
export function operation(overrides: Partial<Operation> = {}): Operation {
  return {
    id: 'op_1',
    tool: 'create_export',
    upstream: 'billing',
    descriptorDigest: 'sha256:d',
    adapter: 'http-202@1',
    contract: '2025-11-25',
    principal: 'local',
    arguments: {},
    requestDigest: 'sha256:r',
    submissionKey: 'key',
    epoch: 1,
    createdAt: CREATED_AT,
    ttlMs: 3_600_000,
    seq: 3,
    life: 'WORKING',
    cancellation: 'NONE',
    effects: 'NONE',
    input: 'NONE',
    round: 0,
    attempt: 1,
    mayExist: true,
    doubted: false,
    budgetOver: false,
    fetchTries: 0,
    cancelTries: 0,
    generation: 0,
    changedSeq: 3,
    updatedAt: CREATED_AT + 1000,
    submitAt: CREATED_AT,
    startUntil: CREATED_AT + 60_000,
    budgetUntil: CREATED_AT + 3_600_000,
    ...overrides,
  };
}

export function receipt(outcome: OutcomeKind, overrides: Partial<Receipt> = {}): Receipt {
  return {
    id: 'rc_1',
    operationId: 'op_1',
    seq: 4,
    at: CREATED_AT + 2000,
    outcome,
    by: 'upstream',
    reason: `The upstream says ${outcome}.`,
    matched: {
      requestDigest: 'sha256:r',
      descriptorDigest: 'sha256:d',
      epoch: 1,
      generation: 0,
      referenceId: 'exp_1',
      resultDigest: null,
    },
    evidence: [],
    ...overrides,
  };
}

export const json = (value: unknown): Payload => ({
  mediaType: 'application/json',
  encoding: 'text',
  body: JSON.stringify(value),
});

/** An ended operation, as the machine would leave it. */
export function ended(outcome: OutcomeKind, overrides: Partial<Operation> = {}): Operation {
  const seen: { seen?: Ending } = outcome === 'unknown' ? {} : { seen: outcome };
  return operation({
    seq: 4,
    life: 'ACCEPTED',
    updatedAt: CREATED_AT + 2000,
    ...seen,
    receipt: receipt(outcome),
    ...overrides,
  });
}

const face = {
  upstream: 'billing',
  annotations: {},
  source: { document: 'billing.yaml', method: 'POST', path: '/', pointer: '/paths' },
  why: 'as the test wants it',
  misfit: () => undefined,
};

export function job(name: string, overrides: Partial<JobTool> = {}): JobTool {
  return {
    ...face,
    kind: 'job',
    name,
    description: `${name} starts a job`,
    inputSchema: { type: 'object', properties: { size: { type: 'integer' } } },
    taskSupport: 'optional',
    inlineWaitMs: 1_000,
    // The edge never looks inside.
    descriptor: {} as JobTool['descriptor'],
    check: (args) => (args['size'] === 'large' ? [{ pointer: '/size', message: 'must be integer' }] : []),
    ...overrides,
  };
}

export function call(name: string, overrides: Partial<CallTool> = {}): CallTool {
  return {
    ...face,
    kind: 'call',
    name,
    description: `${name} answers at once`,
    inputSchema: { type: 'object', properties: {} },
    taskSupport: 'forbidden',
    request: {} as CallTool['request'],
    timeoutMs: 1_000,
    responseBytesMax: 1_000,
    check: () => [],
    ...overrides,
  };
}

export const catalogueOf = (...tools: readonly Tool[]): Catalogue => ({
  tools: new Map(tools.map((tool) => [tool.name, tool])),
  leftOut: [],
  services: new Map(),
  warnings: [],
});

export class ScriptedEngine implements Engine {
  readonly started: StartCall[] = [];
  readonly cancels: { readonly id: OperationId; readonly sticky: boolean }[] = [];
  readonly called: { readonly tool: string; readonly args: JsonObject }[] = [];
  /** Waits that are going on right now, and that ever began. */
  waiting = 0;
  waits = 0;
  /** What a synchronous call comes to. */
  comesTo: CallOutcome | Promise<CallOutcome> = { kind: 'answered', status: 200, payload: json({ ok: true }) };
  /** What the next start comes to, where it is not simply started. */
  starts: ((call: StartCall) => Started | undefined) | undefined;
  /** What tools say about Tasks, moved by `moveSupport`. */
  readonly support: SupportDesk = {
    of: (tool) => tool,
    subscribe: (listener) => this.#moves(listener),
    list: () => [],
    moves: async () => [],
  };
  readonly #kept = new Map<string, Payload>();
  readonly shelf: Shelf = {
    keep: async (payload, principal) => {
      const name = String(this.#kept.size + 1);
      this.#kept.set(`${name} ${principal}`, payload);
      return name;
    },
    read: async (name, principal) => this.#kept.get(`${name} ${principal}`),
  };
  readonly #onMove = new Set<() => void>();
  health: { ok: boolean; why?: string } = { ok: true };

  readonly #views = new Map<OperationId, OperationView>();
  readonly #listeners = new Set<(operation: Operation) => void>();

  put(operation: Operation, payload?: Payload, tool?: Tool): OperationView {
    const view: OperationView = { operation, pollIntervalMs: 500, ...(payload && { payload }), ...(tool && { tool }) };
    this.#views.set(operation.id, view);
    for (const listener of [...this.#listeners]) listener(operation);
    return view;
  }

  /** Changes a live operation, one event later. */
  change(id: OperationId, patch: Partial<Operation>, payload?: Payload): void {
    const view = this.#views.get(id);
    if (view === undefined) throw new Error(`no operation ${id}`);
    this.put({ ...view.operation, seq: view.operation.seq + 1, ...patch }, payload ?? view.payload, view.tool);
  }

  end(id: OperationId, outcome: OutcomeKind, payload?: Payload, patch: Partial<Operation> = {}): void {
    const { seen, receipt, life } = ended(outcome);
    this.change(id, { life, ...(receipt && { receipt }), ...(seen && { seen }), ...patch }, payload);
  }

  async start(call: StartCall): Promise<Started> {
    this.started.push(call);
    const scripted = this.starts?.(call);
    if (scripted !== undefined) return scripted;
    const faults = call.tool.check(call.arguments);
    if (faults.length > 0) return { kind: 'invalid', faults };
    const id = `op_${this.started.length}`;
    const created = operation({
      id,
      tool: call.tool.name,
      principal: call.principal,
      contract: call.door,
      arguments: call.arguments,
      ...(call.ttlMs !== undefined && { ttlMs: call.ttlMs }),
    });
    return { kind: 'operation', view: this.put(created, undefined, call.tool), existing: false };
  }

  async call(tool: CallTool, args: JsonObject, _principal: Principal, _signal: AbortSignal): Promise<CallOutcome> {
    this.called.push({ tool: tool.name, args });
    return this.comesTo;
  }

  async read(id: OperationId, principal: Principal): Promise<OperationView | undefined> {
    const view = this.#views.get(id);
    return view?.operation.principal === principal ? view : undefined;
  }

  /** As when an operation's retention is over. */
  forget(id: OperationId): void {
    this.#views.delete(id);
  }

  async list(principal: Principal): Promise<{ items: readonly OperationView[] }> {
    return { items: [...this.#views.values()].filter((view) => view.operation.principal === principal) };
  }

  async wait(
    id: OperationId,
    principal: Principal,
    options: Parameters<Engine['wait']>[2],
  ): Promise<OperationView | undefined> {
    const over = (view: OperationView | undefined) =>
      view === undefined ||
      view.operation.receipt !== undefined ||
      (options.until === 'change' && view.operation.seq > (options.afterSeq ?? 0));
    this.waiting += 1;
    this.waits += 1;
    const done = Promise.withResolvers<void>();
    const check = () => over(this.#views.get(id)) && done.resolve();
    const stop = this.subscribe(check);
    const timer = setTimeout(done.resolve, options.timeoutMs);
    options.signal?.addEventListener('abort', () => done.resolve(), { once: true });
    if (options.signal?.aborted === true || over(await this.read(id, principal))) done.resolve();
    await done.promise;
    clearTimeout(timer);
    stop();
    this.waiting -= 1;
    return this.read(id, principal);
  }

  async cancel(
    id: OperationId,
    principal: Principal,
    { sticky }: { readonly sticky: boolean },
  ): Promise<Cancelled | undefined> {
    const view = await this.read(id, principal);
    if (view === undefined) return undefined;
    if (view.operation.receipt !== undefined) return { kind: 'ended', view };
    this.cancels.push({ id, sticky });
    if (sticky)
      this.end(id, 'cancelled', undefined, { life: 'CANCELLED_ACCEPTED', receipt: receipt('cancelled', { by: 'caller' }) });
    else this.change(id, { cancellation: 'REQUESTED', generation: 1 });
    return { kind: 'recorded', view: (await this.read(id, principal)) ?? view };
  }

  readonly answers: { readonly id: OperationId; readonly given: JsonObject }[] = [];

  /** Judged as the real one does; what is taken closes the round once it is whole. */
  async answer(id: OperationId, principal: Principal, given: JsonObject): Promise<Answered | undefined> {
    const view = await this.read(id, principal);
    if (view === undefined) return undefined;
    this.answers.push({ id, given });
    const open = openQuestions(view.operation);
    const verdicts: AnswerVerdicts = new Map(
      Object.entries(given).map(([key, answer]): [string, AnswerVerdict] => {
        const question = open.find((one) => one.key === key);
        if (question === undefined) return [key, { kind: 'not_open' }];
        const reading = readAnswer(question, inputRequestOf(view.operation).declinable, answer);
        return [key, reading.kind === 'answer' ? { kind: 'taken' } : reading];
      }),
    );
    const taken = [...verdicts].filter(([, verdict]) => verdict.kind === 'taken').map(([key]) => [key, given[key] as Json]);
    const whole = taken.length === open.length;
    if (taken.length > 0)
      this.change(id, {
        answers: { ...view.operation.answers, ...(Object.fromEntries(taken) as JsonObject) },
        ...(whole && { life: 'WORKING', input: 'ANSWERED' }),
      });
    return { view: (await this.read(id, principal)) ?? view, verdicts };
  }

  subscribe(listener: (operation: Operation) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #moves(listener: () => void): () => void {
    this.#onMove.add(listener);
    return () => this.#onMove.delete(listener);
  }

  /** As when measured durations move what a tool says: the list has changed. */
  moveSupport(): void {
    for (const listener of this.#onMove) listener();
  }

  async ready(): Promise<{ ok: boolean; why?: string }> {
    return this.health;
  }

  async inspect(): Promise<undefined> {
    return undefined;
  }

  async search(): Promise<{ items: readonly Operation[] }> {
    return { items: [...this.#views.values()].map(({ operation }) => operation) };
  }

  async settle(): Promise<undefined> {
    return undefined;
  }

  async cancelByOperator(): Promise<undefined> {
    return undefined;
  }

  async trace(): Promise<undefined> {
    return undefined;
  }

  async outbox(): Promise<readonly never[]> {
    return [];
  }

  async run(): Promise<void> {}
  async drain(): Promise<void> {}
}
