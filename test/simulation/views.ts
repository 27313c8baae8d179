// What clients are shown of an operation, under both contracts, and what must hold of it.

import type { TasksFace } from '../../src/contracts/contract.ts';
import { tasks20251125 } from '../../src/contracts/tasks-2025-11-25.ts';
import { tasks20260728 } from '../../src/contracts/tasks-2026-07-28.ts';
import type { Operation } from '../../src/core/operation.ts';
import { callOf, type Report } from './breach.ts';

const TASKS_2025 = tasks20251125.tasks as TasksFace;
const TASKS_2026 = tasks20260728.tasks as TasksFace;
const isOver = (status: string) => status === 'completed' || status === 'failed' || status === 'cancelled';

export interface Shown {
  readonly y2025: string;
  readonly y2026: string;
  /** The result that 2026-07-28 shows is an error. */
  readonly isError: boolean;
}

export function shownOf(row: Operation): Shown {
  const view = { operation: row, pollIntervalMs: 1_000 };
  const y2025 = TASKS_2025.task(view);
  const y2026 = TASKS_2026.task(view);
  const result = y2026['result'] as { readonly isError?: boolean } | undefined;
  return { y2025: String(y2025['status']), y2026: String(y2026['status']), isError: result?.isError === true };
}

/**
 * I2, I4, I5 and I13: each view walks the diagram of MCP, both agree, and both say what the receipt says.
 * @param before What was shown before this event.
 * @param granted A 2025-11-25 client was told that its cancel took.
 */
export function checkViews(before: Shown, shown: Shown, row: Operation, granted: boolean, report: Report): void {
  const name = `call ${callOf(row)}`;
  for (const year of ['y2025', 'y2026'] as const) {
    if (isOver(before[year]) && before[year] !== shown[year])
      report('I2', `${name}: ${year} goes from ${before[year]} to ${shown[year]}`, 'terminalDivergence');
    if (isOver(shown[year]) && row.receipt === undefined)
      report('I4', `${name}: ${year} shows ${shown[year]} without a receipt`, 'unreceipted');
  }
  const agree =
    shown.y2025 === 'failed'
      ? shown.y2026 === 'failed' || (shown.y2026 === 'completed' && shown.isError)
      : shown.y2025 === shown.y2026 && !shown.isError;
  if (!agree) report('I13', `${name}: one contract shows ${shown.y2025}, the other ${shown.y2026}`, 'terminalDivergence');
  const { outcome } = row.receipt ?? {};
  const due =
    outcome === undefined
      ? undefined
      : outcome === 'succeeded'
        ? 'completed'
        : outcome === 'cancelled'
          ? 'cancelled'
          : 'failed';
  if (due !== undefined && shown.y2025 !== due)
    report('I13', `${name}: the receipt says ${outcome}, and ${shown.y2025} is shown`, 'terminalDivergence');
  if (outcome === 'unknown' && shown.y2026 === 'failed') report('I13', `${name}: unknown is shown as an error of the protocol`);
  if (granted && (shown.y2025 !== 'cancelled' || shown.y2026 !== 'cancelled'))
    report('I5', `${name}: cancelled was promised, and ${shown.y2025} is shown`, 'terminalDivergence');
}
