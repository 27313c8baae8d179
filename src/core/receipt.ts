// Endings in words: the receipt (rule 5), and the sentences that say why an operation ended or is in doubt.
// Receipts are written by the fold, at the one event that ends an operation.

import type { Traits } from './descriptor.ts';
import { namesAnotherId } from './guards.ts';
import type { Operation, OperationEvent } from './operation.ts';
import type { HeldResult, OutcomeKind, Receipt, SettledBy } from './outcome.ts';

/** The receipt of `operation`, which `event` ended with `outcome`. `operation` has its final facts and its new seq. */
export function receiptOf(operation: Operation, event: OperationEvent, outcome: OutcomeKind): Receipt {
  const fromUpstream = event.type === 'accept';
  const held = fromUpstream && operation.held !== 'empty' ? operation.held : undefined;
  return {
    id: `rc_${operation.id.slice(operation.id.indexOf('_') + 1)}`,
    operationId: operation.id,
    seq: operation.seq,
    at: event.at,
    outcome,
    by: settledBy(operation, event),
    reason: reasonOf(operation, event, outcome),
    ...(held !== undefined && { result: held }),
    matched: {
      requestDigest: operation.requestDigest,
      descriptorDigest: operation.descriptorDigest,
      epoch: operation.epoch,
      generation: operation.generation,
      referenceId: operation.reference?.id ?? null,
      resultDigest: held?.digest ?? null,
      ...(operation.shared !== undefined && { shared: operation.shared }),
    },
    evidence: acceptedEvidence(operation, event, held),
  };
}

function acceptedEvidence(operation: Operation, event: OperationEvent, held: HeldResult | undefined): readonly string[] {
  const ids = event.type === 'accept' ? [operation.endingEvidence, held && operation.resultEvidence] : [event.evidenceId];
  return [...new Set(ids.filter((id) => id !== undefined))];
}

function settledBy(operation: Operation, event: OperationEvent): SettledBy {
  switch (event.type) {
    case 'accept':
      return operation.endingBy ?? 'upstream';
    case 'budget_over':
      return 'gateway';
    case 'window_over':
      return 'deadline';
    case 'operator_never':
    case 'operator_gives_up':
      return 'operator';
    default:
      // Cancelled, at once or by the proof that there is nothing to stop.
      return operation.cancelledBy ?? 'caller';
  }
}

function reasonOf(operation: Operation, event: OperationEvent, outcome: OutcomeKind): string {
  switch (event.type) {
    case 'accept':
      return acceptedReason(operation, outcome);
    case 'budget_over':
      return 'The request was never sent: its time to start was over. Nothing was started.';
    case 'operator_never':
      return sentence(`an operator (${event.actor}) found that the job was never created${tail(event.message)}`);
    case 'operator_gives_up':
      return sentence(`an operator (${event.actor}) gave up${tail(event.message)}; ${doubtOf(operation)}`);
    case 'window_over':
      return sentence(doubtOf(operation));
    default:
      return `Cancelled by ${operation.cancelledBy === 'operator' ? 'an operator' : 'the caller'}${operation.mayExist ? '.' : '; no job exists.'}`;
  }
}

function acceptedReason({ mayExist, endingBy, endingMessage, held }: Operation, outcome: OutcomeKind): string {
  const isRefused = !mayExist && outcome === 'failed';
  if (isRefused) return `The upstream refused the request${tail(endingMessage)}`;
  const partly = held !== undefined && held !== 'empty' && held.partial ? 'and that its result is partial' : undefined;
  if (endingMessage !== undefined) return partly === undefined ? endingMessage : `${endingMessage} (its result is partial)`;
  const says = `${endingBy === 'operator' ? 'An operator' : 'The upstream'} says that the job ${past(outcome)}`;
  return partly === undefined ? `${says}.` : `${says}, ${partly}.`;
}

/** What is known of an operation whose ending nobody can tell. */
function doubtOf(operation: Operation): string {
  const { trouble, unknownWord, seen, endingMessage } = operation;
  const parts = [trouble ?? 'the answer to the submit was lost'];
  const add = (part: string, mention: string) => {
    if (!parts.some((known) => known.includes(mention))) parts.push(part);
  };
  if (unknownWord !== undefined) add(unknownWordClause(unknownWord), `"${unknownWord}"`);
  if (seen !== undefined) add(`the upstream said that the job ${past(seen)}`, past(seen));
  if (endingMessage !== undefined) add(`its message: ${endingMessage}`, endingMessage);
  return parts.join('; ');
}

const unknownWordClause = (word: string): string => `the last status word was "${word}", which has no configured meaning`;

const past = (ending: OutcomeKind): string => (ending === 'cancelled' ? 'was cancelled' : ending);

const tail = (message: string | undefined): string => (message === undefined ? '' : `: ${message}`);

const sentence = (text: string): string => {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
};

/** Why a job is waited for no longer, as it was seen last. The event's message: why it could not be seen any more. */
function overdueOf({ life, unknownWord }: Operation, { message }: OperationEvent, { status }: Traits): string {
  if (message !== undefined)
    return `the time to wait for the job was over, and its status could not be read when it was last asked for: ${message}`;
  if (unknownWord !== undefined) return unknownWordClause(unknownWord);
  if (life === 'INPUT_REQUIRED') return 'the job still waited for an answer when the time to wait for it was over';
  return status
    ? 'the job was still running when the time to wait for it was over'
    : 'the service had not called back with an end when the time to wait for the job was over';
}

/** Why `event` puts an operation into doubt or reconciliation: for people, and later for the receipt. `before` is as it was. */
export function troubleOf(before: Operation, event: OperationEvent, traits: Traits): string {
  const said = tail(event.message);
  if (namesAnotherId(before, event, traits)) {
    return `the upstream named another job (${event.reference?.id}) than ours (${before.reference?.id})`;
  }
  switch (event.type) {
    case 'submit_ambiguous':
      return `the answer to the submit was lost${said}`;
    case 'lease_ended':
      return 'the submit was interrupted before its answer was recorded';
    case 'submit_rejected':
    case 'submit_throttled':
      return `attempt ${before.attempt} was ${event.type === 'submit_rejected' ? 'refused' : 'put off'}, which says nothing about an earlier attempt${said}`;
    case 'seen_missing':
      return before.shared === undefined
        ? `the job is no longer known to the upstream${said}`
        : `the job, which the upstream gave to another call as well, is no longer known to it${said}`;
    case 'reference_shared':
      return `our job was no longer to be seen, and the upstream has given its id (${before.reference?.id}) to another call: whose job that is can't be told`;
    case 'seen_ended':
      return `the upstream contradicts itself: the job ${past(before.seen ?? event.ending)}, and later it ${past(event.ending)}${said}`;
    case 'budget_over':
      return overdueOf(before, event, traits);
    case 'result_bad':
      return `the result could not be read: ${event.message}`;
    default:
      return `${event.type.replaceAll('_', ' ')}${said}`;
  }
}
