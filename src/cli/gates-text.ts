// What `longshore gates` prints for people. Pure: from the admin API's JSON to lines. Times are UTC, and say so.

import type { GateShown, ShadowShown } from '../core/gate-view.ts';
import { count, moment, type Paint, padded, type Style } from './terminal.ts';

const STYLES: Readonly<Record<GateShown['mode'], Style>> = { open: 'green', canary: 'yellow', shadow: 'yellow', drain: 'red' };

const modeText = ({ mode, share }: GateShown): string => (share === undefined ? mode : `${mode} ${share}`);

/** Cells under each other; the second column is painted by the gate's mode. */
function rows(gates: readonly GateShown[], paint: Paint, more: (gate: GateShown) => readonly (string | undefined)[]): string {
  const names = Math.max(...gates.map(({ gate }) => [...gate].length));
  const modes = Math.max(...gates.map((gate) => modeText(gate).length));
  const lines = gates.map((gate) => {
    const mode = paint(STYLES[gate.mode], padded(modeText(gate), modes));
    const rest = more(gate).filter((cell) => cell !== undefined);
    return [padded(gate.gate, names), mode, ...rest].join('   ').trimEnd();
  });
  return `${lines.join('\n')}\n`;
}

/** ` http-202@1 × 2025-11-25   drain   since 2026-11-29 09:14:00 UTC   contract pin differs …   31 operations still live` */
export function listText(gates: readonly GateShown[], paint: Paint): string {
  if (gates.length === 0) return 'There are no adapters.\n';
  return rows(gates, paint, ({ mode, since, reason, live = 0 }) =>
    mode === 'open'
      ? [live > 0 ? `${count(live, 'operation')} live` : undefined]
      : [
          since === undefined ? undefined : `since ${moment(since)} UTC`,
          reason,
          live > 0 ? `${count(live, 'operation')} still live` : 'nothing lives',
        ],
  );
}

export function historyText(changes: readonly GateShown[], paint: Paint): string {
  if (changes.length === 0) return 'No gate was ever changed.\n';
  return rows(changes, paint, ({ since = '', actor, reason, epoch }) => [
    `${moment(since)} UTC`,
    `epoch ${epoch}`,
    actor,
    reason,
  ]);
}

export const changeText = (gate: GateShown, paint: Paint): string =>
  `${gate.gate} is ${paint(STYLES[gate.mode], modeText(gate))} now, at epoch ${gate.epoch}. What was started before goes on.\n`;

const cameTo = ({ tracked: { outcome, life } }: ShadowShown): string => outcome ?? life.toLowerCase().replaceAll('_', '-');

/** What each caller got and what its operation came to, and how many came to what. */
export function shadowsText(shadows: readonly ShadowShown[], paint: Paint): string {
  if (shadows.length === 0) return 'Nothing was answered in shadow.\n';
  const lines = shadows.map((shadow) => {
    const { operation, tool, at, answered } = shadow;
    const status = answered.status === undefined ? 'no answer' : `HTTP ${answered.status}`;
    const said = answered.excerpt.replace(/\s+/g, ' ').slice(0, 160);
    return `${paint('dim', `${moment(at)} UTC`)}  ${operation}  ${tool}\n  the caller got   ${status}  ${said}\n  the operation    ${cameTo(shadow)}\n`;
  });
  const sums = Map.groupBy(shadows, cameTo);
  const summary = [...sums].map(([word, { length }]) => `${length} ${word}`).join(', ');
  return `${lines.join('')}\n${shadows.length} answered in shadow: ${summary}.\n`;
}
