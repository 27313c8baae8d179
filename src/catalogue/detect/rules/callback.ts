// The service calls back: a callback object, or a parameter or member for an address.

import { child } from '../../node.ts';
import type { Facts } from '../facts.ts';
import { isScalar } from '../shapes.ts';
import type { Survey } from '../survey.ts';
import type { Rule } from './rule.ts';

const ADDRESS = /^(status_?)?((callback|web_?hook)_?(url|uri)?|(notify|notification)_?(url|uri))$/i;

/** Where the address goes that the service calls back. */
export function callbackOf(
  facts: Facts,
  survey: Survey,
): { readonly name: string; readonly place: 'callbacks' | 'query' | 'header' | 'body'; readonly pointer: string } | undefined {
  const callbacks = child(facts.source.node, 'callbacks');
  if (callbacks !== undefined) return { name: 'callbacks', place: 'callbacks', pointer: callbacks.pointer };
  for (const { place, name, pointer } of facts.parameters) {
    // A callback that reading takes as well is the name of a function, for pages of the time before CORS.
    if ((place === 'query' || place === 'header') && ADDRESS.test(name) && !survey.isForReading(place, name))
      return { name, place, pointer };
  }
  for (const [name, node] of facts.body?.members ?? [])
    if (ADDRESS.test(name) && isScalar(survey.shapes.of(node))) return { name, place: 'body', pointer: node.pointer };
  return undefined;
}

export const callback: Rule = {
  name: 'callback',
  look: ({ facts, survey, monitor }) => {
    const found = callbackOf(facts, survey);
    if (found === undefined) return undefined;
    const where = found.place === 'callbacks' ? 'described as a callback' : `by ${found.name} in the ${found.place}`;
    return { score: monitor === undefined ? 40 : 25, pointer: found.pointer, says: `the service calls back, ${where}` };
  },
};
