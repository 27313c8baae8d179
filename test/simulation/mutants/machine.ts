// Faults planted in the table and what is read off it: the guards, facts, instants and due work of src/core.

import type { Mutant } from './mutant.ts';

const TABLE = 'src/core/transitions.ts';
const GUARDS = 'src/core/guards.ts';
const DUE = 'src/core/due-work.ts';
const MACHINE = 'src/core/machine.ts';
const INSTANTS = 'src/core/instants.ts';
const KEYED = ['keyed', 'operations-keyed'];
const LOOKED_UP = ['by-reference'];
const DELETES = ['location-and-delete'];

// biome-ignore format: one mutant, one row
export const IN_THE_MACHINE: readonly Mutant[] = [
  // -- submitting
  { name: 'count the tries of all cancels together', file: GUARDS, find: 'cancelTries < cancelTriesMax * generation', replace: 'cancelTries < cancelTriesMax', dialects: ['asks-elsewhere', 'plain'] },
  { name: 'take steps back for what is learned late', file: 'src/core/facts.ts', find: 'const isLate = event.readAt !== undefined && event.readAt < (draft.movedSeq ?? 0);', replace: 'const isLate = false;', dialects: ['in-steps'] },
  { name: 'take a job for gone while its delete is on the wire', file: 'src/engine/poll.ts', find: "operation.cancellation === 'SENT') return true;", replace: "operation.cancellation === 'SENT') return false;", dialects: [...DELETES, 'hinted-and-deleted'] },
  { name: 'take a lost delete for a deletion', file: GUARDS, find: "(cancellation === 'ASKED' || cancellation === 'CONFIRMED')", replace: "cancellation !== 'NONE' && cancellation !== 'REQUESTED'", dialects: ['location-and-delete'] },
  { name: 'resubmit without a key that deduplicates', file: GUARDS, find: '    traits.deduplicates &&\n', replace: '', dialects: ['plain', 'operations', 'no-cancel'] },
  { name: 'resubmit although a cancel is recorded', file: GUARDS, find: '    !isCancelRecorded(operation) &&\n    operation.attempt', replace: '    operation.attempt', dialects: KEYED },
  { name: 'resubmit after the service forgot the key', file: GUARDS, find: 'at <= (operation.keyUntil ?? Number.POSITIVE_INFINITY)', replace: 'true', dialects: ['forgets-keys'] },
  { name: 'take the end of a lease for proof that nothing was sent', file: TABLE, find: "[['SUBMITTING'], ['submit_ambiguous', 'lease_ended'], ['current'], 'SUBMISSION_UNKNOWN', [],", replace: "[['SUBMITTING'], ['submit_ambiguous', 'lease_ended'], ['current'], 'QUEUED', ['proveAbsent'],", dialects: ['plain', 'operations', 'no-cancel'] },
  { name: 'take an ambiguous answer for a refusal', file: TABLE, find: "[['SUBMITTING'], ['submit_ambiguous', 'lease_ended'], ['current'], 'SUBMISSION_UNKNOWN', [],", replace: "[['SUBMITTING'], ['submit_ambiguous', 'lease_ended'], ['current'], 'TERMINAL_OBSERVED', ['seeRefusal', 'seeCancelled'],", dialects: ['plain', 'operations'] },
  { name: 'take a refusal of attempt 2 for the answer', file: GUARDS, find: 'sole: (operation, event, traits) => !operation.doubted && isCurrent', replace: 'sole: (operation, event, traits) => isCurrent', dialects: [...KEYED, 'forgets-keys'] },
  { name: 'queue again what was put off after a cancel', file: TABLE, find: "[DOUBT, 'submit_throttled', ['sole', 'cancelRecorded'], 'CANCELLED_ACCEPTED', ['proveAbsent', 'endCancelled'],", replace: "[DOUBT, 'submit_throttled', ['sole', 'cancelRecorded'], 'QUEUED', ['proveAbsent']," },
  { name: 'forget that a job may exist', file: 'src/core/facts.ts', find: '    draft.attempt += 1;\n    draft.mayExist = true;', replace: '    draft.attempt += 1;' },
  { name: 'end what was never answered as never sent', file: TABLE, find: "[UNSURE, 'window_over', [], 'ACCEPTED', ['endUnknown'],", replace: "[UNSURE, 'window_over', [], 'ACCEPTED', ['endFailed']," },
  // -- looking up
  { name: 'take "not there" for proof, whenever it was asked', file: TABLE, find: "[['SUBMISSION_UNKNOWN'], 'lookup_absent', ['proof'], 'QUEUED', ['proveAbsent'],", replace: "[['SUBMISSION_UNKNOWN'], 'lookup_absent', [], 'QUEUED', ['proveAbsent'],", dialects: LOOKED_UP },
  { name: 'put the horizon at the submit itself', file: INSTANTS, find: 'draft.horizonAt = at + timing.submitLeaseMs + timing.submitTimeoutMs + timing.consistencyGraceMs;', replace: 'draft.horizonAt = at;', dialects: LOOKED_UP },
  { name: 'submit again after a cancel, once absence is proved', file: TABLE, find: "[['SUBMISSION_UNKNOWN'], 'lookup_absent', ['proof', 'cancelRecorded'], 'CANCELLED_ACCEPTED', ['proveAbsent', 'endCancelled'],", replace: "[['SUBMISSION_UNKNOWN'], 'lookup_absent', ['proof', 'cancelRecorded'], 'QUEUED', ['proveAbsent'],", dialects: LOOKED_UP },
  // -- endings
  { name: 'accept without the result', file: GUARDS, find: "export const isReady = (operation: Operation): boolean => operation.held !== undefined || operation.seen === 'cancelled';", replace: 'export const isReady = (operation: Operation): boolean => operation.seen !== undefined;', dialects: DELETES },
  { name: 'write no receipt', file: MACHINE, find: 'if (outcome !== undefined) draft.receipt = receiptOf(draft, event, outcome);', replace: '' },
  { name: 'let a late completion revive a cancelled operation', file: TABLE, find: "[[...EARLY, ...RUN], 'seen_ended', ['wasSent'], 'TERMINAL_OBSERVED',", replace: "[[...EARLY, ...RUN, 'CANCELLED_ACCEPTED'], 'seen_ended', ['wasSent'], 'TERMINAL_OBSERVED'," },
  { name: 'retry a result that cannot be had for ever', file: GUARDS, find: "event.type === 'result_bad' && !event.permanent && operation.fetchTries + 1 < traits.fetchTriesMax", replace: "event.type === 'result_bad'", dialects: DELETES },
  { name: 'take a job that vanished for one that was cancelled', file: GUARDS, find: "  cancel === 'deletes' && (cancellation", replace: "  cancel !== 'none' && (cancellation" },
  { name: 'call it failed when the time to wait is over', file: TABLE, find: "[RUN, 'budget_over', [], 'NEEDS_RECONCILIATION', ['spendBudget'],", replace: "[RUN, 'budget_over', [], 'ACCEPTED', ['endFailed']," },
  { name: 'match a receipt with nothing', file: 'src/core/receipt.ts', find: 'generation: operation.generation,', replace: 'generation: 0,' },
  // -- cancelling
  { name: 'treat a sticky cancel as a cooperative one', file: TABLE, find: "[LIVE, 'cancel', ['sticky'], 'CANCELLED_ACCEPTED', ['endCancelled'],", replace: "[LIVE, 'cancel', ['sticky', 'noStatus'], 'CANCELLED_ACCEPTED', ['endCancelled']," },
  { name: 'raise no generation', file: TABLE, find: "'REQUESTED', ['raiseGeneration'],", replace: "'REQUESTED', []," },
  { name: 'end by the answer to a cancel although polls could tell', file: TABLE, find: "[LIVE, 'cancel_confirmed', ['wasSent', 'noStatus', 'agrees'], 'TERMINAL_OBSERVED',", replace: "[LIVE, 'cancel_confirmed', ['wasSent', 'agrees'], 'TERMINAL_OBSERVED'," },
  { name: 'settle effects by the answer to a cancel although polls could tell', file: TABLE, find: "[UNSETTLED, 'cancel_confirmed', ['noStatus'], 'SETTLED',", replace: "[UNSETTLED, 'cancel_confirmed', [], 'SETTLED'," },
  { name: 'never send a cancel once the operation has ended', file: DUE, find: "add('lookup', operation.lookAt);\n      addCancel();\n      add('effects'", replace: "add('lookup', operation.lookAt);\n      add('effects'" },
  { name: 'never send a cancel while the job works', file: DUE, find: "add('answer', undefined);\n      addCancel();", replace: "add('answer', undefined);" },
  // -- effects
  { name: 'let an ending forget its effects', file: MACHINE, find: "draft.effects = 'REQUIRED';", replace: "draft.effects = 'NONE';" },
  { name: 'settle effects by "still working"', file: TABLE, find: "[UNSETTLED, SIGNS, [], '=', ['learnReference'],", replace: "[UNSETTLED, SIGNS, [], 'SETTLED', ['learnReference', 'noteFinding']," },
  { name: 'open settled effects again', file: TABLE, find: "[UNSETTLED, SIGNS, [], '=', ['learnReference'],", replace: "[['REQUIRED', 'ESCALATED', 'SETTLED'], SIGNS, [], 'REQUIRED', ['learnReference']," },
  { name: 'settle effects with a finding that nobody made', file: 'src/core/facts.ts', find: 'draft.finding = findingOf(event);', replace: "draft.finding = 'cancelled';" },
  { name: 'give effects no deadline', file: DUE, find: "      add('effects', operation.effectsUntil);\n", replace: '' },
  { name: 'follow nothing after an ending', file: DUE, find: "if (operation.effects !== 'REQUIRED') break;", replace: 'if (isReady(operation) || !isReady(operation)) break;' },
  // -- due work and deadlines
  { name: 'never poll a job that works', file: DUE, find: "    case 'WORKING':\n      addPoll();", replace: "    case 'WORKING':" },
  { name: 'never notice the end of a lease', file: DUE, find: "add('suspect', operation.leaseUntil);", replace: '' },
  { name: 'let doubt have no window', file: DUE, find: "add('submit', operation.submitAt);\n      add('window', operation.windowUntil);", replace: "add('submit', operation.submitAt);" },
  { name: 'let a running job have no budget', file: DUE, find: "      add('budget', Math.min(operation.budgetUntil, operation.unknownWordUntil ?? operation.budgetUntil));\n", replace: '' },
  { name: 'let a queued call wait for ever', file: DUE, find: "      add('budget', Math.min(operation.startUntil, operation.budgetUntil));\n", replace: '' },
  { name: 'never ask for the result', file: DUE, find: "else add('fetch', operation.fetchAt);", replace: '', dialects: DELETES },
];
