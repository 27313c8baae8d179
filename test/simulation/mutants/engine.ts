// Faults planted in the engine, the contracts and the presentation.

import type { Mutant } from './mutant.ts';

const SUBMIT = 'src/engine/submit.ts';
const START = 'src/engine/start.ts';
const CREATE = 'src/engine/create-engine.ts';
const CANCEL = 'src/engine/cancel.ts';
const POLL = 'src/engine/poll.ts';
const RECORD = 'src/engine/record.ts';
const SHARING = 'src/engine/sharing.ts';
const BUDGET = 'src/upstream/budget.ts';
const KEYED = ['keyed', 'operations-keyed', 'forgets-keys'];
const STEPS = 'src/engine/steps.ts';
const IN_STEPS = ['in-steps'];
const HELD = ['plain, held', 'location-and-delete, held'];
const DELETES = ['location-and-delete', 'hinted-and-deleted'];

// biome-ignore format: one mutant, one row
export const IN_THE_ENGINE: readonly Mutant[] = [
  // -- submitting
  { name: 'send although the lease is over', file: SUBMIT, find: 'leaseMs: timing.submitLeaseMs,', replace: 'leaseMs: Number.MAX_SAFE_INTEGER,' },
  { name: 'mint a new key for every attempt', file: SUBMIT, find: 'formattedKey(operation.submissionKey, ', replace: "formattedKey([operation.submissionKey, operation.attempt].join('-'), ", dialects: KEYED },
  { name: 'send although the intent was dropped', file: SUBMIT, find: '  if (started === undefined) return { again: context.clock.now() + ASK_AGAIN_MS, failed: false };\n  await sendSubmit(context, started,', replace: '  await sendSubmit(context, started ?? operation,' },
  { name: 'send before the intent is durable', file: SUBMIT, find: '  await sendSubmit(context, started, job, startedMs, signal);', replace: '  await sendSubmit(context, operation, job, startedMs, signal);\n  await sendSubmit(context, started, job, startedMs, signal);' },
  { name: 'retry a POST that broke', file: SUBMIT, find: '  const event = exchange.ok\n', replace: '  if (!exchange.ok) await context.transport.send(descriptor.upstream, adapter.submit(call, descriptor), { timeoutMs: 10_000, bytesMax: 1_000, signal });\n  const event = exchange.ok\n' },
  { name: 'take a timeout for a request that never left', file: SUBMIT, find: 'if (failure.mayHaveBeenSent)', replace: "if (failure.kind === 'reset')", dialects: ['plain', 'operations', 'no-cancel'] },
  { name: 'forget what a holder learns after its lease', file: SUBMIT, find: '  const recorded = await context.recorder.evidence(operation.id, event);', replace: '  if (context.clock.monotonic() - startedMs > timing.submitLeaseMs) return operation;\n  const recorded = await context.recorder.evidence(operation.id, event);' },
  { name: 'ignore the reference of an accepted job', file: SUBMIT, find: "        type: 'submit_accepted',\n        reference: judgement.reference,", replace: "        type: 'submit_ambiguous',\n        message: 'accepted'," },
  // -- starting
  { name: 'lose the caller’s key', file: START, find: '    ...keyOf(call, requestDigest, createdAt),\n', replace: '' },
  { name: 'answer other arguments with the same key’s operation', file: START, find: 'return operation.requestDigest === creation.requestDigest\n', replace: "return operation.requestDigest !== ''\n" },
  { name: 'answer a call before it is durable', file: START, find: '    const { operation, created: isNew, gated } = await creating;\n', replace: '    void creating.catch(() => undefined);\n    const { operation, created: isNew, gated } = { operation: queued, created: true, gated: false };\n' },
  { name: 'make the same id of every call', file: START, find: "id: newId('op', random.bytes(17)),", replace: "id: newId('op', new Uint8Array(17))," },
  // -- cancelling
  { name: 'send a cancel although its intent was dropped', file: CANCEL, find: '  if (sent === undefined) return { again: sentAt + ASK_AGAIN_MS, failed: false };\n', replace: '', },
  { name: 'delete without having seen that the job goes on', file: CANCEL, find: "if (saw !== 'working' && saw !== 'input') {", replace: "if (saw === 'ended') {", dialects: DELETES },
  { name: 'delete without a look', file: CANCEL, find: "if (descriptor.traits.cancel === 'deletes' && descriptor.traits.status) {", replace: "if (descriptor.traits.cancel === 'none') {", dialects: DELETES },
  { name: 'delete on a look that is older than the delete of another', file: CANCEL, find: '    if (after.cancelTries !== before.cancelTries) return { again: context.clock.now() + ASK_AGAIN_MS, failed: false };\n', replace: '', dialects: DELETES },
  { name: 'send a cancel however late', file: CANCEL, find: 'leaseMs: timing.readTimeoutMs,', replace: 'leaseMs: Number.MAX_SAFE_INTEGER,' },
  { name: 'stop for a caller the job that another one wants', file: SHARING, find: "operation.cancelledBy === 'operator' ? undefined : 'wanted'", replace: 'undefined' },
  { name: 'forget that a cancel is sticky', file: CREATE, find: "source: 'caller', sticky, by: 'caller' }", replace: "source: 'caller', sticky: false, by: 'caller' }" },
  { name: 'answer a cancel without recording it', file: CREATE, find: 'return !ended && applies(row, event, descriptor.traits) ? event : undefined;', replace: 'return !ended && row.life !== row.life ? event : undefined;' },
  // -- evidence
  { name: 'drop evidence that meets a conflict', file: RECORD, find: 'const EVIDENCE_TRIES_MAX = 25;', replace: 'const EVIDENCE_TRIES_MAX = 1;' },
  { name: 'drop evidence while the store is down', file: RECORD, find: 'patience.through(() => learn(id, event), id);', replace: 'learn(id, event);' },
  { name: 'take every look for no news', file: RECORD, find: "return stepped.disposition === 'applied' && face(stepped.operation) === face(operation);", replace: "return stepped.disposition === 'applied';" },
  { name: 'write due work of the row before', file: RECORD, find: 'work: dueWork(stepped.operation, descriptor.traits),', replace: 'work: dueWork(operation, descriptor.traits),' },
  { name: 'take a result that is elsewhere for none', file: POLL, find: 'observation.result !== undefined || !observation.fetch', replace: 'observation.fetch || !observation.fetch', dialects: DELETES },
  { name: 'take a status that could not be read for a job that is gone', file: POLL, find: "  if (!exchange.ok) return { kind: 'unreadable', message: exchange.failure.message };", replace: "  if (!exchange.ok) return { kind: 'ended', ending: 'failed', fetch: false, message: exchange.failure.message };" },
  { name: 'never look again for a job that is not to be seen yet', file: POLL, find: 'const soon = nextGlanceAt({ now: at, since, pace, retryAfterMs, chance: context.random.fraction() });', replace: 'const soon = nextGlanceAt({ now: at, since, pace, retryAfterMs, chance: 0 }) + 1e9;' },
  { name: 'answer a lookup’s "not there" as proof', file: 'src/engine/lookup.ts', find: 'proof: operation.horizonAt !== undefined && beganAt > operation.horizonAt,', replace: 'proof: true,', dialects: ['by-reference'] },
  { name: 'keep large results nowhere', file: 'src/engine/payloads.ts', find: '    await blobs.put(digest, text);\n', replace: '' },
  { name: 'hold something else than what was read', file: 'src/engine/fetch.ts', find: 'held: await context.payloads.hold(judgement.result) }', replace: 'held: await context.payloads.hold(undefined) }', dialects: DELETES },
  // -- bounds and principals
  { name: 'poll without a budget', file: 'src/engine/worker.ts', find: "{ kinds: ['poll'], budget: 'poll', limit: 64 }", replace: "{ kinds: ['poll'], limit: 64 }" },
  { name: 'ask for a status before the service said', file: POLL, find: 'const retryAfterMs = parseRetryAfter(observation.retryAfter, now);', replace: 'const retryAfterMs = undefined;' },
  // -- looks that are held
  { name: 'look beside the budget where a wait came to nothing', file: POLL, find: "  if (waited !== undefined && 'lookAt' in waited) return { saw: 'unreadable', result: { again: waited.lookAt, failed: true } };\n", replace: '', dialects: HELD },
  { name: 'look at once where a service that was waited for is busy', file: 'src/engine/wait.ts', find: '  if (wish === undefined) return { lookAt: now };\n', replace: '  return { lookAt: now };\n', dialects: HELD },
  // -- looks that are late
  { name: 'take an answered question for a new one when the look was slow', file: POLL, find: 'isJustAnswered(operation, beganAt)', replace: 'isJustAnswered(operation, at)', dialects: ['asks-list', 'asks-one'] },
  { name: 'tell a job by where its status has moved to', file: SHARING, find: 'const first = home === undefined ? named : { ...named, statusUrl: home };', replace: 'const first = named;', dialects: DELETES },
  // -- steps after the submit
  { name: 'send a step again on a look that may not show it yet', file: STEPS, find: '  if (due[0]?.index === over && beganAt < until) return undefined;\n', replace: '', dialects: IN_STEPS },
  { name: 'forget that a step may be on the wire', file: STEPS, find: 'doubted: true, until: sentAt + stepHorizonMs(timing)', replace: 'doubted: true, until: 0', dialects: IN_STEPS },
  { name: 'send a step although its intent was dropped', file: STEPS, find: "  if (written === undefined) return row === before ? { again: sentAt + ASK_AGAIN_MS, failed: false } : 'done';\n    row = written;", replace: '  row = written ?? row;', dialects: IN_STEPS },
  { name: 'send a step however late', file: STEPS, find: 'leaseMs: submitLeaseMs,', replace: 'leaseMs: Number.MAX_SAFE_INTEGER,', dialects: IN_STEPS },
  { name: 'take a step that got no answer for one that never left', file: STEPS, find: 'mayBeTaken: mayHaveBeenSent', replace: 'mayBeTaken: false', dialects: IN_STEPS },
  { name: 'send a step after a cancel', file: STEPS, find: " || before.generation > 0 || ", replace: ' || ', dialects: IN_STEPS },
  { name: 'call a job failed whose step met a conflict', file: 'src/core/steps.ts', find: 'status === 409 || status === 412', replace: 'false', dialects: IN_STEPS },
  { name: 'look up again before the service said', file: 'src/engine/lookup.ts', find: "judgement.kind === 'cannot_tell' ? parseRetryAfter(judgement.retryAfter, at) : undefined", replace: 'undefined', dialects: ['by-reference', 'by-reference-and-keyed'] },
  { name: 'submit again before the service said', file: SUBMIT, find: 'const retryAfterMs = parseRetryAfter(retryAfter, base.at);', replace: 'const retryAfterMs = undefined;' },
  { name: 'submit again in doubt before the service said', file: 'src/core/instants.ts', find: "('retryAt' in event && event.retryAt) || 0", replace: '0', dialects: KEYED },
  { name: 'forget the polls of the last second', file: BUDGET, find: 'Math.min(this.#tokens, this.#perSecondMax - this.#inTheLastSecond())', replace: 'this.#tokens' },
  { name: 'let a whole second of polls burst', file: BUDGET, find: 'Math.floor(perSecond / 2)', replace: 'Math.floor(perSecond * 3)' },
  { name: 'show another principal’s operation', file: CREATE, find: 'return operation?.principal === principal ? operation : undefined;', replace: 'return principal === undefined ? undefined : operation;' },
  // -- what is shown
  { name: 'show an ending when it is observed', file: 'src/core/presentation.ts', find: '  const receipt = operation.receipt;\n  if (receipt', replace: "  const receipt = operation.receipt ?? (operation.seen === undefined ? undefined : ({ outcome: operation.seen, by: 'upstream', reason: '' } as typeof operation.receipt));\n  if (receipt" },
  { name: 'show the unknown as an error of the protocol', file: 'src/core/presentation.ts', find: "    case 'unknown':\n      return unknown(operation);", replace: "    case 'unknown':\n      return { kind: 'error', code: -32603, message: 'unknown' };" },
  { name: 'show the unknown as a success', file: 'src/core/presentation.ts', find: "return { kind: 'result', content: [text(message)], structured, isError: true, message: clip(message) };", replace: "return { kind: 'result', content: [text(message)], structured, isError: false, message: clip(message) };" },
  { name: 'grant a cancel of what has ended', file: 'src/contracts/tasks-2025-11-25.ts', find: "if (recorded) return { as: 'result'", replace: "if (view.operation.id !== '') return { as: 'result'" },
  { name: 'begin a 2025-11-25 task with where it is by now', file: 'src/contracts/tasks-2025-11-25.ts', find: "created: (view) => ({ task: task(view, 'working', {}) }),", replace: 'created: (view) => ({ task: shownTask(view) }),' },
  { name: 'give two operations one job unnoticed', file: SHARING, find: "event.shared === undefined ? 'open' : undefined;", replace: 'undefined;' },
  { name: 'tell nobody that its job is given to another', file: SHARING, find: '  if (holder.shared !== undefined && holder.missingSince === undefined) return undefined;', replace: '  if (holder.id !== newcomer.id) return undefined;' },
];
