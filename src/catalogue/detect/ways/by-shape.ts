// Ways by schema: another operation shows the very object that the submit is answered with.

import type { Facts } from '../facts.ts';
import { nounOf, STARTING } from '../names.ts';
import { type Survey, shownBy } from '../survey.ts';
import { common, type Find, ownState, said } from './candidate.ts';

/** Collections of jobs of every kind. */
const GLOBAL = new Set(['operation', 'job', 'action', 'task', 'execution']);
const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'GET']);

/** What is shown for every kind of job: `/actions/{}` before `/disks/{}/actions/{}`. */
export const byGlobal: Find = (facts, survey) =>
  byIdentity(facts, survey)
    .filter(
      ({ facts: other }) => GLOBAL.has(nounOf(other.path).at(-1) ?? '') && common(other, facts) < facts.path.segments.length,
    )
    .sort((one, other) => one.facts.path.parameters.length - other.facts.path.parameters.length);

/** GETs that show an object like that of the answer; those with the longest common path first. */
export const byIdentity: Find = (facts, survey) => {
  if (!CHANGING.has(facts.source.method)) return [];
  const own = ownState(facts, survey);
  const identity = own && survey.shapes.identity(own.shape);
  if (own === undefined || identity === undefined) return [];
  const whole = wholeOf(facts, survey);
  return survey
    .showing(identity)
    .filter((other) => {
      const { path, source } = other;
      if (path.segments.at(-1) !== '{}' || source === facts.source || path.key === facts.path.key) return false;
      // What is done to a thing that is there already shows that thing; only starting it makes a job of it.
      const isThing = whole === undefined || whole === wholeOf(other, survey);
      return !isThing || STARTING.has(facts.name[0] ?? '') || !isAbout(facts, path.segments);
    })
    .map((other) => ({ facts: other, how: `${said(other)} shows the same object` }))
    .sort((one, other) => common(other.facts, facts) - common(one.facts, facts));
};

/** What the whole answer is, for comparing. */
function wholeOf(facts: Facts, survey: Survey): string | undefined {
  const shape = shownBy(facts)?.shape;
  return shape && survey.shapes.identity(shape);
}

/** Whether a path goes through the very item that another shows: `/deploys/{}/lock` and `/sites/{}/deploys/{}`. */
const isAbout = ({ path }: Facts, item: readonly string[]): boolean =>
  path.segments.some((segment, at) => segment === item.at(-2) && path.segments[at + 1] === '{}');
