// The engine, put together: the face of engine.ts over the parts beside this file.

import { gateName } from '../core/gates.ts';
import type { Exchange } from '../core/http.ts';
import type { OperationId, Principal } from '../core/ids.ts';
import { applies } from '../core/machine.ts';
import type { Operation, OperationEvent } from '../core/operation.ts';
import { LIVE } from '../core/transitions.ts';
import { LongshoreError } from '../errors.ts';
import { recordAnswers } from './answer.ts';
import { answerOf, passThrough } from './call.ts';
import type { Context } from './context.ts';
import { createDeliveries } from './deliver.ts';
import { createDescriptors } from './descriptors.ts';
import type { CallOutcome, Cancelled, Engine, OperationView } from './engine.ts';
import { createGates } from './gates.ts';
import { createLiving } from './living.ts';
import { createOperatorDesk } from './operator.ts';
import { Unfinished } from './pages.ts';
import { createPatience } from './patience.ts';
import { createPayloads, type Payloads } from './payloads.ts';
import type { EnginePorts } from './ports.ts';
import { createQueue } from './queue.ts';
import { createRecorder } from './record.ts';
import { recover } from './recover.ts';
import { createShelf } from './shelf.ts';
import { begin } from './start.ts';
import { sweep } from './sweep.ts';
import { Unread } from './unread.ts';
import { createWatch } from './watch.ts';
import { createWorker } from './worker.ts';

/** What clients are asked to wait between reads, where nobody configured it: reads cost nothing upstream. */
const SHOWN_INTERVAL_MIN_MS = 500;
const SHOWN_INTERVAL_MAX_MS = 10_000;

