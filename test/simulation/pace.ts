// What a service that is busy asks for with Retry-After (G11), watched at every answer and at every request: who was put off asks
// that again only when the time is over, unless something else was learned meanwhile.

import type { Exchange, HttpRequest } from '../../src/core/http.ts';
import type { Operation } from '../../src/core/operation.ts';
import type { Lease } from '../../src/ledger/ledger.ts';
import { callOf, type Report } from './breach.ts';
import { plainly } from './holds.ts';
import { callIn, type Sent } from './network.ts';
import type { Schedule } from './time.ts';

/** A wish that is longer is cut: what a service says is not to make an operation wait for ever. */
const WISH_MAX_MS = 60_000;

const questionOf = ({ method, url }: HttpRequest, call: number | undefined): string =>
  call === undefined ? plainly(`${method} ${url}`) : `submit ${call}`;

export class Wishes {
  readonly #schedule: Schedule;
  readonly #report: Report;
  /** Since when, and until when, each question is not to be put. */
  readonly #wished = new Map<string, { readonly at: number; readonly until: number }>();
  /** How each was put last, while nothing was learned since: what is wished in answer to an earlier one comes too late. */
  readonly #latest = new Map<string, HttpRequest>();
  /** When each operation's looks that have not left were handed out, and when something was last learned that makes one due. */
  readonly #taken = new Map<string, number[]>();
  readonly #learnedAt = new Map<string, number>();
  /** A fault took hold that may have cost what was answered, or moved the clocks by which it is waited. */
  mayBeForgotten: () => boolean = () => false;

  constructor(schedule: Schedule, report: Report) {
    this.#schedule = schedule;
    this.#report = report;
  }

  /** A process was answered. Only whole seconds are held against it: the other forms have tests of their own. */
  heard(request: HttpRequest, exchange: Exchange): void {
    if (!exchange.ok) return;
    const { status, headers } = exchange.response;
    const wish = headers['retry-after'] ?? '';
    const question = questionOf(request, callIn(request));
    if ((status !== 429 && status !== 503) || !/^\d+$/.test(wish) || this.#latest.get(question) !== request) return;
    const at = this.#schedule.now;
    this.#wished.set(question, { at, until: at + Math.min(Number(wish) * 1_000, WISH_MAX_MS) });
  }

  /** A look was handed out. Between that and its leaving is a store that may be slow. */
  taken({ kind, operationId }: Lease): void {
    if (kind === 'poll') this.#taken.set(operationId, [...(this.#taken.get(operationId) ?? []), this.#schedule.now]);
  }

  /** What was learned since may make another moment the right one. */
  committed(before: Operation, row: Operation): void {
    if (row.pollAt === before.pollAt && row.life === before.life && row.input === before.input) return;
    this.#learnedAt.set(row.id, this.#schedule.now);
    const { statusUrl, id } = row.reference ?? {};
    // Proved absent, a submit may leave again: what an earlier one was told does not count any more.
    const proved = before.life === 'SUBMISSION_UNKNOWN' && row.life === 'QUEUED' ? `submit ${callOf(row)}` : undefined;
    for (const question of this.#latest.keys()) {
      const isAsked = question === `GET ${statusUrl}` || question.endsWith(`/${id}`) || question === proved;
      if (!isAsked && !(row.life !== before.life && question.endsWith(`=${row.submissionKey}`))) continue;
      this.#latest.delete(question);
      this.#wished.delete(question);
    }
  }

  /** A request leaves, about these operations. */
  leaves({ route, request, call }: Sent, rows: readonly Operation[]): void {
    if (route !== 'poll' && route !== 'submit' && route !== 'lookup') return;
    const question = questionOf(request, call);
    const { at, until } = this.#wished.get(question) ?? { at: 0, until: 0 };
    const takenAt = this.#takenAt(route, rows);
    // Something was learned while it had not left yet: the next one is due already.
    if (rows.some(({ id }) => (this.#learnedAt.get(id) ?? 0) > takenAt)) this.#latest.delete(question);
    else this.#latest.set(question, request);
    // A cancel looks when it is wanted, and whoever shares a job looks for itself.
    const isAlone = route !== 'poll' || (rows.length === 1 && rows[0]?.generation === 0);
    // One that was handed out before, perhaps to another process, could not know.
    if (this.#schedule.now < until && takenAt >= at && isAlone && !this.mayBeForgotten())
      this.#report('G11', `${rows.map(callOf).join()}: ${question} ${until - this.#schedule.now} ms before it was asked for`);
  }

  /** Since when a process has been about to send this. */
  #takenAt(route: Sent['route'], rows: readonly Operation[]): number {
    const [row] = rows;
    const taken = route === 'poll' && row !== undefined ? this.#taken.get(row.id)?.shift() : undefined;
    return taken ?? this.#schedule.now;
  }
}
