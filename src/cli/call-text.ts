// How a call goes and how it went, as text: the line that moves, the result, and the last word.

import { isJsonObject, type Json, type JsonObject, scalarText, stringifyJson } from '../core/json.ts';
import { count, painter, type Style, type Terminal } from './terminal.ts';

/** How a call went. `not finished`: it goes on without us. `not called`: nothing was begun. */
export type Outcome = 'succeeded' | 'failed' | 'cancelled' | 'unknown' | 'not finished' | 'not called';

export interface Ending {
  readonly outcome: Outcome;
  readonly operation?: string;
  readonly message?: string;
  readonly result?: JsonObject;
}

interface Telling {
  readonly terminal: Terminal;
  readonly json: boolean;
  /** How the command is written again: `longshore call --config x`. */
  readonly again: string;
}

const MARKS: Readonly<Record<Outcome, readonly [string, Style]>> = {
  succeeded: ['✔', 'green'],
  failed: ['✘', 'red'],
  cancelled: ['✘', 'yellow'],
  unknown: ['?', 'yellow'],
  'not finished': ['…', 'yellow'],
  'not called': ['✘', 'red'],
};

export function say(ending: Ending, { json, terminal, again }: Telling, tookMs: number): void {
  const { outcome, operation, message, result } = ending;
  if (json) {
    terminal.stdout(
      `${stringifyJson({ outcome, tookMs: Math.round(tookMs), ...(operation === undefined ? {} : { operation }), ...(message === undefined ? {} : { message }), ...(result === undefined ? {} : { result }) })}\n`,
    );
    return;
  }
  const text = result === undefined ? '' : contentText(result);
  if (text !== '') terminal.stdout(text.endsWith('\n') ? text : `${text}\n`);
  const [mark, style] = MARKS[outcome];
  const paint = painter({ colours: terminal.live && terminal.colours });
  if (outcome === 'not called') {
    terminal.stderr(`${paint(style, mark)} ${message ?? 'the call was refused'}\n`);
    return;
  }
  const took = `${outcome} ${outcome === 'not finished' ? 'after' : 'in'} ${tookText(tookMs)}`;
  const head = [`${mark} ${took}`, ...(operation === undefined ? [] : [operation])].join(' · ');
  terminal.stderr(`${paint(style, head)}${message === undefined ? '' : `\n${message}`}\n`);
  if (outcome !== 'not finished') return;
  terminal.stderr(
    operation === undefined
      ? 'If the request has reached the gateway, the gateway carries it on.\n'
      : `The operation goes on at the gateway. To see how it stands: ${again} get_operation '${stringifyJson({ operation })}'\n`,
  );
}

export function tookText(durationMs: number): string {
  const seconds = durationMs / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** The content of a tool result: text as it is, anything else named. */
function contentText(result: JsonObject): string {
  const content = Array.isArray(result['content']) ? (result['content'] as readonly Json[]) : [];
  return content
    .filter(isJsonObject)
    .map((item) => {
      const text = scalarText(item['text']);
      if (text !== undefined) return text;
      const uri = scalarText(item['uri']);
      const data = scalarText(item['data']);
      const size = data === undefined ? '' : `, ${count(Math.floor((data.length * 3) / 4), 'byte')}`;
      return `(${[scalarText(item['type']) ?? 'content', scalarText(item['mimeType'])].filter(Boolean).join(' ')}${size}${uri === undefined ? '' : ` ${uri}`})`;
    })
    .join('\n');
}

export interface StatusLine {
  show(operation: string, status: string, message: string | undefined, elapsedMs: number): void;
  clear(): void;
}

/** One line that is written over on a terminal; elsewhere a line for each change. */
export function statusLine({ stderr, live, columns }: Terminal, json: boolean): StatusLine {
  let shown = '';
  return {
    show: (operation, status, message, elapsedMs) => {
      if (json) return;
      const said = [operation, status, ...(message === undefined ? [] : [message.replace(/\s+/g, ' ')])].join(' · ');
      if (!live) {
        if (said !== shown) stderr(`${said}\n`);
        shown = said;
        return;
      }
      const line = `${tookText(elapsedMs)} · ${said}`;
      shown = line.length < columns ? line : `${line.slice(0, columns - 2)}…`;
      stderr(`\r\x1b[2K${shown}`);
    },
    clear: () => {
      if (live && shown !== '') stderr('\r\x1b[2K');
    },
  };
}
