// Finding an operation that is known by something else than an answer to its submit: by our request id, or because a person
// names it.

import type { Call, LookupJudgement } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import { scalarText, valueAt } from '../../src/core/json.ts';
import { lookupRequest, readLookup } from '../../src/core/lookup.ts';
import type { Reference } from '../../src/core/operation.ts';
import { splitUrl } from '../../src/core/urls.ts';
import { operationUrl } from './name.ts';
import { protocolOf } from './protocol.ts';

/** `undefined`: no lookup is described. */
export function lookup(call: Call, descriptor: Descriptor): HttpRequest | undefined {
  const { lookup: described, security } = protocolOf(descriptor);
  return described && lookupRequest(described, call, { ...(security && { security }) });
}

export function judgeLookup(response: HttpResponse, descriptor: Descriptor, call: Call): LookupJudgement {
  const { lookup: described, nameAt } = protocolOf(descriptor);
  if (described === undefined) return { kind: 'cannot_tell', message: 'no lookup is described' };
  const reading = readLookup(response, described, call.submissionKey, true);
  if (reading.kind !== 'job') return reading;
  const reference = referenceOf(scalarText(valueAt(reading.job, described.idAt ?? nameAt)) ?? '', call, descriptor);
  return typeof reference === 'object'
    ? { kind: 'found', reference }
    : { kind: 'cannot_tell', message: `an operation with our key exists, but ${reference}` };
}

/** The reference of an operation that is named by its name, or by the URL at which it is read. */
export function referenceOf(named: string, _call: Call, descriptor: Descriptor): Reference | string {
  const { template } = protocolOf(descriptor);
  const name = splitUrl(named) === undefined ? named : nameIn(template, named);
  if (name === undefined) return 'the URL is not where operations of this upstream are read';
  const statusUrl = operationUrl(template, name);
  return statusUrl === undefined ? 'its name can’t be read' : { id: name, statusUrl };
}

/** The name in an operation's URL, if the template makes exactly that URL of it. */
function nameIn(template: string, url: string): string | undefined {
  const before = template.slice(0, template.lastIndexOf('{'));
  if (!url.startsWith(before)) return undefined;
  try {
    const name = decodeURIComponent(url.slice(before.length).split('?', 1)[0] ?? '');
    return operationUrl(template, name)?.split('?', 1)[0] === url.split('?', 1)[0] ? name : undefined;
  } catch {
    return undefined;
  }
}
