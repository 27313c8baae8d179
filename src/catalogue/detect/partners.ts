// The other partners of a job, once its monitor is known: what cancels it, where its result is, what answers it, what starts it.

import type { Facts } from './facts.ts';
import type { Pair } from './finding.ts';
import type { Monitor } from './monitor.ts';
import { CANCELLING, keyOf, nounOf, STARTING, singular } from './names.ts';
import { type Survey, shownBy } from './survey.ts';

const VERBS = ['cancel', 'stop', 'abort', 'terminate', 'dismiss'];
const WRITING = ['POST', 'PUT', 'PATCH', 'DELETE'];
const RESULTS = ['results', 'result', 'output', 'outputs', 'content', 'transcript', 'archive', 'download'];
const ANSWERS = ['input', 'inputs', 'answer', 'answers', 'respond', 'resume', 'approve', 'submit_tool_outputs'];
const SAYS_CANCEL = /(?<!\b(?:not|never|cannot) )\b(cancel|abort|dismiss|terminat|stop)/i;

const pair = (facts: Facts | undefined, how: string): Pair | undefined => facts && { operation: facts.source, how };
const said = ({ source }: Facts): string => `${source.method} ${source.path}`;

/** Paths of one job: where it is shown, and the item of the collection it was made in. */
function itemsOf(facts: Facts, monitor: Monitor | undefined): readonly string[] {
  const found: string[] = [];
  if (monitor !== undefined) {
    const { segments } = monitor.facts.path;
    if (segments.at(-1) === '{}') found.push(monitor.facts.path.key);
    else if (segments.at(-2) === '{}') found.push(keyOf(segments.slice(0, -1)));
  }
  // `p/status/{}` shows a job whose own place is `p/{}`.
  if (facts.source.method === 'POST' && monitor?.way === 'status-path') found.push(`${facts.path.key}/{}`);
  if (monitor?.way === 'same-path') found.push(facts.path.key);
  return [...new Set(found)];
}

export function cancelOf(facts: Facts, monitor: Monitor | undefined, survey: Survey): Pair | undefined {
  const items = itemsOf(facts, monitor);
  for (const item of items) {
    for (const verb of VERBS) {
      for (const key of [`${item}/${verb}`, `${item}/:${verb}`, `${item}/_${verb}`]) {
        for (const method of WRITING) {
          const found = survey.at(method, key);
          if (found !== undefined) return pair(found, `${said(found)} is below it`);
        }
      }
    }
  }
  const named = survey
    .cancelling(facts.name.slice(1))
    .find((one) => one.source !== facts.source && WRITING.includes(one.source.method));
  const isNear =
    named !== undefined && (named.path.segments.length === 0 || items.some((item) => named.path.key.startsWith(item)));
  if (isNear) return pair(named, `${named.source.operationId ?? said(named)} is named as its counterpart`);
  for (const item of items) {
    // By an id with a cancelling verb on the item itself or just below: `POST /runs/{id}` called cancelRun, `DELETE /jobs/{id}/results` called stop-job.
    const below = [item, ...RESULTS.map((name) => `${item}/${name}`)].flatMap((key) =>
      WRITING.flatMap((method) => survey.at(method, key) ?? []),
    );
    const called = below.find((one) => one.source !== facts.source && CANCELLING.has(one.name[0] ?? ''));
    if (called !== undefined) return pair(called, `${called.source.operationId ?? said(called)} says so by its name`);
    const described = below.find(({ source, text }) => source.method === 'DELETE' && SAYS_CANCEL.test(text));
    if (described !== undefined) return pair(described, `${said(described)} says that it cancels`);
    const elsewhere = monitor && lookAlike(monitor, survey);
    if (elsewhere !== undefined) return pair(elsewhere, `${said(elsewhere)} cancels things of this name`);
    const removal = survey.at('DELETE', item);
    if (monitor?.state?.kind === 'conditions' && removal !== undefined)
      return pair(removal, `${said(removal)} removes what is declared`);
  }
  return undefined;
}

