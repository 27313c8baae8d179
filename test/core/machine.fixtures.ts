// Operations and events to test the machine with.

import type { Traits } from '../../src/core/descriptor.ts';
import { open, step } from '../../src/core/machine.ts';
import type { Creation, EventOf, Operation, OperationEvent, Reference } from '../../src/core/operation.ts';

export const CREATED_AT = 1_000_000;
export const MINUTE_MS = 60_000;

const TRAITS: Traits = {
  status: true,
  lookup: true,
  cancel: 'asks',
  deduplicates: true,
  keyRetentionMs: 10 * MINUTE_MS,
  submitAttemptsMax: 2,
  fetchTriesMax: 2,
  cancelTriesMax: 1,
  timing: {
    submitTimeoutMs: 30_000,
    submitLeaseMs: 45_000,
    readTimeoutMs: 20_000,
    consistencyGraceMs: 5000,
    reconcileWindowMs: 15 * MINUTE_MS,
    effectsWindowMs: 24 * 60 * MINUTE_MS,
    waitBudgetMs: 60 * MINUTE_MS,
    startWithinMs: 10 * MINUTE_MS,
  },
};

/** A protocol that can do everything, but for what is given. */
export const traitsOf = (given: Partial<Traits> = {}, timing: Partial<Traits['timing']> = {}): Traits => ({
  ...TRAITS,
  ...given,
  timing: { ...TRAITS.timing, ...timing },
});

const CREATION: Creation = {
  id: 'op_0123456789abcdefghjkmnpqrs',
  tool: 'render_video',
  upstream: 'studio',
  descriptorDigest: 'sha256:d',
  adapter: 'http-202@1',
  contract: '2025-11-25',
  principal: 'local',
  arguments: {},
  requestDigest: 'sha256:r',
  submissionKey: 'key-1',
  epoch: 3,
  createdAt: CREATED_AT,
  ttlMs: MINUTE_MS,
};

export const created = (given: Partial<Creation> = {}): EventOf<'created'> => ({
  type: 'created',
  at: CREATED_AT,
  creation: { ...CREATION, ...given },
});

export const ours: Reference = { id: 'job-1', statusUrl: 'https://studio.example/jobs/1' };
export const stranger: Reference = { id: 'job-2', statusUrl: 'https://studio.example/jobs/2' };
export const held = { digest: 'sha256:f', bytes: 2, mediaType: 'application/json' } as const;

/** What an event must carry for its type; the tests give the rest. */
const DETAILS: Readonly<Record<string, object>> = {
  submit_started: { leaseUntil: CREATED_AT + 45_000 },
  submit_accepted: { reference: ours, pollAt: CREATED_AT + 2000 },
  submit_finished: { ending: 'succeeded', held },
  submit_rejected: { held: 'empty', message: 'no such voice' },
  submit_throttled: { retryAt: CREATED_AT + 7000 },
  submit_ambiguous: { message: 'connection reset' },
  lookup_found: { reference: ours, pollAt: CREATED_AT + 2000 },
  lookup_absent: { proof: false },
  hint: { reference: ours },
  seen_working: { pollAt: CREATED_AT + 4000 },
  seen_input: { pollAt: CREATED_AT + 4000, round: 1, inputRequest: { ask: 'which?' } },
  seen_ended: { ending: 'succeeded' },
  seen_not_visible: { pollAt: CREATED_AT + 4000 },
  result_ok: { held },
  result_bad: { message: 'cut off', permanent: false, fetchAt: CREATED_AT + 5000 },
  cancel: { sticky: false, by: 'caller' },
  cancel_sent: { leaseUntil: CREATED_AT + 20_000 },
  cancel_unanswered: { retryAt: CREATED_AT + 6000 },
  cancel_withheld: { shared: { operation: 'op_other', alike: true } },
  reference_shared: { shared: { operation: 'op_other', alike: true } },
  input_provided: { round: 1, answers: { which: 'this' } },
  answer_sent: { round: 1 },
  operator_found: { reference: ours, pollAt: CREATED_AT + 2000, actor: 'ada' },
  operator_never: { actor: 'ada' },
  operator_result: { ending: 'succeeded', held, actor: 'ada' },
  operator_gives_up: { actor: 'ada' },
  operator_settles: { finding: 'stopped by hand', actor: 'ada' },
};

type GivenOf<T extends OperationEvent['type']> = Partial<Omit<EventOf<T>, 'type'>>;

/** An event with sensible details; `at` a second after creation. */
export const eventOf = <T extends Exclude<OperationEvent['type'], 'created'>>(
  type: T,
  given: GivenOf<T> = {},
): OperationEvent => ({ type, at: CREATED_AT + 1000, ...DETAILS[type], ...given }) as unknown as OperationEvent;

/** A fresh operation after these events, all of which must apply. */
export function reached(traits: Traits, ...events: readonly OperationEvent[]): Operation {
  let operation = open(created(), traits);
  for (const event of events) {
    const stepped = step(operation, event, traits);
    if (stepped.disposition !== 'applied') {
      throw new Error(`${event.type} in ${operation.life} is ${stepped.disposition}`);
    }
    operation = stepped.operation;
  }
  return operation;
}

/** submit_started for the next attempt of an operation, or for the first. */
export const started = (attempt = 1, at = CREATED_AT + 500): OperationEvent =>
  eventOf('submit_started', { attempt, at, leaseUntil: at + 45_000 });
