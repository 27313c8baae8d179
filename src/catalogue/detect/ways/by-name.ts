// Ways by name: what a receipt refers to, and what is called like the submit.

import { escapeToken } from '../../pointer.ts';
import type { Facts } from '../facts.ts';
import { successes } from '../handle.ts';
import { MAKING, STARTING, singular, tokensOf } from '../names.ts';
import { unwrapped } from '../state.ts';
import { withoutId } from '../survey.ts';
import { type Candidate, common, type Find, isJob, said } from './candidate.ts';

/** An answer with more members is a resource, whose references say nothing about a job. */
const RECEIPT_MEMBERS_MAX = 12;

/** `predictions.create` ↔ `predictions.get`: ids that are grouped. */
export const byGroup: Find = ({ source, name }, survey) => {
  const [, group] = /^(.+)[/.][^/.]+$/.exec(source.operationId ?? '') ?? [];
  if (group === undefined || !(MAKING.has(name[0] ?? '') || STARTING.has(name[0] ?? ''))) return [];
  const rest = name.slice(1).join('-');
  const separator = source.operationId?.[group.length] ?? '.';
  return ['get', 'retrieve', 'fetch', 'describe', 'show']
    .flatMap((verb) => survey.byId(`${group}${separator}${rest === '' ? verb : `${verb}-${rest}`}`) ?? [])
    .filter((facts) => facts.source.method === 'GET' && facts.path.segments.at(-1) === '{}')
    .map((facts) => ({ facts, how: `${facts.source.operationId ?? ''} is named as its counterpart` }));
};

/** What a receipt refers to by name: `workflow_run_id` → `GET …/runs/{run_id}`; `links.actions[].id` → `GET …/actions/{id}`. */
export const byReference: Find = (facts, survey) => {
  const { shapes } = survey;
  const found: Candidate[] = [];
  const collections = facts.path.segments.filter((_segment, at) => facts.path.segments[at + 1] === '{}');
  const own = new Set(
    [...facts.path.parameters.map((name) => withoutId(name)), ...collections.map((name) => tokensOf(name).map(singular))].map(
      (name) => name.join(' '),
    ),
  );
  const look = (noun: readonly string[], id: string, pointer: string, isGlobal: boolean) => {
    for (let from = 0; from < noun.length; from += 1) {
      const name = noun.slice(from);
      if (own.has(name.join(' '))) continue;
      const items = survey.items(name).filter((other) => isJob(survey.state(other)));
      const sorted = [...items].sort((one, other) =>
        isGlobal
          ? one.path.segments.length - other.path.segments.length
          : common(other, facts) - common(one, facts) || one.path.segments.length - other.path.segments.length,
      );
      for (const other of sorted)
        found.push({
          facts: other,
          how: `${said(other)} shows the ${name.join(' ')} that the answer names`,
          id: `$response.body#${id}`,
          pointer,
        });
      if (items.length > 0) return;
    }
  };
  for (const { shape: root } of successes(facts)) {
    if (root === undefined) continue;
    for (const { at, shape } of unwrapped(root, shapes, facts.noun).slice(0, 3)) {
      if (shape.members.size > RECEIPT_MEMBERS_MAX) continue;
      for (const [name, node] of shape.members) {
        if (at === '' && /[a-z](_id|Id|ID)$/.test(name) && !/^(old|prev|parent|source|account)/i.test(name))
          look(withoutId(name), `${at}/${escapeToken(name)}`, node.pointer, false);
        if (name !== 'links') continue;
        const links = shapes.of(node);
        for (const [relation, list] of links?.members ?? []) {
          const items = shapes.of(shapes.of(list)?.items);
          if (items?.members.has('id') === true)
            look(tokensOf(relation).map(singular), `${at}/links/${escapeToken(relation)}/0/id`, list.pointer, true);
        }
      }
    }
  }
  return found;
};

/** `StartQueryExecution` ↔ `GetQueryExecution`, `GetQueryExecutionStatus`. */
export const byNamesake: Find = (facts, survey) => {
  const [verb = '', ...subject] = facts.name;
  if (!(STARTING.has(verb) || MAKING.has(verb)) || subject.length === 0) return [];
  return [...survey.asking([...subject, 'status']), ...survey.asking(subject)]
    .filter((other) => isNear(facts, other, subject))
    .sort((one, other) => exactness(other, subject) - exactness(one, subject))
    .map((other) => ({ facts: other, how: `${other.source.operationId ?? said(other)} is named as its counterpart` }));
};

/** Names alone are believed where paths say nothing, or nearly the same. */
function isNear(facts: Facts, other: Facts, subject: readonly string[]): boolean {
  const { segments, parameters, key } = facts.path;
  if (segments.length === 0 || other.path.segments.length === 0) {
    return segments.length === other.path.segments.length && other.source.method === facts.source.method;
  }
  const isUpdate = key === other.path.key && key.endsWith('/{}');
  const isNamed = facts.noun.some((token) => subject.map(singular).includes(token));
  return (
    !isUpdate && isNamed && common(other, facts) >= segments.length - 1 && other.path.parameters.length <= parameters.length + 1
  );
}

/** `GetRun` before `GetRuns`, and a status before the thing. */
const exactness = ({ name }: Facts, subject: readonly string[]): number =>
  (name.at(-1) === 'status' ? 2 : 0) + (name.slice(1).join(' ').startsWith(subject.join(' ')) ? 1 : 0);
