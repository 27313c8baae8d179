// The ledger and its blob store, with a crash point before and after each of their durable steps.

import type { Commit, Lease } from '../../../src/ledger/ledger.ts';
import * as real from '../../../src/ledger/sqlite.ts';
import { type NameOf, stepping } from './points.ts';

const STEPS: Readonly<Record<string, NameOf>> = {
  putDescriptor: () => 'keep descriptor',
  create: () => 'create',
  append: ([commit]) => `append ${(commit as Commit).event.type}`,
  reschedule: ([lease]) => `reschedule ${(lease as Lease).kind}`,
  // What it hands out is known only afterwards; where there is nothing, nothing is written.
  lease: (_args, leases) => {
    const kinds = ((leases ?? []) as readonly Lease[]).map(({ kind }) => kind);
    return kinds.length === 0 ? undefined : `lease ${[...new Set(kinds)].join(' and ')}`;
  },
};

export async function openSqliteLedger(options: Parameters<typeof real.openSqliteLedger>[0]): Promise<real.SqliteLedger> {
  const ledger = await real.openSqliteLedger(options);
  const blobs = stepping(ledger.blobs, { put: () => 'put blob' });
  return stepping({ ...ledger, blobs }, STEPS);
}
