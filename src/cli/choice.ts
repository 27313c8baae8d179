// Which operations a configuration should offer where a document has more than models can choose among.
//   T1. Jobs first: they are what Longshore is for. Then nothing that was not asked for.

import type { SourceOperation } from '../catalogue/operations.ts';
import { isMeant } from '../catalogue/select.ts';
import { TOOLS_MAX } from '../catalogue/warnings.ts';
import type { Look } from './look.ts';

const TAGS_SHOWN_MAX = 12;
const PATTERN_MAX = 256;

export interface Chosen {
  /** Patterns for `tools.include`; absent: all are offered. */
  readonly include?: readonly string[];
  /** Tools that there would be without a choice. */
  readonly total: number;
  /** For people: what else there is. */
  readonly notes: readonly string[];
}

export function choose({ operations, catalogue, findings }: Look): Chosen {
  const tools = [...catalogue.tools.values()];
  const total = tools.length;
  if (total <= TOOLS_MAX) return { total, notes: [] };
  const offered = new Map(tools.map((tool) => [`${tool.source.method} ${tool.source.path}`, tool]));
  const kindOf = (operation: SourceOperation) => offered.get(`${operation.method} ${operation.path}`)?.kind;
  const jobs = operations.filter((operation) => kindOf(operation) === 'job');
  const likely = operations.filter(
    (operation) => kindOf(operation) === 'call' && findings.get(operation)?.verdict !== 'synchronous',
  );
  const any = operations.filter((operation) => kindOf(operation) !== undefined).slice(0, TOOLS_MAX);
  const chosen = [jobs, likely].find((some) => some.length > 0) ?? any;
  const what =
    chosen === jobs
      ? `the jobs (${jobs.length})`
      : chosen === likely
        ? `those that are to be confirmed as jobs (${likely.length})`
        : `the first ${any.length}`;
  return {
    include: chosen.map((operation) => patternFor(operation, operations)),
    total,
    notes: [
      `These are ${what}. By tag there are: ${tagsOf(operations).join(', ') || 'none'}`,
      ...(likely.length === 0 || chosen === likely
        ? []
        : [`To be confirmed as jobs: ${likely.map((one) => patternFor(one, operations)).join(', ')}`]),
    ],
  };
}

/** A pattern that means this operation and no other. */
function patternFor(operation: SourceOperation, operations: readonly SourceOperation[]): string {
  const { operationId, method, path } = operation;
  const line = `${method} ${path}`;
  const isAlone = (pattern: string) => operations.every((other) => other === operation || !isMeant(pattern, other));
  const pattern = operationId !== undefined && isMeant(operationId, operation) && isAlone(operationId) ? operationId : line;
  return pattern.length <= PATTERN_MAX ? pattern : `${pattern.slice(0, PATTERN_MAX - 1)}*`;
}

function tagsOf(operations: readonly SourceOperation[]): string[] {
  const counts = new Map<string, number>();
  for (const { tags } of operations) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const all = [...counts].sort(([, one], [, other]) => other - one);
  const shown = all.slice(0, TAGS_SHOWN_MAX).map(([tag, number]) => `${tag} (${number})`);
  return all.length > shown.length ? [...shown, `and ${all.length - shown.length} more`] : shown;
}
