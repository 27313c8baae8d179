// The caller can choose whether to wait: Prefer, or a flag of the query or the body. @see RFC 7240 §4.1 and §4.3

import type { Facts } from '../facts.ts';
import { handleHeaders, hasId } from '../handle.ts';
import { plainName } from '../names.ts';
import type { Shapes } from '../shapes.ts';
import type { Rule, Sign } from './rule.ts';

const FLAGS = new Set([
  'async',
  'asynchronous',
  'isasync',
  'runasync',
  'background',
  'waitforcompletion',
  'waitforcompletiontimeout',
  'waittimeout',
  'onwaittimeout',
  'respondasync',
]);

/** Where the caller chooses, and by what. */
export function waitingChoice(
  facts: Facts,
  shapes: Shapes,
): { readonly name: string; readonly place: 'header' | 'query' | 'body'; readonly pointer: string } | undefined {
  for (const { place, name, text, types, pointer } of facts.parameters) {
    if (place === 'header' && /^prefer$/i.test(name) && (/respond-async|\bwait\b/i.test(text) || isWordless(text))) {
      return { name, place: 'header', pointer };
    }
    if (place === 'query' && FLAGS.has(plainName(name)) && maySwitch(name, types)) return { name, place: 'query', pointer };
  }
  for (const [name, node] of facts.body?.members ?? []) {
    if (FLAGS.has(plainName(name)) && maySwitch(name, shapes.of(node)?.types ?? []))
      return { name, place: 'body', pointer: node.pointer };
  }
  return undefined;
}

/** How long to wait is a number or a text; whether to wait is a boolean, and `background` may be the colour of an image. */
const maySwitch = (name: string, types: readonly string[]): boolean =>
  types.length === 0 || types.includes('boolean') || /timeout$/i.test(name);

/** A Prefer that says nothing of return=… is about waiting more often than not. */
const isWordless = (text: string): boolean => !/return\s*=/i.test(text);

export const waitingChoiceRule: Rule = {
  name: 'waiting-choice',
  look: ({ facts, survey, monitor }): Sign | undefined => {
    const choice = facts.source.method === 'GET' ? undefined : waitingChoice(facts, survey.shapes);
    // Without anything to ask after it is only a request to be quick.
    const leads = monitor !== undefined || handleHeaders(facts).length > 0 || hasId(facts, survey.shapes) !== undefined;
    return (
      choice && {
        score: leads ? 60 : 30,
        pointer: choice.pointer,
        says: `the caller chooses whether to wait, by ${choice.name} in the ${choice.place}`,
      }
    );
  },
};
