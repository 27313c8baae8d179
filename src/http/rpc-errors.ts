// JSON-RPC errors that are answered before the protocol is reached: nobody who speaks MCP is ever given HTML.

import type { ErrorRequestHandler, Response } from 'express';
import type { Log } from '../core/log.ts';
import type { Metrics } from '../core/metrics.ts';

/** Answers with a JSON-RPC error that belongs to no request. */
export function answerError(response: Response, status: number, code: number, message: string): void {
  response.status(status).json({ jsonrpc: '2.0', error: { code, message }, id: null });
}

/** Every error that a middleware raises: too large, an unknown charset or content coding, an aborted upload, our own bug. */
export function errorsAsJson(log: Log, metrics: Metrics): ErrorRequestHandler {
  return (error: { readonly type?: string; readonly status?: number; readonly limit?: number }, _request, response, next) => {
    if (response.headersSent) return next(error);
    const status = typeof error.status === 'number' && error.status >= 400 && error.status < 500 ? error.status : 500;
    if (error.type === 'entity.too.large') {
      metrics.reached({ limit: 'requestBytesMax', upstream: 'none' });
      log.warn({ bytesMax: error.limit }, 'a request was refused: it is larger than server.requestBytesMax');
      return answerError(response, 413, -32600, `The request is larger than ${error.limit} bytes.`);
    }
    if (status < 500) return answerError(response, status, -32600, `The request could not be read (${error.type ?? status}).`);
    log.error({ error }, 'an HTTP request failed inside the gateway');
    answerError(response, 500, -32603, 'Internal error');
  };
}
