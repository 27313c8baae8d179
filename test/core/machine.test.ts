// The machine's instants, sentences and finer judgements, one by one.

import { describe, expect, test } from 'vitest';
import { applies, dueWork, fold, open, roundOf, step } from '../../src/core/machine.ts';
import type { Operation, OperationEvent } from '../../src/core/operation.ts';
import { type StepsTaken, stepsTaken, takenUpTo, withSteps } from '../../src/core/steps.ts';
import type { WorkKind } from '../../src/core/transitions.ts';
import {
  CREATED_AT,
  created,
  eventOf,
  held,
  MINUTE_MS,
  ours,
  reached,
  started,
  stranger,
  traitsOf,
} from './machine.fixtures.ts';

const traits = traitsOf();
const accepted = eventOf('submit_accepted', { attempt: 1 });
const at = (ms: number) => CREATED_AT + ms;
const dueAt = (operation: Operation, kind: WorkKind, given = traits) =>
  dueWork(operation, given).find((work) => work.kind === kind)?.dueAt;
const dispositionOf = (operation: Operation, event: OperationEvent, given = traits) =>
  step(operation, event, given).disposition;

describe('a new operation', () => {
  const operation = open(created(), traits);
  test('is queued at position 1, with its submit due at once', () => {
    expect(operation).toMatchObject({ life: 'QUEUED', seq: 1, changedSeq: 1, attempt: 0, mayExist: false });
    expect(dueAt(operation, 'submit')).toBe(CREATED_AT);
  });
  test('gives up at the end of its time to start, or of its wait budget if that is sooner', () => {
    expect(dueAt(operation, 'budget')).toBe(at(10 * MINUTE_MS));
    const hasty = traitsOf({}, { waitBudgetMs: MINUTE_MS });
    expect(dueAt(open(created(), hasty), 'budget', hasty)).toBe(at(MINUTE_MS));
  });
  test('that was never sent fails as ours: nothing may exist, and nothing is held', () => {
    const { operation: ended } = step(operation, eventOf('budget_over', { at: at(10 * MINUTE_MS) }), traits);
    expect(ended).toMatchObject({ life: 'ACCEPTED', mayExist: false, effects: 'NONE' });
    expect(ended.held).toBeUndefined();
    expect(ended.receipt).toMatchObject({
      outcome: 'failed',
      by: 'gateway',
      matched: { referenceId: null, resultDigest: null },
    });
    expect(ended.receipt?.reason).toContain('never sent');
  });
});

describe('a submit', () => {
  const submitting = reached(traits, started(1, at(500)));
  test('is suspected at the end of its lease', () => expect(dueAt(submitting, 'suspect')).toBe(at(45_500)));
  test('has a horizon of lease, timeout and grace, which the next attempt restarts', () => {
    expect(submitting.horizonAt).toBe(at(500 + 45_000 + 30_000 + 5000));
    const again = reached(traits, started(1, at(500)), eventOf('submit_ambiguous', { attempt: 1 }), started(2, at(9000)));
    expect(again.horizonAt).toBe(at(9000 + 80_000));
    expect(again.doubted).toBe(true);
  });
  test('counts on the key for nine tenths of its retention, from the first attempt', () => {
    expect(submitting.keyUntil).toBe(at(500 + 9 * MINUTE_MS));
    const again = reached(traits, started(1, at(500)), eventOf('submit_ambiguous', { attempt: 1 }), started(2, at(9000)));
    expect(again.keyUntil).toBe(submitting.keyUntil);
  });
  test('that is throttled waits as long as it was told, and nothing may exist', () => {
    const queued = reached(traits, started(), eventOf('submit_throttled', { attempt: 1, retryAt: at(7000) }));
    expect(queued).toMatchObject({ life: 'QUEUED', mayExist: false });
    expect(dueAt(queued, 'submit')).toBe(at(7000));
  });
  test('that is throttled or unavailable in doubt waits as long as it was told, too', () => {
    const patient = { ...traits, submitAttemptsMax: 3 };
    const doubted = [started(), eventOf('submit_ambiguous', { attempt: 1 }), started(2, at(9000))];
    for (const type of ['submit_throttled', 'submit_ambiguous'] as const) {
      const told = reached(patient, ...doubted, eventOf(type, { attempt: 2, at: at(10_000), retryAt: at(50_000) }));
      expect(told.life).toBe('SUBMISSION_UNKNOWN');
      expect(dueAt(told, 'submit', patient)).toBe(at(50_000));
    }
    const untold = reached(patient, ...doubted, eventOf('submit_ambiguous', { attempt: 2, at: at(10_000) }));
    expect(dueAt(untold, 'submit', patient)).toBe(at(12_000));
  });
  test('that is refused ends with the refusal as the tool’s own failure', () => {
    const ended = reached(
      traits,
      started(),
      eventOf('submit_rejected', { attempt: 1, held, evidenceId: 'e1' }),
      eventOf('accept'),
    );
    expect(ended.receipt).toMatchObject({ outcome: 'failed', by: 'upstream', result: held, evidence: ['e1'] });
    expect(ended.receipt?.reason).toBe('The upstream refused the request: no such voice');
    expect(ended.effects).toBe('NONE');
  });
  test('refused the second time says nothing about the first', () => {
    const unsure = reached(
      traits,
      started(),
      eventOf('submit_ambiguous', { attempt: 1 }),
      started(2),
      eventOf('submit_rejected', { attempt: 2 }),
    );
    expect(unsure).toMatchObject({ life: 'SUBMISSION_UNKNOWN', mayExist: true });
    expect(unsure.trouble).toBe('attempt 2 was refused, which says nothing about an earlier attempt: no such voice');
  });
});

