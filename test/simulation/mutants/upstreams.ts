// Faults planted where several upstreams share one gateway.

import type { Mutant } from './mutant.ts';

const WORKER = 'src/engine/worker.ts';
const BUDGET = 'src/upstream/budget.ts';

// biome-ignore format: one mutant, one row
export const BETWEEN_UPSTREAMS: readonly Mutant[] = [
  { name: 'let each upstream have the polls of all', file: WORKER, find: 'Number.isFinite(limit) ? { ...request, limit } : request', replace: 'request' },
  { name: 'count no poll against the polls of all', file: BUDGET, find: '      this.#polls.take();\n', replace: '' },
  { name: 'count what is open to one upstream against every other', file: BUDGET, find: 'open: { poll: 0, submit: 0, request: 0 } });', replace: "open: this.#accounts.values().next().value?.open ?? { poll: 0, submit: 0, request: 0 } });" },
  { name: 'let a capped upstream hold up the others', file: WORKER, find: '        if (free > 0) perUpstream[upstream] = free;', replace: '        if (free <= 0) break;\n        perUpstream[upstream] = free;' },
];
