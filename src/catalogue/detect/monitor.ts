// The status monitor: which operation of the document shows how the job stands.
//   P1. Ways of finding it are tried in a fixed order; the first whose operation shows a state, or answers 202, wins.
//   P2. Parameters are matched by their position in the path, never by name.

import type { Facts } from './facts.ts';
import { type State, weightOf } from './state.ts';
import type { Survey } from './survey.ts';
import { byLink } from './ways/by-link.ts';
import { byGroup, byNamesake, byReference } from './ways/by-name.ts';
import { byItem, byQuery, bySamePath, bySibling, byStatusPath, byStrippedVerb } from './ways/by-path.ts';
import { byGlobal, byIdentity } from './ways/by-shape.ts';
import { common, type Find, ownState, said } from './ways/candidate.ts';

/** How the monitor was found. */
export type Way =
  | 'link'
  | 'status-path'
  | 'global'
  | 'item'
  | 'query'
  | 'identity'
  | 'sibling'
  | 'same-path'
  | 'stripped-verb'
  | 'reference'
  | 'rpc'
  | 'group';

export interface Monitor {
  readonly facts: Facts;
  readonly way: Way;
  /** For people. */
  readonly how: string;
  readonly state?: State;
  /** It shows the very object that the submit was answered with. */
  readonly identical: boolean;
  /** Where the id is, where the way itself knows. */
  readonly id?: string;
  /** JSON Pointer into the document of what led to it. */
  readonly pointer?: string;
}

/** Whether a success is answered with a long-running operation. @see AIP-151 */
export function isLongRunning({ answers }: Facts, { shapes }: Survey): boolean {
  return answers.some(({ status, shape }) => {
    if (!status.startsWith('2') || shape === undefined) return false;
    const { members } = shape;
    if (!members.has('name') || !(members.has('response') || members.has('error'))) return false;
    return shapes.member(shape, 'done')?.types.includes('boolean') === true;
  });
}

/** Ways in their order. */
const WAYS: readonly [Way, Find][] = [
  ['link', byLink],
  ['status-path', byStatusPath],
  ['global', byGlobal],
  ['item', byItem],
  ['query', byQuery],
  ['identity', byIdentity],
  ['sibling', bySibling],
  ['same-path', bySamePath],
  ['stripped-verb', byStrippedVerb],
  ['reference', byReference],
  ['rpc', byNamesake],
  ['group', byGroup],
];

/** The monitor of an operation; `undefined` where the document has none that can be found. */
export function monitorOf(facts: Facts, survey: Survey): Monitor | undefined {
  if (isLongRunning(facts, survey)) return operationMonitor(facts, survey);
  const own = ownState(facts, survey);
  const identity = own && survey.shapes.identity(own.shape);
  let weak: Monitor | undefined;
  for (const [way, find] of WAYS) {
    for (const candidate of find(facts, survey)) {
      if (candidate.facts === facts) continue;
      const state = survey.state(candidate.facts);
      const identical = identity !== undefined && state !== undefined && survey.shapes.identity(state.shape) === identity;
      const monitor: Monitor = { ...candidate, way, identical, ...(state === undefined ? {} : { state }) };
      const isTelling = state !== undefined && weightOf(state) > 0;
      if (isTelling || candidate.facts.answer('202') !== undefined || way === 'query' || way === 'sibling') return monitor;
      if (way === 'item' || way === 'group') weak ??= monitor;
    }
  }
  return weak;
}

/** What reads operations: the one for the place that the submit is at. */
function operationMonitor(facts: Facts, survey: Survey): Monitor | undefined {
  const found = survey
    .items(['operation'])
    .filter((other) => other !== facts && isLongRunning(other, survey))
    .sort(
      (one, other) => common(other, facts) - common(one, facts) || one.path.segments.length - other.path.segments.length,
    )[0];
  return found && { facts: found, way: 'global', how: `${said(found)} reads operations`, identical: false };
}
