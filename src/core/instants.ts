// When things are due: every instant of an operation is set here, by folding, so that it survives any crash.
// dueWork (due-work.ts) only reads them.

import type { Traits } from './descriptor.ts';
import type { Draft } from './facts.ts';
import { canResubmit, isEnded } from './guards.ts';
import type { Operation, OperationEvent } from './operation.ts';
import type { EpochMs } from './time.ts';

/** From a submit whose answer was lost to its first repeat: a window that is no longer than this lets nothing be repeated. */
export const RESUBMIT_FIRST_MS = 1000;
const RESUBMIT_MAX_MS = 60_000;
const CANCEL_FIRST_MS = 1000;

/** After the attempt-th doubtful submit: 1 s, 2 s, 4 s … up to a minute. */
const resubmitAfterMs = (attempt: number): number =>
  Math.min(RESUBMIT_MAX_MS, RESUBMIT_FIRST_MS * 2 ** Math.max(0, attempt - 1));

/** Between two looks that nothing else paces: some thirty in a window, at least a second and at most a minute apart. */
const lookAgainMs = (traits: Traits): number => Math.min(60_000, Math.max(1000, traits.timing.reconcileWindowMs / 30));

/** Part of the key's retention that we use at most: the upstream's clock is not ours. */
const KEY_SHARE = 0.9;

/**
 * How long after the first submit began another may begin: what begins last must still arrive while the key is remembered,
 * however late in its lease it leaves.
 */
const keyUsableMs = (retentionMs: number, { submitLeaseMs, consistencyGraceMs }: Traits['timing']): number =>
  Math.min(retentionMs * KEY_SHARE, retentionMs - submitLeaseMs - consistencyGraceMs);

/** Whether anything but an operator can still settle an unknown submit. */
const canSettleItself = (operation: Operation, at: EpochMs, traits: Traits): boolean =>
  traits.lookup || !traits.status || canResubmit(operation, at, traits);

/**
 * Sets the instants that follow from an applied event. `draft` already has its new states. `isOurs`: the event is about our
 * job, so that what it says of pace counts.
 */
export function setInstants(before: Operation, draft: Draft, event: OperationEvent, traits: Traits, isOurs: boolean): void {
  if (isOurs) setByEvent(before, draft, event, traits);
  else draft.pollAt = event.at + lookAgainMs(traits);
  if (draft.life !== before.life) enterLife(before, draft, event, traits);
  if (draft.life === 'SUBMISSION_UNKNOWN' && !canSettleItself(draft, event.at, traits)) {
    draft.windowUntil = Math.min(draft.windowUntil ?? event.at, event.at);
  }
  // Nothing but an operator can settle whose job it is.
  if (draft.life === 'NEEDS_RECONCILIATION' && draft.contested && !before.contested) draft.windowUntil = event.at;
  if (draft.effects === 'REQUIRED' && before.effects !== 'REQUIRED') {
    draft.effectsUntil = event.at + (draft.contested ? 0 : traits.timing.effectsWindowMs);
    // A cancel that is due goes first: its answer makes the next look due, and a look before it would tell less.
    const cancelFirst = draft.cancellation === 'REQUESTED' && draft.reference !== undefined && traits.cancel !== 'none';
    draft.pollAt = 'pollAt' in event ? event.pollAt : event.at + (cancelFirst ? CANCEL_FIRST_MS : 0);
    draft.lookAt = event.at;
  }
  if (draft.cancellation === 'REQUESTED' && draft.generation > before.generation) draft.cancelAt = event.at;
}

