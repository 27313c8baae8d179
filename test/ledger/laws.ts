// The laws of a ledger (src/ledger/ledger.ts), as a suite that every store must pass.
// A store is opened fresh for each test; `crash` is what kill -9 does; `spoil` goes behind the ledger's back.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { parseJson } from '../../src/core/json.ts';
import { dueWork } from '../../src/core/machine.ts';
import type { Operation } from '../../src/core/operation.ts';
import type { Lease, Ledger } from '../../src/ledger/ledger.ts';
import {
  breaches,
  created,
  EVENT,
  everything,
  HOUR_MS,
  kindsOf,
  MINUTE_MS,
  NOW,
  next,
  request,
  TRAITS,
  told,
  toTheEnd,
  toWorking,
} from './fixtures.ts';

export interface StoreUnderTest {
  readonly ledger: Ledger;
  /** The store as another process finds it when this one is killed now. The old one must not be used again. */
  crash(): Promise<StoreUnderTest>;
  close(): Promise<void>;
  /** Each rejects when the store refuses. */
  readonly spoil: {
    changeEvent(id: string, seq: number): Promise<void>;
    removeEvent(id: string, seq: number): Promise<void>;
    /** Loses the due rows of an operation, as a bug or a bad restore would. */
    loseWork(id: string): Promise<void>;
  };
}

export type OpenStore = () => Promise<StoreUnderTest>;