describe('an unknown submit', () => {
  const lost = [started(), eventOf('submit_ambiguous', { attempt: 1, at: at(2000) })];
  test('is looked up at once, submitted again after a second, and given the window', () => {
    const unsure = reached(traits, ...lost);
    expect(dueWork(unsure, traits)).toEqual([
      { kind: 'lookup', dueAt: at(2000) },
      { kind: 'submit', dueAt: at(3000) },
      { kind: 'window', dueAt: at(2000 + 15 * MINUTE_MS) },
    ]);
  });
  test('has no window where nothing automatic can settle it', () => {
    const helpless = traitsOf({ lookup: false, deduplicates: false });
    expect(dueAt(reached(helpless, ...lost), 'window', helpless)).toBe(at(2000));
  });
  test('waits for a delivery where the upstream only calls back', () => {
    const webhook = traitsOf({ lookup: false, deduplicates: false, status: false });
    expect(dueAt(reached(webhook, ...lost), 'window', webhook)).toBe(at(2000 + 15 * MINUTE_MS));
  });
  test('has none left once a cancel forbids the submit that was its only hope', () => {
    const keyed = traitsOf({ lookup: false });
    const unsure = reached(keyed, ...lost, eventOf('cancel', { at: at(2500) }));
    expect(dueAt(unsure, 'submit', keyed)).toBeUndefined();
    expect(dueAt(unsure, 'window', keyed)).toBe(at(2500));
  });
  test('is not submitted again once the key may be forgotten', () => {
    const forgetful = traitsOf({ keyRetentionMs: 1000 });
    const unsure = reached(forgetful, ...lost);
    expect(dueAt(unsure, 'submit', forgetful)).toBeUndefined();
    expect(applies(unsure, started(2, at(60_000)), forgetful)).toBe(false);
  });
  test('not found too early is looked up again, at the latest right after the horizon', () => {
    const early = reached(traits, ...lost, eventOf('lookup_absent', { at: at(70_000) }));
    expect(early.life).toBe('SUBMISSION_UNKNOWN');
    expect(dueAt(early, 'lookup')).toBe(at(80_501));
    const late = reached(traits, ...lost, eventOf('lookup_absent', { at: at(90_000) }));
    expect(dueAt(late, 'lookup')).toBe(at(120_000));
  });
  test('proved absent is submitted again under the same key, at once', () => {
    const queued = reached(traits, ...lost, eventOf('lookup_absent', { proof: true, at: at(90_000) }));
    expect(queued).toMatchObject({ life: 'QUEUED', mayExist: false, doubted: false, submissionKey: 'key-1' });
    expect(dueAt(queued, 'submit')).toBe(at(90_000));
    expect(queued.windowUntil).toBeUndefined();
    expect(queued.trouble).toBeUndefined();
  });
  test('ends as unknown with effects open, saying what was lost', () => {
    const ended = reached(traits, ...lost, eventOf('window_over', { at: at(20 * MINUTE_MS) }));
    expect(ended.receipt).toMatchObject({ outcome: 'unknown', by: 'deadline', evidence: [] });
    expect(ended.receipt?.reason).toBe('The answer to the submit was lost: connection reset.');
    expect(dueWork(ended, traits)).toEqual([
      { kind: 'lookup', dueAt: at(20 * MINUTE_MS) },
      { kind: 'effects', dueAt: at((20 + 24 * 60) * MINUTE_MS) },
    ]);
  });
  test('proved absent makes the next attempt the only one that counts', () => {
    const absent = eventOf('lookup_absent', { proof: true, at: at(90_000) });
    const again = reached(traits, ...lost, started(2, at(3000)), eventOf('submit_ambiguous', { attempt: 2 }), absent);
    const submitting = step(again, started(3, at(91_000)), traits).operation;
    expect(submitting.doubted).toBe(false);
    expect(step(submitting, eventOf('submit_rejected', { attempt: 3 }), traits).operation.life).toBe('TERMINAL_OBSERVED');
  });
  test('that an operator knows was never created ends as ours, with nothing left behind', () => {
    const ended = reached(traits, ...lost, eventOf('operator_never', { message: 'not in their console' }));
    expect(ended).toMatchObject({
      life: 'ACCEPTED',
      mayExist: false,
      effects: 'NONE',
      receipt: { outcome: 'failed', by: 'operator' },
    });
    expect(ended.receipt?.reason).toBe('An operator (ada) found that the job was never created: not in their console.');
  });
  test('that a late holder’s answer settles goes on, with the reference only that answer had', () => {
    const late = reached(traits, started(), eventOf('lease_ended', { attempt: 1 }), accepted);
    expect(late).toMatchObject({ life: 'WORKING', reference: ours });
  });
});

