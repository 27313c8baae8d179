// Descriptors by digest: an operation is finished by the rules it was started under, whatever the catalogue says today.

import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Adapter } from '../core/adapter.ts';
import type { Descriptor } from '../core/descriptor.ts';
import { canonicalJson, type Json } from '../core/json.ts';
import type { Operation } from '../core/operation.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** What an operation runs by: its recorded descriptor and the adapter that compiled it. */
export interface Job {
  readonly descriptor: Descriptor;
  readonly adapter: Adapter;
}

export interface Descriptors {
  /** Makes a descriptor durable before the first operation names it, and gives its digest. */
  keep(descriptor: Descriptor): Promise<string>;
  /** Throws where the ledger holds no such descriptor or no such adapter is installed: both mean a broken installation. */
  of(operation: Operation): Promise<Job>;
  /** What is already at hand, without a read. */
  cached(operation: Operation): Descriptor | undefined;
}

/** `sha256:<hex>` of the canonical JSON. */
export const digestOf = (value: Json): string => `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;

/** Digests of descriptors, which never change: what many engines of one process are given is digested once. */
const digests = new WeakMap<Descriptor, string>();

function digestOfDescriptor(descriptor: Descriptor): string {
  const digest = digests.get(descriptor) ?? digestOf(descriptor as unknown as Json);
  digests.set(descriptor, digest);
  return digest;
}

export function createDescriptors(ledger: Ledger, adapters: ReadonlyMap<string, Adapter>): Descriptors {
  const kept = new WeakMap<Descriptor, Promise<string>>();
  // Counted by size, since a `max` of entries takes the room for all of them at once.
  const known = new LRUCache<string, Descriptor>({ maxSize: 512, sizeCalculation: () => 1 });

  const store = async (descriptor: Descriptor) => {
    const digest = digestOfDescriptor(descriptor);
    await ledger.putDescriptor(digest, descriptor);
    known.set(digest, descriptor);
    return digest;
  };

  return {
    keep(descriptor) {
      const before = kept.get(descriptor);
      if (before !== undefined) return before;
      const digest = store(descriptor);
      kept.set(descriptor, digest);
      // A failed write is tried again by the next call.
      digest.catch(() => kept.delete(descriptor));
      return digest;
    },

    async of(operation) {
      const descriptor = known.get(operation.descriptorDigest) ?? (await ledger.getDescriptor(operation.descriptorDigest));
      if (descriptor === undefined) {
        throw new Error(`the ledger has no descriptor ${operation.descriptorDigest}, which operation ${operation.id} needs`);
      }
      known.set(operation.descriptorDigest, descriptor);
      const adapter = adapters.get(descriptor.adapter);
      if (adapter === undefined) {
        throw new Error(`adapter ${descriptor.adapter} is not installed, which operation ${operation.id} needs`);
      }
      return { descriptor, adapter };
    },

    cached: (operation) => known.get(operation.descriptorDigest),
  };
}
