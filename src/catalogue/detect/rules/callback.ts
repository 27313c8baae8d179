// The service calls back: a callback object, or a parameter or member for an address.

import { child } from '../../node.ts';
import type { Facts } from '../facts.ts';
import type { Rule } from './rule.ts';

const ADDRESS = /^(status_?)?(callback|web_?hook|notify|notification)_?(url|uri)?$/i;

/** Where the address goes that the service calls back. */
export function callbackOf(
  facts: Facts,
): { readonly name: string; readonly place: 'callbacks' | 'query' | 'header' | 'body'; readonly pointer: string } | undefined {
  const callbacks = child(facts.source.node, 'callbacks');
  if (callbacks !== undefined) return { name: 'callbacks', place: 'callbacks', pointer: callbacks.pointer };
  for (const { place, name, pointer } of facts.parameters) {
    if ((place === 'query' || place === 'header') && ADDRESS.test(name)) return { name, place, pointer };
  }
  for (const [name, node] of facts.body?.members ?? [])
    if (ADDRESS.test(name)) return { name, place: 'body', pointer: node.pointer };
  return undefined;
}

export const callback: Rule = {
  name: 'callback',
  look: ({ facts, monitor }) => {
    const found = callbackOf(facts);
    if (found === undefined) return undefined;
    const where = found.place === 'callbacks' ? 'described as a callback' : `by ${found.name} in the ${found.place}`;
    return { score: monitor === undefined ? 40 : 25, pointer: found.pointer, says: `the service calls back, ${where}` };
  },
};
