// The contracts that Longshore speaks. A new one is its own file, its import and its name in the list here: whatever names contracts
// (configuration, command line, admin API, pins) reads this list.

import type { ContractId, Door } from '../core/ids.ts';
import type { Contract } from './contract.ts';
import { tasklessRequest, tasklessSession } from './taskless.ts';
import { tasks20251125 } from './tasks-2025-11-25.ts';
import { tasks20260728 } from './tasks-2026-07-28.ts';

/** In order of preference; a version of the protocol is spoken through the first that is switched on and knows it. */
export const CONTRACTS: readonly Contract[] = [tasks20251125, tasks20260728, tasklessSession, tasklessRequest];

/** Those of them with Tasks, oldest first: what a configuration may switch on, and what gates are named by. */
export const CONTRACT_IDS: readonly ContractId[] = CONTRACTS.map(({ id }) => id)
  .filter((id) => id !== 'none')
  .sort();

/** How a call may have come in: by one of them, or without Tasks. */
export const DOORS: readonly Door[] = [...CONTRACT_IDS, 'none'];

/** The contract for a protocol version on a leg. Versions that nobody knows are spoken as the leg's newest. */
export function contractFor(
  leg: Contract['leg'],
  version: string | undefined,
  enabled: readonly ContractId[],
  contracts: readonly Contract[] = CONTRACTS,
): Contract {
  const spoken = contracts.filter(
    (contract) => contract.leg === leg && (contract.id === 'none' || enabled.includes(contract.id)),
  );
  const found = spoken.find((contract) => version !== undefined && contract.protocolVersions.includes(version)) ?? spoken[0];
  if (found === undefined) throw new Error(`no contract for the ${leg} leg`);
  return found;
}
