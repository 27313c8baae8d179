// Runtime expressions: where in an exchange a value is, as OpenAPI writes it. @see OpenAPI 3.1 §4.8.20.4 Runtime Expressions

import type { RuntimeExpression } from './description.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { type Json, type JsonObject, tryParseJson, valueAt } from './json.ts';
import { readJson } from './readings.ts';
import type { RequestTemplate } from './request.ts';

/** An exchange as expressions look at it. */
export interface Exchanged {
  readonly template: RequestTemplate;
  readonly arguments: JsonObject;
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

const BODY = /^\$(request|response)\.body(?:#(|\/.*))?$/;
const NAMED = /^\$(request|response)\.(header|query|path)\.(.+)$/;

/** Why an expression can't be read, or `undefined` for one that can. */
export function misreadExpression(expression: RuntimeExpression): string | undefined {
  if (BODY.test(expression)) return undefined;
  const [, side, place] = NAMED.exec(expression) ?? [];
  if (side === 'request' || place === 'header') return undefined;
  return `${expression} is not a runtime expression like $response.body#/id, $response.header.Location or $request.path.name`;
}

/** The value that an expression names in an exchange; `undefined` where there is none. Numbers keep their digits. */
export function evaluate(expression: RuntimeExpression, exchanged: Exchanged): Json | undefined {
  const body = BODY.exec(expression);
  if (body !== null)
    return valueAt(body[1] === 'request' ? sentBody(exchanged.request) : receivedBody(exchanged.response), body[2] ?? '');
  const [, side, place, name = ''] = NAMED.exec(expression) ?? [];
  if (place === 'header') {
    const wanted = name.toLowerCase();
    return side === 'response'
      ? exchanged.response.headers[wanted]
      : exchanged.request.headers.find(([own]) => own.toLowerCase() === wanted)?.[1];
  }
  if (side !== 'request') return undefined;
  const binding = exchanged.template.parameters.find((parameter) => parameter.in === place && parameter.name === name);
  return binding !== undefined && Object.hasOwn(exchanged.arguments, binding.argument)
    ? exchanged.arguments[binding.argument]
    : undefined;
}

const sentBody = (request: HttpRequest): Json | undefined =>
  typeof request.body === 'string' ? tryParseJson(request.body) : undefined;

function receivedBody(response: HttpResponse): Json | undefined {
  const reading = readJson(response);
  return reading.kind === 'json' ? reading.value : undefined;
}
