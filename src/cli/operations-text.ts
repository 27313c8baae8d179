// What `longshore operations` prints for people. Pure: from the admin API's JSON to lines. Times are UTC, and say so.

import type { OperationShown, OperationSummary, TraceShown } from '../core/operator-view.ts';
import type { TimelineEntry } from '../core/timeline.ts';
import { moment, type Paint, padded, type Style } from './terminal.ts';

const day = (iso: string): string => iso.slice(0, 10);
const clock = (iso: string): string => iso.slice(11, 23);

/** Rows under a heading, each column as wide as its widest cell; the last one as it is. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<number[]>((widest, row) => row.map((cell, at) => Math.max(widest[at] ?? 0, [...cell].length)), []);
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : padded(cell, widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

const STYLES: Readonly<Record<string, Style>> = {
  succeeded: 'green',
  failed: 'red',
  unknown: 'yellow',
  'submission-unknown': 'yellow',
  'needs-reconciliation': 'yellow',
};

const stateText = ({ state, effects }: OperationSummary): string =>
  effects === 'REQUIRED' ? `${state}, open` : effects === 'ESCALATED' ? `${state}, yours` : state;

export function listText(items: readonly OperationSummary[], paint: Paint): string {
  if (items.length === 0) return 'No operation fits.\n';
  const [head = '', ...rows] = table([
    ['OPERATION', 'TOOL', 'UPSTREAM', 'STATE', 'SINCE (UTC)', 'PRINCIPAL', 'WHAT IS KNOWN'],
    ...items.map((item) => [
      item.id,
      item.tool,
      item.upstream,
      stateText(item),
      moment(item.since),
      item.principal,
      item.standing.replaceAll('\n', ' '),
    ]),
  ]);
  const painted = rows.map((row, at) => {
    const { state = '' } = items[at] ?? {};
    const style = STYLES[state];
    return style === undefined ? row : row.replace(` ${state}`, ` ${paint(style, state)}`);
  });
  return `${[paint('dim', head), ...painted].join('\n')}\n`;
}

/** Due work in the words of who waits for it. */
const WORK: Readonly<Record<string, string>> = {
  submit: 'submit',
  suspect: 'doubt the submit',
  lookup: 'look for the job by its key',
  poll: 'look at the job',
  fetch: 'fetch the result',
  answer: 'deliver the answer',
  cancel: 'send the cancel',
  cancel_suspect: 'doubt the cancel',
  budget: 'stop waiting',
  window: 'end as unknown',
  effects: 'ask an operator',
};

/** The whole of one operation. `options`: what the user gave that every command to copy needs again. */
export function showText(operation: OperationShown, paint: Paint, options: string): string {
  const { id, tool, upstream, receipt, timeline, due, result } = operation;
  const style = STYLES[operation.state];
  const state = style === undefined ? operation.state : paint(style, operation.state);
  const facts = table(
    [
      [
        'principal',
        `${operation.principal}, ${operation.contract === 'none' ? 'without Tasks' : `through ${operation.contract}`}`,
      ],
      [
        'job',
        operation.job === undefined ? 'none that is known' : [operation.job, operation.statusUrl].filter(Boolean).join('  '),
      ],
      ...(operation.sharedWith === undefined ? [] : [['shared with', operation.sharedWith]]),
      ['arguments', JSON.stringify(operation.arguments)],
      ...(operation.submissionKey === undefined ? [] : [['submission key', operation.submissionKey]]),
      ...(operation.callerKey === undefined ? [] : [['caller’s key', operation.callerKey]]),
      ['effects', operation.finding === undefined ? operation.effects : `${operation.effects}: ${operation.finding}`],
      ...(operation.cancellation === 'NONE' ? [] : [['cancellation', operation.cancellation]]),
      ...(operation.automatic === undefined ? [] : [['by itself', operation.automatic]]),
      ...(operation.unread === undefined ? [] : [['unread', unreadWords(operation.unread)]]),
      ...(due.length === 0 ? [] : [['next', due.map(({ work, at }) => `${WORK[work] ?? work} ${moment(at)}`).join(', ')]]),
      ...(result === undefined && receipt?.result !== undefined ? [['result', `can’t be read: ${receipt.result.digest}`]] : []),
      ...(result === undefined ? [] : [['result', `${result.mediaType}, ${result.body.length} characters (--json has it)`]]),
      ...(operation.shadow === undefined ? [] : [['in shadow', shadowWords(operation.shadow)]]),
      ...(receipt === undefined ? [] : [['receipt', `${receipt.id}, by ${receipt.by}`]]),
    ].map((row) => ['', ...row]),
  );
  return `${[
    `${paint('bold', id)}  ${tool} · ${upstream} · ${state} since ${moment(operation.since)} UTC`,
    ...(operation.standing === '' ? [] : [`  ${operation.standing}`]),
    ...facts,
    '',
    ...timelineText(timeline, paint),
    ...(operation.needsOperator ? ['', ...waysToSettle(operation, options)] : []),
  ].join('\n')}\n`;
}

