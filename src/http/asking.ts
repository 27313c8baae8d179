// Asking: puts the questions of an operation before the person at the other end of a session, on whichever stream is at hand.
//   K1. A question is put once: while it is out on one stream it goes out on no other, and whoever dismissed it is not asked
//       again by itself. A client that comes back for the result asks for it anew.
//   K2. A question that was answered elsewhere, or that the service dropped, is withdrawn.
//   K3. Nothing is lost with a stream: what was out on it can be put on another.

import type { WireRequest } from '../contracts/contract.ts';
import type { OperationId, Principal } from '../core/ids.ts';
import { type OpenQuestion, openQuestions } from '../core/input.ts';
import type { Json } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Operation } from '../core/operation.ts';
import type { Engine, OperationView } from '../engine/engine.ts';

/** Sends a request to the client and resolves with its result. Rejects when it fails, or when `signal` aborts. */
export type SendRequest = (request: WireRequest, signal: AbortSignal) => Promise<unknown>;

export interface Way {
  readonly send: SendRequest;
  readonly write: (question: OpenQuestion) => WireRequest;
  /** Aborts when the stream is gone. */
  readonly gone: AbortSignal;
}

export interface Asker {
  /** Puts every open question that nobody was asked yet. */
  put(view: OperationView, way: Way): void;
  /** Whoever dismissed a question of this operation may be asked again. */
  renew(id: OperationId): void;
  /** Aborts when a question came back without an answer, so that another stream can take it. */
  freed(): AbortSignal;
  close(): void;
}

/** Dismissed questions that are remembered: more than anybody has open in one session. */
const DISMISSED_MAX = 1_000;

export function createAsker(engine: Engine, principal: Principal, log: Log): Asker {
  /** By operation, then by key: aborts to withdraw it. */
  const out = new Map<OperationId, Map<string, AbortController>>();
  const dismissed = new Map<OperationId, Set<string>>();
  let freed = new AbortController();

  const stop = engine.subscribe((operation: Operation) => {
    const asked = out.get(operation.id);
    if (asked === undefined) return;
    const open = new Set(openQuestions(operation).map(({ key }) => key));
    for (const [key, withdrawal] of asked) if (!open.has(key)) withdrawal.abort();
  });

  async function ask(id: OperationId, question: OpenQuestion, way: Way): Promise<void> {
    const asked = out.get(id) ?? new Map<string, AbortController>();
    const withdrawal = new AbortController();
    out.set(id, asked.set(question.key, withdrawal));
    let back = true;
    try {
      const result = await way.send(way.write(question), AbortSignal.any([withdrawal.signal, way.gone]));
      const answered = await engine.answer(id, principal, { [question.key]: result as Json });
      if (answered?.verdicts.get(question.key)?.kind === 'not_taken') dismiss(id, question.key);
      back = false;
    } catch (error) {
      log.debug({ operation: id, question: question.key, error }, 'a question came back without an answer');
    } finally {
      asked.delete(question.key);
      if (asked.size === 0 && out.get(id) === asked) out.delete(id);
      if (back && !withdrawal.signal.aborted) {
        freed.abort();
        freed = new AbortController();
      }
    }
  }

  function dismiss(id: OperationId, key: string): void {
    if (dismissed.size >= DISMISSED_MAX) dismissed.delete(dismissed.keys().next().value as OperationId);
    dismissed.set(id, (dismissed.get(id) ?? new Set()).add(key));
  }

  return {
    put(view, way) {
      const { operation } = view;
      if (way.gone.aborted) return;
      for (const question of openQuestions(operation)) {
        const isOut = out.get(operation.id)?.has(question.key) === true;
        if (!isOut && dismissed.get(operation.id)?.has(question.key) !== true) void ask(operation.id, question, way);
      }
    },
    renew: (id) => void dismissed.delete(id),
    freed: () => freed.signal,
    close() {
      stop();
      for (const asked of out.values()) for (const withdrawal of asked.values()) withdrawal.abort();
    },
  };
}
