// Deliveries: from the inbox to their operations. The receiver has verified them and made them durable.
//   E1. A delivery is evidence by its event id, so that one that is handled twice (a kill in between) counts once.
//   E2. Where polls decide it is a hint: the next poll is due now. Where nothing can be polled it is the evidence itself.
//   E3. What the machine has no row for, what names another job, and what happened before an event that counted, changes
//       nothing. Endings need no order: they only move forward.
//   E4. One that comes before the answer to the submit, and says nothing that can be used without it, waits for it; so does one
//       that came among events of other jobs, since only the answer tells which of them is ours.
//   E5. What says of a job that it goes on, as the last one did, is a repetition under whatever id: it leaves no event.
//   E6. The events of one operation are taken one after the other, in the order in which they came.

import { LRUCache } from 'lru-cache';
import type { DeliveryReading } from '../core/adapter.ts';
import { readHint } from '../core/delivery.ts';
import { namesAnotherJob } from '../core/guards.ts';
import { applies } from '../core/machine.ts';
import type { Operation, OperationEvent } from '../core/operation.ts';
import type { EpochMs } from '../core/time.ts';
import { EARLY, type Life } from '../core/transitions.ts';
import type { PendingDelivery, SettledAs } from '../ledger/inbox.ts';
import type { Context } from './context.ts';
import type { Job } from './descriptors.ts';
import type { Callbacks } from './engine.ts';
import { nextPollAt } from './pace.ts';
import type { WebhookPorts } from './ports.ts';
import { isNoNews } from './record.ts';

/** Senders repeat a delivery for days; that long an event is recognised. */
const RECOGNISED_MS = 8 * 24 * 3_600_000;
const BATCH = 64;
/** While the answer to the submit is on its way, and while nobody knows whether it will come. */
const AWAIT_ANSWER_MS = 250;
const AWAIT_FINDING_MS = 5_000;
/** After an error of ours or of the store. */
const TRY_AGAIN_MS = 5_000;
const IDLE_MS = 30_000;

/** What became of a delivery, or when to look at it again. */
type Outcome = { readonly as: SettledAs; readonly happenedAt?: EpochMs } | { readonly again: EpochMs };

export interface Deliveries {
  readonly callbacks: Callbacks;
  /** Takes pending events to their operations until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Deletes events that need not be recognised any more. */
  expire(): Promise<number>;
}

