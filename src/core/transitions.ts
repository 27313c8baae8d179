// THE TABLE: every move that an operation can make, as data. Four small machines run side by side, because asking to stop is
// not stopping, an answer recorded is not an answer delivered, and an ending is not the end of the effects.
//
//   T1. One event may move several machines. Each takes its first row (top to bottom) whose `from`, event and guards all hold.
//   T2. All rows are chosen on the operation as it was before the event.
//   T3. `=` stays: the event still counts, and may change facts. No row in any machine: late, refused, or a bug (machine.ts).
//   T4. An observation that names another job than ours takes only rows that ask for that: nothing else in it is about our job.
//   T5. Two rules follow from life and have no rows: RULES below.
//
// Guards are predicates in guards.ts, facts are changes in facts.ts, instants are set in instants.ts; their names come from here.

export const LIFE = [
  'QUEUED',
  'SUBMITTING',
  'SUBMISSION_UNKNOWN',
  'WORKING',
  'INPUT_REQUIRED',
  'TERMINAL_OBSERVED',
  'NEEDS_RECONCILIATION',
  'ACCEPTED',
  'CANCELLED_ACCEPTED',
] as const;
export type Life = (typeof LIFE)[number];

export const CANCELLATION = [
  'NONE',
  'REQUESTED',
  'SENT',
  'ASKED',
  'CONFIRMED',
  'REFUSED',
  'UNSUPPORTED',
  'UNANSWERED',
] as const;
export type Cancellation = (typeof CANCELLATION)[number];

export const EFFECTS = ['NONE', 'REQUIRED', 'ESCALATED', 'SETTLED'] as const;
export type Effects = (typeof EFFECTS)[number];

export const INPUT = ['NONE', 'OPEN', 'ANSWERED', 'SENT', 'CLOSED'] as const;
export type Input = (typeof INPUT)[number];

/** Our own intents and timers. One that has no row is a bug of ours, and throws. */
export const OWN_EVENTS = [
  'submit_started',
  'lease_ended',
  'accept',
  'answer_sent',
  'cancel_sent',
  'budget_over',
  'window_over',
  'effects_over',
] as const;

/** What an upstream said or showed, or failed to, and what we noticed in it. Every state takes every one of them. */
export const OBSERVATIONS = [
  'submit_accepted',
  'submit_finished',
  'submit_rejected',
  'submit_throttled',
  'submit_ambiguous',
  'lookup_found',
  'lookup_absent',
  'lookup_cannot',
  'hint',
  'seen_working',
  'seen_input',
  'seen_ended',
  'seen_missing',
  'seen_not_visible',
  'result_ok',
  'result_bad',
  'cancel_asked',
  'cancel_confirmed',
  'cancel_refused',
  'cancel_unsupported',
  'cancel_unanswered',
  'cancel_withheld',
  'reference_shared',
] as const;

export const CALLER_EVENTS = ['input_provided', 'cancel'] as const;

export const OPERATOR_EVENTS = [
  'operator_found',
  'operator_never',
  'operator_result',
  'operator_gives_up',
  'operator_settles',
] as const;

export const EVENTS = [...OWN_EVENTS, ...OBSERVATIONS, ...CALLER_EVENTS, ...OPERATOR_EVENTS] as const;
export type EventType = (typeof EVENTS)[number];

export const WORK = [
  'submit',
  'suspect',
  'lookup',
  'poll',
  'fetch',
  'accept',
  'answer',
  'cancel',
  'cancel_suspect',
  'budget',
  'window',
  'effects',
] as const;
export type WorkKind = (typeof WORK)[number];