describe('a job that works', () => {
  const working = reached(traits, started(), accepted);
  test('is polled when its answer says, until the wait budget is over', () => {
    expect(dueAt(working, 'poll')).toBe(at(2000));
    expect(dueAt(working, 'budget')).toBe(at(60 * MINUTE_MS));
  });
  test('latches its progress and learns newer URLs of the same job', () => {
    const moved = { id: 'job-1', statusUrl: 'https://studio.example/v2/jobs/1', extra: { zone: 'b' } };
    const later = reached(
      traits,
      started(),
      accepted,
      eventOf('seen_working', { progress: { fraction: 0.6, message: 'rendering' } }),
      eventOf('seen_working', { progress: { fraction: 0.4 }, reference: moved }),
    );
    expect(later.progress).toEqual({ fraction: 0.6, message: 'rendering' });
    expect(later.reference).toEqual(moved);
  });
  test('takes no URL back for a look that began before the job moved, and keeps what it adds', () => {
    const moved = { ...ours, statusUrl: 'https://studio.example/v2/jobs/1' };
    const there = reached(traits, started(), accepted, eventOf('seen_working', { reference: moved, readAt: working.seq }));
    const before = { readAt: there.seq - 1, reference: { ...ours, resultUrl: 'https://studio.example/results/1' } };
    expect(step(there, eventOf('seen_working', before), traits).operation.reference).toEqual({
      ...moved,
      resultUrl: 'https://studio.example/results/1',
    });
    const back = { readAt: there.seq, reference: ours };
    expect(step(there, eventOf('seen_working', back), traits).operation.reference).toEqual(ours);
  });
  test.each<[string, StepsTaken, StepsTaken]>([
    ['over', { over: 2, tries: 0, doubted: false, until: 0 }, { over: 1, tries: 0, doubted: false, until: 0 }],
    ['under way', { over: 1, tries: 2, doubted: true, until: 9 }, { over: 1, tries: 1, doubted: false, until: 0 }],
    ['under way, where the one before is told', { over: 1, tries: 1, doubted: true, until: 9 }, takenUpTo(1)],
  ])('takes no step back that is %s, whoever tells of it late', (_what, known, told) => {
    const at = reached(traits, started(), accepted, eventOf('seen_working', { reference: withSteps(ours, known) }));
    const late = eventOf('seen_working', { readAt: at.seq - 1, reference: withSteps(ours, told) });
    expect(stepsTaken(step(at, late, traits).operation.reference)).toEqual(known);
  });
  test('does not believe a poll that began before the last change, unless it shows an ending', () => {
    const stale = { readAt: working.changedSeq - 1 };
    expect(dispositionOf(working, eventOf('seen_working', stale))).toBe('late');
    expect(dispositionOf(working, eventOf('seen_missing', stale))).toBe('late');
    expect(dispositionOf(working, eventOf('seen_working', { readAt: working.changedSeq }))).toBe('applied');
    expect(step(working, eventOf('seen_ended', stale), traits).operation.life).toBe('TERMINAL_OBSERVED');
  });
  test('is looked at now when a webhook hints, and when a cancel was answered', () => {
    expect(dueAt(step(working, eventOf('hint', { at: at(1500) }), traits).operation, 'poll')).toBe(at(1500));
    const cancelling = reached(traits, started(), accepted, eventOf('cancel', { at: at(1200) }), eventOf('cancel_sent'));
    for (const answer of ['cancel_asked', 'cancel_confirmed', 'cancel_refused'] as const) {
      expect(dueAt(step(cancelling, eventOf(answer, { at: at(1600) }), traits).operation, 'poll'), answer).toBe(at(1600));
    }
  });
  test('keeps when an unbroken row of 404s began, and forgets it once the job shows', () => {
    const hidden = reached(
      traits,
      started(),
      accepted,
      eventOf('seen_not_visible', { at: at(2100) }),
      eventOf('seen_not_visible', { at: at(4100) }),
    );
    expect(hidden.missingSince).toBe(at(2100));
    expect(step(hidden, eventOf('seen_working'), traits).operation.missingSince).toBeUndefined();
  });
  test('counts an unknown status word as working only for its stay, and names it when that ends', () => {
    const patient = traitsOf({}, { unknownWordMs: 5 * MINUTE_MS });
    const word = (ms: number) => eventOf('seen_working', { at: at(ms), unknownWord: 'PENDING_REVIEW' });
    const puzzled = reached(patient, started(), accepted, word(2000), word(9000));
    expect(dueAt(puzzled, 'budget', patient)).toBe(at(2000 + 5 * MINUTE_MS));
    expect(dueAt(step(puzzled, eventOf('seen_working'), patient).operation, 'budget', patient)).toBe(at(60 * MINUTE_MS));
    const ended = [eventOf('budget_over'), eventOf('window_over')].reduce(
      (operation, event) => step(operation, event, patient).operation,
      puzzled,
    );
    expect(ended.receipt?.reason).toContain('"PENDING_REVIEW"');
    expect(ended.receipt?.outcome).toBe('unknown');
  });
});

