// The laws of a webhook inbox (src/ledger/inbox.ts), as a suite that every store must pass.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Inbox, ReceivedEvent } from '../../src/ledger/inbox.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { created, HOUR_MS, NOW } from './fixtures.ts';

export interface InboxUnderTest {
  readonly ledger: Ledger & Inbox;
  /** The store as another process finds it when this one is killed now. */
  crash(): Promise<InboxUnderTest>;
  close(): Promise<void>;
}

const event = (changes: Partial<ReceivedEvent> = {}, body = '{"n":1}', receivedAt = NOW): ReceivedEvent => ({
  upstream: 'studio',
  token: 'cb_1',
  eventKey: 'msg_1',
  delivery: { eventId: changes.eventKey ?? 'msg_1', mediaType: 'application/json', body, receivedAt },
  expiresAt: NOW + HOUR_MS,
  ...changes,
});

export function inboxLaws(name: string, openStore: () => Promise<InboxUnderTest>): void {
  describe(`${name} keeps the laws of a webhook inbox:`, () => {
    let store: InboxUnderTest;
    let inbox: Ledger & Inbox;
    beforeEach(async () => {
      store = await openStore();
      inbox = store.ledger;
    });
    afterEach(() => store.close());
    const bodies = async (now = NOW) => (await inbox.pendingDeliveries(now, 100)).map(({ delivery }) => delivery.body);

    test('the same event is stored once, asked one after the other or at once (L12)', async () => {
      expect(await inbox.receive(event())).toBe('stored');
      expect(await inbox.receive(event({}, '{"n":2}'))).toBe('duplicate');
      const answers = await Promise.all([1, 2, 3].map((n) => inbox.receive(event({ eventKey: 'msg_2' }, `${n}`))));
      expect(answers.sort()).toEqual(['duplicate', 'duplicate', 'stored']);
      expect(await bodies()).toEqual(['{"n":1}', '1']);
    });

    test('what was put aside hides no event that has the same id (L12)', async () => {
      for (const as of ['stranger', 'unreadable', 'late'] as const) {
        const key = `of a ${as}`;
        expect(await inbox.receive(event({ eventKey: key, token: 'cb_2' }, 'strayed'))).toBe('stored');
        expect(await inbox.receive(event({ eventKey: key }, 'its own'))).toBe('full');
        const [strayed] = await inbox.pendingDeliveries(NOW, 1);
        await inbox.settleDelivery(strayed?.id ?? 0, as);
        expect(await inbox.receive(event({ eventKey: key }, 'its own'))).toBe('stored');
        expect(await inbox.receive(event({ eventKey: key }, 'its own'))).toBe('duplicate');
        const [own] = await inbox.pendingDeliveries(NOW, 1);
        expect(own).toMatchObject({ token: 'cb_1', delivery: { body: 'its own' } });
        await inbox.settleDelivery(own?.id ?? 0, 'late');
        expect(await inbox.receive(event({ eventKey: key }, 'its own'))).toBe('duplicate');
      }
    });

    test('the same id of another upstream is another event (L12)', async () => {
      expect(await inbox.receive(event())).toBe('stored');
      expect(await inbox.receive(event({ upstream: 'mill' }))).toBe('stored');
    });

    test('a stored event is there as it came, after a kill too (L13)', async () => {
      const sent = event({}, '{"id":9007199254740993,"text":"caf\\u00e9 😊\\n"}');
      await inbox.receive(sent);
      store = await store.crash();
      inbox = store.ledger;
      const { upstream, token, delivery } = sent;
      expect(await inbox.pendingDeliveries(NOW, 10)).toEqual([{ id: expect.any(Number), upstream, token, delivery }]);
      expect(await inbox.receive(sent)).toBe('duplicate');
    });

    test('events wait in the order in which they came, and a settled one no longer (L13)', async () => {
      for (const key of ['a', 'b', 'c']) await inbox.receive(event({ eventKey: key }, key));
      const [first] = await inbox.pendingDeliveries(NOW, 1);
      expect(await inbox.settleDelivery(first?.id ?? 0, 'applied', NOW - 5)).toBe(true);
      expect(await inbox.settleDelivery(first?.id ?? 0, 'late', NOW + 5)).toBe(false);
      expect(await bodies()).toEqual(['b', 'c']);
      expect(await inbox.newestEventAt('studio', 'cb_1')).toBe(NOW - 5);
      expect(await inbox.receive(event({ eventKey: 'a' }))).toBe('duplicate');
    });

    test('a postponed event is due later, and says when', async () => {
      expect(await inbox.nextDeliveryAt()).toBeUndefined();
      await inbox.receive(event());
      expect(await inbox.nextDeliveryAt()).toBe(NOW);
      const [row] = await inbox.pendingDeliveries(NOW, 1);
      expect(await inbox.postponeDelivery(row?.id ?? 0, NOW + 1000)).toBe(true);
      expect(await bodies(NOW + 999)).toEqual([]);
      expect(await bodies(NOW + 1000)).toEqual(['{"n":1}']);
      expect(await inbox.nextDeliveryAt()).toBe(NOW + 1000);
      await inbox.settleDelivery(row?.id ?? 0, 'late');
      expect(await inbox.postponeDelivery(row?.id ?? 0, NOW)).toBe(false);
      expect(await inbox.nextDeliveryAt()).toBeUndefined();
    });

    test('the newest event of a callback URL is the one that says so itself, not the last that came', async () => {
      for (const [key, at] of [
        ['a', NOW + 9],
        ['b', NOW + 3],
        ['c', undefined],
      ] as const) {
        await inbox.receive(event({ eventKey: key }));
        const [row] = await inbox.pendingDeliveries(NOW, 1);
        await inbox.settleDelivery(row?.id ?? 0, 'applied', at);
      }
      expect(await inbox.newestEventAt('studio', 'cb_1')).toBe(NOW + 9);
      expect(await inbox.newestEventAt('studio', 'cb_2')).toBeUndefined();
      expect(await inbox.newestEventAt('mill', 'cb_1')).toBeUndefined();
    });

    test('a callback token names one operation of its upstream (L14)', async () => {
      const { operation } = await inbox.create(created({ callbackToken: 'cb_7' }));
      await inbox.create(created());
      expect(await inbox.findByCallbackToken('studio', 'cb_7')).toEqual(operation);
      expect(await inbox.findByCallbackToken('mill', 'cb_7')).toBeUndefined();
      expect(await inbox.findByCallbackToken('studio', 'cb_8')).toBeUndefined();
      await expect(inbox.create(created({ callbackToken: 'cb_7' }))).rejects.toThrow();
      expect((await inbox.create(created({ callbackToken: 'cb_7', upstream: 'mill' }))).created).toBe(true);
    });

    test('events are forgotten when they need not be recognised any more, so many at once', async () => {
      for (const key of ['a', 'b', 'c']) await inbox.receive(event({ eventKey: key }));
      await inbox.receive(event({ eventKey: 'later', expiresAt: NOW + 2 * HOUR_MS }));
      expect(await inbox.expireDeliveries(NOW + HOUR_MS, 10)).toBe(0);
      expect(await inbox.expireDeliveries(NOW + HOUR_MS + 1, 2)).toBe(2);
      expect(await inbox.expireDeliveries(NOW + HOUR_MS + 1, 2)).toBe(1);
      expect(await inbox.receive(event({ eventKey: 'a' }))).toBe('stored');
    });

    test('too many that wait are refused, and a known one is still recognised', async () => {
      await Promise.all(Array.from({ length: 10_000 }, (_, n) => inbox.receive(event({ eventKey: `n${n}` }))));
      expect(await inbox.receive(event({ eventKey: 'one too many' }))).toBe('full');
      expect(await inbox.receive(event({ eventKey: 'n1' }))).toBe('duplicate');
      expect(await inbox.receive(event({ eventKey: 'x', upstream: 'mill' }))).toBe('stored');
    });
  });
}