export function createDeliveries(context: Context, { inbox }: WebhookPorts): Deliveries {
  const { clock, log } = context;
  /** When a hint last made a poll due: a flood of them must not outrun the least interval. */
  const hinted = new LRUCache<string, EpochMs>({ maxSize: 512, sizeCalculation: () => 1 });
  let woken = new AbortController();

  async function judge(row: PendingDelivery): Promise<Outcome> {
    const operation = await inbox.findByCallbackToken(row.upstream, row.token);
    if (operation === undefined) return { as: 'stranger' };
    const job = await context.descriptors.of(operation);
    const reading = readingOf(row, operation, job);
    if (reading.kind === 'undecided') {
      return isEarly(operation) ? { again: clock.now() + awaitMs(operation) } : { as: 'stranger' };
    }
    const { happenedAt } = reading;
    if (reading.kind !== 'stranger') {
      const misfit = reading.kind === 'unreadable' ? { misfit: reading.message } : {};
      context.gates?.heard({ as: 'delivery', of: job.descriptor, operation: operation.id, ...misfit });
    }
    switch (reading.kind) {
      case 'stranger':
      case 'unreadable':
        log.warn({ operation: operation.id, upstream: row.upstream, detail: reading.message }, 'a delivery was put aside');
        return { as: reading.kind };
      case 'ended':
        break;
      default: {
        const newest = happenedAt === undefined ? undefined : await inbox.newestEventAt(row.upstream, row.token);
        if (happenedAt !== undefined && newest !== undefined && happenedAt < newest) return { as: 'late' };
      }
    }
    const event = await eventOf(row, operation, job, reading);
    if (!('type' in event)) return event;
    const { traits } = job.descriptor;
    const when = happenedAt === undefined ? {} : { happenedAt };
    let isRepeated = false;
    let isStranger = false;
    const decided = await context.recorder.decide(operation.id, (now) => {
      // The job may have become known since the delivery was read.
      isStranger = namesAnotherJob(now, event, traits);
      if (isStranger) return undefined;
      isRepeated = event.type === 'seen_working' && isNoNews(now, event, traits);
      return !isRepeated && applies(now, event, traits) ? event : undefined;
    });
    if (isStranger) return { as: 'stranger' };
    if (isRepeated) return { as: 'duplicate', ...when };
    if (decided?.recorded !== true) return { as: 'late' };
    if (event.type === 'hint') hinted.set(operation.id, event.at);
    return { as: 'applied', ...when };
  }

  /** The event that a reading is, or what becomes of a delivery that is none now. */
  async function eventOf(
    row: PendingDelivery,
    operation: Operation,
    { descriptor }: Job,
    reading: Exclude<DeliveryReading, { kind: 'stranger' | 'undecided' | 'unreadable' }>,
  ): Promise<OperationEvent | Outcome> {
    const at = clock.now();
    const base = { at, source: 'webhook', evidenceId: `webhook:${row.delivery.eventId}` } as const;
    const { reference } = reading;
    const about = reference === undefined ? {} : { reference };
    switch (reading.kind) {
      case 'hint': {
        if (reference === undefined) return isEarly(operation) ? { again: at + awaitMs(operation) } : { as: 'late' };
        const free = (hinted.get(operation.id) ?? 0) + descriptor.pace.intervalMinMs;
        return free > at ? { again: free } : { ...base, type: 'hint', reference };
      }
      case 'working': {
        const chance = context.random.fraction();
        const pollAt = nextPollAt({ now: at, createdAt: operation.createdAt, pace: descriptor.pace, chance });
        const { progress, unknownWord } = reading;
        return {
          ...base,
          ...about,
          type: 'seen_working',
          pollAt,
          ...(progress !== undefined && { progress }),
          ...(unknownWord !== undefined && { unknownWord }),
        };
      }
      case 'ended': {
        const isHere = reading.result !== undefined || !reading.fetch;
        return {
          ...base,
          ...about,
          type: 'seen_ended',
          ending: reading.ending,
          ...(isHere && { held: await context.payloads.holdNow(reading.result) }),
          ...(reading.message !== undefined && { message: reading.message }),
        };
      }
    }
  }

  async function take(row: PendingDelivery): Promise<void> {
    try {
      const outcome = await judge(row);
      if ('again' in outcome) await inbox.postponeDelivery(row.id, outcome.again);
      else if (await inbox.settleDelivery(row.id, outcome.as, outcome.happenedAt)) {
        context.metrics?.settled({ upstream: row.upstream, outcome: outcome.as });
      }
    } catch (error) {
      log.error({ upstream: row.upstream, delivery: row.id, err: error }, 'a delivery could not be taken; trying again');
      await inbox.postponeDelivery(row.id, clock.now() + TRY_AGAIN_MS);
    }
  }

  /** Takes what is due; true when there was anything. */
  async function tick(): Promise<boolean> {
    const rows = await inbox.pendingDeliveries(clock.now(), BATCH);
    const lanes = Map.groupBy(rows, ({ upstream, token }) => `${upstream}/${token}`);
    await Promise.all(
      [...lanes.values()].map(async (lane) => {
        for (const row of lane) await take(row);
      }),
    );
    return rows.length > 0;
  }

  return {
    callbacks: {
      async rulesFor(upstream, token) {
        const operation = await inbox.findByCallbackToken(upstream, token);
        return operation && (await context.descriptors.of(operation)).descriptor.webhook;
      },

      async receive(upstream, token, events) {
        const expiresAt = clock.now() + RECOGNISED_MS;
        const stored = await Promise.all(events.map((event) => inbox.receive({ upstream, token, expiresAt, ...event })));
        if (stored.includes('stored')) woken.abort('stored');
        if (stored.includes('full')) return 'full';
        return stored.includes('stored') || stored.length === 0 ? 'stored' : 'duplicate';
      },
    },

    async run(signal) {
      signal.addEventListener('abort', () => woken.abort('stopping'), { once: true });
      while (!signal.aborted) {
        woken = new AbortController();
        const { signal: wake } = woken;
        let waitMs = 0;
        try {
          if (await tick()) continue;
          const next = await inbox.nextDeliveryAt();
          waitMs = next === undefined ? IDLE_MS : Math.min(IDLE_MS, Math.max(0, next - clock.now()));
        } catch (error) {
          log.error({ err: error }, 'the inbox could not be asked; trying again');
          waitMs = TRY_AGAIN_MS;
        }
        if (!signal.aborted) await clock.sleep(waitMs, wake);
      }
    },

    expire: () => inbox.expireDeliveries(clock.now(), 10_000),
  };
}

function readingOf(row: PendingDelivery, operation: Operation, { descriptor, adapter }: Job): DeliveryReading {
  const { webhook } = descriptor;
  if (webhook === undefined) return { kind: 'stranger', message: 'the operation has no webhook' };
  const { reference } = operation;
  const awaiting = { arguments: operation.arguments, ...(reference !== undefined && { reference }) };
  return adapter.readDelivery?.(row.delivery, descriptor, awaiting) ?? readHint(row.delivery, webhook, awaiting);
}

/** No reference is held yet, so that an answer or a finding may still bring one. */
const isEarly = ({ life }: Operation): boolean => (EARLY as readonly Life[]).includes(life);

const awaitMs = ({ life }: Operation): number => (life === 'SUBMISSION_UNKNOWN' ? AWAIT_FINDING_MS : AWAIT_ANSWER_MS);
