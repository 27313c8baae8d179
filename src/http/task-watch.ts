// Watching tasks: whoever holds a stream open is told when a task it knows shows something new.
//   N1. Only tasks that were given to `watch`: where nobody is identified, ids are what guards an operation.
//   N2. Bounded: one read at a time for each task, and changes that come meanwhile are told as one.
//   N3. A hint, never the truth: whoever misses one reads the task.

import { LRUCache } from 'lru-cache';
import type { WireMessage } from '../contracts/contract.ts';
import type { OperationId, Principal } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Engine, OperationView } from '../engine/engine.ts';

export interface TaskWatch {
  /** From now on, changes of what this view shows are told. */
  watch(view: OperationView): void;
  /** Reads a task and watches it from before the read, so that no change falls between. `undefined`: there is none to watch. */
  follow(id: OperationId): Promise<OperationView | undefined>;
  close(): void;
}

export interface Watcher {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly log: Log;
  readonly notification: (view: OperationView) => WireMessage;
  /** Called with every view that is watched or has changed. */
  readonly seen?: (view: OperationView) => void;
  /** Called after the last that there is to tell of a task. */
  readonly ended?: (id: OperationId) => void;
  /** Whether anybody would hear it. */
  readonly listening: () => boolean;
  /** Resolves when the next one may be sent. */
  readonly deliver: (notification: WireMessage) => Promise<void>;
}

/** Most tasks that one stream watches; the one that was looked at longest ago makes room. */
export const WATCHED_MAX = 1_000;

interface Watched {
  /** What was shown last. */
  shown: string;
  reading: boolean;
  again: boolean;
}

export function watchTasks({ engine, principal, log, notification, seen, ended, listening, deliver }: Watcher): TaskWatch {
  const watched = new LRUCache<OperationId, Watched>({ max: WATCHED_MAX });

  const face = ({ params: { status, statusMessage, inputRequests = {} } }: WireMessage): string =>
    JSON.stringify([status, statusMessage, Object.keys(inputRequests as JsonObject)]);

  const forget = (id: OperationId): void => {
    watched.delete(id);
    ended?.(id);
  };

  const tell = async (id: OperationId, known: Watched): Promise<void> => {
    known.reading = true;
    try {
      while (known.again && listening()) {
        known.again = false;
        const view = await engine.read(id, principal);
        if (view === undefined) {
          forget(id);
          continue;
        }
        seen?.(view);
        const told = notification(view);
        if (face(told) === known.shown) continue;
        known.shown = face(told);
        await deliver(told);
        if (view.operation.receipt !== undefined) forget(id);
      }
    } catch (error) {
      log.debug({ operation: id, error }, 'a task notification was not delivered');
    } finally {
      known.reading = false;
    }
  };

  const stop = engine.subscribe(({ id }) => {
    const known = watched.get(id);
    if (known === undefined || !listening()) return;
    known.again = true;
    if (!known.reading) void tell(id, known);
  });

  return {
    watch(view) {
      const { id, receipt } = view.operation;
      if (receipt !== undefined || watched.has(id)) return;
      if (listening()) seen?.(view);
      watched.set(id, { shown: face(notification(view)), reading: false, again: false });
    },
    async follow(id) {
      const known: Watched = { shown: '', reading: true, again: false };
      watched.set(id, known);
      const view = await engine.read(id, principal);
      if (view === undefined || view.operation.receipt !== undefined) {
        watched.delete(id);
        return view;
      }
      seen?.(view);
      known.shown = face(notification(view));
      known.reading = false;
      if (known.again) void tell(id, known);
      return view;
    },
    close() {
      stop();
      watched.clear();
    },
  };
}
