// The webhook inbox: where verified events are durable before their sender is told so, until their operation has them.
// Its laws, beside those of ledger.ts:
//
//   L12. `receive` is idempotent on (upstream, eventKey): the second time is `duplicate` and writes nothing, also at once. What was
//        put aside (a stranger's, or unreadable), or came too late for another callback URL, is not known: it may have strayed,
//        and must not hide the event that it looks like.
//   L13. A stored event is pending, over any kill, until it is settled; it is settled once, and what settles it drops its body.
//   L14. A callback token names one operation of its upstream, and none of another upstream.

import type { Operation } from '../core/operation.ts';
import type { EpochMs } from '../core/time.ts';
import type { Delivery } from '../core/webhook.ts';

/** A verified event on its way into the inbox. */
export interface ReceivedEvent {
  readonly upstream: string;
  /** Of the callback URL that it came to. */
  readonly token: string;
  /** What it is recognised by, within its upstream. */
  readonly eventKey: string;
  readonly delivery: Delivery;
  /** Until then the same event is recognised. */
  readonly expiresAt: EpochMs;
}

export interface PendingDelivery {
  readonly id: number;
  readonly upstream: string;
  readonly token: string;
  readonly delivery: Delivery;
}

/** What became of an event: it moved its operation or hurried it, came too late, was known, was none of ours, said nothing. */
export type SettledAs = 'applied' | 'late' | 'duplicate' | 'stranger' | 'unreadable';

export interface Inbox {
  /**
   * Makes a verified event durable. `full`: too many of this upstream wait already, or one of the same key waits at another
   * callback URL, and nobody knows yet whose it is; nothing was written, and the sender is to come again.
   */
  receive(event: ReceivedEvent): Promise<'stored' | 'duplicate' | 'full'>;
  /** The operation that a callback URL belongs to. */
  findByCallbackToken(upstream: string, token: string): Promise<Operation | undefined>;
  /** Events that are due and not settled, longest waiting first. */
  pendingDeliveries(now: EpochMs, limit: number): Promise<readonly PendingDelivery[]>;
  /** False when it was settled before. `happenedAt`: the event's own time, of one that counted. */
  settleDelivery(id: number, as: SettledAs, happenedAt?: EpochMs): Promise<boolean>;
  /** To be looked at again later. False when it was settled before. */
  postponeDelivery(id: number, dueAt: EpochMs): Promise<boolean>;
  /** When the next pending event is due; `undefined` when none is pending. */
  nextDeliveryAt(): Promise<EpochMs | undefined>;
  /** The own time of the newest event that counted for a callback URL. */
  newestEventAt(upstream: string, token: string): Promise<EpochMs | undefined>;
  /** Deletes events that need not be recognised any more. Returns how many. */
  expireDeliveries(now: EpochMs, limit: number): Promise<number>;
}
