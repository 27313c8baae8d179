// Linear per operation: there is one order of an operation's events, and every answer that any client ever got is explained by it.
// An operation is shown as it stood at some instant between the question and the answer; what a call says that it wrote was
// written in between. So whoever asks after somebody was answered never sees less.

import type { Operation, OperationEvent } from '../../src/core/operation.ts';
import type { OperationView } from '../../src/engine/engine.ts';
import { callOf, isSame, type Report } from './breach.ts';

/** How far each operation had come when a question was put. */
export type Asked = ReadonlyMap<string, number>;

interface Line {
  /** The row at every position, from 1. */
  readonly rows: Operation[];
  /** The event at every position from 2. */
  readonly events: OperationEvent[];
}

export class Linear {
  readonly #lines = new Map<string, Line>();
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  created(row: Operation): void {
    this.#lines.set(row.id, { rows: [row], events: [] });
  }

  committed(row: Operation, event: OperationEvent): void {
    const line = this.#lines.get(row.id);
    line?.rows.push(row);
    line?.events.push(event);
  }

  asks(): Asked {
    return new Map([...this.#lines].map(([id, { rows }]) => [id, rows.length]));
  }

  /** A client was shown an operation that it had asked for at `asked`. */
  shown({ operation }: OperationView, asked: Asked): void {
    const { id, seq } = operation;
    const line = this.#lines.get(id);
    if (line === undefined) {
      this.#report('rule 10', `${id} was answered and is not durable`, 'lostOperations');
      return;
    }
    const name = `call ${callOf(operation)}`;
    const row = line.rows[seq - 1];
    if (seq < (asked.get(id) ?? 0))
      this.#report('linear', `${name}: shown at ${seq}, and was at ${asked.get(id)} when it was asked for`);
    if (row === undefined) this.#report('rule 10', `${name}: answered before it was durable`, 'lostOperations');
    else if (!isSame(row, operation)) this.#report('linear', `${name}: shown at ${seq} as it never was`);
  }

  /** How many events between the question and the answer are what the call says that it wrote. */
  written({ operation }: OperationView, asked: Asked, isOurs: (event: OperationEvent) => boolean): number {
    const { id, seq } = operation;
    return (
      this.#lines
        .get(id)
        ?.events.slice((asked.get(id) ?? 1) - 1, seq - 1)
        .filter(isOurs).length ?? 0
    );
  }

  /** A whole list was given: nothing that was there when it was asked for is left out, unless it may have gone by then. */
  listed(views: readonly OperationView[], asked: Asked, mayBeGone: (row: Operation) => boolean): void {
    for (const view of views) this.shown(view, asked);
    const ids = new Set(views.map(({ operation }) => operation.id));
    if (ids.size < views.length) this.#report('linear', 'an operation is listed twice');
    for (const id of asked.keys()) {
      const row = this.#lines.get(id)?.rows.at(-1);
      if (row !== undefined && !ids.has(id) && !mayBeGone(row))
        this.#report('rule 10', `call ${callOf(row)} is not listed`, 'lostOperations');
    }
  }
}