/** The ended lives: they absorb. */
export const FINAL = ['ACCEPTED', 'CANCELLED_ACCEPTED'] as const satisfies readonly Life[];
/** No reference is held, and a job may exist. */
export const DOUBT = ['SUBMITTING', 'SUBMISSION_UNKNOWN'] as const satisfies readonly Life[];
/** Before a reference is held. QUEUED too: what was proved absent may still turn up. */
export const EARLY = [...DOUBT, 'QUEUED'] as const satisfies readonly Life[];
/** The upstream gave us a job that goes on. */
export const RUN = ['WORKING', 'INPUT_REQUIRED'] as const satisfies readonly Life[];
/** A submit was answered, or a job showed itself: observations are about this job. */
export const FOLLOWED = [...RUN, 'TERMINAL_OBSERVED', 'NEEDS_RECONCILIATION'] as const satisfies readonly Life[];
/** Its job must not be stopped for another operation's sake: it goes on, or what it gave is still to be read. */
export const WANTING = [...RUN, 'TERMINAL_OBSERVED'] as const satisfies readonly Life[];
/** Waiting for evidence, a deadline or an operator. */
export const UNSURE = ['SUBMISSION_UNKNOWN', 'NEEDS_RECONCILIATION'] as const satisfies readonly Life[];
/** Everything that has not ended. */
export const LIVE = [...EARLY, ...FOLLOWED] as const satisfies readonly Life[];
const UNSETTLED = ['REQUIRED', 'ESCALATED'] as const satisfies readonly Effects[];
/** Shows that a job exists and goes on. */
const SIGNS = ['submit_accepted', 'lookup_found', 'hint', 'seen_working', 'seen_input'] as const satisfies readonly EventType[];

/** From these states, on one of these events, if all guards hold: to that state, changing these facts; and why. */
export type Row<S extends string> = readonly [
  from: readonly S[],
  on: EventType | readonly EventType[],
  guards: readonly string[],
  to: S | '=',
  facts: readonly string[],
  why: string,
];

