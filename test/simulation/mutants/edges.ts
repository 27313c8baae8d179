// Faults planted in the adapters, in what they share, and in the SQLite store.

import type { Mutant } from './mutant.ts';

const JUDGEMENTS = 'src/core/judgements.ts';
const HTTP_POLL = 'adapters/http-202/poll.ts';
const AIP = 'adapters/aip-151/operation.ts';
const OPERATIONS = ['operations', 'operations-keyed'];
const JOBS = ['plain', 'no-cancel', 'keyed', 'forgets-keys', 'by-reference'];
const WORK = 'src/ledger/sqlite/work.ts';
const COMMIT = 'src/ledger/sqlite/commit.ts';

// biome-ignore format: one mutant, one row
export const AT_THE_EDGES: readonly Mutant[] = [
  { name: 'take 404 for a failed job', file: JUDGEMENTS, find: "return { kind: 'missing', message: sentence ?? 'the upstream no longer knows this job' };", replace: "return { kind: 'ended', ending: 'failed', fetch: false, message: 'not found' };" },
  { name: 'take a 5xx for a submit that was not taken', file: JUDGEMENTS, find: 'if (status === 429 || status === 425) {', replace: 'if (status === 429 || status >= 500) {', dialects: ['plain', 'operations', 'no-cancel'] },
  { name: 'take a 5xx for a status that ended', file: JUDGEMENTS, find: 'if (!isBetween(status, 400, 500) || isTransient(status) || status === 401', replace: 'if (status === 401' },
  { name: 'take a 404 to a cancel for a refusal', file: JUDGEMENTS, find: "if (status === 404) return { kind: 'unanswered'", replace: "if (status === 404) return { kind: 'refused'" },
  { name: 'take an answer without a job for a finished one', file: 'adapters/http-202/submit.ts', find: "if (reading.kind === 'malformed' ||", replace: "if (", dialects: JOBS },
  { name: 'take an unknown word for success', file: HTTP_POLL, find: "if (word !== undefined) return { kind: 'working', ...unknown, ...going };", replace: "if (word !== undefined) return { kind: 'ended', ending: 'succeeded', fetch: false, ...moved };", dialects: JOBS },
  { name: 'take truncated JSON for a status', file: HTTP_POLL, find: "if (reading.kind === 'malformed' || (reading.kind !== 'json' && saysState(protocol))) {", replace: "if (reading.kind === 'other') {", dialects: JOBS },
  { name: 'take an empty JSON answer for an answer', file: 'src/core/readings.ts', find: 'const isLost = isJsonType(mediaType) && response.status !== 204;', replace: 'const isLost = isJsonType(mediaType) && response.status === 204;' },
  { name: 'take a truncated result for the result', file: 'src/core/result.ts', find: "  if (reading.kind === 'malformed') return", replace: "  if (reading.kind === 'empty') return", dialects: ['location-and-delete'] },
  { name: 'take a page for the result', file: 'src/core/result.ts', find: '  if (foreign !== undefined) return', replace: "  if (foreign === '') return", dialects: ['location-and-delete'] },
  { name: 'take the first pages for the whole', file: 'src/engine/pages.ts', find: '      this.#queue.push(request);\n', replace: '', dialects: ['in-pages'] },
  { name: 'forget the pages that are here', file: 'src/engine/pages.ts', find: '      this.#pages.push(payload);', replace: '      this.#pages[0] = payload;', dialects: ['in-pages'] },
  { name: 'put the submission key nowhere', file: 'adapters/http-202/submit.ts', find: 'return key === undefined ? call.request :', replace: 'return key !== undefined ? call.request :', dialects: ['keyed'] },
  { name: 'read code 1 as a failure', file: AIP, find: "error['code'] === CANCELLED ? 'cancelled' : 'failed'", replace: "error['code'] === -1 ? 'cancelled' : 'failed'", dialects: OPERATIONS },
  { name: 'take done with an error for success', file: AIP, find: '  if (error !== undefined) {', replace: '  if (error === body) {', dialects: OPERATIONS },
  { name: 'take what is not done for done', file: AIP, find: '  if (done !== true) {', replace: "  if (done === 'no') {", dialects: OPERATIONS },
  // -- the store
  { name: 'leave due work as it was', file: COMMIT, find: '  if (commit.ended) writeReceipt(connection, operation);\n  settleWork(connection, operation, commit.work);', replace: '  if (commit.ended) writeReceipt(connection, operation);', store: 'sqlite' },
  { name: 'tell nobody that an operation ended', file: COMMIT, find: "  connection.run('INSERT INTO outbox (operation_id) VALUES (?)', id);\n", replace: '', store: 'sqlite' },
  { name: 'take every commit for one on the latest row', file: COMMIT, find: "  if (changed === 0) return 'conflict';\n", replace: "  if (changed === 0) return 'committed';\n", store: 'sqlite' },
  { name: 'lease what somebody holds', file: WORK, find: 'AND kind = ? AND ready_at <= ? ORDER BY', replace: 'AND kind = ? AND due_at <= ? ORDER BY', store: 'sqlite' },
  { name: 'lease what is not due', file: WORK, find: 'AND kind = ? AND ready_at <= ? ORDER BY', replace: 'AND kind = ? AND ready_at <= ? + 60000 ORDER BY', store: 'sqlite' },
  { name: 'take a lease away at every commit', file: WORK, find: '    else if (dueAt !== row.derived_at) {', replace: '    else {', store: 'sqlite' },
  { name: 'let a late holder give its work back', file: WORK, find: 'WHERE operation_id = ? AND kind = ? AND token = ?`', replace: 'WHERE operation_id = ? AND kind = ? AND token >= ?`', store: 'sqlite' },
  { name: 'give every lease the same token', file: WORK, find: '    token += 1;\n', replace: '', store: 'sqlite' },
];
