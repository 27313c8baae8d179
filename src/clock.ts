// Time and randomness: the only file that asks the machine for either. Everything else is handed a Clock and a Random.

import { randomBytes } from 'node:crypto';
import type { Clock, Random } from './core/time.ts';

/** The machine's own time. `sleep` ends early, without an error, when `signal` aborts. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (durationMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      // Node turns a delay above 2^31-1 ms into 1 ms, which would be a hot loop.
      const timer = setTimeout(done, Math.min(Math.max(0, durationMs), 2 ** 31 - 1));
      signal?.addEventListener('abort', done, { once: true });
    }),
};

/** The machine's own randomness: fit for identifiers that nobody may guess. */
export const systemRandom: Random = {
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  bytes: (count) => randomBytes(count),
};
