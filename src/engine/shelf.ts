// The shelf: what a synchronous call gave and is too large to be shown, kept for a while so that its caller can read it whole.
//   S1. A blob that no operation names, so that the sweep takes it away by its age: after about a day.
//   S2. It holds who called, and is read by nobody else. Its name follows from both, so that nothing else must be kept.

import { isJsonObject, type Json, tryParseJson } from '../core/json.ts';
import type { Payload } from '../core/outcome.ts';
import type { BlobStore } from '../ledger/ledger.ts';
import { digestOf } from './descriptors.ts';
import type { Shelf } from './engine.ts';

const SCHEME = 'sha256:';

export function createShelf(blobs: BlobStore): Shelf {
  return {
    async keep(payload, principal) {
      const digest = digestOf({ principal, payload } as unknown as Json);
      await blobs.put(digest, JSON.stringify({ principal, payload }));
      return digest.slice(SCHEME.length);
    },

    async read(name, principal) {
      if (!/^[0-9a-f]{64}$/.test(name)) return undefined;
      const text = await blobs.get(`${SCHEME}${name}`);
      const kept = text === undefined ? undefined : tryParseJson(text);
      return isJsonObject(kept) && kept['principal'] === principal ? (kept['payload'] as unknown as Payload) : undefined;
    },
  };
}
