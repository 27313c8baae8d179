// The ledger that the simulator works on keeps the laws that every store must keep.

import { type GatesUnderTest, gateLaws } from '../ledger/gate-laws.ts';
import { type InboxUnderTest, inboxLaws } from '../ledger/inbox-laws.ts';
import { interleavingsKeepTheLaws } from '../ledger/interleavings.ts';
import { ledgerLaws, type StoreUnderTest } from '../ledger/laws.ts';
import { MemoryStore, MemoryWithInbox } from './memory-inbox.ts';
import { Memory, MemoryLedger } from './memory-ledger.ts';

async function openStore(memory = new Memory()): Promise<StoreUnderTest> {
  const ledger = new MemoryLedger(memory);
  const eventOf = (id: string, seq: number) => memory.entries.get(id)?.events[seq - 1];
  return {
    ledger,
    close: () => ledger.close(),
    async crash() {
      await ledger.close();
      return openStore(memory);
    },
    spoil: {
      async changeEvent(id, seq) {
        Object.assign(eventOf(id, seq) ?? {}, { seq: 0 });
      },
      async removeEvent() {
        throw new Error('events can only be added');
      },
      async loseWork(id) {
        memory.entries.get(id)?.work.clear();
      },
    },
  };
}

async function openGates(memory = new Memory()): Promise<GatesUnderTest> {
  const ledger = new MemoryLedger(memory);
  return {
    ledger: Object.assign(ledger, ledger.gateStore) as GatesUnderTest['ledger'],
    close: () => ledger.close(),
    crash: () => openGates(memory),
    async spoilGates() {
      if (Object.isFrozen(memory.gates.changes[0])) throw new Error('changes of gates are append-only');
    },
  };
}

async function openInbox(memory = new MemoryWithInbox()): Promise<InboxUnderTest> {
  const ledger = new MemoryStore(memory);
  return {
    ledger,
    close: () => ledger.close(),
    async crash() {
      await ledger.close();
      return openInbox(memory);
    },
  };
}

ledgerLaws('memory', () => openStore());
gateLaws('memory', () => openGates());
inboxLaws('memory', () => openInbox());
interleavingsKeepTheLaws('memory', () => openStore());
