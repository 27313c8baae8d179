// Synchronous tools: passed through, over the same HTTP, credentials and bounds as everything else. Nothing is recorded.

import type { Exchange, HttpRequest, HttpResponse } from '../core/http.ts';
import type { JsonObject } from '../core/json.ts';
import { brokenParts, errorSentence, payloadOf } from '../core/readings.ts';
import { renderRequest } from '../core/render.ts';
import type { CallTool } from '../core/tool.ts';
import { followable } from '../core/urls.ts';
import type { Context } from './context.ts';
import type { CallOutcome } from './engine.ts';

const HOPS_MAX = 5;

/** Sends the call and says what came back. Never throws for what an upstream does, and never repeats a request. */
export async function passThrough(
  { transport, budget, metrics }: Context,
  tool: CallTool,
  args: JsonObject,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const faults = tool.check(args);
  if (faults.length > 0) return { kind: 'invalid', faults };
  const rendered = renderRequest(tool.request, args);
  if ('faults' in rendered) return { kind: 'invalid', faults: rendered.faults };
  if (budget.available('request', tool.upstream) < 1) {
    metrics?.refused({ upstream: tool.upstream, why: 'busy' });
    return {
      kind: 'failed',
      message: `${tool.upstream} is busy: too many requests are under way. Nothing was sent; try again in a moment.`,
    };
  }
  const release = budget.take('request', tool.upstream);
  try {
    let request: HttpRequest = rendered.request;
    for (let hop = 0; hop < HOPS_MAX; hop++) {
      const exchange: Exchange = await transport.send(tool.upstream, request, {
        timeoutMs: tool.timeoutMs,
        bytesMax: tool.responseBytesMax,
        purpose: 'call',
        signal,
      });
      if (!exchange.ok) return { kind: 'failed', message: `${tool.name}: ${exchange.failure.message}` };
      const { response } = exchange;
      const location = response.headers['location'];
      if ((response.status === 302 || response.status === 303) && location !== undefined) {
        // 302 and 303 answer a call by another resource, which is read with GET (RFC 9110 §15.4.3, §15.4.4).
        const next = followable(location, response.url, { allowedOrigins: [new URL(tool.request.server).origin] });
        if (!next.ok)
          return { kind: 'failed', status: response.status, message: `${tool.name}: the answer is elsewhere, and ${next.why}` };
        request = {
          method: 'GET',
          url: next.url,
          headers: [['accept', tool.request.accept]],
          ...(request.security !== undefined && { security: request.security }),
        };
        continue;
      }
      return answerOf(tool.upstream, response);
    }
    return { kind: 'failed', message: `${tool.name}: the answer moved more than ${HOPS_MAX} times` };
  } finally {
    release();
  }
}

/** What an answer is to whoever called, without following it anywhere. */
export function answerOf(upstream: string, response: HttpResponse): CallOutcome {
  const payload = payloadOf(response);
  const held = payload === undefined ? {} : { payload };
  const { status } = response;
  const isSuccess = status >= 200 && status < 300;
  const broken = isSuccess ? brokenParts(response) : undefined;
  if (broken !== undefined)
    return {
      kind: 'failed',
      status,
      message: `${upstream} answered ${status}: the call was carried out, but ${broken}`,
      ...held,
    };
  if (isSuccess) return { kind: 'answered', status, ...held };
  return { kind: 'failed', status, message: `${upstream} answered ${status}: ${errorSentence(response)}`, ...held };
}
