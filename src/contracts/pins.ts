// What each contract was written against: digests of the SDK's wire schemas, pinned in specs/mcp/. What is installed is digested at
// a start and compared here; a contract that differs takes no new calls until somebody has read what changed.
//   P1. A pin names each schema, so that what differs has a name.
//   P2. A contract without a pin is trusted: there is nothing to compare.

import pinned20251125 from '../../specs/mcp/2025-11-25.json' with { type: 'json' };
import pinned20260728 from '../../specs/mcp/2026-07-28.json' with { type: 'json' };
import type { ContractId } from '../core/ids.ts';

/** The wire schemas of one contract. */
export interface Digests {
  /** By the schema's name: `sha256:<hex>` of its JSON Schema in canonical form. */
  readonly schemas: Readonly<Record<string, string>>;
  /** Of all of them together. */
  readonly digest: string;
}

export interface Pin extends Digests {
  readonly contract: string;
  /** The package whose schemas these are, at the version that was read. */
  readonly sdk: string;
}

export const PINS: readonly Pin[] = [pinned20251125, pinned20260728];

export const pinOf = (contract: ContractId): Pin | undefined => PINS.find((pin) => pin.contract === contract);

/** Why a contract is not what it was pinned as; `undefined` where it is. */
export function difference(pinned: Pin, installed: Digests): string | undefined {
  if (pinned.digest === installed.digest) return undefined;
  const names = [...new Set([...Object.keys(pinned.schemas), ...Object.keys(installed.schemas)])].sort();
  const differing = names.filter((name) => pinned.schemas[name] !== installed.schemas[name]);
  const shown = differing.length > 5 ? [...differing.slice(0, 5), `${differing.length - 5} more`] : differing;
  return `contract pin differs from the installed SDK (pinned: ${pinned.sdk}) in ${shown.join(', ')}`;
}
