// The status monitor: which operation of the document shows how the job stands.
//   P1. Ways of finding it are tried in a fixed order; the first whose operation shows a state, or answers 202, wins.
//   P2. Parameters are matched by their position in the path, never by name.

import { isJsonObject } from '../../core/json.ts';
import { child, type Node } from '../node.ts';
import { escapeToken, tokensOf as pointerTokens, tokensOfFragment } from '../pointer.ts';
import type { Facts } from './facts.ts';
import { handleHeaders, hasId, memberOf, successes } from './handle.ts';
import { keyOf, MAKING, nounOf, partsOf, STARTING, singular, tokensOf } from './names.ts';
import { type State, stateIn, unwrapped, weightOf } from './state.ts';
import { type Survey, withoutId } from './survey.ts';
import { kindsOf } from './words.ts';

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

interface Candidate {
  readonly facts: Facts;
  readonly how: string;
  readonly id?: string;
  readonly pointer?: string;
}

/** Collections of jobs of every kind, at the top of a service. */
const GLOBAL = new Set(['operation', 'job', 'action', 'task', 'execution']);
const CREATING = new Set(['POST', 'PUT', 'GET']);
/** An answer with more members is a resource, whose references say nothing about a job. */
const RECEIPT_MEMBERS_MAX = 12;

/** The state in the answer to the submit itself. */
export function ownState(facts: Facts, survey: Survey): State | undefined {
  for (const { shape } of successes(facts)) {
    const state = shape && stateIn(shape, survey.shapes, facts.noun, [facts.text]);
    if (state !== undefined) return state;
  }
  return undefined;
}

const said = ({ source }: Facts): string => `${source.method} ${source.path}`;

/** Whether a success is answered with a long-running operation. @see AIP-151 */
export function isLongRunning({ answers }: Facts, { shapes }: Survey): boolean {
  return answers.some(({ status, shape }) => {
    if (!status.startsWith('2') || shape === undefined) return false;
    const { members } = shape;
    if (!members.has('name') || !(members.has('response') || members.has('error'))) return false;
    return shapes.member(shape, 'done')?.types.includes('boolean') === true;
  });
}