// biome-ignore format: one row, one line
export const LIFE_ROWS = [
  [FOLLOWED, OBSERVATIONS, ['namesAnotherJob'], 'NEEDS_RECONCILIATION', [], 'an id was reused, or there are two jobs: never follow a stranger'],
  [FOLLOWED, 'reference_shared', ['wasGone'], 'NEEDS_RECONCILIATION', ['noteSharing', 'contest'], 'our job was gone, and its id is given to another call: nothing under it tells of ours any more'],
  [FOLLOWED, 'reference_shared', [], '=', ['noteSharing'], 'one job for two calls: both are followed'],
  // -- submitting
  [['QUEUED'], 'submit_started', ['notCancelled'], 'SUBMITTING', ['beginAttempt'], 'recorded before the first byte leaves'],
  [['SUBMISSION_UNKNOWN'], 'submit_started', ['mayResubmit'], 'SUBMITTING', ['beginAttempt'], 'safe: the upstream still deduplicates by our key'],
  [EARLY, 'submit_accepted', ['wasSent'], 'WORKING', ['learnReference'], 'also from a holder whose lease has ended'],
  [EARLY, 'submit_finished', ['wasSent'], 'TERMINAL_OBSERVED', ['learnReference', 'seeEnding'], 'finished within the submit'],
  [DOUBT, 'submit_rejected', ['sole'], 'TERMINAL_OBSERVED', ['seeRefusal'], 'a no to the only request that can have arrived'],
  [DOUBT, 'submit_throttled', ['sole', 'cancelRecorded'], 'CANCELLED_ACCEPTED', ['proveAbsent', 'endCancelled'], 'not taken, and no longer wanted'],
  [DOUBT, 'submit_throttled', ['sole'], 'QUEUED', ['proveAbsent'], 'not taken: later again'],
  [['SUBMITTING'], ['submit_rejected', 'submit_throttled'], ['current'], 'SUBMISSION_UNKNOWN', [], 'a no to this attempt is silent about the earlier one'],
  [['SUBMITTING'], ['submit_ambiguous', 'lease_ended'], ['current'], 'SUBMISSION_UNKNOWN', [], 'no answer, or nobody left to hear it'],
  // -- looking up
  [EARLY, 'lookup_found', ['wasSent'], 'WORKING', ['learnReference'], 'the job exists after all'],
  [['SUBMISSION_UNKNOWN'], 'lookup_absent', ['proof', 'cancelRecorded'], 'CANCELLED_ACCEPTED', ['proveAbsent', 'endCancelled'], 'never created, and no longer wanted'],
  [['SUBMISSION_UNKNOWN'], 'lookup_absent', ['proof'], 'QUEUED', ['proveAbsent'], 'never created: submit again under the same key'],
  [['SUBMISSION_UNKNOWN'], 'lookup_absent', [], '=', [], 'too early to prove anything: look again'],
  [UNSURE, 'lookup_cannot', [], '=', [], 'look again'],
  // -- what the upstream shows
  [EARLY, 'hint', ['wasSent'], 'WORKING', ['learnReference'], 'the webhook outran the answer; the poll it hurries decides'],
  [FOLLOWED, 'hint', [], '=', ['learnReference'], 'hurries the next poll, decides nothing'],
  [EARLY, 'seen_working', ['wasSent'], 'WORKING', ['learnReference'], 'a delivery outran the answer'],
  [['WORKING'], 'seen_working', ['fresh'], '=', ['learnReference'], 'goes on'],
  [['INPUT_REQUIRED'], 'seen_working', ['fresh'], 'WORKING', ['learnReference'], 'went on without the caller'],
  [['NEEDS_RECONCILIATION'], 'seen_working', ['fresh', 'mayFollow'], 'WORKING', ['learnReference'], 'found again'],
  [['NEEDS_RECONCILIATION'], 'seen_working', ['fresh'], '=', ['learnReference'], 'still running, and no budget left to follow it'],
  [EARLY, 'seen_input', ['wasSent', 'newRound'], 'INPUT_REQUIRED', ['learnReference'], 'a delivery outran the answer'],
  [['WORKING'], 'seen_input', ['fresh', 'newRound'], 'INPUT_REQUIRED', ['learnReference'], 'a question that nobody answered yet'],
  [['WORKING'], 'seen_input', ['fresh', 'awaitsAnswer'], '=', ['learnReference'], 'it does not have our answer (yet)'],
  [['INPUT_REQUIRED'], 'seen_input', [], '=', [], 'still waits for the caller'],
  [['NEEDS_RECONCILIATION'], 'seen_input', ['fresh', 'mayFollow', 'newRound'], 'INPUT_REQUIRED', ['learnReference'], 'found again, with a question'],
  [['NEEDS_RECONCILIATION'], 'seen_input', ['fresh', 'mayFollow', 'awaitsAnswer'], 'WORKING', ['learnReference'], 'found again; the answer is still ours to deliver'],
  [['NEEDS_RECONCILIATION'], 'seen_input', ['fresh'], '=', ['learnReference'], 'still waiting, and no budget left to follow it'],
  [[...EARLY, ...RUN], 'seen_ended', ['wasSent'], 'TERMINAL_OBSERVED', ['learnReference', 'seeEnding'], 'endings only move forward: no freshness needed'],
  [['TERMINAL_OBSERVED'], 'seen_ended', ['contradicts'], 'NEEDS_RECONCILIATION', ['dropResult'], 'two different endings'],
  [['TERMINAL_OBSERVED'], 'seen_ended', [], '=', ['learnReference', 'seeEnding'], 'the same ending again; may bring the result'],
  [['NEEDS_RECONCILIATION'], 'seen_ended', ['agrees', 'resultLost'], '=', [], 'the same ending, and still no way to its result'],
  [['NEEDS_RECONCILIATION'], 'seen_ended', ['agrees'], 'TERMINAL_OBSERVED', ['learnReference', 'seeEnding'], 'the doubt is settled'],
  [['NEEDS_RECONCILIATION'], 'seen_ended', ['contradicts'], '=', [], 'still contradictory: an operator or the window'],
  [[...RUN, 'NEEDS_RECONCILIATION'], 'seen_missing', ['deletedByCancel'], 'TERMINAL_OBSERVED', ['seeCancelled'], 'gone because our cancel deletes'],
  [RUN, 'seen_missing', ['fresh', 'isShared'], 'NEEDS_RECONCILIATION', ['contest'], 'gone while another call has it too: what shows up again need not be ours'],
  [RUN, 'seen_missing', ['fresh'], 'NEEDS_RECONCILIATION', [], 'gone, and nobody saw how'],
  [['NEEDS_RECONCILIATION'], 'seen_missing', [], '=', [], 'still gone'],
  [[...DOUBT, ...RUN, 'NEEDS_RECONCILIATION'], 'seen_not_visible', [], '=', [], 'not found, but inside the grace'],
  [RUN, 'budget_over', [], 'NEEDS_RECONCILIATION', ['spendBudget'], 'one last look, inside the window'],
  // -- the result
  [['TERMINAL_OBSERVED'], 'result_ok', [], '=', ['holdResult'], 'read whole, validated and stored'],
  [['NEEDS_RECONCILIATION'], 'result_ok', ['sawEnding'], 'TERMINAL_OBSERVED', ['holdResult'], 'the result can be had after all'],
  [['TERMINAL_OBSERVED'], 'result_bad', ['fetchLeft'], '=', ['countFetch'], 'truncated, wrong type, unavailable: again'],
  [['TERMINAL_OBSERVED'], 'result_bad', [], 'NEEDS_RECONCILIATION', ['countFetch'], 'ended, but its result cannot be had'],
  [['NEEDS_RECONCILIATION'], 'result_bad', [], '=', ['countFetch'], 'still no result'],
  [['TERMINAL_OBSERVED'], 'accept', ['ready'], 'ACCEPTED', ['endAsSeen'], "the one way from the upstream's ending to ours"],
  // -- the caller
  [['INPUT_REQUIRED'], 'input_provided', ['answersRound', 'leavesOpen'], '=', [], 'other questions of the round wait still'],
  [['INPUT_REQUIRED'], 'input_provided', ['answersRound'], 'WORKING', [], 'recorded; its delivery is due work'],
  [['QUEUED'], 'cancel', [], 'CANCELLED_ACCEPTED', ['endCancelled'], 'nothing is out there, whatever the policy'],
  [LIVE, 'cancel', ['sticky'], 'CANCELLED_ACCEPTED', ['endCancelled'], 'cancelled before the answer, for ever'],
  [LIVE, 'cancel_confirmed', ['wasSent', 'noStatus', 'agrees'], 'TERMINAL_OBSERVED', ['seeCancelled'], 'with nothing to poll the answer is the evidence'],
  [FOLLOWED, 'cancel_confirmed', [], '=', [], 'polls decide, and the next is due now'],
  // -- time and the operator
  [['QUEUED'], 'budget_over', [], 'ACCEPTED', ['endFailed'], 'never sent in time'],
  [UNSURE, 'window_over', [], 'ACCEPTED', ['endUnknown'], 'nobody can say, and we say so'],
  [UNSURE, 'operator_found', ['namesNoOther'], 'WORKING', ['learnReference', 'startAfresh', 'trustReference'], 'an operator points at the job'],
  [['SUBMISSION_UNKNOWN'], 'operator_never', [], 'ACCEPTED', ['proveAbsent', 'endFailed'], "ends it: only the upstream's own proof resubmits"],
  [UNSURE, 'operator_result', [], 'TERMINAL_OBSERVED', ['seeEnding'], 'an operator brings the ending and its result'],
  [UNSURE, 'operator_gives_up', [], 'ACCEPTED', ['endUnknown'], 'an operator closes the case'],
] as const satisfies readonly Row<Life>[];

