// Ways by path: what is below, beside or at the place that the submit is at.

import type { Facts } from '../facts.ts';
import { handleHeaders, hasId, memberOf, successes } from '../handle.ts';
import { keyOf, STARTING, tokensOf } from '../names.ts';
import { type Find, isJob, said } from './candidate.ts';

/** What only says which job it is, is no longer than this. */
const RECEIPT_MEMBERS_MAX = 3;
const CREATING = new Set(['POST', 'PUT', 'GET']);

/** `/runs` → `/runs/{}/status`, `/search/status/{}`: a lighter look at what `/runs/{}` shows whole. */
export const byStatusPath: Find = ({ path, source }, survey) => {
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
};

/** `/runs` → `/runs/{}`, in another version of the service if need be. */
export const byItem: Find = ({ path, source }, survey) => {
  if (!CREATING.has(source.method) || path.key === '') return [];
  const exact = survey.at('GET', `${path.key}/{}`);
  const found = exact === undefined ? survey.loosely(`${path.loose}/{}`).filter((one) => one.source.method === 'GET') : [exact];
  return found.map((facts) => ({ facts, how: `${said(facts)} is the item of its collection` }));
};

/** The same path, with the id in the query. */
export const byQuery: Find = (facts, survey) => {
  const same = facts.source.method === 'GET' ? undefined : survey.at('GET', facts.path.key);
  // A whole thing that is made has ids of much else, by which lists are filtered.
  const isReceipt = successes(facts).every(({ shape }) => shape === undefined || shape.members.size <= RECEIPT_MEMBERS_MAX);
  if (same === undefined || !isReceipt) return [];
  const byQuery = same.parameters.filter(({ place, name }) => place === 'query' && /(id|uuid|handle)$/i.test(name));
  return byQuery.flatMap(({ name }) => {
    const member = memberOf(facts, survey.shapes, (own) => own === name);
    return member === undefined
      ? []
      : [{ facts: same, how: `${said(same)} takes ${name}, which the answer gives`, id: `$response.body#${member.at}` }];
  });
};

/** `/wipe` → `/wipe/status`, and `/status` beside it where 202 says that something goes on. */
export const bySibling: Find = (facts, survey) => {
  const { path, source } = facts;
  const last = path.segments.at(-1);
  if (source.method === 'GET' || last === undefined || last === '{}' || last === 'status') return [];
  const isAccepted = facts.answer('202') !== undefined && !survey.acceptsEverything;
  const keys = [`${path.key}/status`, keyOf([...path.segments.slice(0, -1), 'status'])];
  return (isAccepted ? keys : keys.slice(0, 1))
    .flatMap((key) => survey.at('GET', key) ?? [])
    .filter((other) => isAccepted || isJob(survey.state(other)))
    .map((facts) => ({ facts, how: `${said(facts)} is the status beside it` }));
};

/** `POST /workflows/{}` → `GET /workflows/{}`: the caller chooses the id. */
export const bySamePath: Find = ({ path, source, name }, survey) => {
  if (path.segments.at(-1) !== '{}' || !['POST', 'PUT'].includes(source.method) || !STARTING.has(name[0] ?? '')) return [];
  const same = survey.at('GET', path.key);
  return same === undefined ? [] : [{ facts: same, how: `${said(same)} is the same path, whose id the caller chooses` }];
};

/** `/layout/analyze` → `/layout/analyzeResults/{}`, `/layout/jobs/{}`; `/jobs/{}/results` → `/jobs/{}`. */
export const byStrippedVerb: Find = (facts, survey) => {
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
  const found = keys.flatMap((key) => survey.at('GET', key) ?? []);
  // What is started may be a machine, which is meant to go on running: its state must be one that ends.
  const started = before.at(-1) === '{}' && isVerb ? survey.at('GET', keyOf(before)) : undefined;
  if (started !== undefined && isJob(survey.state(started))) found.push(started);
  return found.map((other) => ({ facts: other, how: `${said(other)} is where ${verb} leads` }));
};