/** Ways in their order. Each gives candidates, best first. */
const WAYS: readonly [Way, (facts: Facts, survey: Survey) => readonly Candidate[]][] = [
  ['link', linked],
  [
    'status-path',
    ({ path, source }, survey) => {
      if (source.method !== 'POST') return [];
      const found = [`${path.key}/status/{}`, `${path.key}/{}/status`].flatMap((key) => survey.at('GET', key) ?? []);
      const item = survey.at('GET', `${path.key}/{}`);
      const shown = (facts: Facts | undefined) => {
        const state = facts && survey.state(facts);
        return state && survey.shapes.identity(state.shape);
      };
      // Where it shows the very same object, the item is what people know.
      return found
        .filter((facts) => survey.state(facts) !== undefined && (item === undefined || shown(facts) !== shown(item)))
        .map((facts) => ({ facts, how: `${said(facts)} is its status by path` }));
    },
  ],
  [
    'global',
    (facts, survey) =>
      alike(facts, survey)
        .filter(
          ({ facts: other }) =>
            GLOBAL.has(nounOf(other.path).at(-1) ?? '') && common(other, facts) < facts.path.segments.length,
        )
        .sort((one, other) => one.facts.path.parameters.length - other.facts.path.parameters.length),
  ],
  [
    'item',
    ({ path, source }, survey) => {
      if (!CREATING.has(source.method) || path.key === '') return [];
      const exact = survey.at('GET', `${path.key}/{}`);
      const found =
        exact === undefined ? survey.loosely(`${path.loose}/{}`).filter((one) => one.source.method === 'GET') : [exact];
      return found.map((facts) => ({ facts, how: `${said(facts)} is the item of its collection` }));
    },
  ],
  [
    'query',
    (facts, survey) => {
      const same = facts.source.method === 'GET' ? undefined : survey.at('GET', facts.path.key);
      if (same === undefined) return [];
      const byQuery = same.parameters.filter(({ place, name }) => place === 'query' && /(id|uuid|handle)$/i.test(name));
      return byQuery.flatMap(({ name }) => {
        const member = memberOf(facts, survey.shapes, (own) => own === name);
        return member === undefined
          ? []
          : [{ facts: same, how: `${said(same)} takes ${name}, which the answer gives`, id: `$response.body#${member.at}` }];
      });
    },
  ],
  ['identity', alike],
  [
    'sibling',
    (facts, survey) => {
      const { path, source } = facts;
      const last = path.segments.at(-1);
      if (source.method === 'GET' || last === undefined || last === '{}' || last === 'status') return [];
      const isAccepted = facts.answer('202') !== undefined && !survey.acceptsEverything;
      const keys = [`${path.key}/status`, keyOf([...path.segments.slice(0, -1), 'status'])];
      return (isAccepted ? keys : keys.slice(0, 1))
        .flatMap((key) => survey.at('GET', key) ?? [])
        .filter((other) => isAccepted || isJob(survey.state(other)))
        .map((facts) => ({ facts, how: `${said(facts)} is the status beside it` }));
    },
  ],
  [
    'same-path',
    ({ path, source, name }, survey) => {
      if (path.segments.at(-1) !== '{}' || !['POST', 'PUT'].includes(source.method) || !STARTING.has(name[0] ?? '')) return [];
      const same = survey.at('GET', path.key);
      return same === undefined ? [] : [{ facts: same, how: `${said(same)} is the same path, whose id the caller chooses` }];
    },
  ],
  ['stripped-verb', strippedVerb],
  ['reference', referred],
  ['rpc', namesakes],
  [
    'group',
    ({ source, name }, survey) => {
      const [, group] = /^(.+)[/.][^/.]+$/.exec(source.operationId ?? '') ?? [];
      if (group === undefined || !(MAKING.has(name[0] ?? '') || STARTING.has(name[0] ?? ''))) return [];
      const rest = name.slice(1).join('-');
      const separator = source.operationId?.[group.length] ?? '.';
      return ['get', 'retrieve', 'fetch', 'describe', 'show']
        .flatMap((verb) => survey.byId(`${group}${separator}${rest === '' ? verb : `${verb}-${rest}`}`) ?? [])
        .filter((facts) => facts.source.method === 'GET' && facts.path.segments.at(-1) === '{}')
        .map((facts) => ({ facts, how: `${facts.source.operationId ?? ''} is named as its counterpart` }));
    },
  ],
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

/** GETs that show an object like that of the answer; those with the longest common path first. */
function alike(facts: Facts, survey: Survey): Candidate[] {
  if (!CREATING.has(facts.source.method) && facts.source.method !== 'DELETE' && facts.source.method !== 'PATCH') return [];
  const own = ownState(facts, survey);
  const identity = own && survey.shapes.identity(own.shape);
  if (own === undefined || identity === undefined) return [];
  const isEmbedded = own.owner !== '';
  return survey
    .showing(identity)
    .filter(({ path, source }) => {
      // Of its own resource only what is made counts; an embedded action may come from any change.
      if (path.segments.at(-1) !== '{}' || source === facts.source || path.key === facts.path.key) return false;
      // What is done to a thing that is there already shows that thing; only starting it makes a job of it.
      return isEmbedded || STARTING.has(facts.name[0] ?? '') || !isAbout(facts, path.segments);
    })
    .map((other) => ({ facts: other, how: `${said(other)} shows the same object` }))
    .sort((one, other) => common(other.facts, facts) - common(one.facts, facts));
}

/** Whether a path goes through the very item that another shows: `/deploys/{}/lock` and `/sites/{}/deploys/{}`. */
const isAbout = ({ path }: Facts, item: readonly string[]): boolean =>
  path.segments.some((segment, at) => segment === item.at(-2) && path.segments[at + 1] === '{}');

/** How many leading segments two paths share. */
const common = (one: Facts, other: Facts): number => {
  let count = 0;
  while (count < one.path.segments.length && one.path.segments[count] === other.path.segments[count]) count += 1;
  return count;
};

/** `/layout/analyze` → `/layout/analyzeResults/{}`, `/layout/jobs/{}`; `/jobs/{}/results` → `/jobs/{}`. */
function strippedVerb(facts: Facts, survey: Survey): Candidate[] {
  const { path, source } = facts;
  const { segments } = path;
  const verb = segments.at(-1);
  if (source.method !== 'POST' || verb === undefined || verb === '{}') return [];
  const before = segments.slice(0, -1);
  const bare = verb.replace(/^:/, '');
  const results = [`${bare}Results`, `${bare}-results`, `${bare}_results`];
  // A collection of its own is no verb; and without anything to tell a job by, there is none to look for among the jobs.
  const isCollection = [path.key, `${path.key}/{}`].some((key) => survey.at('GET', key) !== undefined);
  const tells =
    hasId(facts, survey.shapes) !== undefined || handleHeaders(facts).length > 0 || facts.answer('202') !== undefined;
  const common = isCollection || !tells ? [] : ['jobs', 'operations', 'runs'];
  const keys = [...results, ...common].map((name) => keyOf([...before, name, '{}']));
  const isVerb = STARTING.has(tokensOf(bare)[0] ?? '') || /^(execution|results)$/.test(bare);
  if (before.at(-1) === '{}' && isVerb) keys.push(keyOf(before));
  return keys
    .flatMap((key) => survey.at('GET', key) ?? [])
    .map((other) => ({ facts: other, how: `${said(other)} is where ${verb} leads` }));
}

/** What a receipt refers to by name: `workflow_run_id` → `GET …/runs/{run_id}`; `links.actions[].id` → `GET …/actions/{id}`. */
function referred(facts: Facts, survey: Survey): Candidate[] {
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
}

/** A state that an ending can be told by. */
const isJob = (state: State | undefined): boolean =>
  state !== undefined && (state.kind === 'conclusion' || state.kind === 'flag' || kindsOf(state.vocabulary) === 3);

/** `StartQueryExecution` ↔ `GetQueryExecution`, `GetQueryExecutionStatus`. */
function namesakes(facts: Facts, survey: Survey): Candidate[] {
  const [verb = '', ...subject] = facts.name;
  if (!(STARTING.has(verb) || MAKING.has(verb)) || subject.length === 0) return [];
  return [...survey.asking([...subject, 'status']), ...survey.asking(subject)]
    .filter((other) => isNear(facts, other, subject))
    .sort((one, other) => exactness(other, subject) - exactness(one, subject))
    .map((other) => ({ facts: other, how: `${other.source.operationId ?? said(other)} is named as its counterpart` }));
}

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

/** @see OpenAPI 3.1 §4.8.20 Link Object */
function linked(facts: Facts, survey: Survey): Candidate[] {
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
}

function byPointer(pointer: string, survey: Survey): Facts | undefined {
  const [, path = '', method = ''] = tokensOfFragment(pointer);
  return survey.at(method.toUpperCase(), partsOf(path).key);
}
