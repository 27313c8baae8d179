// From what was found to a description, the one that an overlay would hold; and what is missing in it.
//   B1. A description is complete, or says what it lacks: a job that is followed by a guess would end by one.

import type { JobDescription } from '../../core/description.ts';
import { AMBIGUOUS, normaliseWord, VOCABULARY } from '../../core/states.ts';
import type { Facts } from './facts.ts';
import { type Pairs, requestFor } from './finding.ts';
import { handleHeaders, idFor } from './handle.ts';
import { isLongRunning, type Monitor } from './monitor.ts';
import { plainName } from './names.ts';
import { isSeparate } from './partners.ts';
import { callbackOf } from './rules/callback.ts';
import { extensionOf } from './rules/extension.ts';
import { waitingChoice } from './rules/waiting-choice.ts';
import type { State } from './state.ts';
import { type Survey, withoutId } from './survey.ts';

/** How long a word that nobody knows counts as working. Where it is likely to be an ending, waiting tells nothing more. */
const UNKNOWN_FOR_MS = 2 * 60 * 60_000;
const UNKNOWN_ENDING_FOR_MS = 15 * 60_000;
/** @see AIP-155 */
const REQUEST_ID_RETENTION_MS = 60 * 60_000;
/** Of a state without words: beside the surest, these are taken for success, since nothing else in the answer says it. */
const LIKELY_SUCCESS = ['completed', 'complete', 'done'];

const MONITOR_HEADERS = ['operation-location', 'azure-asyncoperation'];

export interface Described {
  readonly description: JobDescription;
  readonly unknownWords: readonly string[];
  readonly lacks?: string;
  readonly atRunTime: readonly string[];
}

export function describeFound(facts: Facts, monitor: Monitor | undefined, pairs: Pairs, survey: Survey): Described {
  const key = submissionKeyOf(facts);
  if (isLongRunning(facts, survey)) {
    return { description: { adapter: 'aip-151', ...key }, unknownWords: [], atRunTime: [] };
  }
  const monitored = monitor === undefined ? monitorHeaders(facts) : [];
  const headers = monitored.length > 0 ? monitored : handleHeaders(facts);
  const state = monitored.length > 0 ? { at: '/status' } : monitor && stateOf(monitor.state);
  const id = monitor && idOf(facts, monitor, survey);
  const status = monitor && statusOf(monitor, survey);
  const handle = { ...(id === undefined ? {} : { id }), ...(headers.length === 0 ? {} : { headers }) };
  const description: JobDescription = {
    ...sendingOf(facts, survey),
    ...(Object.keys(handle).length === 0 ? {} : { handle }),
    ...(status === undefined ? {} : { status }),
    ...(state === undefined ? {} : { state }),
    ...finalOf(facts, resultOf(monitor, pairs, survey)),
    ...progressOf(monitor?.state, survey),
    ...cancelOf(monitor, pairs, survey),
    ...key,
  };
  const lacks = lackIn(facts, survey, monitor, pairs, id !== undefined || headers.length > 0);
  const unknownWords = monitor?.state?.vocabulary.unknown ?? [];
  return {
    description,
    unknownWords,
    atRunTime: leftToRunTime(facts, monitor, headers),
    ...(lacks === undefined ? {} : { lacks }),
  };
}

/** Headers whose monitor always holds a status word, whatever it is called: nothing else in the document need show it. */
function monitorHeaders(facts: Facts): readonly string[] {
  const declared = handleHeaders(facts).filter((name) => MONITOR_HEADERS.includes(name));
  return declared.length > 0 || extensionOf(facts)?.finalStateVia !== 'azure-async-operation' ? declared : MONITOR_HEADERS;
}

