// A history as operators read it: one entry for each event, with what it says as one line.
//   T1. Nothing secret is shown: no query of a URL, no callback token. Arguments and answers are shown elsewhere, or not at all.
//   T2. The event that ended the operation says so, and names the receipt.

import type { Descriptor } from './descriptor.ts';
import type { Disposition, Operation, OperationEvent } from './operation.ts';
import type { HeldResult } from './outcome.ts';
import type { EpochMs } from './time.ts';
import { describeUrl } from './urls.ts';

/** Enough of a digest to recognise it; the receipt has the whole. */
const DIGEST_CHARACTERS = 'sha256:'.length + 12;

export interface TimelineEntry {
  /** Position in the history, from 1. */
  readonly position: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly event: OperationEvent['type'];
  /** `late`: kept as evidence, and changed nothing. */
  readonly disposition: Disposition;
  readonly source?: string;
  /** Id of the evidence, where a receipt may name it. */
  readonly evidence?: string;
  readonly actor?: string;
  readonly detail: string;
}

export interface Recorded {
  readonly seq: number;
  readonly event: OperationEvent;
  readonly disposition: Disposition;
}

export const timeText = (at: EpochMs): string => new Date(at).toISOString();

export function timelineOf(
  operation: Operation,
  history: readonly Recorded[],
  descriptor: Descriptor,
): readonly TimelineEntry[] {
  return history.map((recorded) => entryOf(operation, recorded, descriptor));
}

export function entryOf(operation: Operation, { seq, event, disposition }: Recorded, descriptor: Descriptor): TimelineEntry {
  const { receipt } = operation;
  const ending = receipt?.seq === seq ? [`ended as ${receipt.outcome}`, `receipt ${receipt.id}`] : [];
  const actor = 'actor' in event ? event.actor : undefined;
  return {
    position: seq,
    at: timeText(event.at),
    event: event.type,
    disposition,
    ...(event.source !== undefined && { source: event.source }),
    ...(event.evidenceId !== undefined && { evidence: event.evidenceId }),
    ...(actor !== undefined && { actor }),
    detail: joined(...parts(event, descriptor), sharing(event), ...ending),
  };
}

/** Who has the job that an event names already. */
const sharing = ({ shared }: OperationEvent): string | undefined =>
  shared === undefined
    ? undefined
    : `the job is also that of ${shared.operation}, ${shared.alike ? 'the same call' : 'a call with other arguments'}`;

const joined = (...texts: readonly (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && text !== '').join(' · ');

function parts(event: OperationEvent, descriptor: Descriptor): readonly (string | undefined)[] {
  const { message, reference } = event;
  const job = reference === undefined ? undefined : `job ${reference.id}`;
  switch (event.type) {
    case 'created': {
      const { principal, tool, adapter, epoch, contract, callerKey } = event.creation;
      const key = callerKey === undefined ? undefined : `caller's key ${callerKey}`;
      const door = contract === 'none' ? 'called without Tasks' : `called through ${contract}`;
      return [`principal ${principal}`, `tool ${tool}`, adapter, `epoch ${epoch}`, door, key];
    }
    case 'submit_started':
      return [
        `attempt ${event.attempt}`,
        `${descriptor.submit.method} ${describeUrl(`${descriptor.submit.server}${descriptor.submit.path}`)}`,
      ];
    case 'submit_throttled':
      return [message, `again at ${timeText(event.retryAt)}`];
    case 'submit_finished':
    case 'seen_ended':
      return [job, event.ending, message, result(event.held)];
    case 'submit_rejected':
    case 'result_ok':
      return [message, result(event.held)];
    case 'lookup_absent':
      return [
        event.proof ? 'no job carries our key, and none can arrive any more: never created' : 'no job carries our key yet',
        message,
      ];
    case 'seen_working':
      return [
        job,
        progress(event.progress),
        event.unknownWord === undefined ? undefined : `unknown word "${event.unknownWord}"`,
      ];
    case 'submit_accepted':
      return [job, progress(event.progress)];
    case 'seen_input':
      return [job, `round ${event.round}`];
    case 'seen_not_visible':
      return ['not found, but it may not be visible yet', message];
    case 'result_bad':
      return [message, event.permanent ? 'asking again can not help' : `again at ${timeText(event.fetchAt)}`];
    case 'cancel':
      return [
        `by ${event.by === 'operator' ? 'an operator' : 'the caller'}`,
        event.sticky ? 'for ever' : 'the job may still complete',
        message,
      ];
    case 'cancel_unanswered':
      return [message, `again at ${timeText(event.retryAt)}`];
    case 'input_provided':
    case 'answer_sent':
      return [`round ${event.round}`];
    case 'operator_found':
      return [job, message];
    case 'operator_result':
      return [event.ending, message, result(event.held)];
    case 'operator_settles':
      return [event.finding, message];
    case 'window_over':
      return [canSettleItself(descriptor) ? 'nothing has settled it in time' : WITHOUT_WAYS];
    case 'effects_over':
      return ['nothing has settled it in time: an operator is asked'];
    default:
      return [job, message];
  }
}

/** Whether anything but a person can find out about a submit whose answer was lost. */
export const canSettleItself = ({ traits }: Descriptor): boolean => traits.lookup || traits.deduplicates || !traits.status;

export const WITHOUT_WAYS = 'nothing automatic can settle it: the service can’t be asked by key, and does not deduplicate';

function result(held: HeldResult | 'empty' | undefined): string | undefined {
  if (held === undefined) return undefined;
  return held === 'empty' ? 'without a value' : `${held.mediaType}, ${held.digest.slice(0, DIGEST_CHARACTERS)}…`;
}

function progress(made: { readonly fraction?: number; readonly message?: string } | undefined): string | undefined {
  const share = made?.fraction === undefined ? undefined : `${Math.floor(made.fraction * 100)} %`;
  return joined(share, made?.message) || undefined;
}
