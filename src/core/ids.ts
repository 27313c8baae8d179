// Names of things that more than one room mentions.

/** One published version of MCP Tasks, by its date. Which there are is known to contracts/index.ts alone. */
export type ContractId = `${number}-${number}-${number}`;

/** How a call came in: under a contract, or without Tasks. */
export type Door = ContractId | 'none';

/** The MCP `taskId`: `op_` and 130 random bits. Unguessable, so that it may be shown where nobody is identified. */
export type OperationId = string;

/** Who called. `local` where identity is `none`. */
export type Principal = string;
export const LOCAL_PRINCIPAL: Principal = 'local';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'; // Crockford's base 32: no letter reads as another

/** 26 characters of base 32 out of 17 random bytes; `prefix` says what is named. */
export function newId(prefix: string, bytes: Uint8Array): string {
  let text = '';
  let carry = 0;
  let bits = 0;
  for (const byte of bytes) {
    carry = (carry << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(carry >> bits) & 31];
    }
    carry &= (1 << bits) - 1;
  }
  return `${prefix}_${text.slice(0, 26)}`;
}
