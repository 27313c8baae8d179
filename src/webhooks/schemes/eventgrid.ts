// Event Grid's own schema: arrays of events, a shared secret in a header, and a code that is echoed before anything is
// delivered. @see https://learn.microsoft.com/azure/event-grid/end-point-validation-event-grid-events-schema

import { isJsonObject, type Json, scalarText, stringifyJson, tryParseJson, valueAt } from '../../core/json.ts';
import { single } from '../compare.ts';
import type { Scheme, SingleEvent } from '../scheme.ts';
import { token } from './token.ts';

export const eventGrid: Scheme = {
  id: 'eventgrid',

  fault: (rules, trust) => token.fault?.(rules, trust),
  verify: token.verify,

  handshake(incoming) {
    if (single(incoming, 'aeg-event-type')?.toLowerCase() !== 'subscriptionvalidation') return undefined;
    const events = tryParseJson(new TextDecoder().decode(incoming.body));
    const validationResponse = scalarText(valueAt(events, '/0/data/validationCode'));
    if (validationResponse === undefined) return { status: 400, headers: {}, body: '' };
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: JSON.stringify({ validationResponse }) };
  },

  split: (body) => eachOf(tryParseJson(body), (event) => scalarText(event['id'])),
};

/** The members of an array as events of their own; `undefined` where it is none. */
export function eachOf(
  events: Json | undefined,
  idOf: (event: { readonly [member: string]: Json }) => string | undefined,
): readonly SingleEvent[] | undefined {
  if (!Array.isArray(events)) return undefined;
  return (events as readonly Json[]).map((event) => {
    const id = isJsonObject(event) ? idOf(event) : undefined;
    return { body: stringifyJson(event), ...(id !== undefined && { id }) };
  });
}
