// Quirks of the status: looks that are spoilt, addresses that move, words that nobody knows, ends that say more or less than usual.

import { isJsonObject, type JsonObject } from '../../../src/core/json.ts';
import type { Answer } from '../species.ts';
import { failing } from './failure.ts';
import { has, quirkOf, type Spoiling, spoiling } from './name.ts';

/** How looks at a job are spoilt: the first one, one, or all after the first. */
export function spoilt(name: string, looks: number): Spoiling | undefined {
  if (looks === 0) return spoiling(name);
  if (looks === 1 && has(name, 'vanishes')) return '404';
  return spoiling(name, 'denied-') ?? spoiling(name, 'gone-');
}

/** The credential that a service wants from the second look on, where the first one has run out by then. */
export const NEXT_TOKEN = 'Bearer second-token-of-the-zoo';
export const TOKEN = 'Bearer first-token-of-the-zoo';

export const isOutOfDate = (name: string, looks: number, authorization: string | undefined): boolean =>
  has(name, 'token-runs-out') && looks > 0 && authorization !== NEXT_TOKEN;

/** Another `api-version` than the one that is described, in the address that the service itself named. */
export const OLDER_VERSION = '2023-07-31';

export const isMisversioned = (name: string, query: URLSearchParams): boolean =>
  has(name, 'other-version') && query.getAll('api-version').join() !== OLDER_VERSION;

/** Where a job that moved is found: only the look at its old address still tells. */
export const MOVED = 'moved';

/** So often a job that can't be cancelled yet says so. */
export const CANCELABLE_AFTER = 4;

/** What is said while the job runs. `monitor`: where it was asked. */
export function whileRunning(running: Answer, name: string, monitor: string, looks: number): Answer {
  const said = (more: JsonObject): unknown => (isJsonObject(running.json) ? { ...running.json, ...more } : running.json);
  switch (quirkOf(name)) {
    case 'moves':
      return { ...running, headers: { ...running.headers, Location: `${monitor}?${MOVED}=1` } };
    case 'misleads':
      return { ...running, headers: { ...running.headers, Location: 'http://elsewhere.invalid/jobs' } };
    case 'redirected':
      return looks === 0 ? { code: 307, headers: { Location: `${monitor}?from=1` } } : running;
    case 'redirected-away':
      return looks === 0 ? { code: 307, headers: { Location: 'http://169.254.169.254/latest' } } : running;
    case 'redirected-down':
      return looks === 0 ? { code: 307, headers: { Location: '{annex}/queue/{id}' } } : running;
    case 'downgrades':
      return { ...running, headers: { ...running.headers, Location: '{annex}/queue/{id}' } };
    case 'strays':
      return { ...running, headers: { ...running.headers, Location: '/foo' } };
    case 'blank':
      return { code: 202, headers: { ...running.headers, 'Content-Type': 'application/json' } };
    case 'not-yet-cancelable': {
      const actions = isJsonObject(running.json) ? running.json['actions'] : undefined;
      return {
        ...running,
        json: said({ actions: { ...(isJsonObject(actions) && actions), cancelable: looks >= CANCELABLE_AFTER } }),
      };
    }
    case 'falls':
      return { ...running, json: said({ progress: looks === 0 ? 60 : 20 }) };
    default:
      return running;
  }
}

/** What is said once the job is over. */
export function whenOver(succeeded: Answer, name: string): Answer {
  const { json } = succeeded;
  const said = (more: JsonObject): Answer => (isJsonObject(json) ? { ...succeeded, json: { ...json, ...more } } : succeeded);
  switch (quirkOf(name)) {
    case 'nothing-left':
      return { code: 204 };
    case 'valueless': {
      const { response: _response, ...rest } = isJsonObject(json) ? json : {};
      return { ...succeeded, json: rest };
    }
    case 'both':
      return said({ error: { code: 13, message: 'the last page is missing' } });
    case 'found':
      return { ...succeeded, code: 302 };
    case 'some-errors':
      return said({ error_file_id: 'errors-{id}' });
    case 'only-errors':
      return said({ error_file_id: 'errors-{id}', output_file_id: null });
    case 'removed':
      return said({ output: null, data_removed: true });
    case 'downgraded-result':
      return said({ url: '{annex}/reports/{id}' });
    case 'foreign-result':
      return said({ response_url: 'http://169.254.169.254/latest' });
    default:
      return failing(succeeded, name);
  }
}

/** The status word as the quirk has it: another case, a word of none of the lists, or one from before. `looks`: with this one. */
export function worded(text: string, name: string, looks: number): string {
  const word = (made: (word: string) => string) =>
    text.replace(/"status":"(\w+)"/, (_whole, said: string) => `"status":"${made(said)}"`);
  if (has(name, 'shouting')) return word((said) => said.toUpperCase());
  if (has(name, 'news') && looks === 1) return word(() => 'policy_checked');
  if (has(name, 'cancelling') && looks === 1) return word(() => 'CANCELLATION_IN_PROGRESS');
  if (has(name, 'backwards') && looks === 2) return word(() => 'queued');
  if (has(name, 'forgets-the-word') && looks > 1) return word(() => 'UNKNOWN');
  return text;
}
