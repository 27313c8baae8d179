// The handle: which job an answer to a submit is about. Every described place is tried in order, and the first that can be
// used wins: a header that is garbage, or points to a foreign origin, does not hide an id in the body.

import type { Descriptor } from '../../src/core/descriptor.ts';
import { type Exchanged, evaluate } from '../../src/core/expressions.ts';
import { type CompiledHelper, helperUrl, idIn, knownOf } from '../../src/core/helper-request.ts';
import type { HttpResponse } from '../../src/core/http.ts';
import { type Json, type JsonObject, scalarText, valueAt } from '../../src/core/json.ts';
import type { Reference } from '../../src/core/operation.ts';
import { isSet, readJson } from '../../src/core/readings.ts';
import { needsId, remembered } from '../../src/core/sent.ts';
import { describeUrl, followable, type UrlPolicy } from '../../src/core/urls.ts';
import { type Protocol, protocolOf } from './protocol.ts';

/** Headers that never mean the result: what else is in a Location beside one of these is the result's URL. */
const MONITORS: readonly string[] = ['operation-location', 'azure-asyncoperation'];

export interface Handle {
  readonly reference?: Reference;
  /** Why each URL that was given can't be used. Names origins only. */
  readonly refused: readonly string[];
}

/** Where the status is read: its URL, and the header that named it. */
interface Monitor {
  readonly url: string;
  readonly header?: string;
}

/**
 * The reference inside a submit's answer, or why there is none.
 * @param jobExpected Only then does the address of the resource itself, known without any answer, count as a handle.
 */
export function findHandle(exchanged: Exchanged, descriptor: Descriptor, jobExpected: boolean): Handle {
  const { response } = exchanged;
  const protocol = protocolOf(descriptor);
  const refused: string[] = [];
  const follow = (raw: string): string | undefined => {
    const followed = followable(raw.trim(), response.url, descriptor);
    if (!followed.ok) refused.push(followed.why);
    return followed.ok ? followed.url : undefined;
  };
  const named = protocol.id === undefined ? undefined : evaluate(protocol.id, exchanged);
  const text = typeof named === 'boolean' ? undefined : scalarText(named);
  const id = text?.trim() === '' ? undefined : text;

  const fromHeaders = (headers: readonly string[]): Monitor | undefined => {
    for (const header of headers) {
      const raw = response.headers[header];
      // Beside other codes than 202, Content-Location only names what was answered. @see RFC 9110 §8.7
      if (raw === undefined || (header === 'content-location' && response.status !== 202 && !protocol.headersDescribed))
        continue;
      const url = follow(raw);
      if (url !== undefined) return { url, header };
    }
    return undefined;
  };
  const fromBody = (): Monitor | undefined => {
    const raw = protocol.url === undefined ? undefined : evaluate(protocol.url, exchanged);
    const url = typeof raw === 'string' ? follow(raw) : undefined;
    return url === undefined ? undefined : { url };
  };
  const fromTemplate = (): Monitor | undefined => {
    const isUseless = id === undefined && (!jobExpected || needsId(protocol.status?.sent));
    if (protocol.status === undefined || isUseless) return undefined;
    const url = helperUrl(protocol.status, id === undefined ? {} : { id }, exchanged.arguments);
    return url === undefined ? undefined : { url };
  };
  const fromSelf = (): Monitor | undefined => (protocol.self ? { url: exchanged.request.url } : undefined);
  // The header that is described as the result's is the status only where nothing else is.
  const resultHeader = protocol.result.header;
  const monitor =
    fromHeaders(protocol.headers.filter((header) => header !== resultHeader)) ??
    fromBody() ??
    fromTemplate() ??
    fromHeaders(protocol.headers.filter((header) => header === resultHeader)) ??
    fromSelf();
  if (monitor === undefined) return { refused };

  const jobId = id ?? (protocol.status && idIn(protocol.status, monitor.url)) ?? describeUrl(monitor.url);
  const known = referenceTo(jobId, monitor.url, exchanged.arguments, protocol);
  const extra = {
    ...remembered(protocol.remember ?? [], exchanged),
    ...(monitor.header !== undefined && { header: monitor.header }),
  };
  const reference: Reference = Object.keys(extra).length === 0 ? known : { ...known, extra };
  const reading = readJson(response);
  const complete = withCancel(
    withResultHeader(reference, response, descriptor),
    reading.kind === 'json' ? reading.value : undefined,
    response.url,
    descriptor,
  );
  return { reference: withSelf(complete, exchanged, protocol), refused };
}

/** A job's reference, with every URL that only the arguments of its submit can complete. */
function referenceTo(id: string, statusUrl: string, args: JsonObject, { cancel, result }: Protocol): Reference {
  const known = { id, statusUrl };
  const filled = (helper: CompiledHelper | undefined) =>
    helper && helper.arguments.length > 0 ? helperUrl(helper, knownOf(known), args) : undefined;
  const cancelUrl = filled(cancel);
  const resultUrl = filled(result.helper);
  return { ...known, ...(cancelUrl !== undefined && { cancelUrl }), ...(resultUrl !== undefined && { resultUrl }) };
}

/**
 * A reference from one text that is a URL (absolute, or beginning with '/') or an id; a sentence where it is neither.
 * @param base What a URL that begins with '/' is resolved against.
 */
