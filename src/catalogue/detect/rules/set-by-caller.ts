// A state that callers set is a record of something that happens elsewhere.

import type { Rule } from './rule.ts';

export const setByCaller: Rule = {
  name: 'set-by-caller',
  look: ({ facts, survey, monitor }) => {
    if (monitor?.state === undefined || facts.source.method !== 'POST') return undefined;
    const { at, owner } = monitor.state;
    const name = at.slice(owner.length + 1);
    const said = facts.body && survey.shapes.member(facts.body, name);
    const isWhole = facts.body && survey.shapes.identity(facts.body) === survey.shapes.identity(monitor.state.shape);
    if (said !== undefined && isWhole !== true && said.schema['readOnly'] !== true) {
      return { score: -100, pointer: said.node.pointer, says: `the caller says its ${name}` };
    }
    for (const method of ['PATCH', 'PUT']) {
      const { body } = survey.at(method, `${facts.path.key}/{}`) ?? {};
      const member = body && survey.shapes.member(body, name);
      if (member !== undefined && member.schema['readOnly'] !== true) {
        return { score: -40, pointer: member.node.pointer, says: `callers set its ${name} themselves` };
      }
    }
    return undefined;
  },
};