// biome-ignore format: one row, one line
export const CANCELLATION_ROWS = [
  [['NONE', 'REFUSED', 'UNANSWERED'], 'cancel', ['live'], 'REQUESTED', ['raiseGeneration'], 'recorded before anything is sent; cooperative, life goes on'],
  [['REQUESTED'], 'cancel_sent', ['hasReference'], 'SENT', ['countCancel'], 'it may be on the wire from now on'],
  [['UNANSWERED'], 'cancel_sent', ['hasReference', 'cancelLeft'], 'SENT', ['countCancel'], 'asking twice to stop harms nobody'],
  [['REQUESTED', 'SENT', 'ASKED', 'UNANSWERED'], 'cancel_unsupported', [], 'UNSUPPORTED', [], 'the upstream has no cancel'],
  [['REQUESTED', 'SENT', 'ASKED', 'UNANSWERED'], 'cancel_confirmed', [], 'CONFIRMED', [], 'the upstream says it is cancelled'],
  [['REQUESTED', 'SENT', 'UNANSWERED'], 'cancel_asked', [], 'ASKED', [], 'taken, not done'],
  [['REQUESTED', 'SENT', 'UNANSWERED'], 'cancel_refused', [], 'REFUSED', [], 'stands until the caller asks again'],
  [['SENT'], 'cancel_unanswered', [], 'UNANSWERED', [], 'lost, or its sender is gone'],
  [['REQUESTED', 'UNANSWERED'], 'cancel_withheld', [], 'REFUSED', ['noteSharing', 'withhold'], 'it would stop the job of another call as well'],
  [['REQUESTED', 'SENT', 'ASKED', 'REFUSED', 'UNANSWERED'], 'seen_ended', ['endedCancelled'], 'CONFIRMED', [], 'seen cancelled'],
] as const satisfies readonly Row<Cancellation>[];

