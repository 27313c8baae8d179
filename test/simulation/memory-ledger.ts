// The ledger without a disk, for the simulator: the same interface, kept by the same laws (memory-ledger.test.ts), and quick.
//   M1. Every call takes effect at once, in the order in which calls are made; only its answer comes later, by promise.
//   M2. What is stored is frozen on the surface: an event can't be changed behind the ledger's back.
//   M3. A `Memory` outlives the ledger that works on it, as a file outlives a process.

import { holdsKey } from '../../src/core/caller-key.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import type { DueWork, Operation, OperationEvent } from '../../src/core/operation.ts';
import type { EpochMs } from '../../src/core/time.ts';
import { type Life, WANTING, WORK, type WorkKind } from '../../src/core/transitions.ts';
import { LongshoreError } from '../../src/errors.ts';
import type { GateStore } from '../../src/ledger/gates.ts';
import type {
  Appended,
  BlobStore,
  Commit,
  CountFilter,
  Creating,
  Facet,
  Lease,
  LeaseRequest,
  Ledger,
  OperationFilter,
  OutboxRow,
  Page,
  StoredEvent,
} from '../../src/ledger/ledger.ts';
import { GateMemory, hasMoved, memoryGates } from './memory-gates.ts';

const PAGE_MAX = 500;

interface WorkRow {
  readonly derivedAt: EpochMs;
  readonly dueAt: EpochMs;
  readonly token?: number;
  readonly leaseUntil?: EpochMs;
  readonly tries: number;
}

interface Entry {
  row: Operation;
  jobAddress?: string;
  readonly events: StoredEvent[];
  readonly evidence: Set<string>;
  readonly work: Map<WorkKind, WorkRow>;
}

/** What is stored. */
export class Memory {
  readonly entries = new Map<string, Entry>();
  readonly keys = new Map<string, string>();
  readonly outbox: OutboxRow[] = [];
  readonly descriptors = new Map<string, Descriptor>();
  readonly blobs = new Map<string, string>();
  readonly gates = new GateMemory();
  position = 0;
  token = 0;
}

const keyOf = ({ principal, tool, callerKey }: Operation) => JSON.stringify([principal, tool, callerKey]);
const isOpen = ({ receipt, effects }: Operation) => receipt === undefined || effects === 'REQUIRED';
const hasOpenEnd = (row: Operation) => isOpen(row) || row.effects === 'ESCALATED';
const isWanted = ({ life, cancellation }: Operation) => cancellation === 'NONE' && (WANTING as readonly Life[]).includes(life);
const readyAt = ({ dueAt, leaseUntil }: WorkRow) => Math.max(dueAt, leaseUntil ?? dueAt);
const newestFirst = (one: Operation, other: Operation) =>
  other.createdAt - one.createdAt || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0);

function fits(operation: Operation, { lives, facets, ...filter }: OperationFilter): boolean {
  for (const member of ['principal', 'upstream', 'tool', 'contract'] as const) {
    if (filter[member] !== undefined && filter[member] !== operation[member]) return false;
  }
  const { life, effects, receipt } = operation;
  const has = (facet: Facet): boolean =>
    'life' in facet ? facet.life === life : 'effects' in facet ? facet.effects === effects : facet.outcome === receipt?.outcome;
  return (lives === undefined || lives.includes(life)) && (facets === undefined || facets.some(has));
}

/** What was left open at the end is kept from when it was last heard of. */
const expiryOf = ({ receipt, effects, updatedAt, ttlMs }: Operation): EpochMs =>
  Math.max(receipt?.at ?? 0, effects === 'NONE' ? 0 : updatedAt) + ttlMs;

/** Work is of a known kind, and each kind is due once, or the whole commit is refused. */
function refuseOdd(work: readonly DueWork[]): void {
  if (new Set(work.map(({ kind }) => kind)).size !== work.length) throw new Error('a kind of work is due twice');
  for (const { kind } of work) if (!WORK.includes(kind)) throw new Error(`there is no work ${kind}`);
}

/** Makes the due rows what `work` says (L11); whether anything had to be changed. */
function settleWork(rows: Map<WorkKind, WorkRow>, work: readonly DueWork[]): boolean {
  const wanted = new Map(work.map(({ kind, dueAt }) => [kind, dueAt]));
  let changed = false;
  for (const kind of [...rows.keys()]) {
    if (wanted.has(kind)) continue;
    rows.delete(kind);
    changed = true;
  }
  for (const [kind, dueAt] of wanted) {
    if (rows.get(kind)?.derivedAt === dueAt) continue;
    rows.set(kind, { derivedAt: dueAt, dueAt, tries: 0 });
    changed = true;
  }
  return changed;
}

/** Opens a ledger on what is stored. */
export class MemoryLedger implements Ledger {
  readonly memory: Memory;
  /** Several processes may work on one memory. */
  readonly exclusive = false;
  #closed = false;

  constructor(memory: Memory = new Memory()) {
    this.memory = memory;
  }

  get blobs(): BlobStore {
    const { blobs } = this.memory;
    return {
      put: async (digest, text) => void blobs.set(digest, text),
      get: async (digest) => blobs.get(digest),
      delete: async (digests) => {
        for (const digest of digests) blobs.delete(digest);
      },
    };
  }

