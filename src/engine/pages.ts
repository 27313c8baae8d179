// A result while it is read: the pages that are here, and the requests that get the others.
//   R1. What is here is kept in memory between two tries and two leases, so that one page that fails costs one page. A process
//       that starts anew begins with the first page: reading again changes nothing.
//   R2. Pages, their bytes and the results that are kept half read are bounded. A page that leads back is a fault, not an end.

import type { ResultJudgement } from '../core/adapter.ts';
import type { HttpRequest } from '../core/http.ts';
import type { OperationId } from '../core/ids.ts';
import { itemsIn, type Joint, joined } from '../core/joined.ts';
import type { Payload } from '../core/outcome.ts';
import { type Counted, pageAfter } from '../core/pages.ts';

export const PAGES_MAX = 1_000;
/** Results that are half read, and their bytes together. Of more, the oldest is begun again. */
const UNFINISHED_MAX = 32;
const UNFINISHED_BYTES_MAX = 64 * 1024 * 1024;

type Part = Extract<ResultJudgement, { kind: 'page' | 'read' }>;
/** What a result came to in the end. */
export type Whole = Extract<ResultJudgement, { kind: 'read' | 'unreadable' }>;

/** One result being read. */
export class Pages {
  readonly #first: HttpRequest;
  readonly #queue: HttpRequest[];
  readonly #asked: Set<string>;
  readonly #pages: Payload[] = [];
  readonly #bytesMax: number;
  #joint: Joint = {};
  #bytes = 0;
  #read = 0;
  #items = 0;

  constructor(first: HttpRequest, bytesMax: number) {
    this.#first = first;
    this.#queue = [first];
    this.#asked = new Set([nameOf(first)]);
    this.#bytesMax = bytesMax;
  }

  /** What is to be asked for next; `undefined` once everything is here. */
  get next(): HttpRequest | undefined {
    return this.#queue[0];
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isBegun(): boolean {
    return this.#read > 0;
  }

  /** Takes the answer to {@link next}; a sentence where reading on makes no sense. */
  take(part: Part): string | undefined {
    this.#queue.shift();
    this.#read += 1;
    const payload = part.kind === 'page' ? part.page : part.result;
    if (payload !== undefined) {
      this.#pages.push(payload);
      this.#bytes += payload.body.length;
    }
    if (this.#bytes > this.#bytesMax && this.#read > 1)
      return `its pages are together larger than the limit of ${this.#bytesMax} bytes`;
    if (part.kind === 'read') return undefined;
    if (this.#read === 1) this.#joint = part.joint;
    // Where one page names all parts, the parts may name them again.
    else if (part.all === true) return undefined;
    const counted = part.counted === undefined ? undefined : this.#after(part.counted);
    if (typeof counted === 'string') return counted;
    for (const request of counted === undefined ? part.next : [counted]) {
      const name = nameOf(request);
      if (this.#asked.has(name)) return 'its pages lead in a circle';
      this.#asked.add(name);
      this.#queue.push(request);
    }
    return this.#asked.size > PAGES_MAX ? `it has more than ${PAGES_MAX} pages` : undefined;
  }

  /** The page after the one that was just taken, of those that are counted. */
  #after(counted: Counted): HttpRequest | string | undefined {
    const [page, before] = [this.#pages.at(-1), this.#pages.at(-2)];
    const first = this.#pages[0];
    const last = page === undefined || first === undefined ? 0 : itemsIn(page, first, this.#joint);
    if (last === undefined) return 'one of its pages can’t be counted';
    // A service that takes no notice of the number would give the same page for ever.
    if (last !== 0 && page?.body === before?.body) return 'two of its pages in a row are the same, byte for byte';
    this.#items += last === 'some' ? 0 : last;
    return pageAfter(this.#first, counted, { pages: this.#pages.length, items: this.#items, last });
  }

  /** The whole, once everything is here. */
  whole(): Whole {
    if (this.#pages.length === 0) return { kind: 'read' };
    const result = joined(this.#pages, this.#joint);
    return 'wrong' in result ? { kind: 'unreadable', permanent: false, message: result.wrong } : { kind: 'read', result };
  }
}

const nameOf = ({ method, url, body = '' }: HttpRequest): string =>
  `${method} ${url} ${typeof body === 'string' ? body : body.length}`;

/** Results that are half read, by operation. */
export class Unfinished {
  readonly #kept = new Map<OperationId, Pages>();

  /** What was kept for an operation; it is the taker's from then on. */
  take(id: OperationId): Pages | undefined {
    const pages = this.#kept.get(id);
    this.#kept.delete(id);
    return pages;
  }

  keep(id: OperationId, pages: Pages): void {
    this.#kept.set(id, pages);
    let bytes = [...this.#kept.values()].reduce((sum, kept) => sum + kept.bytes, 0);
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size <= UNFINISHED_MAX && bytes <= UNFINISHED_BYTES_MAX) return;
      this.#kept.delete(oldest);
      bytes -= kept.bytes;
    }
  }
}