export function createEngine(ports: EnginePorts): Engine {
  const { ledger, catalogue, clock, log, settings } = ports;
  const descriptors = createDescriptors(ledger, ports.adapters);
  const givingUp = new AbortController();
  const patience = createPatience(clock, log, givingUp.signal);
  const payloads = createPayloads(ports.blobs, settings.inlinePayloadBytesMax, patience);
  const recorder = createRecorder(ledger, descriptors, clock, log, patience);
  const queue = createQueue();
  const { gates: gatePorts, ...rest } = ports;
  const gates = gatePorts && createGates(ports, gatePorts);
  const context: Context = {
    ...rest,
    descriptors,
    payloads,
    recorder,
    patience,
    queue,
    unfinished: new Unfinished(),
    unread: new Unread(),
    ...(gates && { gates }),
  };
  const living = ports.durations && createLiving(ports.durations, ports);
  const upstreams = new Set([...catalogue.tools.values()].map((tool) => tool.upstream));
  const worker = createWorker(context, () => upstreams);
  const watch = createWatch(clock);
  const deliveries = ports.webhooks && createDeliveries(context, ports.webhooks);
  const sending = new Set<Promise<unknown>>();
  const stopping = new AbortController();
  const aborting = new AbortController();
  let loops: Promise<unknown> = Promise.resolve();

  recorder.subscribe((operation) => {
    queue.heard(operation);
    living?.heard(operation);
    gates?.changed(operation);
    upstreams.add(operation.upstream);
    watch.notify(operation);
    worker.wake();
  });

  async function view(operation: Operation, open = payloads.open): Promise<OperationView> {
    const tool = catalogue.tools.get(operation.tool);
    const payload = await open(operation.receipt?.result);
    const intervalMs = tool?.kind === 'job' ? tool.descriptor.pace.intervalMs : SHOWN_INTERVAL_MIN_MS;
    return {
      operation,
      ...(payload !== undefined && { payload }),
      ...(tool !== undefined && { tool }),
      pollIntervalMs:
        settings.pollIntervalShownMs ?? Math.min(Math.max(intervalMs, SHOWN_INTERVAL_MIN_MS), SHOWN_INTERVAL_MAX_MS),
    };
  }

  /**
   * An operation that was just begun, as it is by now. Whatever can't be read of it, or kept beside it, is no refusal: its job is
   * on its way, and a caller who hears of an error calls again.
   */
  async function newest(begun: Operation, isAnswered: boolean, beside: (operation: Operation) => Promise<void>) {
    try {
      const operation = (isAnswered ? await ledger.get(begun.id) : undefined) ?? begun;
      await beside(operation);
      return await view(operation);
    } catch (error) {
      log.error({ operation: begun.id, err: error }, 'begun, and the ledger failed before the call was answered');
      return view(begun);
    }
  }

  const desk = createOperatorDesk(context, view);

  /** Another principal's operation does not exist (rule 8). */
  async function own(id: OperationId, principal: Principal): Promise<Operation | undefined> {
    const operation = await ledger.get(id);
    return operation?.principal === principal ? operation : undefined;
  }

  async function cancel(
    id: OperationId,
    principal: Principal,
    { sticky }: { readonly sticky: boolean },
  ): Promise<Cancelled | undefined> {
    const operation = await own(id, principal);
    if (operation === undefined) return undefined;
    const { descriptor } = await descriptors.of(operation);
    let ended = false;
    const decided = await recorder.decide(id, (row) => {
      const event: OperationEvent = { type: 'cancel', at: clock.now(), source: 'caller', sticky, by: 'caller' };
      ended = row.receipt !== undefined;
      // A repeat that would record nothing new is answered as the first was.
      return !ended && applies(row, event, descriptor.traits) ? event : undefined;
    });
    if (decided === undefined) return undefined;
    return { kind: ended ? 'ended' : 'recorded', view: await view(decided.operation) };
  }

  async function sweepLoop() {
    while (!stopping.signal.aborted) {
      await clock.sleep(settings.sweepEveryMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await deliveries?.expire().catch((error: unknown) => log.error({ err: error }, 'old deliveries could not be deleted'));
      await sweep(context).then(
        ({ regenerated }) => regenerated > 0 && worker.wake(),
        (error: unknown) => log.error({ err: error }, 'the sweep failed; trying again later'),
      );
    }
  }

  return {
    async start(call) {
      if (stopping.signal.aborted)
        throw new LongshoreError('SHUTTING_DOWN', 'the gateway is stopping and starts nothing new; call again in a moment');
      const begun = await begin(context, call, aborting.signal);
      switch (begun.kind) {
        case 'gated':
          if (begun.gate !== undefined) {
            const { name: tool, upstream } = call.tool;
            log.info({ tool, upstream, contract: call.door, gate: gateName(begun.gate) }, 'a call was refused by a gate');
          }
          return begun;
        case 'invalid':
        case 'conflict':
          return begun;
        case 'existing':
          return { kind: 'operation', view: await view(begun.operation), existing: true };
        case 'created': {
          const { id, tool, upstream, contract, principal, ttlMs } = begun.operation;
          log.info({ operation: id, tool, upstream, contract, principal, ttlMs }, 'operation created');
          let answered = begun.sending === undefined;
          if (begun.sending !== undefined) {
            const task = begun.sending
              .then(() => {
                answered = true;
              })
              .finally(() => sending.delete(task));
            sending.add(task);
            const over = new AbortController();
            // In shadow the answer to the submit is the answer to the caller, so it is waited for.
            if (call.ruling?.mode === 'shadow') await task;
            else await Promise.race([task, clock.sleep(settings.startGraceMs, over.signal)]);
            // With a reason, so that no error is made, with its stack, at every call.
            over.abort('answered');
          }
          const answer = call.ruling?.mode === 'shadow' ? answerInShadow(call.tool.upstream, begun.answer?.()) : undefined;
          // A delivery that outran the answer is read from the task: what a call is answered with is the answer's doing alone.
          const shown = await newest(begun.operation, answered, async (operation) => {
            if (answer !== undefined) await gates?.shadowed(operation, call.ruling?.gate, answer);
          });
          return { kind: 'operation', view: shown, existing: false, ...(answer && { answer }) };
        }
      }
    },

    call: (tool, args, _principal, signal) => passThrough(context, tool, args, AbortSignal.any([signal, aborting.signal])),

    shelf: createShelf(ports.blobs),

    async read(id, principal) {
      const operation = await own(id, principal);
      return operation === undefined ? undefined : view(operation);
    },

    async list(principal, options) {
      const page = await ledger.list({ principal }, options);
      return { ...page, items: await Promise.all(page.items.map((operation) => view(operation))) };
    },

    async wait(id, principal, { until, afterSeq, timeoutMs, signal }) {
      const seen = afterSeq ?? (await own(id, principal))?.seq ?? 0;
      const enough = (operation: Operation | undefined) =>
        operation === undefined || operation.receipt !== undefined || (until === 'change' && operation.seq > seen);
      const operation = await watch.until(id, () => own(id, principal), enough, { timeoutMs, signal });
      return operation === undefined ? undefined : view(operation);
    },

    cancel,

    async answer(id, principal, given) {
      if ((await own(id, principal)) === undefined) return undefined;
      const recorded = await recordAnswers(context, id, given);
      return recorded && { view: await view(recorded.operation), verdicts: recorded.verdicts };
    },

    ...(deliveries && { callbacks: deliveries.callbacks }),
    ...(gates && { gates }),
    ...(living && { support: living }),

    async inspect(id) {
      const operation = await ledger.get(id);
      if (operation === undefined) return undefined;
      const { descriptor } = await descriptors.of(operation);
      const shadow = await gates?.shadowOf(id);
      const unread = operation.receipt === undefined || operation.effects === 'REQUIRED' ? context.unread.of(id) : undefined;
      // Who looks because something is broken must see the rest.
      const openIfThere: Payloads['open'] = (held) =>
        payloads.open(held).catch((error: unknown) => {
          log.error({ operation: id, err: error }, 'a result can not be read');
          return undefined;
        });
      return {
        view: await view(operation, openIfThere),
        descriptor,
        history: await ledger.history(id),
        work: await ledger.work(id),
        ...(shadow && { shadow }),
        ...(unread && { unread }),
      };
    },

    search: (filter, options) => ledger.list(filter, options),

    settle: desk.settle,
    cancelByOperator: desk.cancel,
    trace: desk.trace,
    outbox: (after, limit) => ledger.outbox(after, limit),

    subscribe: (listener) => recorder.subscribe(listener),

    async ready() {
      if (stopping.signal.aborted) return { ok: false, why: 'stopping' };
      return ledger.ping().then(
        () => readiness(patience.trouble()),
        (error: unknown) => ({ ok: false, why: error instanceof Error ? error.message : String(error) }),
      );
    },

    async run() {
      await gates?.begin();
      await living?.begin();
      for await (const operation of liveOperations(context)) {
        upstreams.add(operation.upstream);
        queue.heard(operation);
        await descriptors.of(operation);
        if (ledger.exclusive) await recover(context, operation);
      }
      const { regenerated } = await sweep(context);
      const counts = await ledger.count();
      log.info({ regenerated, operations: counts }, 'work begins');
      loops = Promise.all([worker.run(), sweepLoop(), deliveries?.run(stopping.signal)]);
    },

    async drain(timeoutMs) {
      stopping.abort();
      const over = new AbortController();
      // Until then what was heard may still find its way into the store.
      const timeUp = clock.sleep(timeoutMs, over.signal).then(() => givingUp.abort());
      await worker.drain(timeoutMs);
      await Promise.race([Promise.allSettled([...sending]), timeUp]);
      over.abort();
      aborting.abort();
      await Promise.allSettled([...sending]);
      await loops;
      await living?.idle();
    },
  };
}

const readiness = (why: string | undefined) => (why === undefined ? { ok: true } : { ok: false, why });

/** What a caller in shadow is answered; absent where nothing was sent yet. */
function answerInShadow(upstream: string, exchange: Exchange | undefined): CallOutcome | undefined {
  if (exchange === undefined) return undefined;
  return exchange.ok
    ? answerOf(upstream, exchange.response)
    : { kind: 'failed', message: `${upstream}: ${exchange.failure.message}` };
}

/** Every operation that has not ended, page by page. */
async function* liveOperations({ ledger }: Context): AsyncGenerator<Operation> {
  let cursor: string | undefined;
  do {
    const page = await ledger.list({ lives: LIVE }, { limit: 500, ...(cursor !== undefined && { cursor }) });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