  get gateStore(): GateStore {
    return memoryGates(this.memory.gates, () => [...this.memory.entries.values()].map(({ row }) => row));
  }

  async create(commit: Creating): Promise<Awaited<ReturnType<Ledger['create']>>> {
    this.#open();
    const { operation } = commit;
    const known = operation.callerKey === undefined ? undefined : this.memory.keys.get(keyOf(operation));
    const earlier = known === undefined ? undefined : this.memory.entries.get(known);
    if (earlier !== undefined && holdsKey(earlier.row, operation.createdAt)) return { operation: earlier.row, created: false };
    if (hasMoved(this.memory.gates, commit.gates ?? [])) return { operation, created: false, gated: true };
    if (operation.seq !== 1) throw new Error(`operation ${operation.id} is created with seq ${operation.seq}`);
    const entry: Entry = { row: operation, events: [], evidence: new Set(), work: new Map() };
    if (this.memory.entries.has(operation.id)) throw new Error(`operation ${operation.id} exists`);
    refuseOdd(commit.work);
    this.memory.entries.set(operation.id, entry);
    if (operation.callerKey !== undefined) this.memory.keys.set(keyOf(operation), operation.id);
    this.#write(entry, commit.event, 'applied', 1);
    settleWork(entry.work, commit.work);
    return { operation, created: true };
  }

  async append(commit: Commit): Promise<Appended> {
    this.#open();
    const { operation, event, expectedSeq } = commit;
    if (operation.seq !== expectedSeq + 1) {
      throw new Error(`operation ${operation.id} goes from seq ${expectedSeq} to ${operation.seq}`);
    }
    const entry = this.memory.entries.get(operation.id);
    if (event.evidenceId !== undefined && entry?.evidence.has(event.evidenceId)) return 'duplicate';
    if (entry === undefined || entry.row.seq !== expectedSeq) return 'conflict';
    const sharedWith = this.#sharerOf(commit);
    if (sharedWith !== undefined) return { sharedWith };
    if (commit.ended && operation.receipt === undefined) {
      throw new Error(`operation ${operation.id} is said to have ended and has no receipt`);
    }
    if (commit.ended && entry.row.receipt !== undefined) throw new Error(`operation ${operation.id} ends twice`);
    refuseOdd(commit.work);
    entry.row = operation;
    if (commit.jobAddress === undefined) delete entry.jobAddress;
    else entry.jobAddress = commit.jobAddress;
    this.#write(entry, event, commit.disposition, operation.seq);
    if (commit.ended && operation.receipt !== undefined) {
      this.memory.outbox.push({ position: ++this.memory.position, receipt: operation.receipt });
    }
    settleWork(entry.work, commit.work);
    return 'committed';
  }

  async get(id: string) {
    this.#open();
    return this.memory.entries.get(id)?.row;
  }

  async history(id: string): Promise<readonly StoredEvent[]> {
    this.#open();
    return [...(this.memory.entries.get(id)?.events ?? [])];
  }

  async list(filter: OperationFilter, options: { readonly cursor?: string; readonly limit: number }): Promise<Page<Operation>> {
    this.#open();
    const last = options.cursor === undefined ? undefined : readCursor(options.cursor);
    const size = Math.min(PAGE_MAX, Math.max(1, Math.trunc(options.limit)));
    const rows = [...this.memory.entries.values()]
      .map(({ row }) => row)
      .filter((row) => fits(row, filter))
      .filter((row) => last === undefined || newestFirst(last as Operation, row) < 0)
      .sort(newestFirst);
    const items = rows.slice(0, size);
    const shown = items.at(-1);
    return rows.length > size && shown !== undefined ? { items, nextCursor: writeCursor(shown) } : { items };
  }

  async count({ facet, ...rest }: CountFilter = {}) {
    this.#open();
    const filter = facet === undefined ? rest : { ...rest, facets: [facet] };
    const counts: Partial<Record<Life, number>> = {};
    for (const { row } of this.memory.entries.values()) if (fits(row, filter)) counts[row.life] = (counts[row.life] ?? 0) + 1;
    return counts;
  }

  async receipt(id: string) {
    this.#open();
    return this.memory.outbox.find(({ receipt }) => receipt.operationId === id)?.receipt;
  }

  async outbox(after: number, limit: number): Promise<readonly OutboxRow[]> {
    this.#open();
    return this.memory.outbox.filter(({ position }) => position > after).slice(0, Math.max(1, Math.trunc(limit)));
  }

