// The operation: one accepted call of an asynchronous tool, and the events it is the fold of.
// Which event moves what is decided by transitions.ts alone; this file only gives the shapes.

import type { Door, OperationId, Principal } from './ids.ts';
import type { JsonObject } from './json.ts';
import type { Ending, HeldResult, Receipt } from './outcome.ts';
import type { EpochMs } from './time.ts';
import type { Cancellation, Effects, EventType, Input, Life, WorkKind } from './transitions.ts';

/** The upstream's own name for a job. URLs are absolute and byte-exact, and were checked against the allowed origins. */
export interface Reference {
  /**
   * What identifies the job: its id or name, else its first status URL without the query, since people and models see it.
   * Evidence that names another id contradicts.
   */
  readonly id: string;
  readonly statusUrl?: string;
  /** The first status URL, once the upstream has named another: what tells the job from others is not what may move. */
  readonly home?: string;
  readonly resultUrl?: string;
  readonly cancelUrl?: string;
  /** What else the adapter must remember to ask again (a location, a zone, a tenant). */
  readonly extra?: Readonly<Record<string, string>>;
}

/** Another operation that the upstream gave the same job. */
export interface Shared {
  readonly operation: OperationId;
  /** It is the same call: tool and arguments. */
  readonly alike: boolean;
}

export interface Progress {
  /** 0 to 1, where the upstream says; never falls (latched by the fold). */
  readonly fraction?: number;
  /** The upstream's own sentence. */
  readonly message?: string;
}

/** What is fixed when an operation is created. */
export interface Creation {
  readonly id: OperationId;
  readonly tool: string;
  readonly upstream: string;
  readonly descriptorDigest: string;
  /** `http-202@1` */
  readonly adapter: string;
  readonly contract: Door;
  readonly principal: Principal;
  readonly arguments: JsonObject;
  /** Digest of tool and canonical arguments: the same call has the same digest. */
  readonly requestDigest: string;
  /** What the upstream deduplicates by, where it does; fixed for all attempts. */
  readonly submissionKey: string;
  /** The unguessable part of the callback URL, where the upstream calls back: 130 bits. */
  readonly callbackToken?: string;
  /** The caller's idempotency key, or one that was made of its arguments: one operation for (principal, tool, key). */
  readonly callerKey?: string;
  /** From then on the key may name another operation. Absent: it names this one for as long as it is kept. */
  readonly callerKeyUntil?: EpochMs;
  /** The gate's execution epoch at creation. */
  readonly epoch: number;
  readonly createdAt: EpochMs;
  /** How long the ended operation is kept, counted from its end; what clients are told. */
  readonly ttlMs: number;
}

/** The row: the fold of the events so far. Never changed but by folding one more event. */
export interface Operation extends Creation {
  /** Position of the last event, dense from 1; what compare-and-set checks. */
  readonly seq: number;
  readonly life: Life;
  readonly cancellation: Cancellation;
  readonly effects: Effects;
  readonly input: Input;
  /** Input round: 0 before the first. */
  readonly round: number;
  /** What the round asks for, as input.ts reads it. */
  readonly inputRequest?: JsonObject;
  /** What was answered in the round, by key. */
  readonly answers?: JsonObject;

  /** Submits begun. */
  readonly attempt: number;
  /** A job may exist upstream: set by submit_started, cleared only by proof. */
  readonly mayExist: boolean;
  /** An earlier attempt than the current one may have been received. */
  readonly doubted: boolean;
  readonly reference?: Reference;
  /** Who else was given the job, as it was last noticed. */
  readonly shared?: Shared;
  /** The reference is another call's by now: what is seen under it says nothing of our job. */
  readonly contested?: true;
  /** The ending the upstream showed. */
  readonly seen?: Ending;
  /** The result (or error body) that is stored and validated; `empty` for an ending without a value. */
  readonly held?: HeldResult | 'empty';
  /** The upstream's or our own sentence about the ending. */
  readonly endingMessage?: string;
  /** Evidence id of the ending that was seen. */
  readonly endingEvidence?: string;
  /** Evidence id of what brought `held`. */
  readonly resultEvidence?: string;
  /** Who said how it ended. */
  readonly endingBy?: 'upstream' | 'operator';
  readonly budgetOver: boolean;
  readonly fetchTries: number;
  readonly cancelTries: number;
  /** Cancels requested: raised before anything is sent. */
  readonly generation: number;
  /** The last cancel was not sent, because it would stop another call's job as well; with cancellation REFUSED. */
  readonly withheld?: true;
  /** Who cancelled last. */
  readonly cancelledBy?: 'caller' | 'operator';
  /** How a settled effect was found to be; only with effects SETTLED. */
  readonly finding?: string;
  /** Why the operation is in doubt or under reconciliation. For people. */
  readonly trouble?: string;
  /** Since when. */
  readonly troubleSince?: EpochMs;

  /** Position of the last change of life, input, attempt or cancellation: a read begun before it is late. */
  readonly changedSeq: number;
  /** Position of the last change of the reference: what a read begun before it says of where the job is, and of its steps, is late. */
  readonly movedSeq?: number;
  /** Time of the last applied event: what clients see as lastUpdatedAt. */
  readonly updatedAt: EpochMs;
  readonly progress?: Progress;
  /** The status word as the upstream wrote it, where it is none that the descriptor knows. */
  readonly unknownWord?: string;
  /** When the first of an unbroken row of 404s was seen. */
  readonly missingSince?: EpochMs;

