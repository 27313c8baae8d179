// Making a failing history small: faults first, then what clients do, then what else can be simpler, as long as the same
// rule is still broken. Greedy and repeated until nothing more can be taken away.

import type { History } from './history.ts';
import { type OpenStore, play } from './play.ts';

/** Plays at most; a small history that is not the smallest is still worth showing. */
const PLAYS_MAX = 400;

/** Simpler histories than this one, the most promising first. */
function* simpler(history: History): Generator<History> {
  const { actions, faults } = history;
  for (const call of new Set(actions.map((action) => action.call))) {
    yield { ...history, actions: actions.filter((action) => action.call !== call) };
  }
  for (const index of faults.keys()) yield { ...history, faults: faults.toSpliced(index, 1) };
  const last = history.others?.length ?? 0;
  if (last > 0 && !actions.some((action) => action.do === 'start' && action.upstream === last))
    yield { ...history, others: history.others?.slice(0, -1) ?? [] };
  for (const index of actions.keys()) yield { ...history, actions: actions.toSpliced(index, 1) };
  if (history.churn > 0) yield { ...history, churn: 0 };
  for (const [index, action] of actions.entries()) {
    if (action.do !== 'start') continue;
    const { againMs: _again, ...once } = action;
    if (action.againMs !== undefined) yield { ...history, actions: actions.with(index, once) };
    if (action.job.big) yield { ...history, actions: actions.with(index, { ...action, job: { ...action.job, big: false } }) };
    if (action.job.lagMs > 0)
      yield { ...history, actions: actions.with(index, { ...action, job: { ...action.job, lagMs: 0 } }) };
  }
  const { retentionMs: _kept, ...keeping } = history;
  if (history.retentionMs !== undefined) yield keeping;
  const { gated: _gates, ...open } = history;
  if (history.gated === true && !actions.some((action) => action.do === 'gate')) yield open;
  for (const [index, action] of actions.entries()) {
    if (action.do === 'answer' && action.thinksMs > 0)
      yield { ...history, actions: actions.with(index, { ...action, thinksMs: 0 }) };
    if (action.do === 'settle' && action.tries > 1) yield { ...history, actions: actions.with(index, { ...action, tries: 1 }) };
    if (action.do !== 'start' || (action.job.rounds ?? []).length === 0) continue;
    const job = { ...action.job, rounds: action.job.rounds?.slice(0, -1) ?? [] };
    yield {
      ...history,
      actions: actions.map((one) => (one.do === 'start' && one.call === action.call ? { ...one, job } : one)),
    };
  }
  for (const [index, fault] of faults.entries()) {
    if ('retryAfter' in fault) {
      const { retryAfter: _wish, ...without } = fault;
      yield { ...history, faults: faults.with(index, without) };
    }
  }
}

/** The smallest history found that breaks `rule`. */
export async function shrink(history: History, rule: string, openStore?: OpenStore): Promise<History> {
  let smallest = history;
  let plays = 0;
  for (let isShrinking = true; isShrinking; ) {
    isShrinking = false;
    for (const candidate of simpler(smallest)) {
      if (++plays > PLAYS_MAX) return smallest;
      const { breaches } = await play(candidate, openStore);
      if (breaches[0]?.rule !== rule) continue;
      smallest = candidate;
      isShrinking = true;
      break;
    }
  }
  return smallest;
}
