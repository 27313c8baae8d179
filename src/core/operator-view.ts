// An operation as operators see it: JSON for the admin API, which the command line only lays out.
//   V1. Instants are ISO 8601 in UTC. Numbers keep their digits.
//   V2. No query of a URL and no callback token is shown; credentials are not there to begin with.

import type { Descriptor } from './descriptor.ts';
import { needsOperator, stateOf } from './facets.ts';
import type { JsonObject } from './json.ts';
import type { DueWork, Operation } from './operation.ts';
import type { HeldResult, Payload, Receipt } from './outcome.ts';
import { cancelWords, sentences, sharedWords } from './situation.ts';
import { formattedKey } from './submission-key.ts';
import type { EpochMs } from './time.ts';
import { entryOf, type Recorded, type TimelineEntry, timelineOf, timeText, WITHOUT_WAYS } from './timeline.ts';
import { describeUrl } from './urls.ts';

/** One line of a list. */
export interface OperationSummary {
  readonly id: string;
  readonly tool: string;
  readonly upstream: string;
  readonly principal: string;
  readonly contract: string;
  /** Its outcome once it has ended, else its life, in lower case with hyphens. */
  readonly state: string;
  /** Since when it stands so, where that is known to matter. */
  readonly since: string;
  readonly life: string;
  readonly cancellation: string;
  readonly effects: string;
  /** How open effects were settled. */
  readonly finding?: string;
  /** A person may have to look into it. */
  readonly needsOperator: boolean;
  /** How it stands, in sentences. */
  readonly standing: string;
  /** The upstream's name for the job. */
  readonly job?: string;
  /** Another operation that was given the same job. */
  readonly sharedWith?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly endedAt?: string;
}

export interface ReceiptShown extends Omit<Receipt, 'at' | 'result'> {
  readonly at: string;
  /** Without the bytes. */
  readonly result?: Omit<HeldResult, 'inline'>;
}

export interface OperationShown extends OperationSummary {
  readonly arguments: JsonObject;
  /** Where the upstream is given it. */
  readonly submissionKey?: string;
  readonly callerKey?: string;
  readonly requestDigest: string;
  readonly descriptorDigest: string;
  readonly adapter: string;
  readonly epoch: number;
  readonly attempt: number;
  /** A job may exist at the upstream. */
  readonly mayExist: boolean;
  readonly statusUrl?: string;
  readonly receipt?: ReceiptShown;
  readonly result?: Payload;
  /** In shadow: what the caller was answered instead of this operation. */
  readonly shadow?: { readonly at: string; readonly status?: number; readonly excerpt: string };
  /** The last looks, where none of them could be read: they leave no events. */
  readonly unread?: { readonly count: number; readonly since: string; readonly why: string };
  readonly timeline: readonly TimelineEntry[];
  readonly due: readonly { readonly work: string; readonly at: string }[];
  /** What can still settle it without a person; absent where nothing is in doubt. */
  readonly automatic?: string;
}

export function summaryOf(operation: Operation): OperationSummary {
  const { id, tool, upstream, principal, contract, life, cancellation, effects, finding, reference, shared, receipt } =
    operation;
  const { createdAt, updatedAt, troubleSince } = operation;
  return {
    id,
    tool,
    upstream,
    principal,
    contract,
    state: stateOf(operation),
    since: timeText(receipt?.at ?? troubleSince ?? updatedAt),
    life,
    cancellation,
    effects,
    ...(finding !== undefined && { finding }),
    needsOperator: needsOperator(operation),
    standing: standingOf(operation),
    ...(reference !== undefined && { job: reference.id }),
    ...(shared !== undefined && { sharedWith: shared.operation }),
    createdAt: timeText(createdAt),
    updatedAt: timeText(updatedAt),
    ...(receipt !== undefined && { endedAt: timeText(receipt.at) }),
  };
}

/** What an operator should know of it, in sentences. */
function standingOf(operation: Operation): string {
  const { receipt, trouble, progress, unknownWord, endingMessage, life, attempt } = operation;
  if (receipt !== undefined) return sentences(receipt.reason, sharedWords(operation), effectsOf(operation));
  const share = progress?.fraction === undefined ? undefined : `${Math.floor(progress.fraction * 100)} %`;
  const word = unknownWord === undefined ? undefined : `the service says "${unknownWord}", which is no known state`;
  const unsent = life === 'QUEUED' && attempt > 0 ? `attempt ${attempt} created nothing, and the next one is due` : undefined;
  return sentences(
    ...[trouble, unsent, share, progress?.message, word, life === 'TERMINAL_OBSERVED' ? endingMessage : undefined].map(begun),
    cancelWords(operation),
    sharedWords(operation),
  );
}

const begun = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : text.charAt(0).toUpperCase() + text.slice(1);

