// What `longshore tools` prints for people. Pure: from the admin API's JSON to lines. Times are UTC, and say so.

import type { MeasuredShown, MoveShown, SupportShown } from '../core/support-view.ts';
import { count, moment, type Paint, padded } from './terminal.ts';

const seconds = (durationMs: number): string => `${Math.round(durationMs / 100) / 10} s`;

const measuredText = ({ jobs, p50Ms, p95Ms }: MeasuredShown): string =>
  `${count(jobs, 'job')}: ${seconds(p50Ms)} in the middle, 19 of 20 under ${seconds(p95Ms)}`;

/** `create_report   required   moves   100 jobs: 61 s in the middle, 19 of 20 under 90 s`, and why on a line of its own. */
export function toolsText(tools: readonly SupportShown[], paint: Paint): string {
  if (tools.length === 0) return 'There are no jobs.\n';
  const names = Math.max(...tools.map(({ tool }) => tool.length));
  const lines = tools.map(({ tool, taskSupport, moves, measured, why }) => {
    const how = !moves ? 'stays' : measured === undefined ? 'moves, once enough jobs have succeeded' : 'moves';
    const cells = [padded(tool, names), padded(taskSupport, 'forbidden'.length), how];
    return `${[...cells, ...(measured === undefined ? [] : [measuredText(measured)])].join('   ')}\n${paint('dim', `  ${why}`)}\n`;
  });
  return lines.join('');
}

/** `2026-11-29 09:14:00 UTC   create_report   optional → required   30 jobs: …   position 3` */
export function movesText(moves: readonly MoveShown[], paint: Paint): string {
  if (moves.length === 0) return 'No tool was ever moved.\n';
  const names = Math.max(...moves.map(({ tool }) => tool.length));
  const ways = Math.max(...moves.map(({ from, to }) => `${from} → ${to}`.length));
  const lines = moves.map(({ position, tool, from, to, at, measured }) =>
    [
      paint('dim', `${moment(at)} UTC`),
      padded(tool, names),
      padded(`${from} → ${to}`, ways),
      measuredText(measured),
      `position ${position}`,
    ].join('   '),
  );
  return `${lines.join('\n')}\n`;
}