describe('a job under reconciliation', () => {
  const gone = reached(traits, started(), accepted, eventOf('seen_missing', { at: at(9000) }));
  test('is looked at once more at once, inside the window', () => {
    expect(gone.life).toBe('NEEDS_RECONCILIATION');
    expect(dueAt(gone, 'poll')).toBe(at(9000));
    expect(dueAt(gone, 'window')).toBe(at(9000 + 15 * MINUTE_MS));
  });
  test('that stays gone is looked at now and then, without a longer window', () => {
    const { operation } = step(gone, eventOf('seen_missing', { at: at(10_000) }), traits);
    expect(dueAt(operation, 'poll')).toBe(at(40_000));
    expect(dueAt(operation, 'window')).toBe(dueAt(gone, 'window'));
  });
  test('ends as unknown, and says that the upstream no longer knows the job', () => {
    const ended = step(gone, eventOf('window_over'), traits).operation;
    expect(ended.receipt?.reason).toBe('The job is no longer known to the upstream.');
    expect(ended).toMatchObject({ effects: 'REQUIRED', receipt: { outcome: 'unknown', matched: { referenceId: 'job-1' } } });
  });
  test('found again goes on, and a new doubt begins a new window', () => {
    const found = step(gone, eventOf('seen_working', { at: at(12_000), pollAt: at(15_000) }), traits).operation;
    expect(found).toMatchObject({ life: 'WORKING', pollAt: at(15_000) });
    expect(found.trouble).toBeUndefined();
    expect(dueAt(step(found, eventOf('seen_missing', { at: at(60_000) }), traits).operation, 'window')).toBe(
      at(16 * MINUTE_MS),
    );
  });
  test('found again after the budget is only watched for its ending', () => {
    const over = reached(traits, started(), accepted, eventOf('budget_over', { at: at(60 * MINUTE_MS) }));
    expect(step(over, eventOf('seen_working'), traits).operation.life).toBe('NEEDS_RECONCILIATION');
    expect(step(over, eventOf('seen_ended'), traits).operation.life).toBe('TERMINAL_OBSERVED');
  });
  test('that came of a wait that was over says how the job was seen last, and nothing that nobody saw', () => {
    const troubleAfter = (given: typeof traits, said: { readonly message?: string }, ...before: readonly OperationEvent[]) =>
      reached(given, started(), accepted, ...before, eventOf('budget_over', { at: at(60 * MINUTE_MS), ...said })).trouble;
    expect(troubleAfter(traits, {})).toBe('the job was still running when the time to wait for it was over');
    expect(troubleAfter(traits, {}, eventOf('seen_input', { round: 1 }))).toBe(
      'the job still waited for an answer when the time to wait for it was over',
    );
    expect(troubleAfter(traitsOf({ status: false }), {})).toBe(
      'the service had not called back with an end when the time to wait for the job was over',
    );
    expect(
      troubleAfter(traits, { message: 'the upstream answered 403' }, eventOf('seen_working', { unknownWord: 'PAUSED' })),
    ).toBe(
      'the time to wait for the job was over, and its status could not be read when it was last asked for: the upstream answered 403',
    );
  });
  test('named as another job, believes nothing that was said of the stranger', () => {
    const told = eventOf('seen_ended', { reference: stranger, ending: 'cancelled', held, at: at(5000) });
    const met = reached(traits, started(), accepted, eventOf('cancel'), told);
    expect(met.cancellation).toBe('REQUESTED');
    expect(met).toMatchObject({ life: 'NEEDS_RECONCILIATION', reference: ours });
    expect(met.seen).toBeUndefined();
    expect(met.trouble).toBe('the upstream named another job (job-2) than ours (job-1)');
  });
  test('that contradicts itself keeps the first ending and drops its result, until one of them is seen again', () => {
    const ended = reached(traits, started(), accepted, eventOf('seen_ended', { held }));
    const torn = step(ended, eventOf('seen_ended', { ending: 'failed', at: at(5000) }), traits).operation;
    expect(torn).toMatchObject({ life: 'NEEDS_RECONCILIATION', seen: 'succeeded' });
    expect(torn.held).toBeUndefined();
    expect(torn.trouble).toBe('the upstream contradicts itself: the job succeeded, and later it failed');
    expect(dueWork(torn, traits).map(({ kind }) => kind)).toEqual(['poll', 'fetch', 'window']);
    expect(dispositionOf(torn, eventOf('seen_ended', { ending: 'failed' }))).toBe('applied');
    expect(step(torn, eventOf('seen_ended'), traits).operation.life).toBe('TERMINAL_OBSERVED');
  });
  test('settled by an operator says who and what', () => {
    const given = step(gone, eventOf('operator_result', { ending: 'failed', held, evidenceId: 'op-1' }), traits).operation;
    const ended = step(given, eventOf('accept'), traits).operation;
    expect(ended.receipt).toMatchObject({ outcome: 'failed', by: 'operator', result: held, evidence: ['op-1'] });
    expect(ended.receipt?.reason).toBe('An operator says that the job failed.');
    const abandoned = step(gone, eventOf('operator_gives_up', { message: 'the tenant is gone' }), traits).operation;
    expect(abandoned.receipt).toMatchObject({ outcome: 'unknown', by: 'operator' });
    expect(abandoned.receipt?.reason).toBe(
      'An operator (ada) gave up: the tenant is gone; the job is no longer known to the upstream.',
    );
  });
  test('found by an operator gets a fresh budget', () => {
    const found = step(gone, eventOf('operator_found', { at: at(20_000), pollAt: at(20_000) }), traits).operation;
    expect(found).toMatchObject({ life: 'WORKING', budgetOver: false, budgetUntil: at(20_000 + 60 * MINUTE_MS) });
    expect(dispositionOf(gone, eventOf('operator_found', { reference: stranger }))).toBe('refused');
  });
});

