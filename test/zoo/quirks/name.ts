// What services do now and then: a word in a job's name (`quirk-503`) lets it happen to that job. A file for each occasion at which
// the zoo asks; what each of them comes to is in
// table.ts and cancel-table.ts.
//   Q1. A quirk changes what is said, how it is sent, or what comes along; the job itself ends as its name says, unless the quirk is
//       that nobody hears of it.

/** The quirk of a name, '' where it has none. */
export const quirkOf = (name: string): string => /quirk-([\w-]+)/.exec(name)?.[1] ?? '';

export const has = (name: string, quirk: string): boolean => quirkOf(name) === quirk;

/** How services spoil an answer: a code without a body, or a body that is none. */
export type Spoiling = `${number}` | 'truncated' | 'empty' | 'html' | 'hangup';

const SPOILING = /^(?:\d{3}|truncated|empty|html|hangup)$/;

/** How an answer is spoilt where the quirk is `<prefix><how>`. */
export function spoiling(name: string, prefix = ''): Spoiling | undefined {
  const quirk = quirkOf(name);
  const how = quirk.startsWith(prefix) ? quirk.slice(prefix.length) : '';
  return SPOILING.test(how) ? (how as Spoiling) : undefined;
}
