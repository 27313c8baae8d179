// Quirks of the submit, of the steps after it, and of an answer to it that is the end already.

import { isJsonObject } from '../../../src/core/json.ts';
import type { Answer } from '../species.ts';
import { has, quirkOf } from './name.ts';
import { OLDER_VERSION } from './status.ts';

/** An answer to the submit that creates nothing. */
export function refusedSubmit(name: string, tries: number): Answer | undefined {
  if (has(name, 'nothing-to-do')) return { code: 204 };
  if (tries > 0) return undefined;
  if (has(name, 'in-progress')) return { code: 409, json: { error: { code: 'InProgress', message: 'one run at a time' } } };
  if (has(name, 'busy')) return { code: 429, headers: { 'Retry-After': '0' }, json: { message: 'too many jobs' } };
  if (has(name, 'unavailable')) return { code: 503, headers: { 'Retry-After': '0' }, json: { message: 'back soon' } };
  return undefined;
}

/** Whether the job is made, and the answer to its submit is lost. */
export const losesSubmit = (name: string): boolean => has(name, 'lost-submit');

/** Whether the answer to the submit waits until it is let go. */
export const isHeld = (name: string): boolean => quirkOf(name) === 'held';

/** Whether the answer to the first of each step is lost. */
export const losesStep = (name: string): boolean => quirkOf(name).startsWith('step-lost');

/** Whether the job is over before its submit is answered. */
export const isOverAtOnce = (name: string): boolean => ['at-once', 'nameless', 'itself'].includes(quirkOf(name));

/** The answer that takes a job. `over`: what its status says, where it is over. */
export function submitted(accepted: Answer, name: string, over: Answer | undefined): Answer {
  const { headers = {} } = accepted;
  switch (quirkOf(name)) {
    case 'at-once':
      return over === undefined ? accepted : atOnce(accepted, over);
    case 'nameless':
      return over === undefined ? accepted : nameless(over);
    case 'itself':
      return { code: 201, headers };
    case 'other-version': {
      const named = `${headers['Operation-Location']}?api-version=${OLDER_VERSION}`;
      return { ...accepted, headers: { ...headers, 'Operation-Location': named } };
    }
    case 'unnamed':
      return { code: 202, json: { message: 'accepted' } };
    case 'foreign-status':
      return { ...accepted, headers: { ...headers, Location: 'http://169.254.169.254/latest' } };
    case 'downgrade':
      return { ...accepted, headers: { ...headers, Location: '{annex}/queue/{id}' } };
    case 'blank':
      return { code: 202, headers: { ...headers, 'Content-Type': 'application/json' } };
    case 'capital-headers':
      return {
        ...accepted,
        headers: Object.fromEntries(Object.entries(headers).map(([header, value]) => [header.toUpperCase(), value])),
      };
    default:
      return accepted;
  }
}

/** An ended job as it is shown by a service that names it as well. */
function atOnce({ headers, json: named }: Answer, { code, json }: Answer): Answer {
  const isPair = isJsonObject(named) && isJsonObject(json);
  return { code, ...(headers && { headers }), json: isPair ? { ...named, ...json } : json };
}

/** An ended job as it is shown by a service that has no name for it: nobody need ask again. */
function nameless({ code, json }: Answer): Answer {
  if (!isJsonObject(json)) return { code, json };
  const { id: _id, ...rest } = json;
  return { code, json: 'name' in rest ? { ...rest, name: '' } : rest };
}
