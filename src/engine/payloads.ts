// Payloads: from bytes to something the ledger holds under its digest, and back.

import type { Json } from '../core/json.ts';
import type { HeldResult, Payload } from '../core/outcome.ts';
import type { BlobStore } from '../ledger/ledger.ts';
import { digestOf } from './descriptors.ts';
import type { Patience } from './patience.ts';

export interface Payloads {
  /**
   * Makes a payload durable. Written before the event that names it, so that a held result can always be read. With patience: a
   * service may not give it again.
   */
  hold(payload: Payload | undefined): Promise<HeldResult | 'empty'>;
  /** The same for what can be had again: fails at once where the store does. */
  holdNow(payload: Payload | undefined): Promise<HeldResult | 'empty'>;
  /** `undefined` for an ending without a value. Throws where a digest has no bytes: the ledger would be broken. */
  open(held: HeldResult | undefined): Promise<Payload | undefined>;
}

export function createPayloads(blobs: BlobStore, inlineBytesMax: number, patience: Patience): Payloads {
  async function holdNow(payload: Payload | undefined): Promise<HeldResult | 'empty'> {
    if (payload === undefined) return 'empty';
    const text = JSON.stringify(payload);
    const bytes = Buffer.byteLength(text);
    const digest = digestOf(payload as unknown as Json);
    const { mediaType, partial } = payload;
    const held = { digest, bytes, mediaType, ...(partial && { partial }) };
    if (bytes <= inlineBytesMax) return { ...held, inline: payload };
    await blobs.put(digest, text);
    return held;
  }

  return {
    holdNow,
    hold: (payload) => patience.through(() => holdNow(payload)),

    async open(held) {
      if (held === undefined) return undefined;
      if (held.inline !== undefined) return held.inline;
      const text = await blobs.get(held.digest);
      if (text === undefined) throw new Error(`the result ${held.digest} is named by the ledger but not in the blob store`);
      return JSON.parse(text) as Payload;
    },
  };
}
