// Extensions of OpenAPI that say outright that an operation is long-running.

import { isJsonObject } from '../../../core/json.ts';
import { escapeToken } from '../../pointer.ts';
import type { Facts } from '../facts.ts';
import type { Rule } from './rule.ts';

/** Each says so by being `true`, and has a companion with options. */
const EXTENSIONS = ['x-ms-long-running-operation'];

/** The extension of an operation that says so, and where the final state is by its options. */
export function extensionOf({ source }: Facts): { readonly name: string; readonly finalStateVia?: string } | undefined {
  const name = EXTENSIONS.find((one) => source.object[one] === true);
  if (name === undefined) return undefined;
  const options = source.object[`${name}-options`];
  const via = isJsonObject(options) ? options['final-state-via'] : undefined;
  return { name, ...(typeof via === 'string' ? { finalStateVia: via } : {}) };
}

export const extension: Rule = {
  name: 'extension',
  look: ({ facts }) => {
    const found = extensionOf(facts);
    return (
      found && {
        score: 100,
        pointer: `${facts.pointer}/${escapeToken(found.name)}`,
        says: `${found.name} says that it is long-running`,
      }
    );
  },
};
