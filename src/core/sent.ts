// What the other requests of a job send beside their URL: query, headers and a JSON body, as the description has them.
//   D1. `{id}` in a text is the job's id. A text that is a runtime expression is the value that the submit had there: it is
//       read when the job is accepted and kept in the reference, since nothing else is at hand afterwards.
//   D2. A value that the submit did not have, or that is no small thing to keep, is left out, and so is a query parameter
//       that the URL has already.

import type { HelperRequest } from './description.ts';
import { type Exchanged, evaluate, misreadExpression } from './expressions.ts';
import type { HttpRequest } from './http.ts';
import { isJsonObject, type Json, type JsonObject, scalarText, stringifyJson, tryParseJson } from './json.ts';
import type { Reference } from './operation.ts';
import { encodeStrict } from './urls.ts';

/** JSON, so that a descriptor can keep it. */
export interface Sent {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

/** Longest value that is remembered, as JSON text. */
const REMEMBERED_MAX = 4096;

const isExpression = (text: string): boolean => /^\$(request|response)\./.test(text);

/** What a helper is described to send; `undefined` where that is nothing. */
export function sentOf({ query, headers, body }: HelperRequest): Sent | undefined {
  if (query === undefined && headers === undefined && body === undefined) return undefined;
  return { ...(query && { query }), ...(headers && { headers }), ...(body && { body }) };
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

const textsOf = ({ query = {}, headers = {}, body = {} }: Sent): readonly string[] => textsIn({ query, headers, body });

/** Whether nothing can be sent before the job's id is known. */
export const needsId = (sent: Sent | undefined): boolean =>
  sent !== undefined && textsOf(sent).some((text) => !isExpression(text) && text.includes('{id}'));

/** The expressions in what is sent. */
export const expressionsIn = (sent: Sent): readonly string[] => [...new Set(textsOf(sent).filter(isExpression))];

/** The first expression that can't be read, as a sentence. */
export const misreadIn = (sent: Sent): string | undefined =>
  expressionsIn(sent)
    .map(misreadExpression)
    .find((misread) => misread !== undefined);

/** What of an exchange must be remembered: each expression with its value as JSON text. */
export function remembered(expressions: readonly string[], exchanged: Exchanged): Readonly<Record<string, string>> {
  return Object.fromEntries(
    expressions.flatMap((expression) => {
      const value = evaluate(expression, exchanged);
      const text = value === undefined ? undefined : stringifyJson(value);
      return text === undefined || text.length > REMEMBERED_MAX ? [] : [[expression, text]];
    }),
  );
}

/** The request with what is sent beside its URL. */
export function withSent(request: HttpRequest, sent: Sent, reference: Reference): HttpRequest {
  const filled = (text: string): Json | undefined => {
    if (!isExpression(text)) return text.replaceAll('{id}', reference.id);
    const kept = reference.extra?.[text];
    return kept === undefined ? undefined : tryParseJson(kept);
  };
  const texts = (members: Readonly<Record<string, string>> = {}): (readonly [string, string])[] =>
    Object.entries(members).flatMap(([name, text]) => {
      const value = scalarText(filled(text));
      return value === undefined ? [] : [[name, value] as const];
    });
  // A header can't carry everything that a body can.
  const headers = texts(sent.headers).filter(([, value]) => /^[\t\x20-\x7e]*$/.test(value));
  const own = new Set(headers.map(([name]) => name.toLowerCase()));
  const body = sent.body === undefined ? undefined : stringifyJson(filledJson(sent.body, filled) ?? {});
  const typed = request.body === undefined && body !== undefined ? [['Content-Type', 'application/json'] as const] : [];
  return {
    ...request,
    url: withQuery(request.url, texts(sent.query)),
    headers: [...[...request.headers, ...typed].filter(([name]) => !own.has(name.toLowerCase())), ...headers],
    ...(body !== undefined && { body }),
  };
}

function filledJson(value: Json, filled: (text: string) => Json | undefined): Json | undefined {
  if (typeof value === 'string') return filled(value);
  if (Array.isArray(value)) {
    return value.flatMap((item: Json) => {
      const made = filledJson(item, filled);
      return made === undefined ? [] : [made];
    });
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const made = filledJson(item, filled);
      return made === undefined ? [] : [[name, made]];
    }),
  );
}

/** A URL with more in its query. Its own bytes stay, and its own parameters win. */
function withQuery(url: string, parameters: readonly (readonly [string, string])[]): string {
  const own = new Set((url.split('?')[1] ?? '').split('&').map((pair) => (pair.split('=', 1)[0] ?? '').toLowerCase()));
  return parameters.reduce((whole, [name, value]) => {
    const written = encodeStrict(name);
    if (own.has(written.toLowerCase())) return whole;
    return `${whole}${whole.includes('?') ? '&' : '?'}${written}=${encodeStrict(value)}`;
  }, url);
}