describe('a result', () => {
  const ended = reached(traits, started(), accepted, eventOf('seen_ended', { at: at(3000), evidenceId: 'e1' }));
  test('is fetched at once, and accepted at once when it is held', () => {
    expect(dueWork(ended, traits)).toEqual([{ kind: 'fetch', dueAt: at(3000) }]);
    const ready = step(ended, eventOf('result_ok', { at: at(3500), evidenceId: 'e2' }), traits).operation;
    expect(dueWork(ready, traits)).toEqual([{ kind: 'accept', dueAt: at(3500) }]);
    expect(step(ready, eventOf('accept'), traits).operation.receipt).toMatchObject({
      id: 'rc_0123456789abcdefghjkmnpqrs',
      outcome: 'succeeded',
      by: 'upstream',
      result: held,
      evidence: ['e1', 'e2'],
      matched: { requestDigest: 'sha256:r', epoch: 3, generation: 0, referenceId: 'job-1', resultDigest: held.digest },
    });
  });
  test('that is empty is accepted without a value, and so is a cancelled ending', () => {
    const empty = step(ended, eventOf('result_ok', { held: 'empty' }), traits).operation;
    const accepted = step(empty, eventOf('accept'), traits).operation;
    expect(accepted.receipt).toMatchObject({ outcome: 'succeeded', matched: { resultDigest: null } });
    expect(accepted.receipt?.result).toBeUndefined();
    const cancelled = reached(traits, started(), eventOf('submit_accepted'), eventOf('seen_ended', { ending: 'cancelled' }));
    expect(dueWork(cancelled, traits).map(({ kind }) => kind)).toEqual(['accept']);
  });
  test('that was held already is not replaced by a repetition of its ending', () => {
    const ready = step(ended, eventOf('result_ok', { evidenceId: 'e2' }), traits).operation;
    const other = { digest: 'sha256:other', bytes: 1, mediaType: 'text/plain' };
    const repeated = step(ready, eventOf('seen_ended', { held: other, evidenceId: 'e3' }), traits).operation;
    expect(repeated).toMatchObject({ held, endingEvidence: 'e1', resultEvidence: 'e2' });
  });
  test('that is bad is fetched again when the event says, while tries are left', () => {
    const tried = step(ended, eventOf('result_bad', { fetchAt: at(8000) }), traits).operation;
    expect(dueWork(tried, traits)).toEqual([{ kind: 'fetch', dueAt: at(8000) }]);
    expect(step(tried, eventOf('result_bad', { fetchAt: at(16_000) }), traits).operation).toMatchObject({
      life: 'NEEDS_RECONCILIATION',
      fetchAt: at(16_000),
      trouble: 'the result could not be read: cut off',
    });
  });
  test('out of reach for good is not fetched again, and the receipt says why and what was seen', () => {
    const lost = step(
      ended,
      eventOf('result_bad', { permanent: true, message: 'https://evil.example/x is not allowed' }),
      traits,
    );
    expect(lost.operation.life).toBe('NEEDS_RECONCILIATION');
    expect(dueWork(lost.operation, traits).map(({ kind }) => kind)).toEqual(['poll', 'window']);
    const again = step(lost.operation, eventOf('seen_ended', { at: at(4000) }), traits).operation;
    expect(again.life).toBe('NEEDS_RECONCILIATION');
    expect(dueAt(again, 'poll')).toBe(at(34_000));
    const over = step(again, eventOf('window_over'), traits).operation;
    expect(over).toMatchObject({ effects: 'SETTLED', finding: 'succeeded', receipt: { outcome: 'unknown' } });
    expect(over.receipt?.reason).toBe(
      'The result could not be read: https://evil.example/x is not allowed; the upstream said that the job succeeded.',
    );
    const brought = step(again, eventOf('seen_ended', { held }), traits).operation;
    expect(dueWork(brought, traits).map(({ kind }) => kind)).toEqual(['accept']);
  });
  test('that stays unreadable goes to and fro inside one window', () => {
    const bad = (ms: number) => eventOf('result_bad', { at: at(ms), fetchAt: at(ms + 60_000) });
    const events = [bad(4000), bad(64_000), eventOf('seen_ended', { at: at(64_500) }), bad(124_000)];
    const circling = events.reduce((operation, event) => step(operation, event, traits).operation, ended);
    expect(circling.life).toBe('NEEDS_RECONCILIATION');
    expect(dueAt(circling, 'window')).toBe(at(64_000 + 15 * MINUTE_MS));
  });
});

