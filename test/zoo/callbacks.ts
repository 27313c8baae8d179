// How a species calls back: what it asks of the callback URL before it takes a job, and what it delivers once the job is over.

import { gzipSync } from 'node:zlib';
import type { JsonObject } from '../../src/core/json.ts';
import type { Asked } from './cage.ts';
import { type Base, filled, type Job } from './job.ts';
import { type Delivery, deliveries, isRefused } from './quirks/callback.ts';
import { CALLBACK_TOKEN, FORMER_TOKEN, type Parcel, SENDERS } from './senders.ts';
import type { Species } from './species.ts';

export interface Calling {
  /** Asks whether anybody listens; throws where the answer is not the one that it should be. */
  ask(base: Base): Promise<void>;
  /** Ends the job and calls back. */
  deliver(base: Base): Promise<void>;
}

/** How the job calls back; `undefined` where it does not, or nobody said where. */
export function callOf({ calls }: Species, job: Job, { query, text }: Asked): Calling | undefined {
  if (calls === undefined) return undefined;
  const sent = text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {};
  const url = calls.query === undefined ? sent[calls.body ?? ''] : query.get(calls.query);
  if (typeof url !== 'string') return undefined;
  const { ask, pack } = SENDERS[calls.by ?? 'token'];
  const ownSecret = calls.secret === undefined ? CALLBACK_TOKEN : String(sent[calls.secret]);

  const send = async (delivery: Delivery, base: Base): Promise<void> => {
    const { event, forged, alias, tampered, zipped, rolled, signedS = 0, emission = 0 } = delivery;
    const told = (which: Delivery['event'], of = job): JsonObject => {
      const said =
        which === 'news' ? calls.news : which === 'failure' || job.name.includes('broken') ? calls.failed : calls.succeeded;
      return JSON.parse(filled(JSON.stringify(said), of, base));
    };
    const other = { ...job, id: `other-${job.id}` };
    const parcel: Parcel = {
      event: told(event, alias === true ? other : job),
      stranger: told('failure', other),
      url,
      origin: new URL(base.here).origin,
      secrets: forged === true ? ['a token of nobody'] : rolled === true ? [FORMER_TOKEN, ownSecret] : [ownSecret],
      atS: Math.floor(Date.now() / 1000) + signedS,
      id: `${job.id}-${event}-${emission}`,
    };
    const { headers, body } = pack(parcel);
    const text = tampered === true ? body.replaceAll(/\b(?:succeeded|done)\b/g, 'failed') : body;
    const { status } = await fetch(url, {
      method: 'POST',
      headers: zipped === true ? { ...headers, 'Content-Encoding': 'gzip' } : headers,
      body: zipped === true ? gzipSync(text) : text,
    });
    const wanted = isRefused(delivery) ? 401 : 200;
    if (status !== wanted) throw new Error(`a delivery of ${job.name} was answered with ${status}, not ${wanted}`);
  };
  return {
    ask: async (base) => ask?.(url, ownSecret, new URL(base.here).origin),
    deliver: async (base) => {
      if (job.name.includes('endless')) return;
      job.ended = true;
      for (const together of deliveries(job.name)) await Promise.all(together.map((delivery) => send(delivery, base)));
    },
  };
}
