// Fetching a result that is not in the status body, or not all of it.

import type { ResultJudgement } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { type CompiledHelper, helperRequest, helperUrl, knownOf } from '../../src/core/helper-request.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import type { Reference } from '../../src/core/operation.ts';
import { expectedOf, judgeFetched, securityOf } from '../../src/core/result.ts';
import { refusedIn } from './handle.ts';
import { poll } from './poll.ts';
import { looksByHead, protocolOf } from './protocol.ts';

/** `undefined`: there is nothing to ask; `reference.extra.resultRefused` says why where a URL was refused. */
export function fetchResult(reference: Reference, descriptor: Descriptor): HttpRequest | undefined {
  const protocol = protocolOf(descriptor);
  const { helper, ...rules } = protocol.result;
  if (refusedIn(reference) !== undefined) return undefined;
  const url = reference.resultUrl ?? (helper && helperUrl(helper, knownOf(reference)));
  if (url === undefined) return undefined;
  // The status answer is the first page: it is asked for as a status is.
  if (helper === undefined && url === reference.statusUrl && !looksByHead(protocol)) return poll(reference, descriptor);
  const { accept } = expectedOf(rules, helper?.accept);
  return helperRequest({ ...securityOf(descriptor), ...helper, accept }, url, reference);
}

export function judgeResult(response: HttpResponse, descriptor: Descriptor, reference: Reference): ResultJudgement {
  const { result } = protocolOf(descriptor);
  const first = fetchResult(reference, descriptor);
  const judged = judgeFetched(response, descriptor, result, { accept: acceptOf(result.helper), first, reference });
  const isNamed = result.helper === undefined && reference.resultUrl !== undefined;
  return judged.kind === 'unreadable' && isNamed && EXPIRED.has(response.status) ? { ...judged, stale: true } : judged;
}

/** How a signed URL that has run out is answered. */
const EXPIRED = new Set([400, 401, 403, 410]);

/** What a helper asks for: what it is described to send wins over what its operation declares. */
const acceptOf = (helper: CompiledHelper | undefined): string | undefined =>
  Object.entries(helper?.sent?.headers ?? {}).find(([name]) => name.toLowerCase() === 'accept')?.[1] ?? helper?.accept;