/** The cancel of another place for the same thing: `/v12/deployments/{}/cancel`, `/deploys/{}/cancel`. */
function lookAlike({ facts, state }: Monitor, survey: Survey): Facts | undefined {
  const collection = facts.path.segments.findLast((segment) => segment !== '{}') ?? '';
  const identity = state && survey.shapes.identity(state.shape);
  return VERBS.flatMap((verb) => survey.endingIn(`/${collection}/{}/${verb}`)).find((one) => {
    const shown = shownBy(one)?.shape;
    if (survey.at(one.source.method, one.path.key) === undefined || one.source.method === 'GET') return false;
    return shown === undefined || survey.shapes.identity(shown) === identity || one.path.parameters.length === 1;
  });
}

export function resultOf(facts: Facts, monitor: Monitor | undefined, survey: Survey): Pair | undefined {
  if (monitor === undefined) return undefined;
  const items = itemsOf(facts, monitor);
  const own = facts.path.segments.at(-1) === '{}' ? [] : [facts.path.key];
  for (const item of [...items, ...(monitor.way === 'sibling' ? [] : own.filter(() => monitor.way === 'same-path'))]) {
    for (const name of RESULTS) {
      const found = survey.at('GET', `${item}/${name}`) ?? survey.at('GET', `${item}/:${name}`);
      if (found !== undefined) return pair(found, `${said(found)} is below it`);
    }
  }
  if (monitor.way === 'status-path') {
    const found = items.map((item) => survey.at('GET', item)).find((one) => one !== undefined && one !== monitor.facts);
    if (found !== undefined) return pair(found, `${said(found)} is what its status belongs to`);
  }
  if (monitor.way === 'rpc') {
    const subject = facts.name.slice(1).map(singular);
    const stems = [subject, subject.slice(0, -1)].filter((stem) => stem.length > 0);
    const found = stems.flatMap((stem) => ['result', 'output'].flatMap((word) => survey.asking([...stem, word])))[0];
    if (found !== undefined) return pair(found, `${found.source.operationId ?? said(found)} is named as its result`);
    const whole = monitor.facts.name.at(-1) === 'status' ? survey.asking(subject)[0] : undefined;
    if (whole !== undefined && whole !== monitor.facts)
      return pair(whole, `${whole.source.operationId ?? said(whole)} shows the whole of it`);
  }
  if (monitor.way === 'sibling') return undefined;
  if (isSeparate(monitor)) {
    const made = facts.source.method === 'POST' ? survey.at('GET', `${facts.path.key}/{}`) : undefined;
    const state = made && survey.state(made);
    const same = state && monitor.state && survey.shapes.identity(state.shape) === survey.shapes.identity(monitor.state.shape);
    return made === undefined || same === true ? undefined : pair(made, `${said(made)} is what was made`);
  }
  return { operation: monitor.facts.source, how: 'its status holds it' };
}

/** The monitor shows an action on something else, not the thing itself. */
export const isSeparate = ({ way, state, pointer, facts }: Monitor): boolean =>
  (way === 'global' && state !== undefined && /^(operation|action)$/.test(nounOf(facts.path).at(-1) ?? '')) ||
  (way === 'reference' && pointer?.includes('/links/') === true && nounOf(facts.path).at(-1) !== undefined);

export function inputOf(facts: Facts, monitor: Monitor | undefined, survey: Survey): Pair | undefined {
  const found = itemsOf(facts, monitor)
    .flatMap((item) =>
      ANSWERS.flatMap((name) => ['POST', 'PUT', 'PATCH'].flatMap((method) => survey.at(method, `${item}/${name}`) ?? [])),
    )
    .find((one) => one.source !== facts.source);
  return found && pair(found, `${said(found)} is below it`);
}

/** What starts a job that creating it does not: its state is `created` at first, and something below it starts it. */
export function startOf(facts: Facts, monitor: Monitor | undefined, survey: Survey): Pair | undefined {
  const isInert = monitor?.state?.vocabulary.words.some((word) => word.toLowerCase() === 'created') === true;
  if (!isInert || facts.source.method !== 'POST' || monitor.way !== 'item') return undefined;
  const found = itemsOf(facts, monitor)
    .flatMap((item) =>
      [...RESULTS, 'start', 'run', 'execute', 'submit'].flatMap((name) => survey.at('POST', `${item}/${name}`) ?? []),
    )
    .find((one) => STARTING.has(one.name[0] ?? '') || one.openings.some((word) => STARTING.has(singular(word))));
  return found && pair(found, `${said(found)} starts what was created`);
}
