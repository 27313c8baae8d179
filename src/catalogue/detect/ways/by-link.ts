// The way that OpenAPI itself describes: links. Published ones are often wrong, so what they take must exist.

import { isJsonObject } from '../../../core/json.ts';
import { child, type Node } from '../../node.ts';
import { tokensOf as pointerTokens, tokensOfFragment } from '../../pointer.ts';
import type { Facts } from '../facts.ts';
import { successes } from '../handle.ts';
import { partsOf } from '../names.ts';
import type { Survey } from '../survey.ts';
import { type Candidate, type Find, said } from './candidate.ts';

/** @see OpenAPI 3.1 §4.8.20 Link Object */
export const byLink: Find = (facts, survey) => {
  const found: Candidate[] = [];
  for (const { node, shape } of successes(facts)) {
    const links = child(node, 'links');
    if (links === undefined || !isJsonObject(links.value)) continue;
    for (const name of Object.keys(links.value)) {
      const link = survey.follow(child(links, name) as Node);
      if (link === undefined || !isJsonObject(link.value)) continue;
      const { operationId, operationRef, parameters } = link.value;
      const target =
        typeof operationId === 'string'
          ? survey.byId(operationId)
          : typeof operationRef === 'string' && operationRef.startsWith('#')
            ? byPointer(operationRef.slice(1), survey)
            : undefined;
      const [id] = Object.values(isJsonObject(parameters) ? parameters : {}).filter(
        (value) => typeof value === 'string' && value.startsWith('$response.'),
      );
      if (target?.source.method !== 'GET' || typeof id !== 'string') continue;
      const pointer = /^\$response\.body#(\/.*)$/.exec(id)?.[1];
      // Published links are often wrong: what they name must exist.
      let at = shape;
      for (const token of pointer === undefined ? [] : pointerTokens(pointer)) {
        at = at && (/^\d+$/.test(token) ? survey.shapes.of(at.items) : survey.shapes.member(at, token));
      }
      if (pointer !== undefined && at === undefined) continue;
      found.push({ facts: target, how: `the link ${name} leads to ${said(target)}`, id, pointer: link.pointer });
    }
  }
  const isResult = ({ facts: { path } }: Candidate) => /result|output|download|content/i.test(path.segments.at(-1) ?? '');
  return found.sort((one, other) => Number(isResult(one)) - Number(isResult(other)));
};

function byPointer(pointer: string, survey: Survey): Facts | undefined {
  const [, path = '', method = ''] = tokensOfFragment(pointer);
  return survey.at(method.toUpperCase(), partsOf(path).key);
}
