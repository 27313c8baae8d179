// What each contract was written against: digests of the SDK's wire schemas, pinned in specs/mcp/ and held by the contract. What is
// installed is digested at a start and compared here; a contract that differs takes no new calls until somebody has read what changed.
//   P1. A pin names each schema, so that what differs has a name.
//   P2. A contract without a pin is trusted: there is nothing to compare.

import { ABSENT, type Digests, type Pin } from './contract.ts';

/** Why a contract is not what it was pinned as; `undefined` where it is. */
export function difference(pinned: Pin, installed: Digests): string | undefined {
  if (pinned.digest === installed.digest) return undefined;
  const names = [...new Set([...Object.keys(pinned.schemas), ...Object.keys(installed.schemas)])].sort();
  const differing = names
    .filter((name) => pinned.schemas[name] !== installed.schemas[name])
    .map((name) => (pinned.schemas[name] === ABSENT ? `${name} (which it did not have)` : name));
  const shown = differing.length > 5 ? [...differing.slice(0, 5), `${differing.length - 5} more`] : differing;
  return `contract pin differs from the installed SDK (pinned: ${pinned.sdk}) in ${shown.join(', ')}`;
}