function stateOf(state: State | undefined): JobDescription['state'] | undefined {
  if (state === undefined || state.kind === 'conditions') return undefined;
  const { kind, at, vocabulary } = state;
  if (kind === 'bare') return { at, succeeded: [...VOCABULARY.succeeded, ...LIKELY_SUCCESS], unknownForMs: UNKNOWN_FOR_MS };
  // The second of two fields is empty while the job runs.
  const endings = vocabulary.unknown.every((word) => AMBIGUOUS.includes(normaliseWord(word)));
  const bounded =
    kind === 'conclusion' || kind === 'flag' ? {} : { unknownForMs: endings ? UNKNOWN_ENDING_FOR_MS : UNKNOWN_FOR_MS };
  return { at, ...vocabulary.meanings, ...bounded };
}

/** Where the id for the status request is. A way may know; else it is looked for by the name of the last parameter. */
function idOf(facts: Facts, monitor: Monitor, survey: Survey): string | undefined {
  if (monitor.id !== undefined) return monitor.id;
  const parameter = monitor.facts.placeholders.at(-1);
  if (parameter === undefined) return undefined;
  const own = facts.placeholders;
  if (monitor.facts.placeholders.length <= own.length && monitor.way !== 'global' && monitor.way !== 'identity') {
    const last = own.at(monitor.facts.placeholders.length - 1);
    if (monitor.way === 'same-path' || monitor.way === 'sibling' || monitor.way === 'stripped-verb') {
      return last === undefined ? undefined : `$request.path.${last}`;
    }
  }
  const named = withoutId(parameter);
  return idFor(facts, survey.shapes, parameter, named.length > 0 ? named : monitor.facts.noun);
}

function statusOf({ facts, way, id }: Monitor, survey: Survey): JobDescription['status'] {
  // A query parameter that nothing requires must be written out.
  const [, member] = way === 'query' ? (/\/([^/]+)$/.exec(id ?? '') ?? []) : [];
  if (member !== undefined) return { method: 'GET', url: `${facts.source.path}?${member}={id}` };
  return requestFor(facts.source, survey.isUnique);
}

/** The final state of what a PUT wrote is at its own address, unless the options of the extension say otherwise. */
function finalOf(facts: Facts, found: Pick<JobDescription, 'result'>): Pick<JobDescription, 'result'> {
  const said = extensionOf(facts);
  if (said === undefined || found.result !== undefined) return found;
  const isOriginal =
    said.finalStateVia === 'original-uri' || (said.finalStateVia === undefined && facts.source.method === 'PUT');
  return isOriginal ? { result: { self: true } } : found;
}

function resultOf(monitor: Monitor | undefined, { result, status }: Pairs, survey: Survey): Pick<JobDescription, 'result'> {
  if (monitor === undefined || result === undefined || result.operation === status?.operation || isSeparate(monitor)) return {};
  return { result: requestFor(result.operation, survey.isUnique) };
}

function cancelOf(monitor: Monitor | undefined, { cancel }: Pairs, survey: Survey): Pick<JobDescription, 'cancel'> {
  const facts = cancel && survey.of(cancel.operation);
  // Where the id would have to go into the body, nothing can be said.
  if (monitor === undefined || facts === undefined || facts.path.parameters.length === 0) return {};
  const deletes = facts.source.method === 'DELETE' && facts.path.segments.at(-1) === '{}';
  return { cancel: { ...requestFor(facts.source, survey.isUnique), ...(deletes ? { deletes: true } : {}) } };
}

function progressOf(state: State | undefined, survey: Survey): Pick<JobDescription, 'progress'> {
  const name =
    state &&
    [...state.shape.members.keys()].find((one) => /^(progress|percent|progress_?percent(age)?|percent_?complete)$/i.test(one));
  const member = name === undefined ? undefined : survey.shapes.member(state?.shape as State['shape'], name);
  if (state === undefined || member?.types.some((type) => type === 'number' || type === 'integer') !== true) return {};
  return { progress: { at: `${state.owner}/${name}`, ...(member.schema['maximum'] === 1 ? { of: 1 } : {}) } };
}

