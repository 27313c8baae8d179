// What the demo prints: columns and colours, and the gateway's log told as a story. Everything told was logged by the
// gateway or received by a client; nothing is made up here.

import { createHash } from 'node:crypto';
import { styleText } from 'node:util';
import type { ToolAnswer } from './clients.ts';
import type { LogLine } from './gateway.ts';

type Colour = Parameters<typeof styleText>[0];

/** Plain text unless standard output is a terminal that wants colours (NO_COLOR, FORCE_COLOR). */
const paint = (colour: Colour, text: string): string => styleText(colour, text, { stream: process.stdout });

export function say(text = ''): void {
  process.stdout.write(`${text === '' ? '' : `  ${text}`}\n`);
}

const LABEL_WIDTH = 12;

/** A line with a heading in front. */
export function head(label: string, text: string): void {
  say(`${paint(['bold', 'cyan'], label.padEnd(LABEL_WIDTH))}${text}`);
}

/** A line that belongs to the heading above it. */
export function detail(text: string): void {
  say(`${' '.repeat(LABEL_WIDTH)}${text}`);
}

export const faint = (text: string): string => paint('dim', text);
export const good = (text: string): string => paint('green', text);
export const bad = (text: string): string => paint('red', text);

/** Tells the log of one operation after another. */
export class Narrator {
  #polls = 0;

  /** The next call's polls are counted from 1. */
  begin(): void {
    this.#polls = 0;
  }

  /** Tells one line of the gateway's log, if it is about the life of an operation. */
  hear(line: LogLine): void {
    if (line['source'] === 'poll') {
      this.#polls += 1;
      detail(`poll ${this.#polls}      ${pollWords(line)}`);
    } else if (line['message'] === 'a delivery was taken') {
      detail(`webhook     ${line['upstream']} has called back, the signature is good (${line['scheme']})`);
    } else if (line['event'] === 'submit_accepted') {
      detail(`submitted   ${line['upstream']} has accepted the job${nextLook(line)}`);
    } else if (line['event'] === 'result_ok') {
      detail('fetched     the result is stored, before anybody is told that the job is done');
    }
  }
}

function pollWords(line: LogLine): string {
  const { event, progress } = line;
  if (event === 'seen_ended') return 'the service says that the job has ended';
  const share = typeof progress === 'number' ? `${Math.floor(progress * 100)} %` : '';
  return `${share.padStart(4)}  working${nextLook(line)}`;
}

/** When the gateway will look again, as it decided from Retry-After or the tool's pace. */
function nextLook({ nextPollInMs }: LogLine): string {
  return typeof nextPollInMs === 'number' ? faint(`   next look in ${seconds(nextPollInMs)}`) : '';
}

export const seconds = (durationMs: number): string => `${(durationMs / 1000).toFixed(1)} s`;

/** Size and digest of what the client got: `18 kB, sha256 9f2c41d0…`. */
export function describeAnswer({ text }: ToolAnswer): string {
  const bytes = Buffer.byteLength(text);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${bytes < 1000 ? `${bytes} bytes` : `${Math.round(bytes / 1000)} kB`}, sha256 ${digest}…`;
}
