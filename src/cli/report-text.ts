// The report for people: a header, one block for each operation that deserves one, what clients would see. Pure.

import { writeDuration } from '../core/duration.ts';
import type { Door } from '../core/ids.ts';
import { describeFault } from '../errors.ts';
import type { Report, ReportedOperation, States } from './report.ts';
import { tokensOf } from './report.ts';
import {
  bytesText,
  count,
  grouped,
  type Paint,
  padded,
  painter,
  type Style,
  type Terminal,
  widthOf,
  wrapped,
} from './terminal.ts';

/** With fewer of them, calls and helpers are listed without being asked for. */
const LISTED_MAX = 20;
const VERDICT_WIDTH = 9;
const NAME_WIDTH_MAX = 28;
const PLACE_WIDTH_MAX = 44;
const INDENT = ' '.repeat(VERDICT_WIDTH + 4);

const STYLES: Readonly<Record<ReportedOperation['verdict'], Style>> = {
  job: 'green',
  confirm: 'yellow',
  call: 'dim',
  helper: 'dim',
  'left out': 'red',
};

const doorWords = (door: Door): string => (door === 'none' ? 'without Tasks' : `Tasks of ${door}`);

interface Page {
  readonly columns: number;
  readonly paint: Paint;
  readonly nameWidth: number;
  readonly placeWidth: number;
}

/** The report as text, with a line break at its end. */
export function reportText(report: Report, terminal: Pick<Terminal, 'columns' | 'colours'>, all: boolean): string {
  const { operations, counts } = report;
  const isQuiet = ({ verdict }: ReportedOperation) => verdict === 'call' || verdict === 'helper';
  const quiet = operations.filter(isQuiet);
  const listed = all || quiet.length <= LISTED_MAX ? operations : operations.filter((one) => !isQuiet(one));
  const widest = (texts: readonly string[], max: number) => Math.min(max, Math.max(8, ...texts.map((text) => text.length)));
  const page: Page = {
    columns: terminal.columns,
    paint: painter(terminal),
    nameWidth: widest(
      listed.map(({ operationId }) => operationId ?? ''),
      NAME_WIDTH_MAX,
    ),
    placeWidth: widest(
      listed.map(({ method, path }) => `${method} ${path}`),
      PLACE_WIDTH_MAX,
    ),
  };
  const order = ['job', 'confirm', 'left out', 'call', 'helper'];
  const blocks = [...listed].sort((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict));
  const hidden = operations.length - listed.length;
  return [
    header(report, page),
    '',
    ...blocks.flatMap((one) => block(one, page)),
    ...(hidden === 0
      ? []
      : [
          page.paint(
            'dim',
            `  ${count(counts.calls, 'call')} and ${count(counts.helpers, 'helper')} of jobs are not listed → --all`,
          ),
        ]),
    ...(operations.length === 0 ? [] : ['']),
    ...clients(report, page),
    ...warnings(report, page),
    '',
  ].join('\n');
}

function header({ document, title, openapi, counts }: Report, { paint, columns }: Page): string {
  const parts = [
    count(counts.jobs, 'job'),
    ...(counts.confirm === 0 ? [] : [`${counts.confirm} to confirm`]),
    count(counts.calls, 'call'),
    ...(counts.helpers === 0 ? [] : [`${count(counts.helpers, 'helper')} of jobs`]),
    ...(counts.leftOut === 0 ? [] : [`${counts.leftOut} left out`]),
  ];
  const kind = openapi.startsWith('2') ? `Swagger ${openapi}` : `OpenAPI ${openapi}`;
  const named = title === undefined ? kind : `${title}   ${kind}`;
  return wrapped(
    `${paint('bold', document)}   ${named}   ${count(counts.operations, 'operation')}: ${parts.join(', ')}`,
    columns,
    '  ',
  );
}