  // Instants that due work is derived from. All are set by folding, so that they survive any crash.
  readonly submitAt: EpochMs; // earliest next submit
  readonly startUntil: EpochMs; // QUEUED ends here
  readonly leaseUntil?: EpochMs; // of the submit on the wire
  readonly horizonAt?: EpochMs; // a lookup begun after this proves absence
  readonly keyUntil?: EpochMs; // the upstream deduplicates until then
  readonly lookAt?: EpochMs; // next lookup
  readonly pollAt?: EpochMs; // next poll
  readonly fetchAt?: EpochMs; // next fetch
  readonly cancelAt?: EpochMs; // next cancel
  readonly cancelLeaseUntil?: EpochMs; // of the cancel on the wire
  readonly answerUntil?: EpochMs; // SENT: off the wire by then, and no poll before; CLOSED: a lagging status may show the question until then
  readonly unknownWordUntil?: EpochMs; // an unknown status word counts as working until then
  readonly budgetUntil: EpochMs;
  readonly windowUntil?: EpochMs;
  readonly effectsUntil?: EpochMs;

  readonly receipt?: Receipt;
}

/** Members that any event may carry. */
interface Common {
  readonly at: EpochMs;
  /** Same evidence, same id: it counts once. Present on every observation. */
  readonly evidenceId?: string;
  /** The operation's seq when the request that brought this evidence began. */
  readonly readAt?: number;
  /** The submit attempt that this answers. */
  readonly attempt?: number;
  readonly reference?: Reference;
  /** An open operation that holds the job which this names already. */
  readonly shared?: Shared;
  readonly message?: string;
  readonly source?: 'submit' | 'poll' | 'fetch' | 'cancel' | 'lookup' | 'webhook' | 'operator' | 'caller' | 'timer';
}

/** What each event carries beside {@link Common}. Events not named here carry nothing more. */
interface Details {
  created: { readonly creation: Creation };
  submit_started: { readonly attempt: number; readonly leaseUntil: EpochMs };
  submit_accepted: { readonly reference: Reference; readonly pollAt: EpochMs; readonly progress?: Progress };
  submit_finished: { readonly ending: Ending; readonly held?: HeldResult | 'empty' };
  submit_rejected: { readonly held: HeldResult | 'empty' };
  submit_throttled: { readonly retryAt: EpochMs };
  submit_ambiguous: { readonly message: string; readonly lookAt?: EpochMs; readonly retryAt?: EpochMs };
  lookup_found: { readonly reference: Reference; readonly pollAt: EpochMs };
  /** `proof`: authoritative, and begun after the horizon. */
  lookup_absent: { readonly proof: boolean; readonly lookAt?: EpochMs };
  /** `retryAt`: not before, whatever else would be a good moment. */
  lookup_cannot: { readonly lookAt?: EpochMs; readonly retryAt?: EpochMs };
  hint: { readonly reference: Reference };
  seen_working: { readonly pollAt: EpochMs; readonly progress?: Progress; readonly unknownWord?: string };
  seen_input: { readonly pollAt: EpochMs; readonly round: number; readonly inputRequest?: JsonObject };
  seen_ended: { readonly ending: Ending; readonly held?: HeldResult | 'empty' };
  seen_not_visible: { readonly pollAt: EpochMs };
  result_ok: { readonly held: HeldResult | 'empty' };
  /** `permanent`: asking again can't help (refused origin, too large). */
  result_bad: { readonly message: string; readonly permanent: boolean; readonly fetchAt: EpochMs };
  /** `sticky`: cancelled before the answer, for ever (2025-11-25). */
  cancel: { readonly sticky: boolean; readonly by: 'caller' | 'operator'; readonly actor?: string };
  cancel_sent: { readonly leaseUntil: EpochMs };
  cancel_unanswered: { readonly retryAt: EpochMs };
  cancel_withheld: { readonly shared: Shared };
  reference_shared: { readonly shared: Shared };
  /** By key. `partly`: other questions of the round are still open. */
  input_provided: { readonly round: number; readonly answers: JsonObject; readonly partly?: boolean };
  answer_sent: { readonly round: number };
  operator_found: { readonly reference: Reference; readonly pollAt: EpochMs; readonly actor: string };
  operator_never: { readonly actor: string };
  operator_result: { readonly ending: Ending; readonly held: HeldResult | 'empty'; readonly actor: string };
  operator_gives_up: { readonly actor: string };
  operator_settles: { readonly finding: string; readonly actor: string };
}

type DetailsOf<T extends EventType> = T extends keyof Details ? Details[T] : unknown;

/** One fact about an operation. `created` is always the first, and nothing else is. */
export type OperationEvent = {
  readonly [T in EventType | 'created']: Common & { readonly type: T } & (T extends 'created'
      ? Details['created']
      : T extends EventType
        ? DetailsOf<T>
        : never);
}[EventType | 'created'];

export type EventOf<T extends OperationEvent['type']> = Extract<OperationEvent, { readonly type: T }>;

/** What became of an event: only `applied` changes the operation. `late` and `refused` evidence is kept, and changes nothing. */
export type Disposition = 'applied' | 'late' | 'duplicate' | 'refused';

/** Work that is due, and when. A function of operation and traits, so it can be regenerated after any crash. */
export interface DueWork {
  readonly kind: WorkKind;
  readonly dueAt: EpochMs;
}
