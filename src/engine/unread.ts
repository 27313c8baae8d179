// Looks that could not be read: why the last one of each operation could not. A look that shows nothing is no evidence and no
// event; this is for the words with which an operation is given up, and is known again one look after a restart.

import type { OperationId } from '../core/ids.ts';

/** Kept at most; the oldest go first. */
const KEPT_MAX = 10_000;

export class Unread {
  readonly #why = new Map<OperationId, string>();

  /** What the last look met; `undefined` where it could be read. */
  note(id: OperationId, why: string | undefined): void {
    this.#why.delete(id);
    if (why === undefined) return;
    this.#why.set(id, why);
    const [oldest] = this.#why.keys();
    if (this.#why.size > KEPT_MAX && oldest !== undefined) this.#why.delete(oldest);
  }

  of(id: OperationId): string | undefined {
    return this.#why.get(id);
  }
}