  async lease({ now, leaseMs, perUpstream, kinds, limit: most }: LeaseRequest): Promise<readonly Lease[]> {
    this.#open();
    const found: { entry: Entry; kind: WorkKind; row: WorkRow }[] = [];
    for (const [upstream, limit] of Object.entries(perUpstream)) {
      const ready: { entry: Entry; kind: WorkKind; row: WorkRow }[] = [];
      for (const entry of this.memory.entries.values()) {
        if (entry.row.upstream !== upstream) continue;
        for (const [kind, row] of entry.work) {
          if (kinds.includes(kind) && readyAt(row) <= now) ready.push({ entry, kind, row });
        }
      }
      ready.sort((one, other) => readyAt(one.row) - readyAt(other.row));
      found.push(...ready.slice(0, Math.max(0, Math.trunc(limit))));
    }
    if (most !== undefined) {
      found.sort((one, other) => readyAt(one.row) - readyAt(other.row));
      found.splice(Math.max(0, Math.trunc(most)));
    }
    return found.map(({ entry, kind, row }) => {
      const token = ++this.memory.token;
      const until = now + leaseMs;
      entry.work.set(kind, { ...row, token, leaseUntil: until });
      const { id: operationId, upstream } = entry.row;
      return { operationId, kind, upstream, dueAt: row.dueAt, token, until, tries: row.tries };
    });
  }

  async reschedule(lease: Lease, dueAt: EpochMs, { failed }: { readonly failed: boolean }): Promise<boolean> {
    this.#open();
    const rows = this.memory.entries.get(lease.operationId)?.work;
    const row = rows?.get(lease.kind);
    if (rows === undefined || row?.token !== lease.token) return false;
    rows.set(lease.kind, { derivedAt: row.derivedAt, dueAt, tries: failed ? row.tries + 1 : 0 });
    return true;
  }

  async nextDueAt(): Promise<EpochMs | undefined> {
    this.#open();
    let next: EpochMs | undefined;
    for (const { work } of this.memory.entries.values()) {
      for (const row of work.values()) next = Math.min(next ?? Number.POSITIVE_INFINITY, readyAt(row));
    }
    return next;
  }

  async work(id: string): Promise<readonly DueWork[]> {
    this.#open();
    return [...(this.memory.entries.get(id)?.work ?? [])]
      .map(([kind, { dueAt }]) => ({ kind, dueAt }))
      .sort((one, other) => one.dueAt - other.dueAt || (one.kind < other.kind ? -1 : 1));
  }

  async regenerate(derive: (operation: Operation) => readonly DueWork[] | undefined): Promise<number> {
    this.#open();
    let mended = 0;
    for (const { row, work } of this.memory.entries.values()) {
      const derived = isOpen(row) ? derive(row) : undefined;
      if (derived !== undefined && settleWork(work, derived)) mended += 1;
    }
    return mended;
  }

  async putDescriptor(digest: string, descriptor: Descriptor): Promise<void> {
    this.#open();
    if (!this.memory.descriptors.has(digest)) this.memory.descriptors.set(digest, descriptor);
  }

  async getDescriptor(digest: string): Promise<Descriptor | undefined> {
    this.#open();
    return this.memory.descriptors.get(digest);
  }

  async expire(now: EpochMs, limit: number): Promise<number> {
    this.#open();
    const over = [...this.memory.entries.values()]
      .map(({ row }) => row)
      .filter((row) => row.receipt !== undefined && !isOpen(row) && expiryOf(row) < now)
      .sort((one, other) => expiryOf(one) - expiryOf(other))
      .slice(0, Math.max(1, Math.trunc(limit)));
    for (const row of over) {
      this.memory.entries.delete(row.id);
      if (this.memory.keys.get(keyOf(row)) === row.id) this.memory.keys.delete(keyOf(row));
      const at = this.memory.outbox.findIndex(({ receipt }) => receipt.operationId === row.id);
      if (at >= 0) this.memory.outbox.splice(at, 1);
    }
    return over.length;
  }

  async ping(): Promise<void> {
    this.#open();
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  /** Who is at the job's address already, where that forbids the commit (L19). */
  #sharerOf({ operation, jobAddress, unlessShared }: Commit): string | undefined {
    if (unlessShared === undefined || jobAddress === undefined) return undefined;
    const others = [...this.memory.entries.values()].filter(
      (entry) => entry.jobAddress === jobAddress && entry.row.upstream === operation.upstream && entry.row.id !== operation.id,
    );
    return others
      .map(({ row }) => row)
      .filter(unlessShared === 'wanted' ? isWanted : hasOpenEnd)
      .sort(newestFirst)
      .at(-1)?.id;
  }

  #open(): void {
    if (this.#closed) throw new LongshoreError('LEDGER_UNAVAILABLE', 'The ledger is closed.');
  }

  #write(entry: Entry, event: OperationEvent, disposition: StoredEvent['disposition'], seq: number): void {
    entry.events.push(Object.freeze({ seq, event: Object.freeze(event), disposition }));
    if (event.evidenceId !== undefined) entry.evidence.add(event.evidenceId);
  }
}

const writeCursor = ({ createdAt, id }: Operation) => Buffer.from(`${createdAt} ${id}`).toString('base64url');

function readCursor(cursor: string): Pick<Operation, 'createdAt' | 'id'> {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, createdAt, id] = /^(\d{1,15}) (\S{1,200})$/.exec(text) ?? [];
  if (createdAt === undefined || id === undefined || Buffer.from(text).toString('base64url') !== cursor) {
    throw new LongshoreError('ARGUMENTS_INVALID', 'The cursor is not one that this list gave out.');
  }
  return { createdAt: Number(createdAt), id };
}
