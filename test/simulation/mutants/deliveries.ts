// Faults planted where services call back: in the receiver, in what takes deliveries to their operations, and in what reads them.

import type { Mutant } from './mutant.ts';

const RECEIVER = 'src/http/receiver.ts';
const COMPARE = 'src/webhooks/compare.ts';
const DELIVER = 'src/engine/deliver.ts';
const READ = 'src/core/delivery.ts';
const HINTED = ['hinted', 'hinted-blindly', 'hinted-in-full', 'hinted-and-deleted'];
const ONLY = ['calls-back', 'calls-back-elsewhere'];
const CALLING = [...HINTED, ...ONLY];

// biome-ignore format: one mutant, one row
export const IN_THE_POST: readonly Mutant[] = [
  { name: 'take every signature for a good one', file: COMPARE, find: 'same = sameText(one, other) || same;', replace: 'same = true;', dialects: CALLING },
  { name: 'take a delivery however long ago it was signed', file: COMPARE, find: 'if (Math.abs(now - at) <= toleranceMs) return undefined;', replace: 'if (at <= now + toleranceMs) return undefined;', dialects: CALLING },
  { name: 'tell a forger that his delivery was taken', file: RECEIVER, find: 'REFUSED: Reply = { status: 401,', replace: 'REFUSED: Reply = { status: 200,', dialects: CALLING },
  { name: 'acknowledge a delivery before it is durable', file: DELIVER, find: 'const stored = await Promise.all(events.map((event) => inbox.receive({ upstream, token, expiresAt, ...event })));', replace: "void Promise.all(events.map((event) => inbox.receive({ upstream, token, expiresAt, ...event }))).catch(() => undefined);\n        const stored = ['stored'];", dialects: CALLING },
  { name: 'settle a delivery before its operation has it', file: DELIVER, find: '      const outcome = await judge(row);', replace: "      await inbox.settleDelivery(row.id, 'applied');\n      const outcome = await judge(row);", dialects: CALLING },
  { name: 'count one delivery as often as it is looked at', file: DELIVER, find: 'evidenceId: `webhook:$', replace: "evidenceId: [row.id, clock.monotonic()].join(':'), was: `$", dialects: CALLING },
  { name: 'find the operation of a delivery by the job that it names', file: DELIVER, find: 'const operation = await inbox.findByCallbackToken(row.upstream, row.token);', replace: 'const { items } = await context.ledger.list({ upstream: row.upstream }, { limit: 50 });\n    const operation = items.find(({ reference }) => reference !== undefined && row.delivery.body.includes(reference.id)) ?? (await inbox.findByCallbackToken(row.upstream, row.token));', dialects: CALLING },
  { name: 'take an event about another job for its own', file: READ, find: 'return job === undefined || reference === undefined || namesOurJob(job, reference)\n', replace: 'return job !== undefined || reference === undefined || namesOurJob(job, reference)\n', dialects: CALLING },
  { name: 'take a fat event for the end although polls decide', file: READ, find: "  return { kind: 'hint', ...when, ...(reference && { reference }) };", replace: "  if (reference && delivery.body.includes('\"succeeded\"')) return { kind: 'ended', ending: 'succeeded', fetch: false, ...when, reference };\n  return { kind: 'hint', ...when, ...(reference && { reference }) };", dialects: HINTED },
  { name: 'let a delivery hurry nothing', file: 'src/core/instants.ts', find: "    case 'hint':\n", replace: '', dialects: HINTED },
  { name: 'stop polling where a webhook is described', file: 'src/engine/poll.ts', find: '  (await lookOnce(context, operation, signal, lease, stopping)).result;', replace: '  (await context.descriptors.of(operation)).descriptor.webhook\n    ? { again: context.clock.now() + 3_600_000, failed: false }\n    : (await lookOnce(context, operation, signal, lease, stopping)).result;', dialects: HINTED },
  { name: 'take what is no event for the end', file: 'adapters/webhook/delivery.ts', find: 'if (reading.event === undefined && isToBeRead(', replace: 'if (reading.event === null && isToBeRead(', dialects: ONLY },
  { name: 'take an error in an event for a success', file: 'adapters/webhook/delivery.ts', find: "isSet(valueAt(event, errorAt)) ? 'failed' : 'succeeded'", replace: "isSet(valueAt(event, errorAt)) ? 'succeeded' : 'succeeded'", dialects: ONLY },
  { name: 'send every job to one callback URL', file: 'src/engine/start.ts', find: "callbackToken: newId('cb', random.bytes(17))", replace: "callbackToken: newId('cb', new Uint8Array(17))", dialects: CALLING },
  { name: 'call a job failed that nobody called back about', file: 'src/core/transitions.ts', find: "[RUN, 'budget_over', [], 'NEEDS_RECONCILIATION', ['spendBudget'],", replace: "[RUN, 'budget_over', ['noStatus'], 'ACCEPTED', ['endFailed'], 'x'],\n  [RUN, 'budget_over', [], 'NEEDS_RECONCILIATION', ['spendBudget'],", dialects: ONLY },
  { name: 'know an event by one that was put aside', file: 'src/ledger/sqlite/inbox.ts', find: "if (!isAside) return 'duplicate';", replace: "if (!isAside || isAside) return 'duplicate';", dialects: ONLY, store: 'sqlite' },
];
