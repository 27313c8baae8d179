// The log: one JSON object a line, on standard output, or on standard error where output belongs to the protocol (stdio).
//   Members: level, time (ISO 8601), message, and the fields of the line and of its parents. What a field may hold: redact.ts.

import { type DestinationStream, destination, type Level, type Logger, pino, stdTimeFunctions } from 'pino';
import type { Log } from '../core/log.ts';
import { redact } from './redact.ts';

export { printableText, printableUrl } from './redact.ts';

const DESCRIPTORS = { stdout: 1, stderr: 2 } as const;

/**
 * A log that writes lines of `level` and above.
 * @param to where lines go; a stream of one's own gets each line with its line break
 */
export function logger(
  level: 'debug' | 'info' | 'warn' | 'error',
  to: 'stdout' | 'stderr' | DestinationStream = 'stdout',
): Log {
  // Written at once: what was said before a crash is what explains it.
  const stream = typeof to === 'string' ? destination({ dest: DESCRIPTORS[to], sync: true }) : to;
  const options = {
    level,
    base: null,
    messageKey: 'message',
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return over(pino(options, stream));
}

function over(target: Logger): Log {
  const write = (level: Level) => (fields: Readonly<Record<string, unknown>>, message: string) => {
    if (target.isLevelEnabled(level)) target[level](redact(fields), message);
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => over(target.child(redact(fields))),
  };
}
