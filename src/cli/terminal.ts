// The terminal: where a command writes, how wide it is, and whether colours are welcome. Pure but for the two writers.
//   T1. Colours go to a terminal only, and never where NO_COLOR is set. @see https://no-color.org
//   T2. Results go to standard output; what is said about them (progress, warnings, faults) to standard error.

import { stripVTControlCharacters } from 'node:util';
import type { Environment } from '../config/environment.ts';

export interface Terminal {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Columns of standard output; {@link PIPED_COLUMNS} where it is no terminal. */
  readonly columns: number;
  /** Standard output is a terminal that takes colours. */
  readonly colours: boolean;
  /** Standard error is a terminal: a line on it can be written over. */
  readonly live: boolean;
}

/** Wide enough that what is piped into a file is not broken without need. */
export const PIPED_COLUMNS = 120;
const COLUMNS_MIN = 60;
const COLUMNS_MAX = 160;

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export function terminalOf(out: Stream, err: Stream, env: Environment): Terminal {
  const plain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return {
    stdout: (text) => void out.write(text),
    stderr: (text) => void err.write(text),
    columns: out.isTTY === true ? Math.min(Math.max(out.columns ?? 80, COLUMNS_MIN), COLUMNS_MAX) : PIPED_COLUMNS,
    colours: out.isTTY === true && !plain,
    live: err.isTTY === true && env['TERM'] !== 'dumb',
  };
}

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const;
export type Style = keyof typeof CODES;
export type Paint = (style: Style, text: string) => string;

/** Puts a style on a text; the text alone where colours are not welcome. */
export const painter = ({ colours }: Pick<Terminal, 'colours'>): Paint =>
  colours ? (style, text) => `\x1b[${CODES[style][0]}m${text}\x1b[${CODES[style][1]}m` : (_style, text) => text;

/** Columns that a text takes; styles take none. */
export const widthOf = (text: string): number => [...stripVTControlCharacters(text)].length;

export const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** The text broken at blanks to lines of at most `columns`; every line after the first begins with `indent`. */
export function wrapped(text: string, columns: number, indent: string): string {
  const lines: string[] = [];
  let [line = ''] = /^ */.exec(text) ?? [];
  let isEmpty = true;
  for (const [, blanks = '', word = ''] of text.trimStart().matchAll(/( *)([^ ]+)/g)) {
    const longer = line + blanks + word;
    if (isEmpty || widthOf(longer) <= columns) line = longer;
    else {
      lines.push(line);
      line = indent + word;
    }
    isEmpty = false;
  }
  return [...lines, line].join('\n');
}

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${grouped(number)} ${number === 1 ? one : many}`;

/** `2026-11-29 09:14:00`, of an instant in ISO 8601. */
export const moment = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;

/** 1234567 → 1,234,567 */
export const grouped = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

/** Bytes for people: 812 B, 8.1 kB, 1.3 MB. */
export const bytesText = (bytes: number): string =>
  bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
