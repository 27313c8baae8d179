// Looks that could not be read: how many in a row, since when, and why the last could not. A look that shows nothing is no evidence and
// no event; this is for the words with which an operation is given up, and for whoever looks into one meanwhile. It is known again
// one look after a restart, counted from there.

import type { OperationId } from '../core/ids.ts';
import type { UnreadLooks } from '../core/operator-view.ts';
import type { EpochMs } from '../core/time.ts';

/** Kept at most; the oldest go first. */
const KEPT_MAX = 10_000;

export class Unread {
  readonly #looks = new Map<OperationId, UnreadLooks>();

  /** What the last look met; `why` is `undefined` where it could be read. */
  note(id: OperationId, why: string | undefined, at: EpochMs): void {
    const { count = 0, since = at } = this.#looks.get(id) ?? {};
    this.#looks.delete(id);
    if (why === undefined) return;
    this.#looks.set(id, { count: count + 1, since, why });
    const [oldest] = this.#looks.keys();
    if (this.#looks.size > KEPT_MAX && oldest !== undefined) this.#looks.delete(oldest);
  }

  of(id: OperationId): UnreadLooks | undefined {
    return this.#looks.get(id);
  }
}