function block(operation: ReportedOperation, page: Page): string[] {
  const { paint, columns } = page;
  const { verdict } = operation;
  const lines = [headline(operation, page)];
  const line = (text: string) => lines.push(wrapped(`${INDENT}${text}`, columns, `${INDENT}  `));
  const isDetailed = verdict === 'job' || verdict === 'confirm';
  if (isDetailed) {
    for (const [index, { score, says, pointer, line: row, column }] of operation.evidence.entries()) {
      // Of a document that is one long line, the line says nothing.
      const at = row === 1 ? `${row}:${column}` : row;
      const number = index === 0 ? String(score) : score < 0 ? String(score) : `+${score}`;
      lines.push(evidenceLine(`${number.padStart(4)} ${says}`, `${operation.file}:${at}  #${pointer}`, page));
    }
    const pairs = Object.entries(operation.pairs).map(([role, pair]) => `${role} ${paint('bold', pair.operation)}`);
    if (pairs.length > 0) line(pairs.join(' · '));
    if (operation.states !== undefined) line(`states  ${statesText(operation.states)}`);
    for (const left of operation.atRunTime ?? []) line(paint('dim', `only an answer tells ${left}`));
    if (operation.taskSupport !== undefined) line(`${operation.taskSupport}  ${operation.why}`);
  }
  if (operation.reason !== undefined) {
    const where =
      verdict === 'left out'
        ? ` (${operation.file}${operation.line === undefined ? '' : `:${operation.line}`}  #${operation.pointer})`
        : '';
    line(`${operation.reason}${where}${operation.mend === undefined ? '' : ` → ${operation.mend}`}`);
  }
  return isDetailed ? [...lines, ''] : lines;
}

function headline(operation: ReportedOperation, { paint, nameWidth, placeWidth, columns }: Page): string {
  const { verdict, operationId = '', method, path, tool, score, serves, taskSupport = '' } = operation;
  const bytes = Math.max(0, ...Object.values(tool?.bytes ?? {}));
  const size = tool === undefined ? '' : paint('dim', `${bytesText(bytes)} ≈ ${count(tokensOf(bytes), 'token')}`);
  const shown = verdict === 'job' || verdict === 'confirm' ? `score ${score}` : '';
  const end = [
    shown,
    taskSupport,
    size,
    serves === undefined || serves.length === 0 ? '' : paint('dim', `of ${serves.join(', ')}`),
  ];
  const start = [
    `  ${paint(STYLES[verdict], padded(verdict, VERDICT_WIDTH))}`,
    paint(verdict === 'job' || verdict === 'confirm' ? 'bold' : 'dim', padded(operationId, nameWidth)),
    padded(`${method} ${path}`, placeWidth),
  ];
  const about = end.filter((part) => part !== '').join('  ');
  const line = [...start, about].join('  ').trimEnd();
  return widthOf(line) <= columns ? line : `${start.join('  ').trimEnd()}\n${INDENT}${about}`;
}

/** What was seen, and where; on one line where both have room. */
function evidenceLine(says: string, place: string, { columns, paint }: Page): string {
  const start = `${INDENT.slice(4)}${says}`;
  if (start.length + place.length + 3 <= columns) return `${padded(start, columns - place.length)}${paint('dim', place)}`;
  return `${wrapped(start, columns, `${INDENT}     `)}\n${INDENT}     ${paint('dim', place)}`;
}

const MEANINGS = ['working', 'input', 'succeeded', 'failed', 'cancelled'] as const;

function statesText(states: States): string {
  const known = MEANINGS.flatMap((meaning) => {
    const words = states[meaning] ?? [];
    return words.length === 0 ? [] : [`${words.join(', ')} → ${meaning}`];
  });
  const held =
    states.unknownForMs === undefined ? 'held as working' : `held as working for ${writeDuration(states.unknownForMs)}`;
  const unknown =
    states.unknown.length === 0 ? [] : [`${states.unknown.map((word) => `"${word}"`).join(', ')} unknown: ${held}`];
  const all = [...known, ...unknown];
  return `${states.at === undefined ? '' : `at ${states.at}: `}${all.length === 0 ? 'by the built-in words' : all.join(' · ')}`;
}

function clients({ clients: views }: Report, { paint }: Page): string[] {
  const rows = views.map(({ contract, tools, bytes, tokens }) =>
    [
      `    ${padded(doorWords(contract), 20)}`,
      `${grouped(tools).padStart(6)} ${tools === 1 ? 'tool ' : 'tools'}`,
      bytesText(bytes).padStart(10),
      `≈ ${count(tokens, 'token')}`,
    ].join('  '),
  );
  return ['  what clients get from tools/list', ...rows, paint('dim', '    tokens are estimated as bytes / 4')];
}

function warnings({ warnings: all }: Report, { paint, columns }: Page): string[] {
  if (all.length === 0) return [];
  return ['', ...all.map((fault) => wrapped(`${paint('yellow', 'warning')}  ${describeFault(fault)}`, columns, '         '))];
}