describe('a question', () => {
  const asked = reached(traits, started(), accepted, eventOf('seen_input', { pollAt: at(5000) }));
  const answer = (round: number) => eventOf('input_provided', { round, answers: { which: 'this' } });
  test('keeps a heartbeat poll and takes an answer to its own round only', () => {
    expect(asked).toMatchObject({ life: 'INPUT_REQUIRED', input: 'OPEN', round: 1, inputRequest: { ask: 'which?' } });
    expect(dueAt(asked, 'poll')).toBe(at(5000));
    expect(dispositionOf(asked, answer(2))).toBe('late');
    expect(dispositionOf(asked, answer(1))).toBe('applied');
  });
  test('that is answered in part stays open, and keeps what it has', () => {
    const partly = eventOf('input_provided', { answers: { 'input-1.1': 'this' }, partly: true });
    const half = step(asked, partly, traits).operation;
    expect(half).toMatchObject({ life: 'INPUT_REQUIRED', input: 'OPEN', answers: { 'input-1.1': 'this' } });
    expect(dueAt(half, 'answer')).toBeUndefined();
    const whole = step(half, eventOf('input_provided', { answers: { 'input-1.2': 'that' } }), traits).operation;
    expect(whole).toMatchObject({ input: 'ANSWERED', answers: { 'input-1.1': 'this', 'input-1.2': 'that' } });
  });
  test('answered makes the delivery due at once, and no poll due while it may be on the wire', () => {
    const answered = step(asked, eventOf('input_provided', { at: at(6000) }), traits).operation;
    expect(dueAt(answered, 'answer')).toBe(at(6000));
    const sent = step(answered, eventOf('answer_sent', { at: at(6100) }), traits).operation;
    expect(dueAt(sent, 'answer')).toBeUndefined();
    expect(dueAt(sent, 'poll')).toBe(at(31_100));
  });
  test('asked again after the answer left means that it was lost; a poll from before says nothing', () => {
    const sent = reached(traits, started(), accepted, eventOf('seen_input'), answer(1), eventOf('answer_sent'));
    expect(dispositionOf(sent, eventOf('seen_input', { readAt: sent.seq - 1 }))).toBe('late');
    const lost = step(sent, eventOf('seen_input', { readAt: sent.seq }), traits).operation;
    expect(lost).toMatchObject({ input: 'ANSWERED', round: 1, answers: { which: 'this' } });
    expect(dueAt(lost, 'answer')).toBeDefined();
    expect(step(sent, eventOf('seen_working'), traits).operation.input).toBe('CLOSED');
  });
  test('that is new opens the next round, even before the last was seen to close', () => {
    const sent = reached(traits, started(), accepted, eventOf('seen_input'), answer(1), eventOf('answer_sent'));
    expect(roundOf(sent, true)).toBe(1);
    const next = step(sent, eventOf('seen_input', { round: roundOf(sent, false), inputRequest: { ask: 'why?' } }), traits);
    expect(next.operation).toMatchObject({ life: 'INPUT_REQUIRED', input: 'OPEN', round: 2, inputRequest: { ask: 'why?' } });
    expect(next.operation.answers).toBeUndefined();
  });
  test('that the upstream drops closes, and the same question later is a new round', () => {
    const dropped = step(asked, eventOf('seen_working'), traits).operation;
    expect(dropped).toMatchObject({ life: 'WORKING', input: 'CLOSED', round: 1 });
    expect(roundOf(dropped, true)).toBe(2);
  });
});

describe('a cancel', () => {
  const working = [started(), accepted];
  test('of what was never sent ends at once, with nothing to ask', () => {
    const ended = reached(traits, eventOf('cancel'));
    expect(ended).toMatchObject({ life: 'CANCELLED_ACCEPTED', cancellation: 'CONFIRMED', generation: 1, effects: 'NONE' });
    expect(ended.receipt?.reason).toBe('Cancelled by the caller; no job exists.');
    expect(dueWork(ended, traits)).toEqual([]);
  });
  test('that is cooperative is due at once, and life goes on', () => {
    const asked = reached(traits, ...working, eventOf('cancel', { at: at(1500) }));
    expect(asked).toMatchObject({ life: 'WORKING', cancellation: 'REQUESTED', generation: 1 });
    expect(dueAt(asked, 'cancel')).toBe(at(1500));
    expect(dueAt(step(asked, eventOf('seen_working', { at: at(4000) }), traits).operation, 'cancel')).toBe(at(1500));
    expect(dispositionOf(asked, eventOf('cancel'))).toBe('late');
  });
  test('that is sticky ends life and still asks the upstream to stop, within the effects window', () => {
    const ended = reached(traits, ...working, eventOf('cancel', { sticky: true, at: at(1500) }));
    expect(ended).toMatchObject({ life: 'CANCELLED_ACCEPTED', cancellation: 'REQUESTED', effects: 'REQUIRED' });
    expect(dueWork(ended, traits)).toEqual([
      { kind: 'poll', dueAt: at(2500) },
      { kind: 'cancel', dueAt: at(1500) },
      { kind: 'effects', dueAt: at(1500 + 24 * 60 * MINUTE_MS) },
    ]);
    const settled = step(ended, eventOf('seen_ended', { ending: 'succeeded' }), traits).operation;
    expect(settled).toMatchObject({ effects: 'SETTLED', finding: 'succeeded', receipt: { outcome: 'cancelled' } });
  });
  test('that is sticky leaves an ending that was seen as a finding, and its result out of the receipt', () => {
    for (const ending of ['succeeded', 'cancelled'] as const) {
      const seen = reached(traits, started(), accepted, eventOf('seen_ended', { ending, held }));
      const ended = step(seen, eventOf('cancel', { sticky: true }), traits).operation;
      expect(ended).toMatchObject({ effects: 'SETTLED', finding: ending, receipt: { outcome: 'cancelled', by: 'caller' } });
      expect(ended.receipt?.result).toBeUndefined();
      expect(ended.receipt?.matched.resultDigest).toBeNull();
    }
  });
  test('on the wire is suspected at the end of its lease, and asked again when told', () => {
    const twice = traitsOf({ cancelTriesMax: 2 });
    const sent = reached(twice, ...working, eventOf('cancel'), eventOf('cancel_sent', { leaseUntil: at(20_000) }));
    expect(dueAt(sent, 'cancel_suspect', twice)).toBe(at(20_000));
    expect(dueAt(sent, 'cancel', twice)).toBeUndefined();
    const unanswered = step(sent, eventOf('cancel_unanswered', { retryAt: at(26_000) }), twice).operation;
    expect(dueAt(unanswered, 'cancel', twice)).toBe(at(26_000));
    const again = step(unanswered, eventOf('cancel_sent'), twice).operation;
    expect(dueAt(step(again, eventOf('cancel_unanswered'), twice).operation, 'cancel', twice)).toBeUndefined();
  });
  test('that is asked for anew has tries of its own', () => {
    const once = traitsOf({ cancelTriesMax: 1 });
    const given = [eventOf('cancel'), eventOf('cancel_sent'), eventOf('cancel_unanswered', { retryAt: at(6000) })];
    expect(dueAt(reached(once, ...working, ...given), 'cancel', once)).toBeUndefined();
    const anew = reached(once, ...working, ...given, ...given);
    expect(anew).toMatchObject({ generation: 2, cancelTries: 2 });
    expect(dueAt(anew, 'cancel', once)).toBeUndefined();
    const twice = traitsOf({ cancelTriesMax: 2 });
    expect(dueAt(reached(twice, ...working, ...given, ...given), 'cancel', twice)).toBe(at(6000));
  });
  test('that deletes and was taken makes a later 404 its confirmation, but not a 404 from before it', () => {
    const deleting = traitsOf({ cancel: 'deletes' });
    const taken = reached(deleting, ...working, eventOf('cancel'), eventOf('cancel_sent'), eventOf('cancel_asked'));
    expect(dispositionOf(taken, eventOf('seen_missing', { readAt: taken.seq - 1 }), deleting)).toBe('late');
    expect(step(taken, eventOf('seen_missing', { readAt: taken.seq }), deleting).operation).toMatchObject({
      life: 'TERMINAL_OBSERVED',
      seen: 'cancelled',
    });
  });
  test.each([[], ['cancel_unanswered'], ['cancel_refused']] as const)(
    'that deletes and was not seen to be taken (%s) proves nothing: a 404 after it is a job that is gone',
    (...answers) => {
      const deleting = traitsOf({ cancel: 'deletes' });
      const asked = reached(
        deleting,
        ...working,
        eventOf('cancel'),
        eventOf('cancel_sent'),
        ...answers.map((one) => eventOf(one)),
      );
      expect(step(asked, eventOf('seen_missing', { readAt: asked.seq }), deleting).operation).toMatchObject({
        life: 'NEEDS_RECONCILIATION',
      });
    },
  );
  test('confirmed is an ending only where there is nothing to poll', () => {
    const confirm = (given: typeof traits) =>
      reached(given, ...working, eventOf('cancel'), eventOf('cancel_sent'), eventOf('cancel_confirmed'));
    expect(confirm(traits)).toMatchObject({ life: 'WORKING', cancellation: 'CONFIRMED' });
    expect(confirm(traitsOf({ status: false }))).toMatchObject({ life: 'TERMINAL_OBSERVED', seen: 'cancelled' });
  });
});

