// What services do now and then: a word in a job's name (`quirk-503`) lets it happen to that job. One function for each place
// at which the zoo asks.
//   Q1. A quirk changes what is said, how it is sent, or what comes along; the job itself ends as its name says.

import type { ServerResponse } from 'node:http';
import type { Answer } from './species.ts';

export const has = (name: string, quirk: string): boolean => new RegExp(`quirk-${quirk}(?![\\w-])`).test(name);

/** The service is busy: an answer to the first submit that creates nothing. */
export function refusedSubmit(name: string, tries: number): Answer | undefined {
  if (tries > 0) return undefined;
  if (has(name, 'in-progress')) return { code: 409, json: { error: { code: 'InProgress', message: 'one run at a time' } } };
  if (has(name, 'busy')) return { code: 429, headers: { 'Retry-After': '0' }, json: { message: 'too many jobs' } };
  return undefined;
}

/** How the first looks at a job are spoilt; `404` and the like are codes. */
export function spoilt(name: string, looks: number): string | undefined {
  const how = /quirk-(\d{3}|truncated|empty|html|hangup)/.exec(name)?.[1];
  if (looks === 0) return how;
  return looks === 1 && has(name, 'vanishes') ? '404' : undefined;
}

/** Whether the answer to the first of each step is lost. */
export const loses = (name: string): boolean => name.includes('quirk-step-lost');

/** How the first fetch of a result that has an address of its own is spoilt. */
export const spoiltFetch = (name: string, looks: number): string | undefined =>
  looks === 0 ? /quirk-fetch-(\d{3}|truncated|empty|html|hangup)/.exec(name)?.[1] : undefined;

export function spoil(response: ServerResponse, how: string): void {
  const json = { 'Content-Type': 'application/json' };
  if (how === 'hangup') response.destroy();
  else if (how === 'truncated') response.writeHead(200, json).end('{"status": "complet');
  else if (how === 'empty') response.writeHead(200, json).end();
  else if (how === 'html') response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Please log in</html>');
  else response.writeHead(Number(how)).end();
}

/** Retry-After as services are known to send it. */
const RETRY_AFTER: Readonly<Record<string, string>> = {
  zero: '0',
  negative: '-5',
  decimal: '0.1',
  past: 'Wed, 21 Oct 2015 07:28:00 GMT',
  huge: '99999999999',
  word: 'soon',
};

/** Where a job that moved is found: only the look at its old address still tells. */
export const MOVED = 'moved';

/** What is said while the job runs. */
export function whileRunning(running: Answer, name: string, monitor: string): Answer {
  const retryAfter = RETRY_AFTER[/quirk-retry-after-(\w+)/.exec(name)?.[1] ?? ''];
  const location = has(name, 'moves')
    ? `${monitor}?${MOVED}=1`
    : has(name, 'misleads')
      ? 'http://elsewhere.invalid/jobs'
      : undefined;
  return {
    ...running,
    headers: {
      ...running.headers,
      ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
      ...(location !== undefined && { Location: location }),
    },
  };
}

/** The status word as the quirk has it: another case, a word of none of the lists, or one from before. */
export function worded(text: string, name: string, looks: number): string {
  const word = (made: (word: string) => string) =>
    text.replace(/"status":"(\w+)"/, (_whole, said: string) => `"status":"${made(said)}"`);
  if (has(name, 'shouting')) return word((said) => said.toUpperCase());
  if (has(name, 'news') && looks === 1) return word(() => 'policy_checked');
  if (has(name, 'backwards') && looks === 2) return word(() => 'queued');
  return text;
}

/** One thing that a service calls back. */
export interface Delivery {
  readonly event: 'end' | 'news';
  /** With a secret that nobody gave it. */
  readonly forged?: true;
  /** With an id that the answer to the submit did not name. */
  readonly alias?: true;
}

/** What is called back, in order, when a job is over. */
export function deliveries(name: string): readonly Delivery[] {
  if (has(name, 'lost-callback')) return [];
  if (has(name, 'twice')) return [{ event: 'end' }, { event: 'end' }];
  if (has(name, 'reordered')) return [{ event: 'end' }, { event: 'news' }];
  if (has(name, 'forged')) return [{ event: 'news', forged: true }, { event: 'end', forged: true }, { event: 'end' }];
  if (has(name, 'alias')) return [{ event: 'end', alias: true }];
  return [{ event: 'end' }];
}
