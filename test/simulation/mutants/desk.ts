// Faults planted in gates, in what operators say, and in what time may end.

import type { Mutant } from './mutant.ts';

const GATES = 'src/engine/gates.ts';
const START = 'src/engine/start.ts';
const OPERATOR = 'src/engine/operator.ts';
const TABLE = 'src/core/transitions.ts';
const UNSURE = ['by-reference', 'by-reference-and-keyed', 'forgets-keys', 'keyed'];
const RETENTION = 'src/ledger/sqlite/retention.ts';

// biome-ignore format: one mutant, one row
export const AT_THE_DESK: readonly Mutant[] = [
  // -- gates
  { name: 'let a drained tool submit', file: START, find: "const drained = ruling?.mode === 'drain';", replace: "const drained = ruling?.mode === 'drain' && ruling.gate === undefined;" },
  { name: 'expect nothing of the gates', file: START, find: 'work: dueWork(queued, traits), ...expected }', replace: 'work: dueWork(queued, traits), ...(drained && expected) }' },
  { name: 'create under the first epoch', file: START, find: 'epoch: ruling?.expected.find(({ contract }) => contract === call.door)?.epoch ?? FIRST_EPOCH,', replace: 'epoch: FIRST_EPOCH,' },
  { name: 'put a change beside what is known of gates', file: GATES, find: "    await reload().catch((error: unknown) =>\n      log.error({ err: error }, 'the gates could not be read; calls will find them changed'),\n    );\n", replace: '    known = [...known.filter((one) => !samePlace(one, gate)), gate];\n' },
  { name: 'take the loosest of two gates', file: 'src/core/gates.ts', find: 'strictness(other) - strictness(one)', replace: 'strictness(one) - strictness(other)' },
  { name: 'refuse a repeat behind a drained gate', file: START, find: 'if (drained && creation.callerKey === undefined)', replace: "if (drained && creation.callerKey !== '')" },
  { name: 'take the epoch of one gate for that of all', file: 'src/core/gates.ts', find: 'const epoch = concerned.reduce((highest, gate) => Math.max(highest, gate.epoch), FIRST_EPOCH);', replace: 'const epoch = concerned[0]?.epoch ?? FIRST_EPOCH;' },
  { name: 'do not raise the epoch of a gate', file: 'src/ledger/sqlite/gates.ts', find: 'return gateOf(row);\n}', replace: 'return { ...gateOf(row), epoch: 2 };\n}', store: 'sqlite' },
  { name: 'create whatever the gates have become', file: 'src/ledger/sqlite/commit.ts', find: 'if (moved(connection, commit.gates ?? []))', replace: 'if (moved(connection, []))', store: 'sqlite' },
  { name: 'compare no epoch where an operation is created', file: 'src/ledger/sqlite/gates.ts', find: 'return (found?.epoch ?? FIRST_EPOCH) !== epoch;', replace: 'return (found?.epoch ?? FIRST_EPOCH) !== epoch && epoch === 0;', store: 'sqlite' },
  { name: 'lose who moved a gate', file: GATES, find: 'store.changeGate({ ...change, at: clock.now() })', replace: "store.changeGate({ ...change, actor: 'somebody', at: clock.now() })" },
  { name: 'keep no answer that was given in shadow', file: GATES, find: '      await store.keepShadow({', replace: '      if (body === undefined) await store.keepShadow({' },
  { name: 'close gates for answers that could be read', file: 'src/engine/trips.ts', find: 'if (misfit === undefined) return void rows.delete(key);', replace: 'if (misfit === key) return void rows.delete(key);' },
  // -- operators
  { name: 'take "never" for a reason to submit again', file: TABLE, find: "[['SUBMISSION_UNKNOWN'], 'operator_never', [], 'ACCEPTED', ['proveAbsent', 'endFailed'],", replace: "[['SUBMISSION_UNKNOWN'], 'operator_never', [], 'QUEUED', ['proveAbsent'],", dialects: UNSURE },
  { name: 'take an operator’s pointing at a job for its end', file: TABLE, find: "[UNSETTLED, 'operator_found', ['namesNoOther'], 'REQUIRED', ['learnReference', 'trustReference'],", replace: "[UNSETTLED, 'operator_found', ['namesNoOther'], 'SETTLED', ['learnReference', 'trustReference', 'noteFinding']," },
  { name: 'lose why an operator said so', file: OPERATOR, find: '          message: reason,\n          evidenceId: evidence,', replace: "          message: 'because',\n          evidenceId: evidence," },
  { name: 'say that a verdict counts and record nothing', file: OPERATOR, find: "if (!decided.recorded) return { kind: 'refused',", replace: "if (why === 'x') return { kind: 'refused'," },
  { name: 'let an operator give up as failed', file: TABLE, find: "[UNSURE, 'operator_gives_up', [], 'ACCEPTED', ['endUnknown'],", replace: "[UNSURE, 'operator_gives_up', [], 'ACCEPTED', ['endFailed'],", dialects: UNSURE },
  { name: 'credit the upstream with what an operator said', file: 'src/core/facts.ts', find: "draft.endingBy = byOperator ? 'operator' : 'upstream';", replace: "draft.endingBy = 'upstream';", },
  // -- time
  { name: 'evict what still runs', file: RETENTION, find: 'WHERE open = 0 AND expires_at < ?', replace: 'WHERE (ended_at IS NULL OR expires_at < ?)', store: 'sqlite' },
  { name: 'evict what has open effects', file: RETENTION, find: 'WHERE open = 0 AND expires_at < ?', replace: 'WHERE expires_at < ?', store: 'sqlite' },
  { name: 'forget what has ended at once', file: RETENTION, find: "'SELECT id FROM operations WHERE open = 0 AND expires_at < ? ORDER BY expires_at LIMIT ?',\n    now,", replace: "'SELECT id FROM operations WHERE open = 0 AND expires_at < ? ORDER BY expires_at LIMIT ?',\n    now + 60_000,", store: 'sqlite' },
  { name: 'never ask a human about effects', file: 'src/core/instants.ts', find: '(draft.contested ? 0 : traits.timing.effectsWindowMs)', replace: '(traits.timing.effectsWindowMs * 3)' },
  { name: 'let doubt last three windows', file: 'src/core/instants.ts', find: 'draft.windowUntil = at + reconcileWindowMs;\n      break;', replace: 'draft.windowUntil = at + reconcileWindowMs * 3;\n      break;' },
  { name: 'let a job run for ever', file: 'src/core/machine.ts', find: 'budgetUntil: creation.createdAt + traits.timing.waitBudgetMs,', replace: 'budgetUntil: creation.createdAt + traits.timing.waitBudgetMs * 9,' },
  { name: 'look at due work once in a while', file: 'src/engine/worker.ts', find: 'else waitMs = Math.min(IDLE_MS, Math.max(STARVED_MS, next - clock.now()));', replace: 'else waitMs = 200_000;' },
];
