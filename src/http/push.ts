// Push: a session that has its stream open is told when a task it knows changes its status.
//   N1. Only tasks that the session started or asked for: where nobody is identified, ids are what guards an operation.
//   N2. Bounded: one read at a time for each task, and changes that come meanwhile are told as one.
//   N3. A hint, never the truth: whoever misses one reads the task.

import type { Server } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import type { Contract } from '../contracts/contract.ts';
import type { OperationId, Principal } from '../core/ids.ts';
import type { OperationView } from '../engine/engine.ts';
import type { Shared } from './gateway-server.ts';

export interface Push {
  watch(view: OperationView): void;
  /** The session's stream was opened, or has ended. */
  opened(): void;
  stopped(): void;
  close(): void;
}

interface Watched {
  /** What was told, or answered, last. */
  told: string;
  reading: boolean;
  again: boolean;
}

const TASKS_PER_SESSION_MAX = 1_000;

/** `undefined` where the contract pushes nothing on its sessions. */
export function createPush(contract: Contract, principal: Principal, shared: Shared, server: Server): Push | undefined {
  const notification = contract.tasks?.notification;
  if (notification === undefined) return undefined;
  const { engine, log } = shared;
  const watched = new LRUCache<OperationId, Watched>({ max: TASKS_PER_SESSION_MAX });
  let streams = 0;

  const face = (view: OperationView): string => {
    const { status, statusMessage } = notification(view).params;
    return JSON.stringify([status, statusMessage]);
  };

  const tell = async (id: OperationId, known: Watched): Promise<void> => {
    known.reading = true;
    try {
      while (known.again) {
        known.again = false;
        const view = await engine.read(id, principal);
        if (view === undefined || face(view) === known.told) continue;
        known.told = face(view);
        await server.notification(notification(view));
        if (view.operation.receipt !== undefined) watched.delete(id);
      }
    } catch (error) {
      log.debug({ operation: id, error }, 'a task notification was not delivered');
    } finally {
      known.reading = false;
    }
  };

  const unsubscribe = engine.subscribe((operation) => {
    const known = watched.get(operation.id);
    if (known === undefined || streams === 0) return;
    known.again = true;
    if (!known.reading) void tell(operation.id, known);
  });

  return {
    watch(view) {
      const { id, receipt } = view.operation;
      if (receipt !== undefined) return;
      const known = watched.get(id);
      if (known === undefined) watched.set(id, { told: face(view), reading: false, again: false });
    },
    opened: () => {
      streams += 1;
    },
    stopped: () => {
      streams -= 1;
    },
    close: unsubscribe,
  };
}
