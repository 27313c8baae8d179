// How long jobs took, as the receipts say: read once at a start, and followed by the engine from then on.

export interface Duration {
  readonly upstream: string;
  readonly tool: string;
  /** From creation to the receipt, in milliseconds. */
  readonly durationMs: number;
}

export interface DurationStore {
  /** Of operations that succeeded, oldest first: the newest `limit` of them over all tools. */
  recentDurations(limit: number): Promise<readonly Duration[]>;
}
