// 202 says that something goes on. It is about a job where it also says which one.

import { successes } from '../handle.ts';
import { unwrapped } from '../state.ts';
import type { Rule } from './rule.ts';

/** The surest first. */
const HANDLES = [/(^|_|[a-z])(id|uuid|uid|sid|handle)$/i, /(^|_|[a-z])(url|uri|href)$/i, /^(.*_)?(status|state)$/i];

export const accepted: Rule = {
  name: 'accepted',
  look: ({ facts, survey }) => {
    const answer = facts.source.method === 'GET' ? undefined : successes(facts).find(({ status }) => status === '202');
    if (answer === undefined) return undefined;
    const { shape, node } = answer;
    const names = (shape === undefined ? [] : unwrapped(shape, survey.shapes, facts.noun)).flatMap(({ shape: { members } }) => [
      ...members.keys(),
    ]);
    const member = HANDLES.map((test) => names.find((name) => test.test(name))).find((name) => name !== undefined);
    return member === undefined
      ? { score: 15, pointer: node.pointer, says: '202, without anything to ask after' }
      : { score: 45, pointer: node.pointer, says: `202 answers with ${member}` };
  },
};
