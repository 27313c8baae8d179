// A secret that the sender was given beside the callback URL, and repeats in every event. It proves the sender, and nothing
// of the rest of the body.
//   R1. Every event of a delivery must hold it: one that does says nothing about its neighbours.
//   R2. It is taken out of what is handed on: events become results, and results are read by many.

import { isJsonObject, type Json, scalarText, stringifyJson, tryParseJson, valueAt } from '../../core/json.ts';
import type { VerifyRules } from '../../core/webhook.ts';
import { anySame } from '../compare.ts';
import { refused, type Scheme } from '../scheme.ts';

export const repeatedSecret: Scheme = {
  id: 'repeated-secret',

  fault({ secretAt }) {
    if (secretAt === undefined || secretAt === '') return 'needs `secretAt`, where in an event the secret is';
    return undefined;
  },

  verify(incoming, secrets, rules) {
    const { secretAt = '' } = rules;
    const events = eventsIn(tryParseJson(new TextDecoder().decode(incoming.body)), rules);
    if (events.length === 0) return refused('there is no event in it');
    const strange = events.filter((event) => !anySame([scalarText(valueAt(event, secretAt)) ?? ''], secrets));
    return strange.length === 0 ? { ok: true } : refused(`an event holds none of our secrets at ${secretAt}`);
  },

  split: (body, _incoming, rules) =>
    eventsIn(tryParseJson(body), rules).map((event) => {
      const id = isJsonObject(event) ? scalarText(event['id']) : undefined;
      return { body: stringifyJson(without(event, rules.secretAt ?? '')), ...(id !== undefined && { id }) };
    }),
};

function eventsIn(body: Json | undefined, { list }: VerifyRules): readonly Json[] {
  if (body === undefined) return [];
  const events = list === undefined ? [body] : valueAt(body, list);
  return Array.isArray(events) ? (events as readonly Json[]) : [];
}

/** The value without what is at the pointer. */
function without(value: Json, pointer: string): Json {
  if (Array.isArray(value)) return value.map((item) => without(item as Json, pointer.replace(/^\/\d+/, '')));
  const [, first = '', ...rest] = pointer.split('/');
  const name = first.replaceAll('~1', '/').replaceAll('~0', '~');
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: inner, ...others } = value;
  return rest.length === 0 || inner === undefined ? others : { ...others, [name]: without(inner, `/${rest.join('/')}`) };
}
