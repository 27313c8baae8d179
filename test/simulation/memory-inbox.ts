// The webhook inbox without a disk, beside the ledger without one and kept by the same laws (memory-ledger.test.ts).

import type { Operation } from '../../src/core/operation.ts';
import type { EpochMs } from '../../src/core/time.ts';
import type { Inbox, PendingDelivery, ReceivedEvent, SettledAs } from '../../src/ledger/inbox.ts';
import type { Commit } from '../../src/ledger/ledger.ts';
import { Memory, MemoryLedger } from './memory-ledger.ts';

const PENDING_MAX = 10_000;

interface Row {
  readonly id: number;
  readonly event: ReceivedEvent;
  /** Absent once it is settled. */
  dueAt?: EpochMs;
  as?: SettledAs;
  happenedAt?: EpochMs;
}

/** What is stored, deliveries too. */
export class MemoryWithInbox extends Memory {
  readonly deliveries: Row[] = [];
  readonly keysOfEvents = new Map<string, Row>();
  delivery = 0;
}

export class MemoryStore extends MemoryLedger implements Inbox {
  readonly #stored: MemoryWithInbox;

  constructor(memory = new MemoryWithInbox()) {
    super(memory);
    this.#stored = memory;
  }

  override create(commit: Omit<Commit, 'expectedSeq' | 'disposition' | 'ended'>) {
    const { id, upstream, callbackToken } = commit.operation;
    if (callbackToken !== undefined) {
      const other = this.#withToken(upstream, callbackToken);
      if (other !== undefined && other.id !== id) {
        return Promise.reject(new Error(`two operations have the callback token ${callbackToken}`));
      }
    }
    return super.create(commit);
  }

  async receive(event: ReceivedEvent): Promise<'stored' | 'duplicate' | 'full'> {
    const { deliveries } = this.#stored;
    const { upstream, eventKey } = event;
    const key = JSON.stringify([upstream, eventKey]);
    const known = this.#stored.keysOfEvents.get(key);
    if (known !== undefined) {
      const isElsewhere = known.event.token !== event.token;
      if (known.as === undefined) return isElsewhere ? 'full' : 'duplicate';
      const isAside = known.as === 'stranger' || known.as === 'unreadable' || (isElsewhere && known.as === 'late');
      if (!isAside) return 'duplicate';
      deliveries.splice(deliveries.indexOf(known), 1);
    }
    const waiting = () => deliveries.filter((row) => row.event.upstream === upstream && row.dueAt !== undefined);
    if (deliveries.length >= PENDING_MAX && waiting().length >= PENDING_MAX) return 'full';
    const row: Row = { id: ++this.#stored.delivery, event, dueAt: event.delivery.receivedAt };
    this.#stored.keysOfEvents.set(key, row);
    deliveries.push(row);
    return 'stored';
  }

  async findByCallbackToken(upstream: string, token: string): Promise<Operation | undefined> {
    return this.#withToken(upstream, token);
  }

  async pendingDeliveries(now: EpochMs, limit: number): Promise<readonly PendingDelivery[]> {
    return this.#stored.deliveries
      .filter(({ dueAt }) => dueAt !== undefined && dueAt <= now)
      .sort((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0) || one.id - other.id)
      .slice(0, Math.max(1, Math.trunc(limit)))
      .map(({ id, event: { upstream, token, delivery } }) => ({ id, upstream, token, delivery }));
  }

  async settleDelivery(id: number, as: SettledAs, happenedAt?: EpochMs): Promise<boolean> {
    const row = this.#pending(id);
    if (row === undefined) return false;
    delete row.dueAt;
    row.as = as;
    if (happenedAt !== undefined) row.happenedAt = happenedAt;
    return true;
  }

  async postponeDelivery(id: number, dueAt: EpochMs): Promise<boolean> {
    const row = this.#pending(id);
    if (row !== undefined) row.dueAt = dueAt;
    return row !== undefined;
  }

  async nextDeliveryAt(): Promise<EpochMs | undefined> {
    const due = this.#stored.deliveries.flatMap(({ dueAt }) => (dueAt === undefined ? [] : [dueAt]));
    return due.length === 0 ? undefined : Math.min(...due);
  }

  async newestEventAt(upstream: string, token: string): Promise<EpochMs | undefined> {
    const times = this.#stored.deliveries.flatMap(({ event, happenedAt }) =>
      happenedAt !== undefined && event.upstream === upstream && event.token === token ? [happenedAt] : [],
    );
    return times.length === 0 ? undefined : Math.max(...times);
  }

  async expireDeliveries(now: EpochMs, limit: number): Promise<number> {
    const { deliveries } = this.#stored;
    const over = deliveries
      .filter(({ event }) => event.expiresAt < now)
      .sort((one, other) => one.event.expiresAt - other.event.expiresAt)
      .slice(0, Math.max(1, Math.trunc(limit)));
    for (const row of over) {
      deliveries.splice(deliveries.indexOf(row), 1);
      this.#stored.keysOfEvents.delete(JSON.stringify([row.event.upstream, row.event.eventKey]));
    }
    return over.length;
  }

  #pending(id: number): Row | undefined {
    return this.#stored.deliveries.find((row) => row.id === id && row.dueAt !== undefined);
  }

  #withToken(upstream: string, token: string): Operation | undefined {
    for (const { row } of this.#stored.entries.values()) {
      if (row.upstream === upstream && row.callbackToken === token) return row;
    }
    return undefined;
  }
}
