// What is counted, as an argument: whoever counts is handed a Metrics and knows no registry.
//   M1. Every label has few values, all of them from the configuration, the code or a published standard: never an id, never
//       anything that a caller, a sender or an upstream writes.
//   M2. Counting never throws and never waits.

import type { ExchangePurpose, HttpFailureKind } from './http.ts';
import type { WorkKind } from './transitions.ts';

/** What became of one request to a callback URL. `stranger`: genuine, and for no operation. */
export type DeliveryOutcome =
  | 'accepted'
  | 'duplicate'
  | 'stranger'
  | 'handshake'
  | 'refused'
  | 'unverifiable'
  | 'too_large'
  | 'malformed'
  | 'too_slow'
  | 'busy'
  | 'full'
  | 'failed';

/** What became of one event out of a delivery, once its operation was looked at. */
export type EventOutcome = 'applied' | 'late' | 'duplicate' | 'stranger' | 'unreadable';

/** The class of the status code, or why there was no whole answer. */
export type ExchangeResult = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | HttpFailureKind;

/** A bound of the configuration, by its name there. */
export type Bound =
  | 'concurrentRequestsMax'
  | 'concurrentPollsMax'
  | 'pollsPerSecondMax'
  | 'concurrentSubmitsMax'
  | 'operationsPerPrincipalMax'
  | 'requestBytesMax'
  | 'sessionsMax';

/** Why a call was refused before anything was sent. `ledger`: it could not be written. */
export type RefusalCause = 'arguments' | 'busy' | 'gate' | 'key' | 'ledger' | 'limit';

export interface Metrics {
  /** A request to a callback URL was answered. `none` stands for an upstream or a scheme that is not known. */
  delivered(labels: { readonly upstream: string; readonly scheme: string; readonly outcome: DeliveryOutcome }): void;
  /** An event of a verified delivery was taken to its operation. */
  settled(labels: { readonly upstream: string; readonly outcome: EventOutcome }): void;
  /** A request to an upstream is over. */
  exchanged(
    labels: { readonly upstream: string; readonly purpose: ExchangePurpose; readonly result: ExchangeResult },
    durationMs: number,
  ): void;
  /** Due work was begun, so long after it was due. */
  begun(labels: { readonly work: WorkKind }, lagMs: number): void;
  /** The last place within a bound was taken, or there was none. `none` stands for bounds over all upstreams. */
  reached(labels: { readonly limit: Bound; readonly upstream: string }): void;
  /** A call was refused. */
  refused(labels: { readonly upstream: string; readonly why: RefusalCause }): void;
}

/** Counts nothing. */
export const noMetrics: Metrics = {
  delivered: () => undefined,
  settled: () => undefined,
  exchanged: () => undefined,
  begun: () => undefined,
  reached: () => undefined,
  refused: () => undefined,
};