// biome-ignore format: one row, one line
export const EFFECTS_ROWS = [
  [['REQUIRED'], OBSERVATIONS, ['namesAnotherJob'], '=', [], 'says nothing of our job: look again'],
  [UNSETTLED, 'reference_shared', ['wasGone'], 'ESCALATED', ['noteSharing', 'contest'], 'our job was gone, and its id is given to another call'],
  [UNSETTLED, 'reference_shared', [], '=', ['noteSharing'], 'one job for two calls'],
  [['NONE'], 'seen_ended', ['thoughtAbsent'], 'SETTLED', ['learnReference', 'noteFinding'], 'a job that was thought never to exist has ended'],
  [['NONE'], SIGNS, ['thoughtAbsent'], 'REQUIRED', ['learnReference'], 'a job that was thought never to exist turned up'],
  [UNSETTLED, ['seen_ended', 'submit_finished'], [], 'SETTLED', ['noteFinding'], 'found how it ended'],
  [UNSETTLED, 'cancel_confirmed', ['noStatus'], 'SETTLED', ['noteFinding'], 'stopped; elsewhere the next poll decides'],
  [UNSETTLED, ['submit_rejected', 'submit_throttled'], ['sole'], 'SETTLED', ['noteFinding'], 'never created'],
  [UNSETTLED, 'lookup_absent', ['proof'], 'SETTLED', ['noteFinding'], 'never created'],
  [['REQUIRED'], ['lookup_absent', 'lookup_cannot', 'seen_not_visible'], [], '=', [], 'says nothing yet: look again'],
  [UNSETTLED, 'seen_missing', ['deletedByCancel'], 'SETTLED', ['noteFinding'], 'gone because our cancel deletes'],
  [['REQUIRED'], 'seen_missing', ['fresh'], 'ESCALATED', [], 'gone, and nobody saw how'],
  [UNSETTLED, SIGNS, [], '=', ['learnReference'], 'the job exists: follow it, stop it if that is wanted'],
  [['REQUIRED'], 'effects_over', [], 'ESCALATED', [], "the operator's list; late evidence still settles"],
  [UNSETTLED, 'operator_found', ['namesNoOther'], 'REQUIRED', ['learnReference', 'trustReference'], 'an operator points at the job: it is followed to its end'],
  [UNSETTLED, 'operator_settles', [], 'SETTLED', ['noteFinding'], 'an operator knows'],
] as const satisfies readonly Row<Effects>[];

// biome-ignore format: one row, one line
export const INPUT_ROWS = [
  [INPUT, 'seen_input', ['listens', 'newRound'], 'OPEN', ['openRound'], 'a new question; an answered one never reopens'],
  [['SENT'], 'seen_input', ['listens', 'sameRound'], 'ANSWERED', [], 'asked again after our answer left: it was lost, and is due again'],
  [['OPEN', 'SENT'], 'seen_working', ['listens'], 'CLOSED', [], 'the upstream has what it waited for'],
  [['OPEN'], 'input_provided', ['answersRound', 'leavesOpen'], '=', ['keepAnswers'], 'recorded; the round waits for the rest'],
  [['OPEN'], 'input_provided', ['answersRound'], 'ANSWERED', ['keepAnswers'], 'recorded before it is sent'],
  [['ANSWERED'], 'answer_sent', ['working', 'sameRound'], 'SENT', [], 'it may be on the wire from now on'],
] as const satisfies readonly Row<Input>[];

export const MACHINES = {
  life: { states: LIFE, rows: LIFE_ROWS },
  cancellation: { states: CANCELLATION, rows: CANCELLATION_ROWS },
  effects: { states: EFFECTS, rows: EFFECTS_ROWS },
  input: { states: INPUT, rows: INPUT_ROWS },
} as const;
export type MachineName = keyof typeof MACHINES;

type AnyRow = (typeof MACHINES)[MachineName]['rows'][number];
export type GuardName = AnyRow[2][number];
export type FactName = AnyRow[4][number];

/** What follows from where life went, whichever row led there. */
export const RULES = [
  'Ending, effects: a job that cannot exist leaves NONE; one seen to end as the receipt says leaves NONE; one seen to end otherwise leaves SETTLED with that finding; any other leaves REQUIRED.',
  'Ending, cancellation: a cancel that ends an operation of which nothing can exist is CONFIRMED, for there is nobody to ask.',
  'Input: only INPUT_REQUIRED holds an OPEN round, so leaving it unanswered closes the round; an ending, seen or ours, closes any round.',
] as const;