export function referenceNamed(text: string, base: string, args: JsonObject, descriptor: Descriptor): Reference | string {
  const protocol = protocolOf(descriptor);
  const { status } = protocol;
  if (/^(https?:\/)?\//i.test(text)) {
    const followed = followable(text, base, descriptor);
    if (!followed.ok) return `the location that it names was refused: ${followed.why}`;
    return referenceTo((status && idIn(status, followed.url)) ?? describeUrl(followed.url), followed.url, args, protocol);
  }
  const statusUrl = status && helperUrl(status, { id: text }, args);
  return statusUrl === undefined
    ? 'no status URL is described for the id that it names'
    : referenceTo(text, statusUrl, args, protocol);
}

/** Where a reference remembers whether the job can be cancelled now. */
export const CANCELLABLE = 'cancellable';

/** Remembers what an answer says of a cancel: where it is asked for, and whether it can be asked now. */
export function withCancel(reference: Reference, body: Json | undefined, base: string, descriptor: Descriptor): Reference {
  const { cancelUrlAt, allowedAt } = protocolOf(descriptor);
  const raw = cancelUrlAt === undefined ? undefined : valueAt(body, cancelUrlAt);
  const named = typeof raw === 'string' && raw.trim() !== '' ? followable(raw.trim(), base, descriptor) : undefined;
  const isNew = named?.ok === true && named.url !== reference.cancelUrl;
  const can = allowedAt === undefined || body === undefined ? undefined : isSet(valueAt(body, allowedAt)) ? 'yes' : 'no';
  const isNews = can !== undefined && can !== (reference.extra?.[CANCELLABLE] ?? 'yes');
  if (!isNew && !isNews) return reference;
  return {
    ...reference,
    ...(isNew && { cancelUrl: named.url }),
    ...(isNews && { extra: { ...reference.extra, [CANCELLABLE]: can } }),
  };
}

/** Remembers that the result is what the submit wrote, where nothing else says where it is. */
function withSelf(reference: Reference, { request }: Exchanged, { result }: Protocol): Reference {
  const isIt = result.self === 'first' || (result.self === 'else' && reference.resultUrl === undefined);
  return isIt ? { ...reference, resultUrl: request.url } : reference;
}

/**
 * Remembers the result's URL that an answer names in a header: it may be the only one that ever does. A header that repeats
 * the status URL, as a Location does where it is the only one, names no result.
 */
export function withResultHeader(reference: Reference, response: HttpResponse, descriptor: Descriptor): Reference {
  const protocol = protocolOf(descriptor);
  const from = reference.extra?.['header'] ?? '';
  if (protocol.result.self === 'first') return reference;
  const header = protocol.result.header ?? (MONITORS.includes(from) ? 'location' : undefined);
  const raw = header === undefined ? undefined : response.headers[header];
  if (raw === undefined) return reference;
  const named = withResultUrl(reference, raw, response.url, descriptor);
  const isStatus = named.resultUrl !== undefined && named.resultUrl === reference.statusUrl;
  const isWorse = refusedIn(named) !== undefined && reference.resultUrl !== undefined;
  return isStatus || isWorse ? reference : named;
}

/** Why the result's URL can't be followed, for people; `undefined` where nothing was refused. */
export const refusedIn = (reference: Reference): string | undefined => reference.extra?.['resultRefused'] || undefined;

/** The reference to a job whose result is not where it should be: there is nothing to ask for, and this is why. */
export const withoutResult = (reference: Reference, why: string): Reference => ({
  ...reference,
  extra: { ...reference.extra, resultRefused: why },
});

/**
 * The reference with the result's URL, or with `extra.resultRefused`, the sentence that says why that URL was refused: then
 * `fetchResult` has nothing to ask for. References are merged into older ones, so what no longer holds is emptied, not left out.
 */
export function withResultUrl(reference: Reference, raw: string, base: string, policy: UrlPolicy): Reference {
  const followed = followable(raw.trim(), base, policy);
  const resultRefused = followed.ok ? '' : `the location of the result was refused: ${followed.why}`;
  const isNews = resultRefused !== '' || refusedIn(reference) !== undefined;
  return {
    ...reference,
    ...(followed.ok && { resultUrl: followed.url }),
    ...(isNews && { extra: { ...reference.extra, resultRefused } }),
  };
}

/**
 * The reference after a poll: a newer status URL wins, one that can't be used is ignored and the old one kept. Only headers
 * of the kind that named the first one count, since a Location beside an Operation-Location is the result's.
 */
export function renewed(reference: Reference, response: HttpResponse, descriptor: Descriptor): Reference {
  const protocol = protocolOf(descriptor);
  const from = reference.extra?.['header'];
  const candidates = protocol.headers.filter(
    (header) => header !== protocol.result.header && (header === from || MONITORS.includes(header)),
  );
  for (const header of candidates) {
    const raw = response.headers[header];
    const followed = raw === undefined ? undefined : followable(raw.trim(), response.url, descriptor);
    if (followed?.ok) {
      const home = reference.home ?? reference.statusUrl;
      const isNews = followed.url !== reference.statusUrl;
      const moved = isNews ? { ...reference, statusUrl: followed.url, ...(home !== undefined && { home }) } : reference;
      return withResultHeader(moved, response, descriptor);
    }
  }
  return withResultHeader(reference, response, descriptor);
}
