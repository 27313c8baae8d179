// Fetching a result that is not in the status body.

import type { ResultJudgement } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { helperRequest, helperUrl, knownOf } from '../../src/core/helper-request.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import { valueAt } from '../../src/core/json.ts';
import { judgeRefusedResult } from '../../src/core/judgements.ts';
import type { Reference } from '../../src/core/operation.ts';
import { answered, jsonPayload, payloadOf, readJson, retryAfterOf, unreadableBody } from '../../src/core/readings.ts';
import { followable } from '../../src/core/urls.ts';
import { refusedIn } from './handle.ts';
import { protocolOf, securityOf } from './protocol.ts';

/** `undefined`: there is nothing to ask; `reference.extra.resultRefused` says why where a URL was refused. */
export function fetchResult(reference: Reference, descriptor: Descriptor): HttpRequest | undefined {
  const { helper } = protocolOf(descriptor).result;
  if (refusedIn(reference) !== undefined) return undefined;
  const url = reference.resultUrl ?? (helper && helperUrl(helper, knownOf(reference)));
  return url === undefined ? undefined : helperRequest({ ...securityOf(descriptor), accept: '*/*', ...helper }, url);
}

export function judgeResult(response: HttpResponse, descriptor: Descriptor): ResultJudgement {
  const { status } = response;
  if (status >= 300 && status < 400) return judgeRedirect(response, descriptor);
  if (status < 200 || status >= 300) return judgeRefusedResult(response);
  if (status === 204 || status === 205) return { kind: 'read' };
  if (status === 202 || status === 206) {
    return {
      kind: 'unreadable',
      permanent: false,
      message: `${answered(response)}: the result is not there yet`,
      ...retryAfterOf(response),
    };
  }
  const reading = readJson(response);
  if (reading.kind === 'malformed') {
    return {
      kind: 'unreadable',
      permanent: false,
      message: `${unreadableBody(reading)}, when asked for the result`,
      ...retryAfterOf(response),
    };
  }
  const { at } = protocolOf(descriptor).result;
  if (reading.kind !== 'json' || at === undefined || at === '') return whole(response);
  const value = valueAt(reading.value, at);
  return value === undefined
    ? whole(response, `Nothing was found at ${at}; this is the whole answer.`)
    : { kind: 'read', result: jsonPayload(value) };
}

function whole(response: HttpResponse, note?: string): ResultJudgement {
  const result = payloadOf(response, note);
  return { kind: 'read', ...(result && { result }) };
}

/** Results are often handed out by a redirect to a download; how many of them are followed is the engine's. */
function judgeRedirect(response: HttpResponse, descriptor: Descriptor): ResultJudgement {
  const location = response.headers['location'];
  if (location === undefined || ![301, 302, 303, 307, 308].includes(response.status)) return judgeRefusedResult(response);
  const followed = followable(location.trim(), response.url, descriptor.allowedOrigins);
  return followed.ok
    ? { kind: 'elsewhere', request: helperRequest({ ...securityOf(descriptor), accept: '*/*' }, followed.url) }
    : { kind: 'unreadable', permanent: true, message: `the location of the result was refused: ${followed.why}` };
}