export function ledgerLaws(name: string, openStore: OpenStore): void {
  describe(`${name} keeps the laws of a ledger:`, () => {
    let store: StoreUnderTest;
    let ledger: Ledger;
    beforeEach(async () => {
      store = await openStore();
      ledger = store.ledger;
    });
    afterEach(() => store.close());

    const ended = (overrides = {}, at = NOW + 3) => told(ledger, overrides, ...toTheEnd(at));
    const working = (overrides = {}) => told(ledger, overrides, ...toWorking());
    const leased = async (now: number, changes = {}) => ledger.lease(request(now, changes));
    const only = (leases: readonly Lease[]): Lease => {
      expect(leases).toHaveLength(1);
      return leases[0] as Lease;
    };

    describe('create', () => {
      test('writes the event, the row and the due work (L2, L6, L7)', async () => {
        const commit = created();
        expect(await ledger.create(commit)).toEqual({ operation: commit.operation, created: true });
        expect(await everything(ledger, commit.operation.id)).toEqual({
          operation: commit.operation,
          history: [{ seq: 1, event: commit.event, disposition: 'applied' }],
          work: [...commit.work].sort((one, other) => one.dueAt - other.dueAt),
          receipt: undefined,
          outbox: [],
        });
      });

      test('with a caller key gives the second caller the first operation, as it is by now (L1)', async () => {
        const first = await working({ callerKey: 'k' });
        const second = created({ callerKey: 'k', arguments: { scene: 'other' } });
        expect(await ledger.create(second)).toEqual({ operation: first, created: false });
        expect(await ledger.get(second.operation.id)).toBeUndefined();
        expect(await ledger.history(second.operation.id)).toEqual([]);
        expect(await ledger.work(second.operation.id)).toEqual([]);
      });

      test('asked twice at once with one caller key makes one operation (L1)', async () => {
        const answers = await Promise.all([1, 2, 3].map(() => ledger.create(created({ callerKey: 'k' }))));
        expect(answers.filter((answer) => answer.created)).toHaveLength(1);
        expect(new Set(answers.map((answer) => answer.operation.id)).size).toBe(1);
      });

      test('takes a key that holds for a while from an operation that it no longer names, once (L1)', async () => {
        const call = (createdAt: number) =>
          created({ callerKey: 'k', createdAt, callerKeyUntil: createdAt + MINUTE_MS, requestDigest: 'sha256:k' });
        const first = await ledger.create(call(NOW));
        const within = await ledger.create(call(NOW + MINUTE_MS - 1));
        expect(within).toEqual({ operation: first.operation, created: false });
        const after = await Promise.all([1, 2, 3].map(() => ledger.create(call(NOW + MINUTE_MS))));
        expect(after.map((one) => one.created).sort()).toEqual([false, false, true]);
        expect(new Set(after.map((one) => one.operation.id)).size).toBe(1);
        expect(after[0]?.operation.id).not.toBe(first.operation.id);
        expect(await ledger.get(first.operation.id)).toEqual(first.operation);
        expect((await ledger.create(call(NOW + MINUTE_MS + 1))).operation).toEqual(after[0]?.operation);
      });

      test('keeps keys apart by principal and tool, and makes a new operation wherever there is no key (L1)', async () => {
        const answers = [
          await ledger.create(created({ callerKey: 'k' })),
          await ledger.create(created({ callerKey: 'k', principal: 'bob' })),
          await ledger.create(created({ callerKey: 'k', tool: 'bake' })),
          await ledger.create(created()),
          await ledger.create(created()),
        ];
        expect(answers.map((answer) => answer.created)).toEqual([true, true, true, true, true]);
      });
    });

    describe('append', () => {
      test('keeps positions dense, the row folded and the work derived, all the way to the end (L2, L6, L7)', async () => {
        const { operation } = await ledger.create(created());
        let row = operation;
        for (const event of [...toWorking(), EVENT.working(NOW + 3), EVENT.finished(NOW + 4), EVENT.accept(NOW + 5)]) {
          const commit = next(row, event);
          expect(await ledger.append(commit)).toBe('committed');
          row = commit.operation;
          expect(await ledger.get(row.id)).toEqual(row);
          expect(await breaches(ledger, row.id)).toEqual([]);
        }
        expect((await ledger.history(row.id)).map(({ event }) => event.type)).toEqual([
          'created',
          'submit_started',
          'submit_accepted',
          'seen_working',
          'seen_ended',
          'accept',
        ]);
      });

      test('keeps late evidence as an event that moves nothing but the position (L2, L6)', async () => {
        const row = await ended();
        const late = next(row, { ...EVENT.working(NOW + 9), readAt: 1 });
        expect(late.disposition).toBe('late');
        expect(await ledger.append(late)).toBe('committed');
        expect((await ledger.history(row.id)).at(-1)).toMatchObject({ seq: row.seq + 1, disposition: 'late' });
        expect(await breaches(ledger, row.id)).toEqual([]);
      });

      test('with a stale position is a conflict, and writes nothing (L3)', async () => {
        const row = await working();
        const stale = next(row, EVENT.finished(NOW + 5));
        await ledger.append(next(row, EVENT.working(NOW + 4)));
        const before = await everything(ledger, row.id);
        expect(await ledger.append(stale)).toBe('conflict');
        expect(await everything(ledger, row.id)).toEqual(before);
      });

      test('to an operation that is not there is a conflict, and writes nothing (L3)', async () => {
        const { operation } = created();
        expect(await ledger.append(next(operation, EVENT.started(NOW + 1)))).toBe('conflict');
        expect(await ledger.history(operation.id)).toEqual([]);
      });

      test('of several at one position at once lets exactly one through (L3)', async () => {
        const row = await working();
        const rivals = [EVENT.working(NOW + 4), EVENT.finished(NOW + 4), EVENT.cancel(NOW + 4)].map((event) =>
          next(row, event),
        );
        const answers = await Promise.all(rivals.map((commit) => ledger.append(commit)));
        expect([...answers].sort()).toEqual(['committed', 'conflict', 'conflict']);
        expect(await ledger.get(row.id)).toEqual(rivals[answers.indexOf('committed')]?.operation);
        expect(await breaches(ledger, row.id)).toEqual([]);
      });

      test('of the end writes its receipt and exactly one outbox row, and leaves nothing due (L4)', async () => {
        const row = await ended();
        const { receipt, outbox, work } = await everything(ledger, row.id);
        expect(receipt).toEqual(row.receipt);
        expect(outbox.map((entry) => entry.receipt)).toEqual([row.receipt]);
        expect(work).toEqual([]);
      });

      test('that can not be written whole writes nothing, and its neighbours of the same moment stand (L4)', async () => {
        const [broken, sound] = [await working(), await working()];
        const before = await everything(ledger, broken.id);
        const unknownKind = { kind: 'dance' as 'poll', dueAt: NOW };
        const commit = next(broken, EVENT.finished(NOW + 5));
        const answers = await Promise.allSettled([
          ledger.append({ ...commit, work: [...commit.work, unknownKind] }),
          ledger.append(next(sound, EVENT.finished(NOW + 5))),
        ]);
        expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
        expect(await everything(ledger, broken.id)).toEqual(before);
        expect(await breaches(ledger, sound.id)).toEqual([]);
        expect((await ledger.get(sound.id))?.life).toBe('TERMINAL_OBSERVED');
      });

      test('of evidence that is known is a duplicate, and writes nothing, whatever the position (L5)', async () => {
        const row = await working();
        const event = EVENT.working(NOW + 4, NOW + HOUR_MS, 'poll-17');
        const first = next(row, event);
        await ledger.append(first);
        const before = await everything(ledger, row.id);
        expect(await ledger.append(first)).toBe('duplicate');
        expect(await ledger.append({ ...next(first.operation, EVENT.working(NOW + 5)), event })).toBe('duplicate');
        expect(await everything(ledger, row.id)).toEqual(before);
      });

      test('of the same evidence for another operation is news (L5)', async () => {
        const [one, other] = [await working(), await working()];
        const event = EVENT.working(NOW + 4, NOW + HOUR_MS, 'poll-18');
        expect(await Promise.all([one, other].map((row) => ledger.append(next(row, event))))).toEqual([
          'committed',
          'committed',
        ]);
      });
    });

    describe('a job', () => {
      const AT = 'sha256:job-7';
      /** An operation that follows the job, or another one. */
      async function following(overrides = {}, jobAddress = AT) {
        const row = await told(ledger, overrides, EVENT.started(NOW + 1));
        const commit = next(row, EVENT.accepted(NOW + 2));
        expect(await ledger.append({ ...commit, jobAddress })).toBe('committed');
        return commit.operation;
      }
      /** What a newcomer to the job is answered. */
      async function claim(overrides = {}, unlessShared: 'open' | 'wanted' | 'never' = 'open') {
        const row = await told(ledger, overrides, EVENT.started(NOW + 1));
        const commit = {
          ...next(row, EVENT.accepted(NOW + 2)),
          jobAddress: AT,
          ...(unlessShared !== 'never' && { unlessShared }),
        };
        const before = await everything(ledger, row.id);
        const answer = await ledger.append(commit);
        if (answer !== 'committed') expect(await everything(ledger, row.id)).toEqual(before);
        return answer;
      }

      test('that an open operation follows is not given to another one unasked, and nothing is written (L19)', async () => {
        const first = await following();
        expect(await claim()).toEqual({ sharedWith: first.id });
        expect(await claim({}, 'never')).toBe('committed');
      });

      test('is the oldest one’s to tell of (L19)', async () => {
        const first = await following({ createdAt: NOW - 5 });
        await following({ createdAt: NOW - 1 });
        expect(await claim()).toEqual({ sharedWith: first.id });
      });

      test('of another upstream, at another address, or of the operation itself, is another matter (L19)', async () => {
        await following({ upstream: 'bakery' });
        await following({}, 'sha256:job-8');
        expect(await claim()).toBe('committed');
        const first = await following({}, 'sha256:job-9');
        const again = { ...next(first, EVENT.working(NOW + 3)), jobAddress: 'sha256:job-9', unlessShared: 'open' } as const;
        expect(await ledger.append(again)).toBe('committed');
      });

      test('of an operation that ended is free again, unless its effects are open (L19)', async () => {
        let row = await following();
        for (const event of [EVENT.finished(NOW + 3), EVENT.accept(NOW + 4)]) {
          const commit = { ...next(row, event), jobAddress: AT };
          await ledger.append(commit);
          row = commit.operation;
        }
        expect(await claim()).toBe('committed');
        const other = await following({}, 'sha256:job-8');
        const cancelled = { ...next(other, EVENT.cancel(NOW + 3, true)), jobAddress: 'sha256:job-8' };
        await ledger.append(cancelled);
        expect(cancelled.operation.effects).toBe('REQUIRED');
        const newcomer = await told(ledger, {}, EVENT.started(NOW + 1));
        const claiming = {
          ...next(newcomer, EVENT.accepted(NOW + 2)),
          jobAddress: 'sha256:job-8',
          unlessShared: 'open',
        } as const;
        expect(await ledger.append(claiming)).toEqual({ sharedWith: other.id });
        // Nobody waits for it any more, so that it may be stopped.
        expect(await ledger.append({ ...claiming, unlessShared: 'wanted' })).toBe('committed');
      });

      test('that another one still wants is not to be stopped, and one whose cancel is recorded does not count (L19)', async () => {
        const first = await following();
        expect(await claim({}, 'wanted')).toEqual({ sharedWith: first.id });
        await ledger.append({ ...next(first, EVENT.cancel(NOW + 3)), jobAddress: AT });
        expect(await claim({}, 'wanted')).toBe('committed');
      });

      test('is let go by a commit that names none (L19)', async () => {
        const first = await following();
        await ledger.append(next(first, EVENT.working(NOW + 3)));
        expect(await claim()).toBe('committed');
      });

      test('that two are given at one moment is given to the first, and the second hears of it (L19)', async () => {
        const rows = [await told(ledger, {}, EVENT.started(NOW + 1)), await told(ledger, {}, EVENT.started(NOW + 1))];
        const commits = rows.map((row) => ({
          ...next(row, EVENT.accepted(NOW + 2)),
          jobAddress: AT,
          unlessShared: 'open' as const,
        }));
        const answers = await Promise.all(commits.map((commit) => ledger.append(commit)));
        expect(answers).toEqual(['committed', { sharedWith: rows[0]?.id }]);
      });

      test('does not hide that a commit is stale, or its evidence known (L3, L5, L19)', async () => {
        await following();
        const row = await told(ledger, {}, EVENT.started(NOW + 1));
        const stale = { ...next(row, EVENT.accepted(NOW + 2)), jobAddress: AT, unlessShared: 'open' } as const;
        const cancelled = next(row, EVENT.cancel(NOW + 2));
        await ledger.append(cancelled);
        expect(await ledger.append(stale)).toBe('conflict');
        await ledger.append({ ...next(cancelled.operation, stale.event), jobAddress: AT });
        expect(await ledger.append(stale)).toBe('duplicate');
      });

      test('is known over a kill (L10, L19)', async () => {
        const first = await following();
        store = await store.crash();
        ledger = store.ledger;
        expect(await claim()).toEqual({ sharedWith: first.id });
      });
    });

    describe('an event', () => {
      test('refuses to be changed, and to be removed while its operation exists (L9)', async () => {
        const row = await ended();
        await expect(store.spoil.changeEvent(row.id, 2)).rejects.toThrow();
        await expect(store.spoil.removeEvent(row.id, 2)).rejects.toThrow();
        expect(await breaches(ledger, row.id)).toEqual([]);
      });

      test('keeps the digits of every number it carries', async () => {
        const args = parseJson('{"id":9007199254740993,"amount":1.10,"huge":1e400}') as { [member: string]: string };
        const { operation } = await ledger.create(created({ arguments: args }));
        const kept = await ledger.get(operation.id);
        expect(JSON.stringify(kept?.arguments)).toBe('{"id":9007199254740993,"amount":1.10,"huge":1e400}');
        const [first] = await ledger.history(operation.id);
        expect(JSON.stringify(first?.event)).toContain('"id":9007199254740993,"amount":1.10,"huge":1e400');
      });
    });

    describe('a kill', () => {
      test('takes nothing that was answered (L10)', async () => {
        const rows = await Promise.all([ended(), working(), told(ledger, { callerKey: 'k' })]);
        const [held] = await leased(NOW + 3 * HOUR_MS);
        await ledger.putDescriptor('sha256:d', DESCRIPTOR);
        const before = await Promise.all(rows.map(({ id }) => everything(ledger, id)));
        const again = await store.crash();
        store = again;
        expect(await Promise.all(rows.map(({ id }) => everything(again.ledger, id)))).toEqual(before);
        expect(await again.ledger.getDescriptor('sha256:d')).toEqual(DESCRIPTOR);
        // Where the store was ours alone its holder is gone, and the work is free; elsewhere the lease still holds.
        expect(await again.ledger.reschedule(held as Lease, NOW + 4 * HOUR_MS, { failed: false })).toBe(
          !again.ledger.exclusive,
        );
      });
    });

    describe('a lease', () => {
      const DUE = NOW + 2 + MINUTE_MS; // of the poll of a working operation

      test('names the work, its holder and its end, and has one holder (L8)', async () => {
        const row = await working();
        const poll = only(await leased(DUE));
        expect(poll).toMatchObject({
          operationId: row.id,
          kind: 'poll',
          upstream: 'studio',
          dueAt: DUE,
          until: DUE + MINUTE_MS,
          tries: 0,
        });
        expect(await leased(DUE)).toEqual([]);
        expect(await leased(DUE + MINUTE_MS - 1)).toEqual([]);
      });

      test('is given to one of those who ask at once (L8)', async () => {
        await Promise.all(Array.from({ length: 10 }, () => working()));
        const leases = (await Promise.all([1, 2, 3].map(() => leased(DUE, { perUpstream: { studio: 6 } })))).flat();
        expect(leases).toHaveLength(10);
        expect(new Set(leases.map(({ operationId }) => operationId)).size).toBe(10);
      });

      test('is not given before the work is due, nor for kinds or upstreams that were not asked for', async () => {
        await working();
        expect(await leased(DUE - 1)).toEqual([]);
        expect(await leased(DUE, { kinds: ['submit', 'cancel'] })).toEqual([]);
        expect(await leased(DUE, { kinds: [] })).toEqual([]);
        expect(await leased(DUE, { perUpstream: { bakery: 9, studio: 0 } })).toEqual([]);
        expect(await leased(DUE, { kinds: ['poll'] })).toHaveLength(1);
      });

      test('goes to the longest waiting first, so many for each upstream, so that one can not starve another', async () => {
        const late = await told(ledger, {}, EVENT.started(NOW + 1), EVENT.accepted(NOW + 2, NOW + 30));
        const early = await told(ledger, {}, EVENT.started(NOW + 1), EVENT.accepted(NOW + 2, NOW + 20));
        const other = await told(ledger, { upstream: 'bakery' }, ...toWorking());
        const leases = await leased(DUE, { perUpstream: { studio: 1, bakery: 1 } });
        expect(leases.map(({ operationId }) => operationId).sort()).toEqual([early.id, other.id].sort());
        expect(only(await leased(DUE)).operationId).toBe(late.id);
      });

      test('goes to the longest waiting of whichever upstream, where so many are given together', async () => {
        const late = await told(ledger, {}, EVENT.started(NOW + 1), EVENT.accepted(NOW + 2, NOW + 30));
        const early = await told(ledger, { upstream: 'bakery' }, EVENT.started(NOW + 1), EVENT.accepted(NOW + 2, NOW + 20));
        const asked = { perUpstream: { studio: 9, bakery: 9 } };
        expect(await leased(DUE, { ...asked, limit: 0 })).toEqual([]);
        expect(only(await leased(DUE, { ...asked, limit: 1 })).operationId).toBe(early.id);
        expect(only(await leased(DUE, { ...asked, limit: 2 })).operationId).toBe(late.id);
      });

      test('expires, and fences the earlier holder once another took over (L8)', async () => {
        const row = await working();
        const first = only(await leased(DUE));
        const second = only(await leased(first.until));
        expect(second.token).toBeGreaterThan(first.token);
        const before = await ledger.work(row.id);
        expect(await ledger.reschedule(first, DUE + HOUR_MS, { failed: true })).toBe(false);
        expect(await ledger.work(row.id)).toEqual(before);
        expect(await ledger.reschedule(second, DUE + HOUR_MS, { failed: false })).toBe(true);
        expect(await ledger.reschedule(second, DUE + 2 * HOUR_MS, { failed: false })).toBe(false);
      });

      test('has a token that no earlier lease on this work had, even if the work was done and came again (L8)', async () => {
        const row = await told(ledger, {});
        const submit = only(await leased(NOW, { kinds: ['submit'] }));
        const started = next(row, EVENT.started(NOW + 1));
        await ledger.append(started);
        const throttled = next(started.operation, {
          type: 'submit_throttled',
          at: NOW + 2,
          attempt: 1,
          evidenceId: 'throttle',
          retryAt: NOW + 2,
        });
        await ledger.append(throttled);
        const again = only(await leased(NOW + 2, { kinds: ['submit'] }));
        expect(again.token).toBeGreaterThan(submit.token);
        expect(await ledger.reschedule(submit, NOW + HOUR_MS, { failed: false })).toBe(false);
        expect(await ledger.reschedule(again, NOW + HOUR_MS, { failed: false })).toBe(true);
      });

      test('given back moves only its row: no event, and due again at the new instant (L7)', async () => {
        const row = await working();
        const poll = only(await leased(DUE));
        const before = await ledger.history(row.id);
        expect(await ledger.reschedule(poll, DUE + 5_000, { failed: true })).toBe(true);
        expect(await ledger.history(row.id)).toEqual(before);
        expect(await ledger.get(row.id)).toEqual(row);
        expect(await leased(DUE + 4_999)).toEqual([]);
        const again = only(await leased(DUE + 5_000));
        expect(again).toMatchObject({ dueAt: DUE + 5_000, tries: 1 });
        expect(await breaches(ledger, row.id)).toEqual([]);
      });

      test('counts failures in a row: one that did not fail, and news, begin anew', async () => {
        const row = await working();
        const turn = async (now: number, failed: boolean) => ledger.reschedule(only(await leased(now)), now + 1, { failed });
        await turn(DUE, true);
        await turn(DUE + 1, true);
        expect(only(await leased(DUE + 2)).tries).toBe(2);
        const third = DUE + 2 + MINUTE_MS; // the lease above is left to expire
        await turn(third, false);
        expect(only(await leased(third + 1)).tries).toBe(0);
        await ledger.append(next(row, EVENT.working(third + 2, third + 3)));
        expect(only(await leased(third + 3)).tries).toBe(0);
      });

      test('is used up by an append that moves its instant (L11)', async () => {
        const row = await working();
        const poll = only(await leased(DUE));
        await ledger.append(next(row, EVENT.working(DUE + 1, DUE + 5)));
        expect(await ledger.reschedule(poll, DUE + HOUR_MS, { failed: false })).toBe(false);
        expect(only(await leased(DUE + 5)).dueAt).toBe(DUE + 5);
      });

      test('on other work of the operation outlives an append, so that nothing on the wire is handed out twice (L11)', async () => {
        const row = await working();
        const asked = next(row, EVENT.cancel(DUE - 1));
        await ledger.append(asked);
        const leases = await leased(DUE);
        expect(kindsOf(leases)).toEqual(['cancel', 'poll']);
        const cancel = leases.find(({ kind }) => kind === 'cancel') as Lease;
        await ledger.append(next(asked.operation, EVENT.working(DUE + 1, DUE + 2)));
        expect(kindsOf(await leased(DUE + 2))).toEqual(['poll']);
        expect(await ledger.reschedule(cancel, DUE + 9, { failed: false })).toBe(true);
      });

      test('outlives an append that changes nothing due, with the later instant it was given (L11)', async () => {
        const row = await working();
        const poll = only(await leased(DUE));
        await ledger.reschedule(poll, DUE + 10, { failed: true });
        const again = only(await leased(DUE + 10));
        const late = next(row, { ...EVENT.working(DUE + 11, DUE + 12), readAt: 1 });
        expect(late.disposition).toBe('late');
        await ledger.append(late);
        expect(await leased(DUE + 12)).toEqual([]);
        expect(await ledger.reschedule(again, DUE + 20, { failed: true })).toBe(true);
        expect(only(await leased(DUE + 20)).tries).toBe(2);
      });
    });

    describe('the next instant', () => {
      test('is the earliest at which a lease could find something, and none where nothing is due', async () => {
        expect(await ledger.nextDueAt()).toBeUndefined();
        const row = await working();
        expect(await ledger.nextDueAt()).toBe(NOW + 2 + MINUTE_MS);
        const poll = only(await leased(NOW + 2 + MINUTE_MS));
        expect(await ledger.nextDueAt()).toBe(poll.until);
        await ledger.reschedule(poll, poll.dueAt + 5, { failed: false });
        expect(await ledger.nextDueAt()).toBe(poll.dueAt + 5);
        const seen = next(row, EVENT.finished(poll.dueAt + 6));
        await ledger.append(seen);
        await ledger.append(next(seen.operation, EVENT.accept(poll.dueAt + 7)));
        expect(await ledger.nextDueAt()).toBeUndefined();
      });
    });

    describe('regenerating', () => {
      const derive = (operation: Operation) => dueWork(operation, TRAITS);

      test('mends what was lost, counts it, and finds nothing more to do (L7)', async () => {
        const rows = await Promise.all([working(), working(), told(ledger, {})]);
        await ended();
        expect(await ledger.regenerate(derive)).toBe(0);
        for (const { id } of rows.slice(0, 2)) await store.spoil.loseWork(id);
        expect(await breaches(ledger, (rows[0] as Operation).id)).not.toEqual([]);
        expect(await ledger.regenerate(derive)).toBe(2);
        for (const { id } of rows) expect(await breaches(ledger, id)).toEqual([]);
        expect(await ledger.regenerate(derive)).toBe(0);
      });

      test('removes what is no longer due, and leaves alone what it is not told about and what is held', async () => {
        const row = await working();
        const poll = only(await leased(NOW + 2 + MINUTE_MS));
        expect(await ledger.regenerate(() => undefined)).toBe(0);
        expect(await ledger.regenerate(derive)).toBe(0);
        expect(await ledger.reschedule(poll, poll.dueAt, { failed: false })).toBe(true);
        expect(await ledger.regenerate(() => [])).toBe(1);
        expect(await ledger.work(row.id)).toEqual([]);
      });

      test('reaches every open operation, however many', async () => {
        const rows = await Promise.all(Array.from({ length: 250 }, () => told(ledger, {})));
        for (const { id } of rows) await store.spoil.loseWork(id);
        expect(await ledger.regenerate(derive)).toBe(250);
      });
    });

    describe('a list', () => {
      const pages = async (filter = {}, limit = 2) => {
        const found: string[][] = [];
        let cursor: string | undefined;
        do {
          const page = await ledger.list(filter, { limit, ...(cursor === undefined ? {} : { cursor }) });
          found.push(page.items.map(({ id }) => id));
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        return found;
      };

      test('goes from the newest to the oldest, whole, whatever is created meanwhile', async () => {
        const ids: string[] = [];
        for (const at of [1, 2, 2, 3]) ids.push((await told(ledger, { createdAt: NOW + at })).id);
        const [a, b, c, d] = ids as [string, string, string, string];
        expect(await pages()).toEqual([
          [d, c],
          [b, a],
        ]);
        const first = await ledger.list({}, { limit: 2 });
        await told(ledger, { createdAt: NOW + 9 });
        const second = await ledger.list({}, { limit: 2, cursor: first.nextCursor as string });
        expect(second.items.map(({ id }) => id)).toEqual([b, a]);
        expect(second.nextCursor).toBeUndefined();
      });

      test('shows only what the filter names, and counts the same', async () => {
        const mine = await ended();
        await working({ principal: 'bob' });
        const baked = await told(ledger, { upstream: 'bakery', tool: 'bake', contract: 'none' });
        expect(await pages({ principal: 'alice', lives: ['ACCEPTED'] })).toEqual([[mine.id]]);
        for (const filter of [
          { upstream: 'bakery' },
          { tool: 'bake' },
          { contract: 'none' } as const,
          { lives: ['QUEUED'] } as const,
        ]) {
          expect(await pages(filter)).toEqual([[baked.id]]);
          expect(await ledger.count(filter)).toEqual({ QUEUED: 1 });
        }
        expect(await ledger.count()).toEqual({ ACCEPTED: 1, WORKING: 1, QUEUED: 1 });
        expect(await pages({ principal: 'nobody' })).toEqual([[]]);
        expect(await pages({ lives: [] })).toEqual([[]]);
      });

      test('shows what any of several facets fits, each operation once', async () => {
        const succeeded = await ended({ createdAt: NOW - 2 });
        const running = await working({ createdAt: NOW - 1 });
        const cancelled = await told(ledger, {}, ...toWorking(), EVENT.cancel(NOW + 5, true));
        expect(cancelled.effects).toBe('REQUIRED');
        expect(await pages({ facets: [{ outcome: 'succeeded' }] })).toEqual([[succeeded.id]]);
        expect(await pages({ facets: [{ effects: 'REQUIRED' }, { outcome: 'cancelled' }] })).toEqual([[cancelled.id]]);
        expect(await pages({ facets: [{ life: 'WORKING' }, { outcome: 'succeeded' }], principal: 'alice' })).toEqual([
          [running.id, succeeded.id],
        ]);
        expect(await pages({ facets: [{ effects: 'REQUIRED' }], lives: ['WORKING'] })).toEqual([[]]);
        expect(await pages({ facets: [{ life: 'WORKING' }, { effects: 'REQUIRED' }, { outcome: 'succeeded' }] })).toEqual([
          [cancelled.id, running.id],
          [succeeded.id],
        ]);
        expect(await pages({ facets: [] })).toEqual([[]]);
        expect(await ledger.count({ facet: { effects: 'REQUIRED' } })).toEqual({ [cancelled.life]: 1 });
        expect(await ledger.count({ facet: { effects: 'ESCALATED' } })).toEqual({});
        expect(await ledger.count({ facet: { outcome: 'succeeded' }, principal: 'alice' })).toEqual({ ACCEPTED: 1 });
      });

      test('has pages of 1 to 500 and takes no cursor but its own', async () => {
        await Promise.all([told(ledger, {}), told(ledger, {})]);
        expect((await ledger.list({}, { limit: 0 })).items).toHaveLength(1);
        expect((await ledger.list({}, { limit: 1e9 })).items).toHaveLength(2);
        for (const cursor of [
          '',
          'x',
          '!!',
          Buffer.from('1 op_12').toString('base64'),
          Buffer.from('NaN op_1').toString('base64url'),
        ]) {
          await expect(ledger.list({}, { limit: 1, cursor })).rejects.toMatchObject({ code: 'ARGUMENTS_INVALID' });
        }
      });
    });

    describe('the outbox', () => {
      test('tells receipts in the order in which they were written, after any position', async () => {
        const rows = [await ended(), await ended(), await ended()];
        const all = await ledger.outbox(0, 100);
        expect(all.map(({ receipt }) => receipt.operationId)).toEqual(rows.map(({ id }) => id));
        const positions = all.map(({ position }) => position);
        expect(positions).toEqual([...new Set(positions)].sort((one, other) => one - other));
        expect(await ledger.outbox(positions[0] as number, 1)).toEqual([all[1]]);
        expect(await ledger.outbox(positions[2] as number, 10)).toEqual([]);
      });

      test('never gives a position twice, even when the last row has expired', async () => {
        await ended();
        const [first] = await ledger.outbox(0, 1);
        expect(await ledger.expire(NOW + 100 * HOUR_MS, 10)).toBe(1);
        await ended();
        const [second] = await ledger.outbox(0, 1);
        expect(second?.position).toBeGreaterThan(first?.position as number);
      });
    });

    describe('expiry', () => {
      const END = NOW + 3;

      test('keeps what was left open at the end from when it was last heard of', async () => {
        const row = await told(ledger, {}, ...toWorking(), EVENT.cancel(END, true));
        expect(await ledger.expire(END + 100 * HOUR_MS, 10)).toBe(0);
        const over = next(row, { type: 'effects_over', at: END + 24 * HOUR_MS });
        expect(await ledger.append(over)).toBe('committed');
        expect(over.operation.effects).toBe('ESCALATED');
        expect(await ledger.expire(END + 25 * HOUR_MS, 10)).toBe(0);
        expect(await ledger.expire(END + 25 * HOUR_MS + 1, 10)).toBe(1);
      });

      test('forgets what ended longer ago than its ttl, with all that hangs on it, and frees its key', async () => {
        const row = await ended({ callerKey: 'k' }, END);
        expect(await ledger.expire(END + HOUR_MS, 10)).toBe(0);
        expect(await ledger.expire(END + HOUR_MS + 1, 10)).toBe(1);
        expect(await everything(ledger, row.id)).toEqual({
          operation: undefined,
          history: [],
          work: [],
          receipt: undefined,
          outbox: [],
        });
        expect((await ledger.create(created({ callerKey: 'k' }))).created).toBe(true);
      });

      test('spares what is live or has effects to follow, however old, and takes only so many at once', async () => {
        const live = await working();
        const followed = await told(ledger, {}, ...toWorking(), EVENT.cancel(NOW + 3, true));
        expect(followed).toMatchObject({ life: 'CANCELLED_ACCEPTED', effects: 'REQUIRED' });
        await Promise.all([ended(), ended(), ended()]);
        expect(await ledger.expire(NOW + 1e12, 2)).toBe(2);
        expect(await ledger.expire(NOW + 1e12, 2)).toBe(1);
        expect(await ledger.expire(NOW + 1e12, 2)).toBe(0);
        for (const { id } of [live, followed]) expect(await breaches(ledger, id)).toEqual([]);
      });
    });

    describe('a descriptor', () => {
      test('is kept under its digest, with its digits, and the first stands', async () => {
        await ledger.putDescriptor('sha256:a', DESCRIPTOR);
        await ledger.putDescriptor('sha256:a', DESCRIPTOR);
        const kept = await ledger.getDescriptor('sha256:a');
        expect(kept).toEqual(DESCRIPTOR);
        expect(JSON.stringify(kept?.protocol)).toBe('{"id":9007199254740993}');
        expect(await ledger.getDescriptor('sha256:b')).toBeUndefined();
      });
    });

    describe('a closed ledger', () => {
      test('says so, to readers and writers', async () => {
        await ledger.ping();
        await ledger.close();
        for (const answer of [ledger.ping(), ledger.get('op_1'), ledger.create(created())]) {
          await expect(answer).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
        }
      });
    });
  });
}

const DESCRIPTOR = {
  version: 1,
  tool: 'render',
  upstream: 'studio',
  adapter: 'http-202@1',
  submit: {},
  allowedOrigins: ['https://studio.example'],
  traits: TRAITS,
  pace: { intervalMs: 1, intervalMinMs: 1, intervalMaxMs: 1, ageShare: 0 },
  responseBytesMax: 1,
  protocol: parseJson('{"id":9007199254740993}'),
} as unknown as Descriptor;
