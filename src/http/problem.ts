// Errors of the admin API. @see RFC 9457 Problem Details for HTTP APIs

import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, Response } from 'express';
import type { Log } from '../core/log.ts';
import { ERRORS, LongshoreError } from '../errors.ts';

/** Answers with a problem. `detail` is for people and says the way on; `more` is for programs. */
export function answerProblem(
  response: Response,
  status: number,
  detail: string,
  more: Readonly<Record<string, unknown>> = {},
): void {
  const problem = { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, ...more };
  response.status(status).type('application/problem+json').send(JSON.stringify(problem));
}

/** What is wrong with a request, thrown where it is found. */
export class Unfit extends Error {
  override readonly name = 'Unfit';
  readonly status: number;

  constructor(detail: string, status = 400) {
    super(detail);
    this.status = status;
  }
}

/** Every error of a route or a middleware as a problem. */
export function problems(log: Log): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    if (error instanceof Unfit) return answerProblem(response, error.status, error.message);
    if (error instanceof LongshoreError)
      return answerProblem(response, ERRORS[error.code].http, error.message, { code: error.code });
    const { type, status, limit } = error as { readonly type?: string; readonly status?: number; readonly limit?: number };
    if (type === 'entity.too.large') return answerProblem(response, 413, `The body is larger than ${limit} bytes.`);
    if (typeof status === 'number' && status >= 400 && status < 500)
      return answerProblem(response, status, `The request could not be read (${type ?? status}).`);
    log.error({ err: error }, 'an admin request failed inside the gateway');
    answerProblem(response, 500, 'The gateway failed; its log says how.');
  };
}