/** What makes it answer later, where the caller could choose either. */
function sendingOf(facts: Facts, survey: Survey): Pick<JobDescription, 'submit'> {
  const choice = waitingChoice(facts, survey.shapes);
  if (choice === undefined) return {};
  if (choice.place === 'header') {
    const { text } = facts.parameters.find(({ pointer }) => pointer === choice.pointer) ?? { text: '' };
    return /respond-async/i.test(text) ? { submit: { headers: { Prefer: 'respond-async' } } } : {};
  }
  const name = plainName(choice.name);
  const isFlag = ['async', 'asynchronous', 'isasync', 'runasync', 'background', 'respondasync', 'waitforcompletion'].includes(
    name,
  );
  const value = !name.startsWith('wait');
  if (!isFlag) return {};
  return choice.place === 'query'
    ? { submit: { query: { [choice.name]: String(value) } } }
    : { submit: { body: { [choice.name]: value } } };
}

function submissionKeyOf({ parameters, source }: Facts): Pick<JobDescription, 'submissionKey'> {
  const header = parameters.find(({ place, name }) => place === 'header' && /^(x-)?idempotency-key$/i.test(name));
  if (header !== undefined) return { submissionKey: { header: header.name } };
  const query = parameters.find(
    ({ place, name, text }) => place === 'query' && name === 'requestId' && /UUID|duplicate|idempoten/i.test(text),
  );
  return query === undefined || source.method === 'GET'
    ? {}
    : { submissionKey: { query: query.name, retentionMs: REQUEST_ID_RETENTION_MS } };
}

function lackIn(
  facts: Facts,
  survey: Survey,
  monitor: Monitor | undefined,
  { start }: Pairs,
  hasHandle: boolean,
): string | undefined {
  if (start !== undefined) return `creating it does not start it: ${start.operation.method} ${start.operation.path} does`;
  if (monitor === undefined) {
    if (facts.source.method === 'GET') return undefined;
    const isPlain = facts.answer('202')?.headers.includes('location') === true && extensionOf(facts) === undefined;
    if (isPlain || monitorHeaders(facts).length > 0) return undefined;
    if (extensionOf(facts) !== undefined || handleHeaders(facts).length > 0) {
      return 'no operation of the document shows its status: which header leads to it, and how it ends, only an answer tells';
    }
    return callbackOf(facts, survey) === undefined
      ? 'no operation of the document shows its status'
      : 'its end is told by a callback only, which is not followed without a status';
  }
  const { source, path } = monitor.facts;
  if (source.method !== 'GET') return `its status is asked by ${source.method} ${source.path} with the id in the body`;
  const needsId =
    path.parameters.length > facts.path.parameters.length || monitor.way === 'identity' || monitor.way === 'global';
  if (needsId && !hasHandle) return 'the document does not say where in the answer the job’s id is';
  const { state } = monitor;
  if (state === undefined)
    return monitor.facts.answer('202') === undefined
      ? `nothing in ${source.method} ${source.path} says how the job stands`
      : undefined;
  if (state.kind === 'conditions') return `its state is a list of conditions at ${state.at}`;
  if (state.kind === 'conclusion' && state.vocabulary.words.length === 0 && !/conclusion$/i.test(state.at)) {
    return `${state.at} tells how it ended, in words that the document does not list`;
  }
  if (state.kind === 'flag') return `${state.at} tells that it has ended, and not how`;
  if ((state.kind === 'enum' || state.kind === 'described') && state.vocabulary.meanings.succeeded === undefined) {
    return `none of its words (${state.vocabulary.words.join(', ')}) is known to mean success`;
  }
  return undefined;
}

function leftToRunTime(facts: Facts, monitor: Monitor | undefined, headers: readonly string[]): string[] {
  const found: string[] = [];
  if (headers.length === 0 && facts.answer('202', '201') !== undefined && facts.source.method !== 'GET') {
    found.push('whether a header names the status, which no answer declares');
  }
  if (monitor?.state?.kind === 'bare') found.push(`which words ${monitor.state.at} holds`);
  if (monitor?.state?.kind === 'conclusion' && monitor.state.vocabulary.words.length === 0) {
    found.push(`which words ${monitor.state.at} holds`);
  }
  return found;
}
