// Time and randomness as arguments. Pure code and the engine know these interfaces and never the machine's clock.

/** Milliseconds since 1970-01-01T00:00Z. */
export type EpochMs = number;

export interface Clock {
  now(): EpochMs;
  /** Milliseconds that never go back; only differences mean anything. */
  monotonic(): number;
  /** Resolves after `durationMs`, or at once when `signal` aborts. Never rejects. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** In [0, 1). */
  fraction(): number;
  bytes(count: number): Uint8Array;
}