const unreadWords = ({ count, since, why }: NonNullable<OperationShown['unread']>): string =>
  `${count === 1 ? 'the last look' : `the last ${count} looks, since ${moment(since)}`}: ${why}`;

const shadowWords = ({ status, excerpt }: NonNullable<OperationShown['shadow']>): string =>
  `the caller got ${status === undefined ? '' : `HTTP ${status} `}${excerpt.replace(/\s+/g, ' ').slice(0, 160)}`;

/** Entries by position; a date line wherever the day changes. */
function timelineText(timeline: readonly TimelineEntry[], paint: Paint): readonly string[] {
  const rows = table(
    timeline.map(({ position, at, event, disposition, detail, actor }) => [
      String(position).padStart(String(timeline.length).length + 1),
      clock(at),
      event,
      [actor === undefined ? '' : `${actor}:`, detail, disposition === 'late' ? '(late: changed nothing)' : '']
        .filter(Boolean)
        .join(' '),
    ]),
  );
  return rows.flatMap((row, index) => {
    const [today, before] = [timeline[index], timeline[index - 1]].map((entry) => (entry === undefined ? '' : day(entry.at)));
    return today === before ? [row] : [paint('dim', `${today}, times in UTC`), row];
  });
}

function waysToSettle({ id, job, receipt }: OperationShown, options: string): readonly string[] {
  const settle = `  longshore operations settle ${id}${options} --reason "…"`;
  const ways = table([
    [`${settle} --found <id or URL>`, job === undefined ? 'the upstream has it: follow it' : `look at job ${job} again`],
    ...(job === undefined ? [[`${settle} --never`, 'it was never created']] : []),
    [`${settle} --result succeeded`, 'it ended so (or failed, cancelled)'],
    receipt === undefined
      ? [`${settle} --give-up`, 'nobody will ever know']
      : [`${settle} --effects "refunded"`, 'what became of it, in your words'],
  ]);
  return ['When you know what became of the job:', ...ways];
}

export function traceText({ receipt, operation, ending, evidence, checks }: TraceShown, paint: Paint): string {
  const held = checks.every(({ holds }) => holds);
  const entry = (one: TimelineEntry) => [
    `  ${one.position}`,
    `${moment(one.at)}`,
    one.event,
    one.evidence ?? '',
    [one.source === undefined ? '' : `from ${one.source}`, one.actor ?? '', one.detail].filter(Boolean).join(' · '),
  ];
  return `${[
    `${paint('bold', receipt.id)}  ${operation.id} (${operation.tool} · ${operation.upstream}) ended as ${receipt.outcome} at ${moment(receipt.at)} UTC, by ${receipt.by}`,
    `  ${receipt.reason}`,
    ...(receipt.result === undefined
      ? []
      : [`  result ${receipt.result.mediaType}, ${receipt.result.bytes} bytes, ${receipt.result.digest}`]),
    '',
    evidence.length === 0 ? 'No observation allowed it: it was ended by' : 'Allowed by',
    ...table((evidence.length === 0 && ending !== undefined ? [ending] : evidence).map(entry)),
    ...(evidence.length === 0 || ending === undefined ? [] : ['Ended by', ...table([entry(ending)])]),
    ...(operation.effects === 'NONE'
      ? []
      : ['Since then', `  effects ${operation.effects}${operation.finding === undefined ? '' : `: ${operation.finding}`}`]),
    '',
    held ? 'Read again just now, and it all fits:' : paint('red', 'Read again just now, and it does not fit:'),
    ...checks.map(({ what, holds }) => `  ${holds ? paint('green', '✔') : paint('red', '✘')} ${what}`),
  ].join('\n')}\n`;
}