describe('open effects', () => {
  const helpless = traitsOf({ lookup: false, deduplicates: false });
  const unknown = reached(helpless, started(), eventOf('submit_ambiguous'), eventOf('window_over'));
  test('follow a job that turns up after the end, without moving the end', () => {
    const found = step(unknown, eventOf('submit_accepted', { attempt: 1, pollAt: at(9000) }), helpless).operation;
    expect(found).toMatchObject({ life: 'ACCEPTED', effects: 'REQUIRED', reference: ours, receipt: { outcome: 'unknown' } });
    expect(dueAt(found, 'poll', helpless)).toBe(at(9000));
  });
  test('learn nothing from another job, and look again a little later', () => {
    const ended = reached(traits, started(), accepted, eventOf('cancel', { sticky: true }));
    const met = step(ended, eventOf('seen_ended', { reference: stranger, at: at(5000) }), traits).operation;
    expect(met).toMatchObject({ effects: 'REQUIRED', reference: ours });
    expect(dueAt(met, 'poll')).toBe(at(35_000));
  });
  test('go to an operator when their window is over, and late evidence still settles them', () => {
    const escalated = step(unknown, eventOf('effects_over'), helpless).operation;
    expect(escalated.effects).toBe('ESCALATED');
    expect(dueWork(escalated, helpless)).toEqual([]);
    expect(step(escalated, eventOf('seen_ended'), helpless).operation).toMatchObject({
      effects: 'SETTLED',
      finding: 'succeeded',
    });
    const byHand = step(escalated, eventOf('operator_settles'), helpless).operation;
    expect(byHand).toMatchObject({ effects: 'SETTLED', finding: 'stopped by hand' });
  });
  test('are followed again, for another window, once an operator points at the job; never at another than ours', () => {
    const escalated = step(unknown, eventOf('effects_over', { at: at(90_000) }), helpless).operation;
    const pointed = eventOf('operator_found', { at: at(100_000), pollAt: at(100_000) });
    const found = step(escalated, pointed, helpless).operation;
    expect(found).toMatchObject({ life: 'ACCEPTED', effects: 'REQUIRED', reference: ours, receipt: { outcome: 'unknown' } });
    expect(dueAt(found, 'poll', helpless)).toBe(at(100_000));
    expect(dueAt(found, 'effects', helpless)).toBe(at(100_000) + helpless.timing.effectsWindowMs);
    expect(step(found, eventOf('seen_ended'), helpless).operation).toMatchObject({ effects: 'SETTLED', finding: 'succeeded' });
    expect(dispositionOf(found, eventOf('operator_found', { reference: stranger }), helpless)).toBe('late');
  });
});

