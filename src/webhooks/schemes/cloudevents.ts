// CloudEvents over HTTP in its three modes (binary, structured, batched), with the web hook specification's bearer token and
// its request for permission. @see CloudEvents HTTP Protocol Binding 1.0.2 §3; HTTP 1.1 Web Hooks for Event Delivery §3, §4

import { isJsonObject, type Json, scalarText, tryParseJson } from '../../core/json.ts';
import { anySame, lines, single } from '../compare.ts';
import { refused, type Scheme } from '../scheme.ts';
import { eachOf } from './eventgrid.ts';

export const cloudEvents: Scheme = {
  id: 'cloudevents',

  verify(incoming, secrets, { header = 'authorization', prefix }) {
    const bearer = prefix ?? (header.toLowerCase() === 'authorization' ? 'Bearer ' : '');
    const given = [
      ...lines(incoming, header).flatMap((line) =>
        line.toLowerCase().startsWith(bearer.toLowerCase()) ? [line.slice(bearer.length).trim()] : [],
      ),
      ...new URL(incoming.url).searchParams.getAll('access_token'),
    ];
    if (given.length === 0) return refused('there is no token');
    if (!anySame(given, secrets)) return refused('the token is none of ours');
    const eventId = idIn(single(incoming, 'ce-source'), single(incoming, 'ce-id'));
    return { ok: true, ...(eventId !== undefined && { eventId }) };
  },

  permission(incoming) {
    const origin = single(incoming, 'webhook-request-origin');
    if (origin === undefined) return undefined;
    const rate = single(incoming, 'webhook-request-rate');
    const granted = rate === undefined ? {} : { 'webhook-allowed-rate': /^\d{1,9}$/.test(rate) ? rate : '*' };
    return { status: 200, headers: { allow: 'POST', 'webhook-allowed-origin': origin, ...granted }, body: '' };
  },

  split(body, incoming) {
    const mediaType = single(incoming, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();
    if (mediaType === 'application/cloudevents-batch+json') return eachOf(tryParseJson(body), structuredId);
    if (mediaType !== 'application/cloudevents+json') return undefined;
    const event = tryParseJson(body);
    const id = isJsonObject(event) ? structuredId(event) : undefined;
    return [{ body, ...(id !== undefined && { id }) }];
  },
};

/** Source and id together are unique. @see CloudEvents 1.0.2 §3.1.1 */
const idIn = (source: string | undefined, id: string | undefined): string | undefined =>
  id === undefined ? undefined : `${source ?? ''}#${id}`;

const structuredId = (event: { readonly [member: string]: Json }): string | undefined =>
  idIn(scalarText(event['source']), scalarText(event['id']));