function effectsOf({ effects, effectsUntil, finding, reference }: Operation): string | undefined {
  switch (effects) {
    case 'NONE':
      return undefined;
    case 'REQUIRED':
      return reference === undefined
        ? 'What became of the job is not known'
        : `Job ${reference.id} is followed${effectsUntil === undefined ? '' : ` until ${timeText(effectsUntil)}`}`;
    case 'ESCALATED':
      return 'What became of the job is for an operator to say';
    case 'SETTLED':
      return `What became of the job: ${finding ?? 'settled'}`;
  }
}

export function receiptShown({ at, result, ...receipt }: Receipt): ReceiptShown {
  if (result === undefined) return { ...receipt, at: timeText(at) };
  const { inline: _inline, ...held } = result;
  return { ...receipt, at: timeText(at), result: held };
}

export interface Inspected {
  readonly operation: Operation;
  readonly payload?: Payload;
  readonly descriptor: Descriptor;
  readonly history: readonly Recorded[];
  readonly work: readonly DueWork[];
  readonly shadow?: { readonly at: EpochMs; readonly status?: number; readonly excerpt: string };
  readonly unread?: UnreadLooks;
}

/** The last looks at a job, where none of them could be read. */
export interface UnreadLooks {
  readonly count: number;
  readonly since: EpochMs;
  /** Of the last one. */
  readonly why: string;
}

export function operationShown({ operation, payload, descriptor, history, work, shadow, unread }: Inspected): OperationShown {
  const { callerKey, reference, receipt } = operation;
  const { submissionKey, requestDigest, descriptorDigest, adapter, epoch, attempt, mayExist } = operation;
  return {
    ...summaryOf(operation),
    arguments: operation.arguments,
    ...((descriptor.traits.deduplicates || descriptor.traits.lookup) && {
      submissionKey: formattedKey(submissionKey, descriptor.keyFormat),
    }),
    ...(callerKey !== undefined && { callerKey }),
    requestDigest,
    descriptorDigest,
    adapter,
    epoch,
    attempt,
    mayExist,
    ...(reference?.statusUrl !== undefined && { statusUrl: describeUrl(reference.statusUrl) }),
    ...(receipt !== undefined && { receipt: receiptShown(receipt) }),
    ...(payload !== undefined && { result: payload }),
    ...(shadow !== undefined && { shadow: shadowPart(shadow) }),
    timeline: timelineOf(operation, history, descriptor),
    ...(unread !== undefined && { unread: { ...unread, since: timeText(unread.since) } }),
    due: work.map(({ kind, dueAt }) => ({ work: kind, at: timeText(dueAt) })),
    ...(needsOperator(operation) && { automatic: automaticOf(operation, descriptor) }),
  };
}

const shadowPart = ({ at, status, excerpt }: NonNullable<Inspected['shadow']>): NonNullable<OperationShown['shadow']> => ({
  at: timeText(at),
  ...(status !== undefined && { status }),
  excerpt,
});

/** What of a doubt settles itself, as one sentence. */
function automaticOf({ reference, effects, receipt }: Operation, { traits }: Descriptor): string {
  if (effects === 'ESCALATED') return 'Nothing is tried any more; evidence that arrives by itself still counts.';
  if (reference !== undefined)
    return traits.status
      ? `Job ${reference.id} is being looked at.`
      : 'Only a callback can tell: the service has no status to ask for.';
  const ways = [
    traits.lookup ? 'the job is looked for by its key' : undefined,
    traits.deduplicates && receipt === undefined ? 'the request may be repeated under the same key' : undefined,
    traits.status ? undefined : 'a callback may arrive',
  ].filter((way) => way !== undefined);
  return `${begun(ways.length === 0 ? WITHOUT_WAYS : ways.join(', and '))}.`;
}

/** Why a receipt may be believed. */
export interface TraceShown {
  readonly receipt: ReceiptShown;
  readonly operation: OperationSummary;
  readonly ending?: TimelineEntry;
  readonly evidence: readonly TimelineEntry[];
  readonly checks: readonly { readonly what: string; readonly holds: boolean }[];
}

export interface Traced {
  readonly operation: Operation;
  readonly receipt: Receipt;
  readonly descriptor: Descriptor;
  readonly ending?: Recorded;
  readonly evidence: readonly Recorded[];
  readonly checks: TraceShown['checks'];
}

export function traceShown({ operation, receipt, descriptor, ending, evidence, checks }: Traced): TraceShown {
  const entry = (recorded: Recorded) => entryOf(operation, recorded, descriptor);
  return {
    receipt: receiptShown(receipt),
    operation: summaryOf(operation),
    ...(ending !== undefined && { ending: entry(ending) }),
    evidence: evidence.map(entry),
    checks,
  };
}