describe('the fold', () => {
  test('refuses a history that does not begin with created', () => {
    expect(() => fold([{ event: accepted, disposition: 'applied' }], traits)).toThrow('begins with created');
    expect(() => fold([], traits)).toThrow('begins with created');
  });
  test('refuses a history in which something applied that has no row', () => {
    const history = [created(), eventOf('seen_working')].map((event) => ({ event, disposition: 'applied' as const }));
    expect(() => fold(history, traits)).toThrow('seen_working at position 2');
  });
  test('names the event and the state when one of our own has no row', () => {
    expect(() => step(open(created(), traits), eventOf('accept'), traits)).toThrow('accept has no row in QUEUED');
  });
});

describe('a job that another operation was given, too', () => {
  const other = { operation: 'op_other', alike: true };
  const shared = (given: Partial<typeof other> = {}, ms = 5000) =>
    eventOf('reference_shared', { at: at(ms), evidenceId: `shared-${ms}`, shared: { ...other, ...given } });
  const working = reached(traits, started(), accepted);
  const gone = reached(traits, started(), accepted, eventOf('seen_missing', { at: at(4000), readAt: 9 }));

  test('is followed on, and the operation knows', () => {
    const { operation, disposition } = step(working, shared(), traits);
    expect(disposition).toBe('applied');
    expect(operation).toMatchObject({ life: 'WORKING', shared: other, changedSeq: working.changedSeq });
    expect(dueAt(operation, 'poll')).toBe(dueAt(working, 'poll'));
  });

  test('is in doubt for who had it first, once it was gone: told at once, and for an operator to settle', () => {
    const { operation } = step(gone, shared(), traits);
    expect(operation).toMatchObject({ life: 'NEEDS_RECONCILIATION', contested: true });
    expect(operation.trouble).toMatch(/given its id \(job-1\) to another call/);
    expect(dueWork(operation, traits)).toEqual([{ kind: 'window', dueAt: at(5000) }]);
    const { operation: ended } = step(operation, eventOf('window_over', { at: at(5000) }), traits);
    expect(ended).toMatchObject({ receipt: { outcome: 'unknown', matched: { shared: other } }, effects: 'REQUIRED' });
    expect(dueWork(ended, traits)).toEqual([{ kind: 'effects', dueAt: at(5000) }]);
  });

  test.each([eventOf('seen_working'), eventOf('seen_ended'), eventOf('result_ok'), eventOf('cancel_confirmed')])(
    'tells nothing of ours any more by $type',
    (event) => {
      const { operation: contested } = step(gone, shared(), traits);
      const { operation } = step(contested, { ...event, at: at(6000), readAt: 99 }, traits);
      expect(operation).toMatchObject({ life: 'NEEDS_RECONCILIATION', cancellation: 'NONE' });
      expect(operation.seen).toBeUndefined();
      expect(operation.held).toBeUndefined();
    },
  );

  test('is a doubt for another call sooner than for the same: not seen at the last look, or a result that is not read yet', () => {
    const hidden = reached(traits, started(), accepted, eventOf('seen_not_visible'));
    const unread = reached(traits, started(), accepted, eventOf('seen_ended'));
    for (const operation of [hidden, unread]) {
      expect(step(operation, shared(), traits).operation.contested).toBeUndefined();
      expect(step(operation, shared({ alike: false }), traits).operation).toMatchObject({
        life: 'NEEDS_RECONCILIATION',
        contested: true,
      });
    }
    const read = reached(traits, started(), accepted, eventOf('seen_ended', { held }));
    expect(step(read, shared({ alike: false }), traits).operation).toMatchObject({ life: 'TERMINAL_OBSERVED', held });
  });

  test('and that is gone is not found again by what shows up under its id', () => {
    const both = reached(traits, started(), accepted, shared(), eventOf('seen_missing', { at: at(6000), readAt: 9 }));
    expect(both).toMatchObject({ life: 'NEEDS_RECONCILIATION', contested: true });
    expect(step(both, eventOf('seen_working', { at: at(7000), readAt: 99 }), traits).operation.life).toBe(
      'NEEDS_RECONCILIATION',
    );
  });

  test('is ours again on the word of an operator', () => {
    const contested = step(gone, shared(), traits).operation;
    const { operation } = step(contested, eventOf('operator_found', { at: at(6000) }), traits);
    expect(operation.life).toBe('WORKING');
    expect(operation.contested).toBeUndefined();
    expect(dueAt(operation, 'poll')).toBeDefined();
  });

  test('hands open effects to an operator, once it was gone', () => {
    const ended = reached(traits, started(), accepted, eventOf('cancel', { sticky: true }));
    expect(ended.effects).toBe('REQUIRED');
    expect(step(ended, shared(), traits).operation.effects).toBe('REQUIRED');
    const missing = { ...ended, missingSince: at(1000) };
    expect(step(missing, shared(), traits).operation).toMatchObject({ effects: 'ESCALATED', contested: true });
  });

  test('is not stopped for a caller: the cancel is refused by us, until it is asked for again', () => {
    const asked = reached(traits, started(), accepted, eventOf('cancel'));
    const { operation } = step(asked, eventOf('cancel_withheld', { shared: other }), traits);
    expect(operation).toMatchObject({ life: 'WORKING', cancellation: 'REFUSED', withheld: true, shared: other });
    const again = step(operation, eventOf('cancel'), traits).operation;
    expect(again.cancellation).toBe('REQUESTED');
    expect(again.withheld).toBeUndefined();
  });
});
