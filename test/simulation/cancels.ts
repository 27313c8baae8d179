// What must hold of cancels that leave (G8), and of those that delete, watched at every commit, every answer and every request.
//   K1. A cancel leaves soon after it was recorded as sent, or not at all: who stood still may come after one who asked again.
//   K2. A cancel that deletes leaves only after its sender was shown, since the cancel is wanted, that the job goes on.
//   K3. While a delete is on the wire, a job that is not there is not taken for one that is gone.
//   K4. Once a cancel is recorded, no step of the job is meant to leave any more. A step leaves within the lease of its record, and
//       what is known of the steps only grows.

import type { Exchange, HttpRequest } from '../../src/core/http.ts';
import type { Operation, OperationEvent } from '../../src/core/operation.ts';
import { stepsTaken } from '../../src/core/steps.ts';
import { callOf, type Report } from './breach.ts';
import type { Sent } from './network.ts';
import type { Schedule } from './time.ts';
import type { Upstreams } from './upstreams.ts';

const isWanted = ({ cancellation }: Operation): boolean => cancellation === 'REQUESTED' || cancellation === 'UNANSWERED';

export class Cancels {
  readonly #upstreams: Upstreams;
  readonly #schedule: Schedule;
  readonly #report: Report;
  /** Since when each operation's cancel is to be sent (again). */
  readonly #wantedAt = new Map<string, number>();
  readonly #sentAt = new Map<string, number>();
  /** Of each operation's cancels that were recorded and have not left: since when each was wanted. */
  readonly #toLeave = new Map<string, number[]>();
  /** When each operation's latest step was recorded. */
  readonly #stepAt = new Map<string, number>();
  /** When each process was last shown that a job goes on. */
  readonly #seenAt = new Map<string, number>();

  constructor(upstreams: Upstreams, schedule: Schedule, report: Report) {
    this.#upstreams = upstreams;
    this.#schedule = schedule;
    this.#report = report;
  }

  committed(before: Operation, row: Operation, event: OperationEvent): void {
    if (isWanted(row) && row.cancellation !== before.cancellation) this.#wantedAt.set(row.id, this.#schedule.now);
    if (event.type === 'cancel_sent') {
      this.#sentAt.set(row.id, this.#schedule.now);
      this.#toLeave.set(row.id, [...(this.#toLeave.get(row.id) ?? []), this.#wantedAt.get(row.id) ?? 0]);
    }
    const isOnTheWire = before.cancellation === 'SENT' && this.#upstreams.traitsOf(row).cancel === 'deletes';
    const decides = row.life !== before.life || row.effects !== before.effects;
    if (event.type === 'seen_missing' && isOnTheWire && decides)
      this.#report('G8', `call ${callOf(row)}: taken for gone while its delete is on the wire`);
    const [had, has] = [stepsTaken(before.reference), stepsTaken(row.reference)];
    if (has.over < had.over || (has.over === had.over && has.tries < had.tries))
      this.#report('G9', `call ${callOf(row)}: ${had.over} steps were over, and now ${has.over} are`);
    const isToLeave = has.tries > (had.over === has.over ? had.tries : 0);
    if (isToLeave) this.#stepAt.set(row.id, this.#schedule.now);
    if (before.generation > 0 && isToLeave) this.#report('G8', `call ${callOf(row)}: a step is to leave after a cancel`);
  }

  /** A process was answered. */
  heard(process: string, exchange: Exchange, { method, url }: HttpRequest): void {
    if (method !== 'GET' || !exchange.ok || exchange.response.status !== 200) return;
    const goesOn = !/"(?:status":"(?:succeeded|failed|cancelled)"|done":true)/.test(
      new TextDecoder().decode(exchange.response.body),
    );
    if (goesOn) this.#seenAt.set(`${process} ${url}`, this.#schedule.now);
  }

  /** A request leaves a process, about these operations. */
  leaves({ route, request, upstream }: Sent, process: string, rows: readonly Operation[]): void {
    if ((route !== 'cancel' && route !== 'step') || rows.length === 0) return;
    const { now } = this.#schedule;
    const { timing } = upstream.traits;
    const name = rows.map((row) => `call ${callOf(row)}`).join(' or ');
    if (route === 'step') {
      const lateMs = now - Math.max(...rows.map(({ id }) => this.#stepAt.get(id) ?? 0)) - timing.submitLeaseMs;
      if (lateMs > 0) this.#report('G8', `${name}: a step leaves ${lateMs} ms after its lease`);
      return;
    }
    const sentAt = Math.max(...rows.map(({ id }) => this.#sentAt.get(id) ?? 0));
    if (now > sentAt + timing.readTimeoutMs)
      this.#report('G8', `${name}: a cancel leaves ${now - sentAt} ms after it was recorded as sent`);
    if (request.method !== 'DELETE') return;
    const seenAt = this.#seenAt.get(`${process} ${request.url}`) ?? -1;
    if (!rows.some(({ id }) => this.#mayLeave(id, seenAt)))
      this.#report('G8', `${name}: its delete leaves, and nobody saw that it goes on`);
  }

  /** Whether one of its cancels was wanted before that look. Each leaves once. */
  #mayLeave(id: string, seenAt: number): boolean {
    const wanted = this.#toLeave.get(id) ?? [];
    const index = wanted.findIndex((at) => at <= seenAt);
    if (index >= 0) this.#toLeave.set(id, wanted.toSpliced(index, 1));
    return index >= 0;
  }
}
