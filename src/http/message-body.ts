// The body of a POST to /mcp: bounded, JSON, and with the digits of the arguments kept.

import { isJsonContentType } from '@modelcontextprotocol/server';
import express, { type RequestHandler } from 'express';
import { isJsonObject, type Json, tryParseJson } from '../core/json.ts';
import { answerError } from './rpc-errors.ts';

/** Leaves the parsed message in `request.body`. Answers 415, 413 (by the error middleware) or 400 itself. */
export function messageBody(bytesMax: number): readonly RequestHandler[] {
  return [
    (request, response, next) => {
      if (request.method !== 'POST' || isJsonContentType(request.headers['content-type'])) return next();
      answerError(response, 415, -32600, 'The Content-Type of a POST must be application/json.');
    },
    express.text({ type: () => true, limit: bytesMax }),
    (request, response, next) => {
      if (request.method !== 'POST') return next();
      const message = parseMessage(typeof request.body === 'string' ? request.body : '');
      if (message === undefined) return answerError(response, 400, -32700, 'Parse error: the body is not JSON.');
      request.body = message;
      next();
    },
  ];
}

/**
 * A message with plain numbers, as the protocol's own members need them, but exact numbers in the arguments of a call:
 * an id beyond 2^53 must reach the upstream as it was written.
 */
export function parseMessage(text: string): unknown {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  // Read a second time for its digits only where there are arguments.
  if (![message].flat().some(hasArguments)) return message;
  const exact = tryParseJson(text);
  if (Array.isArray(message)) return message.map((one, index) => withExactArguments(one, (exact as readonly Json[])[index]));
  return withExactArguments(message, exact);
}

const hasArguments = (message: unknown): boolean =>
  isJsonObject(message) && isJsonObject(message['params']) && isJsonObject(message['params']['arguments']);

function withExactArguments(message: unknown, exact: Json | undefined): unknown {
  if (!isJsonObject(exact) || !isJsonObject(exact['params']) || !hasArguments(message)) return message;
  const call = message as { readonly params: object };
  return { ...call, params: { ...call.params, arguments: exact['params']['arguments'] } };
}
