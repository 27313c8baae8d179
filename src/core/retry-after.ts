// Retry-After: how long an upstream asks us to wait. Reading only; how far to obey is the engine's pace.

import type { EpochMs } from './time.ts';

/** How long to wait: a Retry-After as it was sent, or milliseconds. */
export type RetryAfter = string | number;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)';
const DAY_NAME = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';

/** The three forms that a recipient must read, newest first. @see RFC 9110 §5.6.7 */
const DATE_FORMS = [
  new RegExp(`^${DAY_NAME}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT$`),
  new RegExp(`^${DAY_NAME} ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`),
];

/**
 * An HTTP-date as an instant; `undefined` for anything else. `now` places the two-digit years of the oldest form.
 * @see RFC 9110 §5.6.7
 */
export function parseHttpDate(text: string, now: EpochMs): EpochMs | undefined {
  for (const form of DATE_FORMS) {
    const part = form.exec(text)?.groups;
    if (part === undefined) continue;
    const [day, month] = [Number(part['day']), MONTHS.indexOf(part['month'] as string)];
    const at = (year: number) =>
      Date.UTC(year, month, day, Number(part['hour']), Number(part['minute']), Number(part['second']));
    let year = Number(part['year']);
    if (part['year']?.length === 2) {
      // A date that looks more than fifty years ahead means the century before.
      year += Math.floor(new Date(now).getUTCFullYear() / 100) * 100;
      if (at(year) > at(new Date(now).getUTCFullYear() + 50)) year -= 100;
    }
    // Date.UTC would read the 31st of June as the 1st of July, and the year 7 as 1907.
    const midnight = new Date(Date.UTC(year, month, day));
    return midnight.getUTCDate() === day && midnight.getUTCFullYear() === year ? at(year) : undefined;
  }
  return undefined;
}

/**
 * Milliseconds that a Retry-After asks to wait: whole seconds, or an HTTP-date (0 where it is past). Anything else, such as
 * `-5`, `1.5`, `soon` or a repeated field `1, 2`, says nothing: `undefined`.
 * @see RFC 9110 §10.2.3
 */
export function parseRetryAfter(value: RetryAfter | undefined, now: EpochMs): number | undefined {
  if (typeof value === 'number') return Math.min(value, Number.MAX_SAFE_INTEGER);
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  const at = parseHttpDate(text, now);
  return at === undefined ? undefined : Math.max(0, at - now);
}