function setByEvent(before: Operation, draft: Draft, event: OperationEvent, traits: Traits): void {
  const { at } = event;
  const { timing } = traits;
  if ('pollAt' in event) draft.pollAt = event.pollAt;
  switch (event.type) {
    case 'submit_started':
      draft.leaseUntil = event.leaseUntil;
      draft.horizonAt = at + timing.submitLeaseMs + timing.submitTimeoutMs + timing.consistencyGraceMs;
      // The upstream may have received the first attempt, so that one's retention is what counts.
      if (traits.keyRetentionMs !== undefined) draft.keyUntil ??= at + keyUsableMs(traits.keyRetentionMs, timing);
      break;
    case 'lookup_absent':
      draft.lookAt = nextLookAt(draft, at, event.lookAt ?? at + lookAgainMs(traits));
      break;
    case 'lookup_cannot':
      draft.lookAt = Math.max(nextLookAt(draft, at, event.lookAt ?? at + lookAgainMs(traits)), event.retryAt ?? at);
      break;
    case 'hint':
    case 'cancel_asked':
    case 'cancel_confirmed':
    case 'cancel_refused':
      draft.pollAt = at;
      break;
    case 'cancel_sent':
      draft.cancelLeaseUntil = event.leaseUntil;
      break;
    case 'cancel_unanswered':
      draft.cancelAt = event.retryAt;
      break;
    case 'answer_sent':
      // What arrives in the last moment may not be shown before the grace is over.
      draft.answerUntil = at + timing.readTimeoutMs + timing.consistencyGraceMs;
      break;
    case 'seen_working':
      // Taken, and perhaps only now: a status that lags behind may show the question for a grace longer.
      if (before.input === 'SENT' && draft.input === 'CLOSED') draft.answerUntil = at + timing.consistencyGraceMs;
      break;
    case 'result_bad':
      if (event.permanent) delete draft.fetchAt;
      else draft.fetchAt = event.fetchAt;
      break;
    case 'operator_found':
      draft.budgetUntil = at + timing.waitBudgetMs;
      if (draft.effects === 'REQUIRED') draft.effectsUntil = at + timing.effectsWindowMs;
      break;
    case 'seen_not_visible':
      draft.missingSince ??= at;
      break;
    case 'seen_missing':
    case 'seen_ended':
      if (event.type === 'seen_missing') draft.missingSince ??= at;
      // Under reconciliation these change nothing, and say nothing of when to look again.
      if (before.life === 'NEEDS_RECONCILIATION') draft.pollAt = at + lookAgainMs(traits);
      break;
  }
}

/** Not beyond the horizon, right after which is the first look that can prove absence. */
const nextLookAt = ({ horizonAt }: Draft, at: EpochMs, wishedAt: EpochMs): EpochMs =>
  horizonAt !== undefined && at <= horizonAt ? Math.min(wishedAt, horizonAt + 1) : wishedAt;

function enterLife(before: Operation, draft: Draft, event: OperationEvent, traits: Traits): void {
  const { at } = event;
  const { reconcileWindowMs } = traits.timing;
  switch (draft.life) {
    case 'QUEUED':
      draft.submitAt = event.type === 'submit_throttled' ? event.retryAt : at;
      break;
    case 'SUBMISSION_UNKNOWN':
      draft.lookAt = (event.type === 'submit_ambiguous' ? event.lookAt : undefined) ?? at;
      // Who is told to wait waits in doubt, too.
      draft.submitAt = Math.max(at + resubmitAfterMs(draft.attempt), ('retryAt' in event && event.retryAt) || 0);
      draft.windowUntil = at + reconcileWindowMs;
      break;
    case 'WORKING':
    case 'INPUT_REQUIRED':
      draft.pollAt ??= at;
      break;
    case 'TERMINAL_OBSERVED':
      // Coming back from reconciliation keeps the pace of the fetches that failed.
      draft.fetchAt = before.life === 'NEEDS_RECONCILIATION' ? (draft.fetchAt ?? at) : at;
      break;
    case 'NEEDS_RECONCILIATION':
      // An ending whose result can't be had goes to and fro: the window it has once begun must still end.
      draft.windowUntil = (before.life === 'TERMINAL_OBSERVED' ? before.windowUntil : undefined) ?? at + reconcileWindowMs;
      draft.pollAt = at;
      if (event.type !== 'result_bad') draft.fetchAt = at;
      break;
  }
  const mayKeepWindow = ['SUBMISSION_UNKNOWN', 'NEEDS_RECONCILIATION', 'TERMINAL_OBSERVED'].includes(draft.life);
  if (!mayKeepWindow && !isEnded(draft)) delete draft.windowUntil;
}
