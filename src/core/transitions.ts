// THE TABLE. Being filled in: states and event names are final, the rows follow.

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

export const EVENTS = [
  'submit_started',
  'submit_accepted',
  'submit_finished',
  'submit_rejected',
  'submit_throttled',
  'submit_ambiguous',
  'lease_ended',
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
  'accept',
  'input_provided',
  'answer_sent',
  'cancel',
  'cancel_sent',
  'cancel_asked',
  'cancel_confirmed',
  'cancel_refused',
  'cancel_unsupported',
  'cancel_unanswered',
  'budget_over',
  'window_over',
  'effects_over',
  'operator_found',
  'operator_never',
  'operator_result',
  'operator_gives_up',
  'operator_settles',
] as const;
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
